/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A function's parameters written once, as a list from which its declaration, its arguments, its table and the
 * names of the places are made. The public header keeps a prototype of its own, which the compiler compares.
 *
 *     #define SILU_BACKWARD(X, of)                         \
 *         X(of, IN, gradOutput, &dtypes_floats)            \
 *         X(of, IN, self, &dtypes_floats, .sample = "3x4") \
 *         X(of, OUT, gradInput, &dtypes_floats)
 *     SIGNATURE(SILU_BACKWARD)
 *     FUNCTION_OF(aclnnSiluBackward, SILU_BACKWARD, .stem = "silu_backward", ...);
 *
 * SIGNATURE defines the table SILU_BACKWARD_parameters and the places SILU_BACKWARD_gradOutput, ...; all
 * functions that have these parameters share it.
 * An entry of the list is a kind, a name, the dtypes where the kind has any, and members of struct parameter.
 * What several lists have in common is a list, too: OPTIONS(X, of), or NUMBER(X, of, name, usual_).
 */
#ifndef BELAY_OPS_SIGNATURE_H
#define BELAY_OPS_SIGNATURE_H

#include "ops/function.h"

/* The kinds: how each is declared. CONST_ are declared as if they were read, MUTABLE_ as if they were not. */
#define DECLARE_IN(name)                const aclTensor *name
#define DECLARE_MUTABLE_IN(name)        aclTensor *name
#define DECLARE_OUT(name)               aclTensor *name
#define DECLARE_CONST_OUT(name)         const aclTensor *name
#define DECLARE_BOTH(name)              aclTensor *name
#define DECLARE_CONST_BOTH(name)        const aclTensor *name
#define DECLARE_OVERWRITTEN(name)       aclTensor *name
#define DECLARE_CONST_OVERWRITTEN(name) const aclTensor *name
#define DECLARE_UNUSED(name)            const aclTensor *name
#define DECLARE_MUTABLE_UNUSED(name)    aclTensor *name
#define DECLARE_IN_LIST(name)           const aclTensorList *name
#define DECLARE_MUTABLE_IN_LIST(name)   aclTensorList *name
#define DECLARE_OUT_LIST(name)          aclTensorList *name
#define DECLARE_CONST_OUT_LIST(name)    const aclTensorList *name
#define DECLARE_BOTH_LIST(name)         aclTensorList *name
#define DECLARE_CONST_BOTH_LIST(name)   const aclTensorList *name
#define DECLARE_OVERWRITTEN_LIST(name)  aclTensorList *name
#define DECLARE_SCALAR(name)            const aclScalar *name
#define DECLARE_SCALARS(name)           const aclScalarList *name
#define DECLARE_INTS(name)              const aclIntArray *name
#define DECLARE_BOOLS(name)             const aclBoolArray *name
#define DECLARE_DTYPE(name)             aclDataType name
#define DECLARE_INT64(name)             int64_t name
#define DECLARE_UINT64(name)            uint64_t name
#define DECLARE_INT32(name)             int32_t name
#define DECLARE_INT8(name)              int8_t name
#define DECLARE_FLOAT(name)             float name
#define DECLARE_DOUBLE(name)            double name
#define DECLARE_BOOL(name)              bool name
#define DECLARE_TEXT(name)              char *name
#define DECLARE_CONST_TEXT(name)        const char *name

/* What each of them is in the table. */
#define ENTRY_IN(...)                SIGNATURE_ENTRY_OF(TENSOR, READ, __VA_ARGS__)
#define ENTRY_MUTABLE_IN(...)        SIGNATURE_ENTRY_OF(TENSOR, READ, __VA_ARGS__)
#define ENTRY_OUT(...)               SIGNATURE_ENTRY_OF(TENSOR, WRITTEN, __VA_ARGS__)
#define ENTRY_CONST_OUT(...)         SIGNATURE_ENTRY_OF(TENSOR, WRITTEN, __VA_ARGS__)
#define ENTRY_BOTH(...)              SIGNATURE_ENTRY_OF(TENSOR, BOTH, __VA_ARGS__)
#define ENTRY_CONST_BOTH(...)        SIGNATURE_ENTRY_OF(TENSOR, BOTH, __VA_ARGS__)
#define ENTRY_OVERWRITTEN(...)       SIGNATURE_ENTRY_OF(TENSOR, OVERWRITTEN, __VA_ARGS__)
#define ENTRY_CONST_OVERWRITTEN(...) SIGNATURE_ENTRY_OF(TENSOR, OVERWRITTEN, __VA_ARGS__)
#define ENTRY_UNUSED(...)            SIGNATURE_ENTRY_OF(TENSOR, IGNORED, __VA_ARGS__)
#define ENTRY_MUTABLE_UNUSED(...)    SIGNATURE_ENTRY_OF(TENSOR, IGNORED, __VA_ARGS__)
#define ENTRY_IN_LIST(...)           SIGNATURE_ENTRY_OF(TENSOR_LIST, READ, __VA_ARGS__)
#define ENTRY_MUTABLE_IN_LIST(...)   SIGNATURE_ENTRY_OF(TENSOR_LIST, READ, __VA_ARGS__)
#define ENTRY_OUT_LIST(...)          SIGNATURE_ENTRY_OF(TENSOR_LIST, WRITTEN, __VA_ARGS__)
#define ENTRY_CONST_OUT_LIST(...)    SIGNATURE_ENTRY_OF(TENSOR_LIST, WRITTEN, __VA_ARGS__)
#define ENTRY_BOTH_LIST(...)         SIGNATURE_ENTRY_OF(TENSOR_LIST, BOTH, __VA_ARGS__)
#define ENTRY_CONST_BOTH_LIST(...)   SIGNATURE_ENTRY_OF(TENSOR_LIST, BOTH, __VA_ARGS__)
#define ENTRY_OVERWRITTEN_LIST(...)  SIGNATURE_ENTRY_OF(TENSOR_LIST, OVERWRITTEN, __VA_ARGS__)
#define ENTRY_SCALAR(...)            SIGNATURE_ENTRY_OF(SCALAR, READ, __VA_ARGS__)
#define ENTRY_SCALARS(...)           SIGNATURE_ENTRY_OF(SCALAR_LIST, READ, __VA_ARGS__)
#define ENTRY_INTS(...)              SIGNATURE_VALUE(INT_ARRAY, __VA_ARGS__)
#define ENTRY_BOOLS(...)             SIGNATURE_VALUE(BOOL_ARRAY, __VA_ARGS__)
#define ENTRY_DTYPE(...)             SIGNATURE_ENTRY_OF(DTYPE, READ, __VA_ARGS__)
#define ENTRY_INT64(...)             SIGNATURE_VALUE(INT64, __VA_ARGS__)
#define ENTRY_UINT64(...)            SIGNATURE_VALUE(INT64, __VA_ARGS__)
#define ENTRY_INT32(...)             SIGNATURE_VALUE(INT32, __VA_ARGS__)
#define ENTRY_INT8(...)              SIGNATURE_VALUE(INT8, __VA_ARGS__)
#define ENTRY_FLOAT(...)             SIGNATURE_VALUE(FLOAT, __VA_ARGS__)
#define ENTRY_DOUBLE(...)            SIGNATURE_VALUE(DOUBLE, __VA_ARGS__)
#define ENTRY_BOOL(...)              SIGNATURE_VALUE(BOOL, __VA_ARGS__)
#define ENTRY_TEXT(...)              SIGNATURE_VALUE(STRING, __VA_ARGS__)
#define ENTRY_CONST_TEXT(...)        SIGNATURE_VALUE(STRING, __VA_ARGS__)
/* The name's next member is that of the dtypes. */
#define SIGNATURE_ENTRY_OF(kind_, role_, name_, ...)                                 \
    {                                                                                \
        .kind = PARAMETER_##kind_, .role = ROLE_##role_, .name = #name_, __VA_ARGS__ \
    }
#define SIGNATURE_VALUE(kind_, name_, ...)                     \
    {                                                          \
        .kind = PARAMETER_##kind_, .name = #name_, __VA_ARGS__ \
    }

/* What the lists are called with: a comma in front of each declaration, and behind all others. There may be
 * nothing behind the name. */
#define SIGNATURE_DECLARATION(of, kind, ...) , DECLARE_##kind(SIGNATURE_FIRST(__VA_ARGS__, ))
#define SIGNATURE_ARGUMENT(of, kind, ...)    ARG(SIGNATURE_FIRST(__VA_ARGS__, )),
#define SIGNATURE_ENTRY(of, kind, ...)       ENTRY_##kind(__VA_ARGS__, ),
#define SIGNATURE_PLACE(of, kind, ...)       SIGNATURE_NAMED_PLACE(of, __VA_ARGS__, ),
#define SIGNATURE_NAMED_PLACE(of, name, ...) of##_##name
#define SIGNATURE_FIRST(first, ...)          first
#define SIGNATURE_WITHOUT_FIRST(first, ...)  __VA_ARGS__
#define SIGNATURE_DECLARATIONS(...)          SIGNATURE_WITHOUT_FIRST(__VA_ARGS__)

/* Calls a list that may have arguments of its own behind its name. */
#define SIGNATURE_CALL(X, ...)          SIGNATURE_CALL_OF(X, SIGNATURE_FIRST(__VA_ARGS__, ), __VA_ARGS__)
#define SIGNATURE_CALL_OF(X, list, ...) list(X, __VA_ARGS__)

#define SIGNATURE(list)    \
    SIGNATURE_PLACES(list) \
    static const struct parameter list##_parameters[] = {list(SIGNATURE_ENTRY, list)};
#define SIGNATURE_PLACES(...) enum { SIGNATURE_CALL(SIGNATURE_PLACE, __VA_ARGS__) };

#define FUNCTION_OF(api, list, ...)                                            \
    FUNCTION(api, (SIGNATURE_DECLARATIONS(list(SIGNATURE_DECLARATION, list))), \
             (list(SIGNATURE_ARGUMENT, list)), PARAMETERS(list##_parameters), __VA_ARGS__)

/*
 * Functions whose lists differ in dtypes and samples, say, have one that takes these:
 *
 *     #define PAIR(X, of, set) X(of, IN, self, set) X(of, OUT, out, set)
 *     SIGNATURE_PLACES(PAIR, )
 *     FUNCTION_LIKE(aclnnSilu, (PAIR, &dtypes_floats), .stem = "silu", ...);
 *
 * The table aclnnSilu_parameters is the function's own; the places are the same for all.
 */
#define FUNCTION_LIKE(api, list, ...)                                                                  \
    static const struct parameter api##_parameters[] = {SIGNATURE_CALL(SIGNATURE_ENTRY, UNWRAP list)}; \
    FUNCTION(api, (SIGNATURE_DECLARATIONS(SIGNATURE_CALL(SIGNATURE_DECLARATION, UNWRAP list))),        \
             (SIGNATURE_CALL(SIGNATURE_ARGUMENT, UNWRAP list)), PARAMETERS(api##_parameters), __VA_ARGS__)

#endif
