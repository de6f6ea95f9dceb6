/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = gradOutput * s'(self), where s'(x) = sigma(x) (1 + x (1 - sigma(x))) and sigma(x) = 1 / (1 +
 * e^-x).
 *
 * Every finite x gives the exact value rounded once, at the root near x = -1.27846454 and in the far tail
 * too; fp32 at the default accuracy is within 1 unit in the last place instead. x = +-inf or NaN gives NaN.
 * An infinite gradient with a finite x gives an infinity with the sign of s'(x).
 */
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/logistic.h"
#include "simd/map.h"
#include "simd/silu_extreme.h"
#include "simd/silu_wide.h"
#if FUSED_IS_FAST
#include "simd/silu_careful.h"
#endif

static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * silu_derivative(input[1]);
}

static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    (void)prepared;
    (void)value;
    struct pair derivative = pair_silu_derivative(input[1]);
    struct pair result = pair_multiply((struct pair){input[0], broadcast(0)}, derivative);
    return round_to_odd(result.high, result.low);
}

/* Ordinary numbers are not beyond the segments, and neither 0, infinite, NaN, nor below this. */
static inline void doubt_extraordinary(struct doubts *doubts, wide size, wide factor, float smallest)
{
    const uint32_t infinity = 0x7f800000, end = 0x41a00000;
    uint32_t bits;
    memcpy(&bits, &smallest, sizeof bits);
    doubt_above(doubts, ARGUMENT, (wide_bits)size, end);
    doubt_above(doubts, MAGNITUDE, (wide_bits)factor + (wide_bits)factor - 2 * bits,
                2 * (infinity - bits) - 1);
}

/* In fp32 there is one way for all that is neither nothing nor ABOVE. */
static inline int extreme_fp32(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    int found = extreme(dtype, input, vectors);
    return found == NOTHING_EXTREME || found == ABOVE ? found : FAR;
}

/* fp32: within 0.86 units in the last place, as far as the proof has gone. */
static inline __attribute__((always_inline)) wide quick_fp32(wide g, wide x, struct doubts *doubts)
{
    wide size = wide_absolute(x);
    /* Products of two such factors are far from the end of fp32. */
    doubt_extraordinary(doubts, size, g, 0x1p-50F);
    struct wide_pair derivative = derivative_of(silu_phi_pair(size), wide_greater(x, wide_of(0)));
    return fused(g, derivative.high, g * derivative.low);
}

/* The same for all numbers: with the same steps, so with the same bits, for those that the quick way takes.
 */
static inline __attribute__((always_inline)) wide careful_fp32(wide g, wide x, const struct doubts *doubts)
{
    if (doubts->extreme == ABOVE)
        return product_above(g, x);
    if (doubts->extreme != NOTHING_EXTREME) {
        flags raised = wide_greater(wide_of(1), wide_absolute(g));
        wide power = wide_choose(raised, wide_of(SILU_RAISE), wide_of(-SILU_REDUCE));
        wide factor =
            fused(g, wide_choose(raised, wide_of(raise_factor), wide_of(reduce_factor)), wide_of(-0.0F));
        wide slope, value = silu_far_product(factor, power, silu_size(g, x), x, &slope);
        flags above = wide_greater(x, wide_of(end_of_segments));
        value = wide_choose(above, product_above(g, x), value);
        slope = wide_choose(above, wide_of(1), slope);
        return completed(value, g, x, slope, doubts);
    }
    struct wide_pair derivative = derivative_of(silu_phi_pair(wide_absolute(x)), wide_greater(x, wide_of(0)));
    wide value = fused(g, derivative.high, g * derivative.low);
    return completed(value, g, x, derivative.high + derivative.low, doubts);
}

static INLINE_IF_FUSED wide fast_fp32(const wide *input, const void *prepared, struct doubts *doubts)
{
    (void)prepared;
    if (doubts->is_careful)
        return careful_fp32(input[0], input[1], doubts);
    if (doubts->extreme == NOTHING_EXTREME)
        return quick_fp32(input[0], input[1], doubts);
    const uint32_t least = 0x26800000, greatest = 0x71800000; /* 2^-50, 2^100 */
    wide_bits factor = (wide_bits)input[0] + (wide_bits)input[0];
    if (doubts->extreme == FAR) {
        doubt_above(doubts, ARGUMENT, (wide_bits)wide_absolute(input[1]), 0x7f7fffff);
        doubt_above(doubts, MAGNITUDE, factor - 2 * least, 2 * (greatest - least));
        return silu_ordinary_product(input[0], input[1]);
    }
    doubt_above(doubts, ARGUMENT, (wide_bits)wide_absolute(input[1]), 0x41a00000);
    doubt_above(doubts, MAGNITUDE, factor, 2 * greatest_factor);
    return silu_small_product(input[0], input[1]);
}

static void rest_fp32(const void *const *input, void *output, size_t bytes, const void *prepared);

static const struct evaluation silu_exact = {.inputs = 2, .estimate = estimate, .settle = settle};
static const struct evaluation silu_fp32 = {.inputs = 2,
                                            .fast = fast_fp32,
                                            .other_block = silu_other_fp32,
                                            .extreme = extreme_fp32,
                                            .has_small = true,
                                            .far = 20,
                                            .asks_ahead = true,
                                            .fast_decides = true,
                                            .has_quick_rest = true,
                                            .rest = rest_fp32};

static __attribute__((noinline)) void rest_fp32(const void *const *input, void *output, size_t bytes,
                                                const void *prepared)
{
    map_rest(ARITHMETIC_FP32, &silu_fp32, input, output, 0, bytes, prepared, true);
}

#if FUSED_IS_FAST
static void rest_fp16(const void *const *input, void *output, size_t bytes, const void *prepared);
static void rest_bf16(const void *const *input, void *output, size_t bytes, const void *prepared);

static const struct evaluation silu_fp16 = {.inputs = 2,
                                            .estimate = estimate,
                                            .settle = settle,
                                            .fast = fast_narrow,
                                            .block = silu_block,
                                            .other_block = silu_other_block,
                                            .extreme = extreme,
                                            .has_quick_rest = true,
                                            .few = {silu_pair, silu_two_pairs},
                                            .rest = rest_fp16};
static const struct evaluation silu_bf16 = {.inputs = 2,
                                            .estimate = estimate,
                                            .settle = settle,
                                            .fast = fast_narrow,
                                            .block = silu_block,
                                            .other_block = silu_other_block,
                                            .extreme = extreme,
                                            .has_quick_rest = true,
                                            .few = {silu_pair, silu_two_pairs},
                                            .rest = rest_bf16};

static __attribute__((noinline)) void rest_fp16(const void *const *input, void *output, size_t bytes,
                                                const void *prepared)
{
    map_rest(ARITHMETIC_FP16, &silu_fp16, input, output, 0, bytes, prepared, true);
}

static __attribute__((noinline)) void rest_bf16(const void *const *input, void *output, size_t bytes,
                                                const void *prepared)
{
    map_rest(ARITHMETIC_BF16, &silu_bf16, input, output, 0, bytes, prepared, true);
}
#else
/* Without fused products the exact way in doubles is the only one. */
#define silu_fp16 silu_exact
#define silu_bf16 silu_exact
#endif

MAP_WIDE_KERNEL(run_fp32, ARITHMETIC_FP32, silu_fp32, NULL)
MAP_KERNEL(run_fp32_exact, ARITHMETIC_FP32, silu_exact, NULL)
MAP_KERNEL(run_fp16, ARITHMETIC_FP16, silu_fp16, NULL)
MAP_KERNEL(run_bf16, ARITHMETIC_BF16, silu_bf16, NULL)

KERNELS(silu_backward) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32_exact,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_silu_backward.h"
#include "ops/check.h"

enum { GRAD_OUTPUT, SELF, GRAD_INPUT };

KERNEL_LEVELS(silu_backward);
static const struct elementwise elementwise = {silu_backward_kernels, .cost_ps = {300, 2000}};

/* Dtypes and shapes are equal, except that Ascend950 promotes and broadcasts; a promoted gradInput is FLOAT.
 */
static aclnnStatus infer_same(const struct call *call, struct result *result)
{
    TRY(check_same_dtype(call, SELF, GRAD_OUTPUT, "Ascend950 promotes them"));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_same_shape(call, SELF, GRAD_OUTPUT, "Ascend950 broadcasts them"));
    result_like(result, call, GRAD_OUTPUT);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_common(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_promotion(call, inputs, 2, &result->computed));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    return result_broadcast(result, call, inputs, 2, result->computed, DTYPE_EQUAL);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    return call->settings->product == PRODUCT_950 ? infer_common(call, result) : infer_same(call, result);
}

static const struct parameter parameters[] = {
    [GRAD_OUTPUT] = READ("gradOutput", &dtypes_fp32_fp16_bf16),
    [SELF] = READ("self", &dtypes_fp32_fp16_bf16),
    [GRAD_INPUT] = WRITTEN("gradInput", &dtypes_fp32_fp16_bf16),
};

FUNCTION(aclnnSiluBackward, (const aclTensor *gradOutput, const aclTensor *self, aclTensor *gradInput),
         (ARG(gradOutput), ARG(self), ARG(gradInput)), .stem = "silu_backward", PARAMETERS(parameters),
         .promise = &promise_fp32_ulp1, ELEMENTWISE(&elementwise), .infer = infer,
         .plan = elementwise_plan_plain);

#endif
