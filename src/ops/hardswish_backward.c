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
    if (!doubts->is_careful)
        return multiply_divide_counts(input[0], slope, wide_divisor_of(3, true), doubts);
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

/* x with its sign, but at least as far from 0 as this bf16, unless it is 0. */
static inline narrow keep_bf16_off_zero(narrow x, uint16_t least)
{
    narrow_flags is_tiny = narrow_below(x + x - 2, narrow_of((uint16_t)(2 * (least - 1))));
    return narrow_choose(is_tiny, (x & 0x8000) | least, x);
}

/*
 * bf16. The product needs no odd number unless the result is subnormal: g (x + 3/2) and 3 times a tie, of 9
 * bits, are either the same number or, rounded to 24 bits, on the sides of each other where they were; and so
 * are their thirds. (All 2^32 pairs have been tried.)
 */
static inline __attribute__((always_inline)) wide quick_bf16(wide g, wide x)
{
    /* A quarter of it does not overflow unless the result does. */
    wide product = g * fused(x, wide_of(0.25F), wide_of(0.375F));
    return product * wide_of(4.0F / 3);
}

static inline __attribute__((always_inline)) wide careful_bf16(wide g, wide x)
{
    flags is_small = wide_less_ints((wide_ints)wide_absolute(g), (wide_ints)wide_of(0x1p-60F));
    g = wide_rescaled(is_small, wide_raised(g), g, 1);
    wide product = wide_cut_product(g, wide_cut_sum(x, wide_of(1.5F)));
    wide lost = fused(g, x, fused_minus(wide_of(1.5F), g, product));
    return wide_unscaled_bf16(wide_third(wide_odd(product, lost), 1), is_small);
}

/*
 * Gradients that are subnormal or 0, of at most 7 bits: with an x of 2^-7 or more the product is exact, a
 * multiple of 2^-14, and so far from three times a tie, unless it is one, that its third may be rounded
 * before the sum is. A smaller x takes a result off a tie as 2^-7 does.
 */
static inline __attribute__((always_inline)) narrow subnormal_bf16(narrow gradient, narrow x)
{
    wide g[2], inner[2];
    x = keep_bf16_off_zero(x, 0x3c00);
    wide_counts_of_bf16(gradient, g);
    wide_of_bf16(x, inner);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        g[i] = g[i] * wide_absolute(inner[i] + 1.5F) * wide_of(1.0F / 3) + count_origin;
    const uint16_t root = 0xbfc0; /* -1.5 */
    return narrow_of_counts(g, narrow_choose(narrow_below(narrow_of(root), x), ~gradient, gradient));
}

static inline __attribute__((always_inline)) narrow narrow_bf16(const narrow *input, const void *prepared,
                                                                struct doubts *doubts)
{
    (void)prepared;
    const uint16_t above_3 = 0x4041, to_infinity = 0x7f80 - 0x4040, middle = 0x3fc0;
    const uint16_t limit = 0x0680; /* 2^-114: the slope is 2^-8 at least, unless it is 0 */
    narrow x = input[1], size = x & 0x7fff;
    narrow_flags outer = narrow_below(size - above_3, narrow_of(to_infinity));
    x = narrow_choose(outer, (x & 0x8000) | middle, x);
    if (doubts->extreme > 0) {
        doubt_narrow_above(doubts, input[0], 0x007f);
        return narrow_nan_where(ARITHMETIC_BF16, x, subnormal_bf16(input[0], x));
    }
    wide g[2], inner[2];
    wide_of_bf16(input[0], g);
    if (!doubts->is_careful)
        doubt_narrow_below(doubts, 0, input[0], limit);
    if (doubts->is_careful && narrow_has_below(input[0], limit)) {
        /* Numbers below 2^-30 only have a sign in the sum with 3/2; without them products keep their last
         * bits. */
        wide_of_bf16(keep_bf16_off_zero(x, 0x3080), inner);
        g[0] = careful_bf16(g[0], inner[0]);
        g[1] = careful_bf16(g[1], inner[1]);
    } else {
        wide_of_bf16(x, inner);
        g[0] = quick_bf16(g[0], inner[0]);
        g[1] = quick_bf16(g[1], inner[1]);
    }
    return narrow_canonical(ARITHMETIC_BF16, narrow_of_wide(g));
}

static const struct evaluation hardswish = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast, .extreme = extreme, .has_small = true};
static const struct evaluation hardswish_fp16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .fast = fast_fp16};
static const struct evaluation hardswish_bf16 = {
    .inputs = 2, .estimate = estimate, .settle = settle, .narrow = narrow_bf16, .has_small = true};

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
