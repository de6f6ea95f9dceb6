/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of operators, registered by the operator's name: IMPL_OP_OPTILING(Name).Tiling(f), IMPL_OP_INFERSHAPE, IMPL_OP.
 */
#ifndef REGISTER_OP_IMPL_REGISTRY_H
#define REGISTER_OP_IMPL_REGISTRY_H

#include <initializer_list>
#include <map>
#include <string>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace belay_operators_host
{
/* What is registered for one operator. */
struct Functions {
    ge::graphStatus (*tiling)(gert::TilingContext *) = nullptr;
    ge::graphStatus (*infer_shape)(gert::InferShapeContext *) = nullptr;
    ge::graphStatus (*infer_dtype)(gert::InferDataTypeContext *) = nullptr;
    ge::graphStatus (*prepare)(gert::TilingParseContext *) = nullptr;
    void *(*make_compiled)() = nullptr; /* the struct that prepare fills in */
};

/* Those of this library: what is hidden is not shared with others that the process has. */
__attribute__((visibility("hidden"))) inline std::map<std::string, Functions> &functions()
{
    static std::map<std::string, Functions> all;
    return all;
}
} // namespace belay_operators_host

namespace gert
{
class __attribute__((visibility("hidden"))) OpImplRegisterV2
{
  public:
    explicit OpImplRegisterV2(const char *type) : name(type)
    {
    }
    OpImplRegisterV2 &Tiling(ge::graphStatus (*function)(TilingContext *))
    {
        belay_operators_host::functions()[name].tiling = function;
        return *this;
    }
    OpImplRegisterV2 &Tiling(ge::graphStatus (*function)(TilingContext *), size_t)
    {
        return Tiling(function);
    }
    template <typename T> OpImplRegisterV2 &TilingParse(ge::graphStatus (*function)(TilingParseContext *))
    {
        belay_operators_host::functions()[name].prepare = function;
        belay_operators_host::functions()[name].make_compiled = make<T>;
        return *this;
    }
    OpImplRegisterV2 &InferShape(ge::graphStatus (*function)(InferShapeContext *))
    {
        belay_operators_host::functions()[name].infer_shape = function;
        return *this;
    }
    OpImplRegisterV2 &InferDataType(ge::graphStatus (*function)(InferDataTypeContext *))
    {
        belay_operators_host::functions()[name].infer_dtype = function;
        return *this;
    }
    /* Of graphs alone, and of inputs whose numbers the definition says that the host has (ValueDepend). */
    template <typename Function> OpImplRegisterV2 &InferShapeRange(Function)
    {
        return *this;
    }
    OpImplRegisterV2 &InputsDataDependency(std::initializer_list<int32_t>)
    {
        return *this;
    }
    OpImplRegisterV2 &TilingInputsDataDependency(std::initializer_list<int32_t>)
    {
        return *this;
    }
    template <typename... Values> OpImplRegisterV2 &PrivateAttr(const char *, Values...)
    {
        return *this;
    }

  private:
    template <typename T> static void *make()
    {
        return new T();
    }

    std::string name;
};
typedef OpImplRegisterV2 OpImplRegister;
} // namespace gert

#define BELAY_IMPL_OP_NAMED(line, op)                                                        \
    static ::gert::OpImplRegisterV2 belay_registered_##op##_##line __attribute__((unused)) = \
        ::gert::OpImplRegisterV2(#op)
#define BELAY_IMPL_OP_AT(line, op) BELAY_IMPL_OP_NAMED(line, op)
#define IMPL_OP(op)                BELAY_IMPL_OP_AT(__LINE__, op)
#define IMPL_OP_OPTILING(op)       IMPL_OP(op)
#define IMPL_OP_INFERSHAPE(op)     IMPL_OP(op)
#define IMPL_OP_INFERDATATYPE(op)  IMPL_OP(op)

#endif
