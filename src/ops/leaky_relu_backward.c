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

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    return choose(input[1] > 0, input[0], input[0] * parameters->slope);
}

static inline __attribute__((always_inline)) wide fast(const wide *input, const void *prepared,
                                                       struct doubts *doubts)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    const wide slope = wide_of((float)parameters->slope);
    wide product = input[0] * slope;
    if (doubts->dtype != ARITHMETIC_FP32) {
        product = wide_round_to_odd(product, fused_minus(input[0], slope, product));
        if (doubts->dtype == ARITHMETIC_BF16)
            doubt_small(doubts, product); /* fp16 has no results so small that the error is lost */
    }
    return wide_canonical(wide_choose(wide_greater(input[1], wide_of(0)), input[0], product));
}

static const struct evaluation leaky_relu = {.inputs = 2, .estimate = estimate, .fast = fast};

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    map(ARITHMETIC_FP32, &leaky_relu, input, output, count, parameters, streams);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    map(ARITHMETIC_FP16, &leaky_relu, input, output, count, parameters, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    map(ARITHMETIC_BF16, &leaky_relu, input, output, count, parameters, streams);
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

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor);

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
    .plan = plan,
    .launch = aclnnLeakyReluBackward,
};

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

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    struct call call __attribute__((uninitialized));
    TRY(check_arguments(&call, &leaky_relu_backward, argument, workspaceSize, executor));
    TRY(check_dtype(&call, GRAD_OUTPUT));
    TRY(check_dtype(&call, SELF));
    TRY(check_dtype(&call, NEGATIVE_SLOPE));
    TRY(check_rank(&call, GRAD_OUTPUT));
    TRY(check_rank(&call, SELF));
    TRY(check_rank(&call, OUT));
    TRY(check_broadcast(&call, inputs, 2, OUT));
    TRY(check_slope(&call));
    aclDataType dtype;
    TRY(check_promotion(&call, inputs, 2, &dtype));
    TRY(check_castable(&call, dtype, OUT));

    const struct scalar_value *slope = &call.scalar[NEGATIVE_SLOPE];
    struct leaky_relu_backward_parameters parameters = {
        .slope = dtype == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(&call, &elementwise, dtype, &parameters, sizeof parameters);
}

aclnnStatus aclnnLeakyReluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   const aclScalar *negativeSlope, bool selfIsResult,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput},
                                       {.tensor = self},
                                       {.scalar = negativeSlope},
                                       {.boolean = selfIsResult},
                                       {.tensor = out}};
    return operator_plan(&leaky_relu_backward, argument, workspaceSize, executor);
}

aclnnStatus aclnnLeakyReluBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   aclrtStream stream)
{
    return executor_launch(&leaky_relu_backward.operation, workspace, workspaceSize, executor, stream);
}

#endif
