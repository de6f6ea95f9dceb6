/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors whose sizes a contract names one by one.
 */
#ifndef BELAY_OPS_SIZES_H
#define BELAY_OPS_SIZES_H

#include "ops/check.h"

/* A list of sizes, and how many they are. */
#define SIZES(...)                                                                          \
    (uint32_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]) \
    {                                                                                       \
        __VA_ARGS__                                                                         \
    }

/* All tensors that are read and must be given, or have elements, have one of their dtypes. */
aclnnStatus check_all_dtypes(const struct call *call);

/* The parameter has these sizes, -1 standing for any; an optional one only if it has elements, and then one of
 * its dtypes. */
aclnnStatus check_sizes(const struct call *call, unsigned parameter, uint32_t rank, const int64_t *size);
aclnnStatus check_optional_sizes(const struct call *call, unsigned parameter, uint32_t rank,
                                 const int64_t *size);

/* Whether an optional tensor was given and has elements. */
static inline bool call_has_elements(const struct call *call, unsigned parameter)
{
    return call_has(call, parameter) && call->tensor[parameter].count > 0;
}

/* An output of these sizes; or one of which nothing is asked. */
struct output *result_sized(struct result *result, aclDataType dtype, enum dtype_rule rule, uint32_t rank,
                            const int64_t *size);
void result_unwanted(struct result *result, aclDataType dtype);

#endif
