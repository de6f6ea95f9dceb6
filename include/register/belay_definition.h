/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * From what op_host has registered to the tables that Belay reads: combinations of dtypes laid out, functions wrapped so
 * that nothing is thrown through them.
 */
#ifndef REGISTER_BELAY_DEFINITION_H
#define REGISTER_BELAY_DEFINITION_H

#include <cctype>
#include <deque>
#include <exception>
#include <mutex>

#include "register/belay_sentence.h"
#include "register/op_def.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"

/* Each library has its own: statics of functions that others see would be shared by all that the process has. */
#pragma GCC visibility push(hidden)
namespace belay_operators_host
{
typedef ::ops::OpDef *(*DefinitionMaker)();

inline std::vector<DefinitionMaker> &definitions()
{
    static std::vector<DefinitionMaker> all;
    return all;
}

struct DefinitionEntry {
    explicit DefinitionEntry(DefinitionMaker make)
    {
        definitions().push_back(make);
    }
};

/* "AddCustom" as add_custom, by which kernels and files are called. */
inline std::string snake(const std::string &name)
{
    std::string text;
    for (size_t i = 0; i < name.size(); i++) {
        const bool is_upper = std::isupper(static_cast<unsigned char>(name[i])) != 0;
        const bool after_lower = i > 0 && !std::isupper(static_cast<unsigned char>(name[i - 1]));
        const bool before_lower =
            i > 0 && i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1]));
        if (is_upper && i > 0 && (after_lower || before_lower) && name[i - 1] != '_')
            text += '_';
        text += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return text;
}

/* The tables of one operator, for good. */
class Tables
{
  public:
    Tables(const ::ops::OpDef &of, const belay_operator *next) : definition(of), operation()
    {
        Functions &registered = functions()[of.name];
        if (of.core.tiling)
            registered.tiling = of.core.tiling;
        if (of.infer_shape)
            registered.infer_shape = of.infer_shape;
        if (of.infer_dtype)
            registered.infer_dtype = of.infer_dtype;
        own = registered;
        operation.next = next;
        operation.name = of.name.c_str();
        operation.stem = keep(snake(of.name));
        operation.inputs = static_cast<uint32_t>(of.inputs.size());
        operation.outputs = static_cast<uint32_t>(of.outputs.size());
        for (const ::ops::OpAttrDef &each : of.attributes) {
            attributes.push_back({each.name.c_str(), each.kind, each.is_optional,
                                  each.has_usual ? each.usual.c_str() : nullptr});
            if (each.kind >= BELAY_ATTRIBUTE_KINDS)
                blame("attribute " + each.name +
                      " is of a kind that no function takes; Int, Float, Bool, String or a list of "
                      "numbers is expected");
        }
        operation.attributes = static_cast<uint32_t>(attributes.size());
        operation.attribute = attributes.data();
        if (of.outputs.empty())
            blame("it has no output");
        if (of.core.products.empty())
            blame("AICore().AddConfig(\"ascend910b\") or another product is expected");
        for (const ::ops::OpAICoreDef::Product &each : of.core.products)
            add_product(each);
        operation.products = static_cast<uint32_t>(products.size());
        operation.product = products.data();
        source = tiling_source();
        operation.tiling_source = source.c_str();
        operation.fault = fault.empty() ? nullptr : fault.c_str();
    }
    Tables(const Tables &) = delete;

    belay_operator *get()
    {
        return &operation;
    }
    const Functions &registered() const
    {
        return own;
    }

    ge::graphStatus prepare(fe::PlatFormInfos *platform)
    {
        if (!own.prepare || !own.make_compiled)
            return ge::GRAPH_SUCCESS;
        std::call_once(once, [&] {
            compiled = own.make_compiled();
            gert::TilingParseContext context(operation.name, compiled, platform);
            prepared = own.prepare(&context);
        });
        return prepared;
    }
    const void *compile_info() const
    {
        return compiled;
    }

  private:
    typedef std::deque<::ops::OpParamDef> Parameters;

    void blame(const std::string &sentence)
    {
        if (fault.empty())
            fault = sentence;
    }

    /* Of a product, whose own words replace those that all have. */
    static Parameters merged(const Parameters &all, const Parameters &own)
    {
        Parameters list = all;
        for (const ::ops::OpParamDef &each : own)
            ::ops::OpAICoreConfig::find(list, each.name.c_str()) = each;
        return list;
    }

    /* Whose dtypes a parameter has: its own, or those of the one that it follows. */
    static const ::ops::OpParamDef &leader_of(const Parameters &in, const Parameters &out,
                                              const ::ops::OpParamDef &of)
    {
        for (const Parameters *list : {&in, &out})
            for (const ::ops::OpParamDef &each : *list)
                if (!of.follows.empty() && each.name == of.follows && each.follows.empty())
                    return each;
        return of;
    }

    void add_product(const ::ops::OpAICoreDef::Product &product)
    {
        Parameters in = merged(definition.inputs, product.config.inputs),
                   out = merged(definition.outputs, product.config.outputs);
        /* The combinations that are written, one behind the other, with each of those that are crossed. */
        size_t written = 0, all = 1;
        for (const Parameters *list : {&in, &out})
            for (const ::ops::OpParamDef &each : *list) {
                if (&leader_of(in, out, each) != &each || each.is_crossed)
                    continue;
                if (written <= 1)
                    written = each.dtypes.size();
                else if (each.dtypes.size() != written && each.dtypes.size() != 1)
                    blame(each.name + " has " + std::to_string(each.dtypes.size()) + " dtypes; " +
                          std::to_string(written) + ", as many as those before, are expected");
            }
        all = written = written == 0 ? 1 : written;
        std::map<const ::ops::OpParamDef *, size_t>
            repeats; /* how many combinations in a row one keeps its dtype for */
        for (const Parameters *list : {&in, &out})
            for (const ::ops::OpParamDef &each : *list) {
                if (leader_of(in, out, each).dtypes.empty())
                    blame(each.name + " has no DataType");
                if (&leader_of(in, out, each) != &each || !each.is_crossed)
                    continue;
                repeats[&each] = all;
                all *= each.dtypes.size();
            }
        if (in.size() != definition.inputs.size() || out.size() != definition.outputs.size())
            blame("AddConfig(\"" + product.name + "\") has an input or output that the operator has not");
        const belay_operator_parameter *lists[2];
        for (const Parameters *list : {&in, &out}) {
            const bool is_output = list == &out;
            parameters.emplace_back();
            for (const ::ops::OpParamDef &each : *list) {
                const ::ops::OpParamDef &leader = leader_of(in, out, each);
                lay_out(each, leader, leader.is_crossed ? repeats[&leader] : 1, fault.empty() ? all : 0);
                belay_operator_parameter &made = parameters.back().back();
                if (is_output) /* what a kernel writes is a tensor */
                    made.is_value = 0;
                if (!products.empty() && fault.empty())
                    keep_kind(is_output ? products[0].output : products[0].input, made);
            }
            lists[is_output] = parameters.back().data();
        }
        kernels.push_back(product.config.kernel.empty() ? snake(definition.name) : product.config.kernel);
        products.push_back(
            {keep(product.name), keep(kernels.back()), static_cast<uint32_t>(all), lists[0], lists[1]});
    }

    /* The function is one for all products: what its parameters are is as the first product has them. */
    void keep_kind(const belay_operator_parameter *first, belay_operator_parameter &made) const
    {
        first += parameters.back().size() - 1;
        made.presence = first->presence;
        made.is_value = first->is_value;
    }

    const char *keep(const std::string &text)
    {
        texts.push_back(text);
        return texts.back().c_str();
    }

    /* One dtype and format for each combination. */
    void lay_out(const ::ops::OpParamDef &each, const ::ops::OpParamDef &leader, size_t repeat, size_t all)
    {
        numbers.emplace_back();
        std::vector<int32_t> &dtypes = numbers.back();
        numbers.emplace_back();
        std::vector<int32_t> &formats = numbers.back();
        for (size_t i = 0; i < all; i++) {
            const size_t at = i / repeat % leader.dtypes.size();
            dtypes.push_back(leader.dtypes[at]);
            formats.push_back(at < leader.formats.size() ? leader.formats[at]
                              : leader.formats.empty()   ? ge::FORMAT_ND
                                                         : leader.formats[0]);
        }
        const uint32_t presence = each.presence == ::ops::DYNAMIC    ? BELAY_DYNAMIC
                                  : each.presence == ::ops::OPTIONAL ? BELAY_OPTIONAL
                                                                     : BELAY_REQUIRED;
        parameters.back().push_back(
            {keep(each.name), presence, each.contiguity, each.is_value, dtypes.data(), formats.data()});
    }

    /* The first struct that is registered for the operator is what GET_TILING_DATA reads. */
    std::string tiling_source() const
    {
        std::map<std::string, bool> done;
        std::string text, usual;
        for (const ::optiling::TilingClass &each : ::optiling::tiling_classes()) {
            const bool is_own = each.of == definition.name;
            if (!is_own && each.of.compare(0, definition.name.size() + 1, definition.name + "_") != 0)
                continue;
            const std::shared_ptr<::optiling::TilingDef> made = each.make();
            text += made->Source(done);
            if (is_own || usual.empty())
                usual = made->GetTilingClassName();
        }
        return usual.empty() ? text : text + "using belay_tiling_default = " + usual + ";\n";
    }

    const ::ops::OpDef &definition;
    Functions own;
    belay_operator operation;
    std::vector<belay_operator_attribute> attributes;
    std::vector<belay_operator_product> products;
    std::deque<std::vector<belay_operator_parameter>> parameters;
    std::deque<std::vector<int32_t>> numbers;
    std::deque<std::string> texts, kernels;
    std::string source, fault;
    std::once_flag once;
    void *compiled = nullptr;
    ge::graphStatus prepared = ge::GRAPH_SUCCESS;
};

inline std::deque<Tables> &tables()
{
    static std::deque<Tables> all;
    return all;
}

inline Tables *tables_of(const belay_operator_call &call)
{
    for (Tables &each : tables())
        if (std::string("aclnn") + each.get()->name == call.name)
            return &each;
    return nullptr;
}

/* Calls a function of the project; what it throws is a status, too. */
template <typename Function> int guarded(belay_operator_call *call, Function function)
{
    ge::graphStatus status = ge::GRAPH_FAILED;
    sentence().text[0] = '\0';
    try {
        status = function();
    } catch (const std::exception &thrown) {
        say("it has thrown: %s", thrown.what());
    } catch (...) {
        say("it has thrown something");
    }
    std::snprintf(call->sentence, sizeof call->sentence, "%s", sentence().text);
    return static_cast<int>(status);
}

inline int infer_shape(belay_operator_call *call)
{
    return guarded(call, [call]() -> ge::graphStatus {
        gert::InferShapeContext context(*call);
        const ge::graphStatus status = tables_of(*call)->registered().infer_shape(&context);
        context.Deliver();
        return status;
    });
}

inline int infer_dtype(belay_operator_call *call)
{
    return guarded(call, [call]() -> ge::graphStatus {
        gert::InferDataTypeContext context(*call);
        const ge::graphStatus status = tables_of(*call)->registered().infer_dtype(&context);
        context.Deliver();
        return status;
    });
}

inline int tiling(belay_operator_call *call)
{
    return guarded(call, [call]() -> ge::graphStatus {
        static fe::PlatFormInfos platform;
        Tables *of = tables_of(*call);
        const ge::graphStatus status = of->prepare(&platform);
        if (status != ge::GRAPH_SUCCESS)
            return status;
        gert::TilingContext context(*call, of->compile_info(), &platform);
        return of->registered().tiling(&context);
    });
}

inline const belay_operator *all_operators()
{
    static std::once_flag once;
    std::call_once(once, [] {
        for (DefinitionMaker make : definitions()) {
            std::deque<Tables> &all = tables();
            all.emplace_back(*make(), all.empty() ? nullptr : all.back().get());
            belay_operator *made = all.back().get();
            const Functions &has = all.back().registered();
            made->infer_shape = has.infer_shape ? infer_shape : nullptr;
            made->infer_dtype = has.infer_dtype ? infer_dtype : nullptr;
            made->tiling = has.tiling ? tiling : nullptr;
        }
    });
    return tables().empty() ? nullptr : tables().back().get();
}
} // namespace belay_operators_host
#pragma GCC visibility pop

extern "C" __attribute__((visibility("default"), used)) inline const belay_operator *
belay_operators(uint32_t version)
{
    return version == BELAY_OPERATORS_VERSION ? belay_operators_host::all_operators() : nullptr;
}

#endif
