/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Leaky relu: out = self where self > 0, self * negativeSlope elsewhere; and its gradient: out = gradOutput
 * where self > 0, gradOutput * negativeSlope elsewhere. One multiplication, rounded once.
 *
 * +-0 and NaN in self take the slope branch: 0 keeps or changes its sign with the slope's, 0 times an
 * infinite slope is NaN. The slope may be negative. In place, selfRef is self and out. selfIsResult changes
 * nothing but the check of the slope's sign.
 */
#include "simd/vector/kernel.h"

struct leaky_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths: of the value and of what decides, which is the value again where there is one input. */
#include "simd/loops/map.h"
#include "simd/maths/odd.h"
#include "simd/maths/simple_fp32.h"

/*
 * For 16 bits. A product with a slope of at most 13 bits is exact in fp32. One with a longer slope is never a
 * tie of 16 bits, as times 11 bits at most it keeps more than the 12 of a tie: all that it lacks when it is
 * cut to fp32 is a last bit that says so.
 */
struct slope {
    double given; /* first, as among the parameters: all that doubles take */
    float value;
    bool is_long;
    uint16_t limit; /* the bits of the bf16 below which it, or its product, may be subnormal */
};

static inline struct slope slope_of(double given)
{
    const float value = (float)given, size = value < 0 ? -value : value;
    /* Where products are not cut what they lose must be a float, too. */
    const float least = CUTS_PRODUCTS ? 0x1p-125F : 0x1p-99F; /* twice it: the limit is cut to bf16 */
    const float limit = size > 0 && size < 1 ? least / size : least;
    uint32_t bits, limit_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&limit_bits, &limit, sizeof limit_bits);
    return (struct slope){given, value, (bits & 0x7ff) != 0, (uint16_t)(limit_bits >> 16)};
}

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles estimate(const doubles *input, const void *slope)
{
    return choose(input[1] > 0, input[0], input[0] * *(const double *)slope);
}

static inline vector leaky(const vector *input, vector product)
{
    return vector_canonical(vector_choose(vector_greater(input[1], vector_of(0)), input[0], product));
}

static VECTOR_WAY fast_fp32(WAY)
{
    return leaky(input, fp32_product(input[0], vector_of((float)*(const double *)prepared)));
}

static VECTOR_WAY any_16(WAY)
{
    const struct slope *slope = prepared;
    return leaky(input, vector_any_odd_product(input[0], vector_of(slope->value)));
}

/* The rounded products, is_long a constant: bf16 need no last bit, where nothing is a tie. */
static inline __attribute__((always_inline)) lanes16 products(enum arithmetic dtype, const char *source,
                                                              vector slope, bool is_long)
{
    const bool is_bf16 = dtype == ARITHMETIC_BF16;
    vector g[2], product[2];
    load_pair(dtype, source, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = vector_cut_product(g[i], slope);
        if (is_long && !CUTS_PRODUCTS)
            product[i] = vector_odd(product[i], fused_minus(g[i], slope, product[i]));
        else if (is_long && !is_bf16)
            product[i] = (vector)((vector_bits)product[i] | 1);
    }
    return is_bf16 && is_long && CUTS_PRODUCTS ? lanes16_off_ties(product)
                                               : lanes16_of_vectors(dtype, product);
}

/* In doubt are infinities and NaN, and where the product may be subnormal. */
static LANES_WAY quick_16(WAY_16)
{
    const struct slope *slope = prepared;
    const vector factor = vector_of(slope->value);
    const uint16_t infinity = unsettled->dtype == ARITHMETIC_FP16 ? 0x7c00 : 0x7f80;
    lanes16 value = lanes16_load(source[0]), x = lanes16_load(source[1]);
    lanes16 product = slope->is_long ? products(unsettled->dtype, source[0], factor, true)
                                     : products(unsettled->dtype, source[0], factor, false);
    unsettled_lanes16_above(unsettled, value + value, (uint16_t)(2 * infinity - 1));
    if (unsettled->dtype == ARITHMETIC_BF16)
        unsettled_lanes16_below(unsettled, value, slope->limit);
    /* x > 0: its bits, moved down to the lowest, are those from the least number to infinity. */
    return lanes16_choose(lanes16_below(x - 1, lanes16_of(infinity)), value, product);
}

/* Whether the slope is so far from the ends of fp32 that what a product with it loses is not lost itself. */
static inline bool is_moderate(double slope)
{
    double size = slope < 0 ? -slope : slope;
    return size == 0 || (size >= 0x1p-40 && size <= 0x1p40);
}

/* One of two kernels of 16 bits, both constants, by the slope. */
static inline __attribute__((always_inline)) void
run_by_slope(kernel_function *moderate, kernel_function *extreme, const void *const *input, void *output,
             size_t count, const void *parameters, bool non_temporal)
{
    const struct slope slope = slope_of(*(const double *)parameters);
    kernel_function *run = is_moderate(slope.given) ? moderate : extreme;
    run(input, output, count, &slope, non_temporal);
}

#define LEAKY_16(stem, dtype)                                                               \
    KERNEL(stem##_##dtype)                                                                  \
    {                                                                                       \
        run_by_slope(map_##stem##_##dtype, map_##stem##_extreme_##dtype, KERNEL_ARGUMENTS); \
    }

#define LEAKY(stem, inputs_)                                                                          \
    MAP_KERNELS(stem, (.inputs = inputs_, .doubles = estimate), (.fast = fast_fp32),                  \
                (.fast = any_16, .lanes16 = quick_16), (.fast = any_16, .lanes16 = quick_16))         \
    MAP_KERNELS(stem##_extreme, (.inputs = inputs_, .doubles = estimate, .fast = any_16), (), (), ()) \
    LEAKY_16(stem, fp16)                                                                              \
    LEAKY_16(stem, bf16)                                                                              \
    KERNELS(stem) = {                                                                                 \
        FLOAT_RUNS(map_##stem##_fp32, map_##stem##_fp32, stem##_fp16, stem##_bf16, map_##stem##_fp64)}

LEAKY(leaky_relu, 1);
LEAKY(leaky_relu_backward, 2);

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/scalar.h"
#include "ops/loops/elementwise.h"

POINTWISE(leaky_relu, 50, 50, 0);
POINTWISE(leaky_relu_backward, 70, 70, 45);

static aclnnStatus plan_slope(const struct call *call, const struct result *result, unsigned at)
{
    const struct scalar_value *slope = &call->scalar[at];
    struct leaky_parameters parameters = {
        .slope = result->computed == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

enum { SELF, NEGATIVE_SLOPE };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_rank(call, SELF));
    result_like(result, call, SELF);
    result->output[0].dtype_rule = DTYPE_CASTABLE;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    return plan_slope(call, result, NEGATIVE_SLOPE);
}

#define SLOPE (SCALAR, negativeSlope, &dtypes_floats_integers_bool, .usual = "0.01")

FUNCTION_WITH(aclnnLeakyRelu, ((IN, self, &dtypes_floats), SLOPE, (OUT, out, &dtypes_floats_complex)),
              POINTWISE_FUNCTION(leaky_relu, promise_exact, infer, plan));

FUNCTION_WITH(aclnnInplaceLeakyRelu, ((BOTH, selfRef, &dtypes_floats), SLOPE),
              POINTWISE_FUNCTION(leaky_relu, promise_exact, infer, plan));

enum { GRAD_OUTPUT, OF_SELF, OF_SLOPE, SELF_IS_RESULT };

/* With the forward result in place of self, only a slope of 0 or more lets the sign of self be told. */
static aclnnStatus check_slope(const struct call *call)
{
    if (call->argument[SELF_IS_RESULT].boolean && scalar_is_negative(&call->scalar[OF_SLOPE]))
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnnLeakyReluBackward: negativeSlope is negative and selfIsResult true; a slope of 0 or "
            "more, or selfIsResult false, is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_gradient(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, OF_SELF};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, OF_SELF));
    TRY(check_dtype(call, OF_SLOPE));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, OF_SELF));
    TRY(check_slope(call));
    TRY(check_promotion(call, inputs, 2, &result->computed));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_CASTABLE);
}

static aclnnStatus plan_gradient(const struct call *call, const struct result *result)
{
    return plan_slope(call, result, OF_SLOPE);
}

FUNCTION_WITH(aclnnLeakyReluBackward,
              ((IN, gradOutput, &dtypes_floats), (IN, self, &dtypes_floats), SLOPE,
               (BOOL, selfIsResult, .usual = "false"), (OUT, out, &dtypes_floats_complex)),
              POINTWISE_FUNCTION(leaky_relu_backward, promise_exact, infer_gradient, plan_gradient));

#endif
