/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The definition of an operator: inputs, outputs, attributes, and the products that it has kernels for. What only
 * graphs or the device's compiler ask for is taken and changes nothing.
 */
#ifndef REGISTER_OP_DEF_H
#define REGISTER_OP_DEF_H

#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

namespace optiling
{
typedef ge::graphStatus (*TilingFunction)(gert::TilingContext *);
}

namespace ops
{
enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FollowType { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3 };
enum class ItemFindStatus { ITEM_FIND = 0, ITEM_NOEXIST = 1 };
enum class DependScope { ALL = 0, TILING = 1 };

class OpParamDef
{
  public:
    explicit OpParamDef(const char *called) : name(called)
    {
    }
    OpParamDef &ParamType(Option value)
    {
        presence = value;
        return *this;
    }
    OpParamDef &DataType(std::vector<ge::DataType> list)
    {
        dtypes = std::move(list);
        is_crossed = false;
        return *this;
    }
    /* With each of the others' combinations. */
    OpParamDef &DataTypeList(std::vector<ge::DataType> list)
    {
        dtypes = std::move(list);
        is_crossed = true;
        return *this;
    }
    OpParamDef &DataTypeForBinQuery(std::vector<ge::DataType>)
    {
        return *this;
    }
    OpParamDef &Format(std::vector<ge::Format> list)
    {
        formats = std::move(list);
        return *this;
    }
    OpParamDef &FormatList(std::vector<ge::Format> list)
    {
        return Format(std::move(list));
    }
    OpParamDef &FormatForBinQuery(std::vector<ge::Format>)
    {
        return *this;
    }
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format>)
    {
        return *this;
    }
    OpParamDef &ValueDepend(Option value)
    {
        is_value = value == REQUIRED || value == OPTIONAL;
        return *this;
    }
    OpParamDef &ValueDepend(Option value, DependScope)
    {
        return ValueDepend(value);
    }
    OpParamDef &IgnoreContiguous()
    {
        contiguity = BELAY_CONTIGUOUS_NOT;
        return *this;
    }
    OpParamDef &AutoContiguous()
    {
        contiguity = BELAY_CONTIGUOUS_MADE;
        return *this;
    }
    OpParamDef &UnContiguous()
    {
        return AutoContiguous();
    }
    OpParamDef &Scalar()
    {
        return *this;
    }
    OpParamDef &ScalarList()
    {
        return *this;
    }
    OpParamDef &To(ge::DataType)
    {
        return *this;
    }
    OpParamDef &To(const char *)
    {
        return *this;
    }
    OpParamDef &Version(uint32_t)
    {
        return *this;
    }
    OpParamDef &InitValue(uint64_t)
    {
        return *this;
    }
    OpParamDef &OutputShapeDependOnCompute()
    {
        return *this;
    }
    OpParamDef &Follow(const char *other)
    {
        follows = other;
        return *this;
    }
    OpParamDef &Follow(const char *other, FollowType)
    {
        return Follow(other);
    }

    std::string name, follows;
    Option presence = REQUIRED;
    std::vector<ge::DataType> dtypes;
    std::vector<ge::Format> formats;
    bool is_crossed = false, is_value = false;
    uint32_t contiguity = BELAY_CONTIGUOUS_EXPECTED;
};

class OpAttrDef
{
  public:
    explicit OpAttrDef(const char *called) : name(called)
    {
    }
    OpAttrDef &AttrType(Option value)
    {
        is_optional = value == OPTIONAL;
        return *this;
    }
    OpAttrDef &Int()
    {
        return is(BELAY_ATTRIBUTE_INT);
    }
    OpAttrDef &Int(int64_t value)
    {
        return has(BELAY_ATTRIBUTE_INT, std::to_string(value));
    }
    OpAttrDef &Float()
    {
        return is(BELAY_ATTRIBUTE_FLOAT);
    }
    OpAttrDef &Float(float value)
    {
        return has(BELAY_ATTRIBUTE_FLOAT, text_of(value));
    }
    OpAttrDef &Bool()
    {
        return is(BELAY_ATTRIBUTE_BOOL);
    }
    OpAttrDef &Bool(bool value)
    {
        return has(BELAY_ATTRIBUTE_BOOL, value ? "true" : "false");
    }
    OpAttrDef &String()
    {
        return is(BELAY_ATTRIBUTE_STRING);
    }
    OpAttrDef &String(const char *value)
    {
        return has(BELAY_ATTRIBUTE_STRING, value);
    }
    OpAttrDef &ListInt()
    {
        return is(BELAY_ATTRIBUTE_INTS);
    }
    OpAttrDef &ListInt(const std::vector<int64_t> &list)
    {
        std::string text;
        for (int64_t each : list)
            text += (text.empty() ? "" : ",") + std::to_string(each);
        return has(BELAY_ATTRIBUTE_INTS, text);
    }
    OpAttrDef &ListFloat()
    {
        return is(BELAY_ATTRIBUTE_FLOATS);
    }
    OpAttrDef &ListFloat(const std::vector<float> &list)
    {
        std::string text;
        for (float each : list)
            text += (text.empty() ? "" : ",") + text_of(each);
        return has(BELAY_ATTRIBUTE_FLOATS, text);
    }
    OpAttrDef &ListBool()
    {
        return is(BELAY_ATTRIBUTE_BOOLS);
    }
    OpAttrDef &ListBool(const std::vector<bool> &list)
    {
        std::string text;
        for (bool each : list)
            text += std::string(text.empty() ? "" : ",") + (each ? "true" : "false");
        return has(BELAY_ATTRIBUTE_BOOLS, text);
    }
    OpAttrDef &ListListInt()
    {
        return is(BELAY_ATTRIBUTE_KINDS);
    }
    OpAttrDef &ListListInt(const std::vector<std::vector<int64_t>> &)
    {
        return is(BELAY_ATTRIBUTE_KINDS);
    }
    OpAttrDef &Version(uint32_t)
    {
        return *this;
    }

    std::string name, usual;
    uint32_t kind = BELAY_ATTRIBUTE_KINDS;
    bool is_optional = false, has_usual = false;

  private:
    OpAttrDef &is(uint32_t value)
    {
        kind = value;
        return *this;
    }
    OpAttrDef &has(uint32_t value, const std::string &text)
    {
        usual = text;
        has_usual = is_optional = true;
        return is(value);
    }
    static std::string text_of(float value)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.9g", static_cast<double>(value));
        for (char *at = text; *at; at++) /* a point in every locale */
            if (*at == ',')
                *at = '.';
        return text;
    }
};

/* What a product has that differs. */
class OpAICoreConfig
{
  public:
    OpAICoreConfig() = default;
    explicit OpAICoreConfig(const char *)
    {
    }
    OpParamDef &Input(const char *name)
    {
        return find(inputs, name);
    }
    OpParamDef &Output(const char *name)
    {
        return find(outputs, name);
    }
    OpAICoreConfig &DynamicCompileStaticFlag(bool)
    {
        return *this;
    }
    OpAICoreConfig &DynamicFormatFlag(bool)
    {
        return *this;
    }
    OpAICoreConfig &DynamicRankSupportFlag(bool)
    {
        return *this;
    }
    OpAICoreConfig &DynamicShapeSupportFlag(bool)
    {
        return *this;
    }
    OpAICoreConfig &NeedCheckSupportFlag(bool)
    {
        return *this;
    }
    OpAICoreConfig &PrecisionReduceFlag(bool)
    {
        return *this;
    }
    /* opFile.value and opInterface.value name the kernel's file and function. */
    OpAICoreConfig &ExtendCfgInfo(const char *key, const char *value)
    {
        if (std::string(key) == "opFile.value")
            kernel = value;
        return *this;
    }

    static OpParamDef &find(std::deque<OpParamDef> &list, const char *name)
    {
        for (OpParamDef &each : list)
            if (each.name == name)
                return each;
        list.emplace_back(name);
        return list.back();
    }

    std::deque<OpParamDef> inputs, outputs;
    std::string kernel;
};

class OpAICoreDef
{
  public:
    OpAICoreDef &SetTiling(optiling::TilingFunction function)
    {
        tiling = function;
        return *this;
    }
    template <typename Check> OpAICoreDef &SetCheckSupport(Check)
    {
        return *this;
    }
    template <typename Select> OpAICoreDef &SetOpSelectFormat(Select)
    {
        return *this;
    }
    OpAICoreDef &AddConfig(const char *product)
    {
        return AddConfig(product, OpAICoreConfig());
    }
    OpAICoreDef &AddConfig(const char *product, const OpAICoreConfig &config)
    {
        products.push_back({product, config});
        return *this;
    }

    optiling::TilingFunction tiling = nullptr;
    struct Product {
        std::string name;
        OpAICoreConfig config;
    };
    std::deque<Product> products;
};

/* Groups of ranks that kernels would meet: there is no communication inside kernels, which the definition is told. */
class OpMC2Def
{
  public:
    OpMC2Def &HcclGroup(const char *)
    {
        return *this;
    }
    OpMC2Def &HcclGroup(std::vector<const char *>)
    {
        return *this;
    }
    OpMC2Def &HcclServerType(int, const char * = nullptr)
    {
        return *this;
    }
};

class OpDef
{
  public:
    typedef ge::graphStatus (*InferShapeFunction)(gert::InferShapeContext *);
    typedef ge::graphStatus (*InferDataTypeFunction)(gert::InferDataTypeContext *);

    explicit OpDef(const char *type) : name(type)
    {
    }
    OpParamDef &Input(const char *called)
    {
        return OpAICoreConfig::find(inputs, called);
    }
    OpParamDef &Output(const char *called)
    {
        return OpAICoreConfig::find(outputs, called);
    }
    OpAttrDef &Attr(const char *called)
    {
        for (OpAttrDef &each : attributes)
            if (each.name == called)
                return each;
        attributes.emplace_back(called);
        return attributes.back();
    }
    OpDef &SetInferShape(InferShapeFunction function)
    {
        infer_shape = function;
        return *this;
    }
    template <typename Function> OpDef &SetInferShapeRange(Function)
    {
        return *this;
    }
    OpDef &SetInferDataType(InferDataTypeFunction function)
    {
        infer_dtype = function;
        return *this;
    }
    OpDef &Comment(const char *)
    {
        return *this;
    }
    template <typename Section> OpDef &Comment(Section, const char *)
    {
        return *this;
    }
    OpAICoreDef &AICore()
    {
        return core;
    }
    OpMC2Def &MC2()
    {
        return ranks;
    }

    std::string name;
    std::deque<OpParamDef> inputs, outputs;
    std::deque<OpAttrDef> attributes;
    InferShapeFunction infer_shape = nullptr;
    InferDataTypeFunction infer_dtype = nullptr;
    OpAICoreDef core;
    OpMC2Def ranks;
};
} // namespace ops

#endif
