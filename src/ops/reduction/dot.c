/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of the products of two vectors' elements: of floats in doubles in the order of reductions, of
 * integers with wrap; of nothing 0.
 */
#ifdef KERNEL_PASS

/* The maths. */
#include "simd/loops/reduce.h"

static inline longs add_products(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state + (doubles)input[0] * (doubles)input[1]);
}

static inline longs merge_floats(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
}

static inline longs add_products_of_integers(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((ulongs)state + (ulongs)input[0] * (ulongs)input[1]);
}

static inline longs merge_integers(longs state, longs other)
{
    return (longs)((ulongs)state + (ulongs)other);
}

static const struct reduce_steps floats_steps = {add_products, merge_floats, 2};
static const struct reduce_steps integers_steps = {add_products_of_integers, merge_integers, 2};

REDUCE_FLOATS(dot, floats_steps)
REDUCE_INTEGERS(dot, integers_steps)

REDUCE_KERNELS(dot) = {.of = {REDUCE_FLOAT_KERNELS(dot, 0), REDUCE_INTEGER_KERNELS(dot, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_dot.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"

REDUCE_LEVELS(dot);
static const struct reduction reduction = {dot_reduce_kernels, .element_ps = 60};

enum { SELF, TENSOR, OUT };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, TENSOR));
    TRY(check_same_dtype(call, TENSOR, SELF, NULL));
    for (unsigned i = SELF; i <= TENSOR; i++)
        if (call->tensor[i].rank != 1)
            return refuse(call, "%s has %u dims; 1 is expected", call_name(call, i), call->tensor[i].rank);
    TRY(check_same_shape(call, TENSOR, SELF, NULL));
    result->computed = call_dtype(call, SELF);
    result_add(result, result->computed, DTYPE_EQUAL)->shape_rule = SHAPE_BY_COUNT;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {SELF, TENSOR};
    const struct shape shape = shape_of(&call->tensor[SELF]);
    return reduce_plan(call, &reduction, inputs, 2, &shape, ALL_AXES, result->computed, NULL, 0);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_floats_integers, .sample = "3"),
    [TENSOR] = READ("tensor", &dtypes_floats_integers, .sample = "3"),
    [OUT] = WRITTEN("out", &dtypes_floats_integers),
};

FUNCTION(aclnnDot, (const aclTensor *self, const aclTensor *tensor, aclTensor *out),
         (ARG(self), ARG(tensor), ARG(out)), .stem = "dot", PARAMETERS(parameters), .promise = &promise_sum,
         REDUCTION(&reduction), .infer = infer, .plan = plan);

#endif
