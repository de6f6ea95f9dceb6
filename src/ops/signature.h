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
 *     SIGNATURE(aclnnSiluBackward, SILU_BACKWARD)
 *     FUNCTION_OF(aclnnSiluBackward, SILU_BACKWARD, .stem = "silu_backward", ...);
 *
 * SIGNATURE defines the table aclnnSiluBackward_parameters and the places SILU_BACKWARD_gradOutput, ...
 * An entry of the list is a kind, a name, the dtypes where the kind has any, and members of struct parameter.
 * Lists that several functions have in common are lists, too: OPTIONS(X, of).
 */
#ifndef BELAY_OPS_SIGNATURE_H
#define BELAY_OPS_SIGNATURE_H

#include "ops/function.h"

/* The kinds: how each is declared. CONST_OUT is declared as if it were read. */
#define DECLARE_IN(name)        const aclTensor *name
#define DECLARE_IN_LIST(name)   const aclTensorList *name
#define DECLARE_OUT(name)       aclTensor *name
#define DECLARE_CONST_OUT(name) const aclTensor *name
#define DECLARE_UNUSED(name)    const aclTensor *name
#define DECLARE_BOTH(name)      aclTensor *name
#define DECLARE_SCALAR(name)    const aclScalar *name
#define DECLARE_FLOAT(name)     float name
#define DECLARE_INTS(name)      const aclIntArray *name
#define DECLARE_INT64(name)     int64_t name
#define DECLARE_DOUBLE(name)    double name
#define DECLARE_BOOL(name)      bool name
#define DECLARE_TEXT(name)      char *name

/* What each of them is in the table. */
#define ENTRY_IN(...)        READ(__VA_ARGS__)
#define ENTRY_IN_LIST(...)   READ(__VA_ARGS__, .kind = PARAMETER_TENSOR_LIST)
#define ENTRY_OUT(...)       WRITTEN(__VA_ARGS__)
#define ENTRY_CONST_OUT(...) WRITTEN(__VA_ARGS__)
#define ENTRY_UNUSED(...)    IGNORED(__VA_ARGS__)
#define ENTRY_BOTH(...)      BOTH(__VA_ARGS__)
#define ENTRY_SCALAR(...)    SCALAR(__VA_ARGS__)
#define ENTRY_FLOAT(...)     SIGNATURE_VALUE(FLOAT, __VA_ARGS__)
#define ENTRY_INTS(...)      SIGNATURE_VALUE(INT_ARRAY, __VA_ARGS__)
#define ENTRY_INT64(...)     SIGNATURE_VALUE(INT64, __VA_ARGS__)
#define ENTRY_DOUBLE(...)    SIGNATURE_VALUE(DOUBLE, __VA_ARGS__)
#define ENTRY_BOOL(...)      SIGNATURE_VALUE(BOOL, __VA_ARGS__)
#define ENTRY_TEXT(...)      SIGNATURE_VALUE(STRING, __VA_ARGS__)
#define SIGNATURE_VALUE(kind_, name_, ...)                      \
    {                                                           \
        .name = (name_), .kind = PARAMETER_##kind_, __VA_ARGS__ \
    }

/* What the lists are called with: a comma in front of each declaration, and behind all others. */
#define SIGNATURE_DECLARATION(of, kind, name, ...) , DECLARE_##kind(name)
#define SIGNATURE_ARGUMENT(of, kind, name, ...)    ARG(name),
#define SIGNATURE_ENTRY(of, kind, name, ...)       ENTRY_##kind(#name, __VA_ARGS__),
#define SIGNATURE_PLACE(of, kind, name, ...)       of##_##name,
#define SIGNATURE_WITHOUT_FIRST(first, ...)        __VA_ARGS__
#define SIGNATURE_DECLARATIONS(...)                SIGNATURE_WITHOUT_FIRST(__VA_ARGS__)

#define SIGNATURE(api, list)              \
    enum { list(SIGNATURE_PLACE, list) }; \
    static const struct parameter api##_parameters[] = {list(SIGNATURE_ENTRY, list)};

#define FUNCTION_OF(api, list, ...)                                            \
    FUNCTION(api, (SIGNATURE_DECLARATIONS(list(SIGNATURE_DECLARATION, list))), \
             (list(SIGNATURE_ARGUMENT, list)), PARAMETERS(api##_parameters), __VA_ARGS__)

#endif
