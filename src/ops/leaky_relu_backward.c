/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput where self > 0, gradOutput * negativeSlope elsewhere.
 *
 * +-0 and NaN in self take the slope branch. selfIsResult changes nothing but the check of the slope's sign.
 */
#include "simd/kernel.h"

struct leaky_relu_backward_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/map.h"
#include "simd/odd.h"

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    return choose(input[1] > 0, input[0], input[0] * parameters->slope);
}

static inline __attribute__((always_inline)) wide fast_fp32(const wide *input, const void *prepared,
                                                            struct doubts *doubts)
{
    (void)doubts;
    const struct leaky_relu_backward_parameters *parameters = prepared;
    wide product = input[0] * wide_of((float)parameters->slope);
    return wide_canonical(wide_choose(wide_greater(input[1], wide_of(0)), input[0], product));
}

/*
 * The 16-bit products with a slope that is not far from the ends of fp32. A short slope, of SHORT_BITS or
 * less, has exact ones. A long one has none that are a tie, because times 11 bits at most it keeps more than
 * the 12 of a tie: all that a product cut to fp32 lacks is that it has been cut.
 */
enum { SHORT_BITS = 13 };

struct slope {
    struct leaky_relu_backward_parameters given; /* first: what estimate() takes it for */
    float value;
    bool is_short;
    uint16_t sign;  /* the bit */
    uint16_t limit; /* the bits of the bf16 below which it, or its product, may be subnormal */
    uint16_t small; /* up to which it is subnormal, and so small is its product */
};

static inline struct slope slope_of(const void *parameters)
{
    const struct leaky_relu_backward_parameters *given = parameters;
    const float value = (float)given->slope, size = value < 0 ? -value : value;
    /* Where products are not cut what they lose must be a float, too. */
    const float least = CUTS_PRODUCTS ? 0x1p-125F : 0x1p-99F; /* twice it: the limit is cut to bf16 */
    const float limit = size > 0x1p-41F && size < 1 ? least / size : least;
    uint32_t bits, limit_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&limit_bits, &limit, sizeof limit_bits);
    return (struct slope){
        .given = *given,
        .value = value,
        .is_short = bits << (32 - (24 - SHORT_BITS)) == 0,
        .sign = bits >> 16 & 0x8000,
        .limit = (uint16_t)(limit_bits >> 16),
        .small = size <= 2 ? 0x007f : 0,
    };
}

/* yes where x > 0: the bits from those of the least number to those of infinity, moved down to the lowest. */
static inline narrow choose_positive(narrow x, uint16_t infinity, narrow yes, narrow no)
{
    return narrow_choose(narrow_below(x - 1, narrow_of(infinity)), yes, no);
}

static inline __attribute__((always_inline)) narrow narrow_fp16(const narrow *input, struct slope slope,
                                                                struct doubts *doubts, bool is_short)
{
    wide g[2], product[2];
    wide_of_fp16(input[0], g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = wide_cut_product(g[i], wide_of(slope.value));
        if (CUTS_PRODUCTS && !is_short)
            product[i] = (wide)((wide_bits)product[i] | 1);
        else if (!is_short)
            product[i] = wide_odd(product[i], fused_minus(g[i], wide_of(slope.value), product[i]));
    }
    narrow bits = narrow_fp16_of_wide(product);
    if (!doubts->is_careful) {
        bits = choose_positive(input[1], 0x7c00, input[0], bits);
        doubt_narrow_above(doubts, bits, 0x7c00);
        return bits;
    }
    if (CUTS_PRODUCTS && !is_short) { /* an infinity has become NaN */
        narrow_flags not_finite = narrow_below(narrow_of(0xf7ff), input[0] + input[0]);
        bits = narrow_choose(not_finite, input[0] ^ slope.sign, bits);
    }
    bits = choose_positive(input[1], 0x7c00, input[0], bits);
    return narrow_nan_where(ARITHMETIC_FP16, is_short ? bits : input[0], bits);
}

/* Magnitudes of bf16, which has the range of fp32: small products are rounded in units of the least number,
 * and in fp32 are in units of its own. */
static inline __attribute__((always_inline)) wide mixed_product_bf16(wide size, struct slope slope,
                                                                     bool is_short)
{
    const uint32_t up = 149U << 23;
    const wide factor = wide_absolute(wide_of(slope.value));
    flags is_small = wide_less_ints((wide_ints)size, wide_ints_of(slope.limit << 16));
    flags is_subnormal = wide_less_ints((wide_ints)size, wide_ints_of(0x00800000));
    wide raised = wide_choose(is_small, (wide)((wide_bits)size + up), size);
    raised = wide_choose(is_subnormal, wide_from_ints((wide_ints)size), raised);
    wide product = wide_cut_product(raised, factor);
    flags is_count = is_small & wide_greater(wide_of(0x1p23F), product);
    wide_bits count = (wide_bits)fused(raised, factor, wide_of(count_origin * 0x1p16F)) << 16;
    if (!CUTS_PRODUCTS && !is_short)
        product = wide_odd(product, fused_minus(raised, factor, product));
    product = wide_choose(is_small, (wide)((wide_bits)product - up), product);
    return wide_choose(is_count, (wide)count, product);
}

static inline __attribute__((always_inline)) narrow product_bf16(narrow gradient, struct slope slope,
                                                                 bool is_short)
{
    wide g[2], product[2];
    wide_of_bf16(gradient, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = wide_cut_product(g[i], wide_of(slope.value));
        if (!CUTS_PRODUCTS && !is_short)
            product[i] = wide_odd(product[i], fused_minus(g[i], wide_of(slope.value), product[i]));
    }
    return CUTS_PRODUCTS && !is_short ? narrow_of_wide_off_ties(product) : narrow_of_wide(product);
}

/* Gradients of which some are small. */
static inline __attribute__((always_inline)) narrow any_product_bf16(narrow gradient, struct slope slope,
                                                                     bool is_short)
{
    wide size[2];
    wide_of_bf16(gradient & 0x7fff, size);
    size[0] = mixed_product_bf16(size[0], slope, is_short);
    size[1] = mixed_product_bf16(size[1], slope, is_short);
    narrow bits = CUTS_PRODUCTS && !is_short ? narrow_of_wide_off_ties(size) : narrow_of_wide(size);
    return bits | ((gradient ^ slope.sign) & 0x8000);
}

/* Gradients that are subnormal or 0, and a slope of at most 2. */
static inline __attribute__((always_inline)) narrow subnormal_product_bf16(narrow gradient,
                                                                           struct slope slope)
{
    const wide size = wide_absolute(wide_of(slope.value));
    wide g[2], sum[2];
    wide_counts_of_bf16(gradient, g);
    sum[0] = fused(g[0], size, wide_of(count_origin));
    sum[1] = fused(g[1], size, wide_of(count_origin));
    return narrow_of_counts(sum, gradient ^ slope.sign);
}

static inline __attribute__((always_inline)) narrow narrow_bf16(const narrow *input, struct slope slope,
                                                                struct doubts *doubts, bool is_short)
{
    narrow bits;
    if (doubts->extreme > 0) {
        doubt_narrow_above(doubts, input[0], slope.small);
        return choose_positive(input[1], 0x7f80, input[0], subnormal_product_bf16(input[0], slope));
    }
    if (!doubts->is_careful)
        doubt_narrow_below(doubts, 0, input[0], slope.limit);
    if (doubts->is_careful && narrow_has_below(input[0], slope.limit))
        bits = any_product_bf16(input[0], slope, is_short);
    else
        bits = product_bf16(input[0], slope, is_short);
    bits = choose_positive(input[1], 0x7f80, input[0], bits);
    /* Only a slope of 0 makes NaN of an infinity. */
    return narrow_nan_where(ARITHMETIC_BF16, is_short ? bits : input[0], bits);
}

static inline __attribute__((always_inline)) narrow short_fp16(const narrow *input, const void *prepared,
                                                               struct doubts *doubts)
{
    return narrow_fp16(input, *(const struct slope *)prepared, doubts, true);
}

static inline __attribute__((always_inline)) narrow short_bf16(const narrow *input, const void *prepared,
                                                               struct doubts *doubts)
{
    return narrow_bf16(input, *(const struct slope *)prepared, doubts, true);
}

static inline __attribute__((always_inline)) narrow long_fp16(const narrow *input, const void *prepared,
                                                              struct doubts *doubts)
{
    return narrow_fp16(input, *(const struct slope *)prepared, doubts, false);
}

static inline __attribute__((always_inline)) narrow long_bf16(const narrow *input, const void *prepared,
                                                              struct doubts *doubts)
{
    return narrow_bf16(input, *(const struct slope *)prepared, doubts, false);
}

/* A slope so far from the ends of fp32 that what a product with it loses is not lost itself. */
static inline bool is_moderate(double slope)
{
    double size = slope < 0 ? -slope : slope;
    return size == 0 || (size >= 0x1p-40 && size <= 0x1p40);
}

static const struct evaluation leaky_relu = {.inputs = 2, .estimate = estimate, .fast = fast_fp32};
static const struct evaluation leaky_relu_short_fp16 = {
    .inputs = 2, .estimate = estimate, .narrow = short_fp16};
static const struct evaluation leaky_relu_long_fp16 = {
    .inputs = 2, .estimate = estimate, .narrow = long_fp16};
static const struct evaluation leaky_relu_short_bf16 = {
    .inputs = 2, .estimate = estimate, .narrow = short_bf16, .has_small = true};
static const struct evaluation leaky_relu_long_bf16 = {
    .inputs = 2, .estimate = estimate, .narrow = long_bf16, .has_small = true};
static const struct evaluation leaky_relu_doubles = {.inputs = 2, .estimate = estimate};

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, leaky_relu, parameters)

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct slope slope = slope_of(parameters);
    if (is_moderate(slope.given.slope) && slope.is_short)
        map(ARITHMETIC_FP16, &leaky_relu_short_fp16, input, output, count, &slope, streams);
    else if (is_moderate(slope.given.slope))
        map(ARITHMETIC_FP16, &leaky_relu_long_fp16, input, output, count, &slope, streams);
    else
        map(ARITHMETIC_FP16, &leaky_relu_doubles, input, output, count, &slope, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct slope slope = slope_of(parameters);
    if (is_moderate(slope.given.slope) && slope.is_short)
        map(ARITHMETIC_BF16, &leaky_relu_short_bf16, input, output, count, &slope, streams);
    else if (is_moderate(slope.given.slope))
        map(ARITHMETIC_BF16, &leaky_relu_long_bf16, input, output, count, &slope, streams);
    else
        map(ARITHMETIC_BF16, &leaky_relu_doubles, input, output, count, &slope, streams);
}

MAP_KERNEL(run_fp64, ARITHMETIC_FP64, leaky_relu, parameters)

KERNELS(leaky_relu_backward) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "ops/check.h"
#include "ops/scalar.h"

enum { GRAD_OUTPUT, SELF, NEGATIVE_SLOPE, SELF_IS_RESULT, OUT };

KERNEL_LEVELS(leaky_relu_backward);
static const struct elementwise elementwise = {leaky_relu_backward_kernels, .cost_ps = {70, 70}};

/* With the forward result in place of self, only a slope of 0 or more lets the sign of self be told. */
static aclnnStatus check_slope(const struct call *call)
{
    if (call->argument[SELF_IS_RESULT].boolean && scalar_is_negative(&call->scalar[NEGATIVE_SLOPE]))
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnnLeakyReluBackward: negativeSlope is negative and selfIsResult true; a slope of 0 or "
            "more, or selfIsResult false, is expected");
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OUT));
    TRY(check_broadcast(call, inputs, 2, OUT));
    TRY(check_slope(call));
    aclDataType dtype;
    TRY(check_promotion(call, inputs, 2, &dtype));
    TRY(check_castable(call, dtype, OUT));

    const struct scalar_value *slope = &call->scalar[NEGATIVE_SLOPE];
    struct leaky_relu_backward_parameters parameters = {
        .slope = dtype == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(leaky_relu_backward) = {
    .operation = ELEMENTWISE("aclnnLeakyReluBackward"),
    .stem = "leaky_relu_backward",
    .parameter_count = 5,
    .parameter =
        {
            [GRAD_OUTPUT] = {.name = "gradOutput", .kind = PARAMETER_INPUT, .dtypes = &dtypes_floats},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_floats},
            [NEGATIVE_SLOPE] = {.name = "negativeSlope",
                                .kind = PARAMETER_SCALAR,
                                .dtypes = &dtypes_real_scalars,
                                .default_text = "0.01"},
            [SELF_IS_RESULT] = {.name = "selfIsResult", .kind = PARAMETER_BOOL, .default_text = "false"},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_float_results},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnLeakyReluBackward,
};

aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   const aclScalar *negativeSlope, bool selfIsResult,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput},
                                       {.tensor = self},
                                       {.scalar = negativeSlope},
                                       argument_of_bool(selfIsResult),
                                       {.tensor = out}};
    return operator_plan(&leaky_relu_backward, argument, workspaceSize, executor);
}

PHASE_2(aclnnLeakyReluBackward, leaky_relu_backward)

#endif
