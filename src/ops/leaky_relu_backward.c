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

/* fp16: the product rounded to odd. fp32 loses nothing of one unless the slope is tiny. */
static inline __attribute__((always_inline)) wide fast_fp16(const wide *input, const void *prepared,
                                                            struct doubts *doubts)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    const wide slope = wide_of((float)parameters->slope);
    wide product = wide_cut_product(input[0], slope), lost = fused_minus(input[0], slope, product);
    product = doubts->is_careful ? wide_odd(product, lost) : wide_odd_finite(product, lost);
    wide result = wide_choose(wide_greater(input[1], wide_of(0)), input[0], product);
    if (!doubts->is_careful)
        doubt_nan(doubts, result);
    return result;
}

/* bf16 likewise, but both have the range of fp32: small products are computed in another scale. */
static inline __attribute__((always_inline)) wide product_bf16(wide g, float slope, bool is_careful)
{
    if (!is_careful) {
        wide product = wide_cut_product(g, wide_of(slope));
        return wide_odd_finite(product, fused_minus(g, wide_of(slope), product));
    }
    wide raised = wide_raised(g);
    flags is_small = wide_greater(wide_of(4), wide_absolute(raised * wide_of(slope))) &
                     wide_less_ints((wide_ints)wide_absolute(g), (wide_ints)wide_of(raised_limit));
    g = wide_rescaled(is_small, raised, g, 1);
    wide product = wide_cut_product(g, wide_of(slope));
    return wide_unscaled_bf16(wide_odd(product, fused_minus(g, wide_of(slope), product)), is_small);
}

static inline __attribute__((always_inline)) narrow narrow_bf16(const narrow *input, const void *prepared,
                                                                struct doubts *doubts)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    wide g[2], product[2];
    wide_of_bf16(input[0], g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        product[i] = product_bf16(g[i], (float)parameters->slope, doubts->is_careful);
    /* x > 0: the bits from those of the least number to those of infinity, moved up to the highest. */
    const uint16_t below_least = 0xffff - 0x7f80;
    narrow_flags is_positive = narrow_below(narrow_of(below_least), input[1] + below_least);
    narrow bits = narrow_choose(is_positive, input[0], narrow_of_wide(product));
    if (doubts->is_careful)
        return narrow_canonical(bits);
    doubt_narrow_small(doubts, input[0]);
    doubt_narrow_nan(doubts, bits);
    return bits;
}

/* A slope so far from the ends of fp32 that what a product with it loses is not lost itself. */
static inline bool is_moderate(double slope)
{
    double size = slope < 0 ? -slope : slope;
    return size == 0 || (size >= 0x1p-40 && size <= 0x1p40);
}

static const struct evaluation leaky_relu = {.inputs = 2, .estimate = estimate, .fast = fast_fp32};
static const struct evaluation leaky_relu_narrow = {
    .inputs = 2, .estimate = estimate, .fast = fast_fp16, .narrow = narrow_bf16};
static const struct evaluation leaky_relu_doubles = {.inputs = 2, .estimate = estimate};

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    map(ARITHMETIC_FP32, &leaky_relu, input, output, count, parameters, streams);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct leaky_relu_backward_parameters *slope = parameters;
    if (is_moderate(slope->slope))
        map(ARITHMETIC_FP16, &leaky_relu_narrow, input, output, count, parameters, streams);
    else
        map(ARITHMETIC_FP16, &leaky_relu_doubles, input, output, count, parameters, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    const struct leaky_relu_backward_parameters *slope = parameters;
    if (is_moderate(slope->slope))
        map(ARITHMETIC_BF16, &leaky_relu_narrow, input, output, count, parameters, streams);
    else
        map(ARITHMETIC_BF16, &leaky_relu_doubles, input, output, count, parameters, streams);
}

static void run_fp64(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    map(ARITHMETIC_FP64, &leaky_relu, input, output, count, parameters, streams);
}

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

aclnnStatus aclnnLeakyReluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream)
{
    return executor_launch(&leaky_relu_backward.operation, workspace, workspaceSize, executor, stream);
}

#endif
