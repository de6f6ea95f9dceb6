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

static inline longs add_products_of_integers(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((ulongs)state + (ulongs)input[0] * (ulongs)input[1]);
}

static inline longs merge_integers(longs state, longs other)
{
    return (longs)((ulongs)state + (ulongs)other);
}

static const struct reduce_steps floats_steps = {
    .step = add_products, .merge = reduce_merge_sums, .inputs = 2};
static const struct reduce_steps integers_steps = {
    .step = add_products_of_integers, .merge = merge_integers, .inputs = 2};

REDUCE_FLOATS(dot, floats_steps)
REDUCE_INTEGERS(dot, integers_steps)

REDUCE_KERNELS(dot) = {.of = {REDUCE_FLOAT_KERNELS(dot, 0), REDUCE_INTEGER_KERNELS(dot, 0)}};

#else

/* The contract. */
#include "aclnnop/aclnn_dot.h"
#include "ops/check.h"
#include "ops/loops/reduce.h"
#include "ops/signature.h"

REDUCE_LEVELS(dot);
static const struct reduction reduction = {dot_reduce_kernels, .element_ps = 60};

#define DOT(X, of)                                            \
    X(of, IN, self, &dtypes_floats_integers, .sample = "3")   \
    X(of, IN, tensor, &dtypes_floats_integers, .sample = "3") \
    X(of, OUT, out, &dtypes_floats_integers)
SIGNATURE(DOT)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, DOT_self));
    TRY(check_dtype(call, DOT_tensor));
    TRY(check_same_dtype(call, DOT_tensor, DOT_self, NULL));
    for (unsigned i = DOT_self; i <= DOT_tensor; i++)
        if (call->tensor[i].rank != 1)
            return refuse(call, "%s has %u dims; 1 is expected", call_name(call, i), call->tensor[i].rank);
    TRY(check_same_shape(call, DOT_tensor, DOT_self, NULL));
    result->computed = call_dtype(call, DOT_self);
    result_add(result, result->computed, DTYPE_EQUAL)->shape_rule = SHAPE_BY_COUNT;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {DOT_self, DOT_tensor};
    const struct shape shape = shape_of(&call->tensor[DOT_self]);
    return reduce_plan(call, &reduction, inputs, 2, &shape, ALL_AXES, result->computed, NULL, 0);
}

FUNCTION_OF(aclnnDot, DOT, .stem = "dot", .promise = &promise_sum, REDUCTION(&reduction), .infer = infer,
            .plan = plan);

#endif
