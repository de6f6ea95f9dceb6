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
#include "simd/hardswish_slope.h"
#include "simd/map.h"
#include "simd/odd.h"

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return hardswish_slope_estimate(input, true);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    return hardswish_slope_settle(input, value, true);
}

/* Where the slope is 1 or 0 x becomes one in between that has the same slope. */
static inline wide inner_argument(wide x)
{
    return wide_magnitude_where(wide_greater(wide_absolute(x), wide_of(3)), wide_of(1.5F), x);
}

static inline __attribute__((always_inline)) wide fast(const wide *input, const void *prepared,
                                                       struct doubts *doubts)
{
    (void)prepared;
    if (doubts->extreme == 0)
        return hardswish_slope_fast(input, doubts, true);
    wide x = inner_argument(input[1]), sum = x + 1.5F;
    struct wide_pair slope = {sum, x - (sum - 1.5F)};
    return multiply_divide_small(input[0], slope, wide_divisor_of(3, true), doubts);
}

static inline int extreme(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    (void)dtype;
    return smallness(input, vectors);
}

/*
 * fp16: g (x + 3/2) rounded to odd, and a third of that. 3 times a tie has 14 bits, so the odd number lies on
 * the right side of it, and so does its third: two units of 24 bits are two thirds of a unit apart from
 * there. The sum loses only a bit of |x| = 2^-24, which the product's remainder, taken from x itself, gives
 * back.
 */
static inline __attribute__((always_inline)) wide fast_fp16(const wide *input, const void *prepared,
                                                            struct doubts *doubts)
{
    (void)prepared;
    wide g = input[0], x = inner_argument(input[1]);
    wide product = wide_cut_product(g, wide_cut_sum(x, wide_of(1.5F)));
    wide lost = fused(g, x, fused_minus(wide_of(1.5F), g, product));
    if (doubts->is_careful)
        return wide_third(wide_odd(product, lost), 1);
    wide result = wide_third(wide_odd_finite(product, lost), 1);
    doubt_nan(doubts, result);
    return result;
}

/* Numbers below 2^-30 only have a sign in the sum with 3/2; without them products keep their last bits. */
static inline narrow keep_bf16_off_zero(narrow x)
{
    const uint16_t least = 0x3080;
    return narrow_choose(narrow_below(x + x - 2, narrow_of(2 * (least - 1))), (x & 0x8000) | least, x);
}

/*
 * bf16. The product needs no odd number unless the result is subnormal: g (x + 3/2) and 3 times a tie, of 9
 * bits, are either the same number or, rounded to 24 bits, on the sides of each other where they were. (All
 * 2^32 pairs have been tried.)
 */
static inline __attribute__((always_inline)) wide quick_bf16(wide g, wide x)
{
    /* A quarter of it does not overflow unless the result does. */
    wide product = g * fused(x, wide_of(0.25F), wide_of(0.375F));
    return wide_third(product, 4);
}

static inline __attribute__((always_inline)) wide careful_bf16(wide g, wide x)
{
    flags is_small = wide_less_ints((wide_ints)wide_absolute(g), (wide_ints)wide_of(0x1p-60F));
    g = wide_rescaled(is_small, wide_raised(g), g, 1);
    wide product = wide_cut_product(g, wide_cut_sum(x, wide_of(1.5F)));
    wide lost = fused(g, x, fused_minus(wide_of(1.5F), g, product));
    return wide_unscaled_bf16(wide_third(wide_odd(product, lost), 1), is_small);
}

static inline __attribute__((always_inline)) narrow narrow_bf16(const narrow *input, const void *prepared,
                                                                struct doubts *doubts)
{
    (void)prepared;
    narrow x = input[1], size = x & 0x7fff;
    wide g[2], inner[2], result[2];
    const bool has_small = doubts->is_careful && narrow_has_small(input[0]);
    if (has_small)
        x = keep_bf16_off_zero(x);
    if (!doubts->is_careful)
        doubt_narrow_small(doubts, input[0]);
    const uint16_t above_3 = 0x4041, to_infinity = 0x7f80 - 0x4040, middle = 0x3fc0;
    narrow_flags outer = narrow_below(size - above_3, narrow_of(to_infinity));
    x = narrow_choose(outer, (x & 0x8000) | middle, x);
    wide_of_bf16(input[0], g);
    wide_of_bf16(x, inner);
    if (has_small) {
        result[0] = careful_bf16(g[0], inner[0]);
        result[1] = careful_bf16(g[1], inner[1]);
    } else {
        result[0] = quick_bf16(g[0], inner[0]);
        result[1] = quick_bf16(g[1], inner[1]);
    }
    narrow bits = narrow_of_wide(result);
    if (doubts->is_careful)
        return narrow_canonical(bits);
    doubt_narrow_nan(doubts, bits);
    return bits;
}

static const struct evaluation hardswish = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .extreme = extreme};
static const struct evaluation hardswish_fp16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast_fp16};
static const struct evaluation hardswish_bf16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .narrow = narrow_bf16};

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
    map(ARITHMETIC_FP16, &hardswish_fp16, input, output, count, NULL, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    (void)parameters;
    map(ARITHMETIC_BF16, &hardswish_bf16, input, output, count, NULL, streams);
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

static aclnnStatus plan(const struct call *call)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_same_dtype(call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_dtype(call, OUT, SELF, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, OUT));
    TRY(check_same_shape(call, GRAD_OUTPUT, SELF, NULL));
    TRY(check_same_shape(call, OUT, SELF, NULL));
    return elementwise_plan(call, call->tensor[SELF].dtype, NULL, 0);
}

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
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnHardswishBackward,
};

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
