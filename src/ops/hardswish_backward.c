/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput * g(self), where g(x) = 0 for x < -3, x/3 + 1/2 for -3 <= x <= 3, and 1 for x > 3.
 *
 * Both ends are closed: g(-3) = -1/2 and g(3) = 3/2. It is a real multiplication: inf * 0 and NaN * 0 are
 * NaN, and a finite negative gradient times 0 is -0. self = NaN gives NaN, self = +inf the gradient, self =
 * -inf gradient * 0.
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/exact.h"
#include "simd/map.h"

/* 6 g(x), exactly: 2x + 3 between the ends, 6 above, 0 below. */
static inline doubles slope_by_six(doubles x)
{
    /* Doubles hold 2x + 3 for every x of 24 bits down to 2^-29. A smaller one only decides, by its sign, to
     * which side a result that is nearly g / 2 rounds if g / 2 is a tie. */
    doubles slope = 2 * keep_off_zero(x, 0x1p-29) + 3;
    slope = choose(x > 3, broadcast(6), slope);
    return choose(x < -3, broadcast(0), slope);
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * slope_by_six(input[1]) / 6;
}

/*
 * The gradient has 24 bits, the slope 53: with the slope in two parts both products are exact. A quotient cut
 * to 48 bits is off by more than the estimate was, yet not by a whole unit of its last place, so no tie lies
 * between it and the exact one; 6 times it is exact, and the remainder's sign tells the side.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    doubles slope = slope_by_six(input[1]), high = leading(slope, 26);
    doubles quotient = leading(value, 48);
    const doubles remainder[] = {input[0] * high, input[0] * (slope - high), -6 * quotient};
    return round_to_odd(quotient, sign_of_sum(remainder, 3));
}

/* g (x + 3/2) / 3, with the sum exactly as a pair: 3/2 is a multiple of the last place of every smaller x. */
static inline __attribute__((always_inline)) wide fast(const wide *input, const void *prepared,
                                                       struct doubts *doubts)
{
    (void)prepared;
    wide g = input[0], x = input[1];
    wide sum = x + 1.5F;
    struct wide_pair slope = {sum, x - (sum - 1.5F)};
    doubt_small(doubts, g);
    wide result = multiply_divide(g, slope, wide_divisor_of(3, true), doubts);
    result = wide_choose(wide_greater(x, wide_of(3)), g, result);
    return wide_choose(wide_greater(wide_of(-3), x), g * 0, result);
}

static const struct evaluation hardswish = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast};

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_FP32, &hardswish, input, output, count, NULL, streams);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_FP16, &hardswish, input, output, count, NULL, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_BF16, &hardswish, input, output, count, NULL, streams);
}

KERNELS(hardswish_backward) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_hardswish_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, OUT };

KERNEL_LEVELS(hardswish_backward);
static const struct elementwise elementwise = {hardswish_backward_kernels, .cost_ps = {110, 110}};

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor);

OPERATOR(hardswish_backward) = {
    .operation = ELEMENTWISE("aclnnHardswishBackward"),
    .stem = "hardswish_backward",
    .parameter_count = 3,
    .parameter =
        {
            [GRAD_OUTPUT] = {.name = "gradOutput", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_fp32_fp16_bf16},
        },
    .plan = plan,
    .launch = aclnnHardswishBackward,
};

static aclnnStatus plan(const union argument *argument, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct call call __attribute__((uninitialized));
    TRY(check_arguments(&call, &hardswish_backward, argument, workspaceSize, executor));
    TRY(check_dtype(&call, SELF));
    TRY(check_dtype(&call, GRAD_OUTPUT));
    TRY(check_same_dtype(&call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_dtype(&call, OUT, SELF, NULL));
    TRY(check_rank(&call, GRAD_OUTPUT));
    TRY(check_rank(&call, SELF));
    TRY(check_rank(&call, OUT));
    TRY(check_same_shape(&call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_shape(&call, OUT, SELF, NULL));
    return elementwise_plan(&call, &elementwise, call.tensor[SELF].dtype, NULL, 0);
}

aclnnStatus aclnnHardswishBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                                   aclTensor *out, uint64_t *workspaceSize,
                                                   aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput}, {.tensor = self}, {.tensor = out}};
    return operator_plan(&hardswish_backward, argument, workspaceSize, executor);
}

aclnnStatus aclnnHardswishBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   const aclrtStream stream)
{
    return executor_launch(&hardswish_backward.operation, workspace, workspaceSize, executor, stream);
}

#endif
