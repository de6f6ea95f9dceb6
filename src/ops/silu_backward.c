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
#include "simd/silu_derivative.h"
#include "simd/silu_wide.h"
#include "simd/silu_narrow.h"
#include "simd/small_product.h"

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
enum ordinary { ARGUMENT, MAGNITUDE, TIE };

static inline void doubt_extraordinary(struct doubts *doubts, wide size, wide factor, float smallest)
{
    const uint32_t infinity = 0x7f800000, end = 0x41a00000;
    uint32_t bits;
    memcpy(&bits, &smallest, sizeof bits);
    doubt_above(doubts, ARGUMENT, (wide_bits)size, end);
    doubt_above(doubts, MAGNITUDE, (wide_bits)factor + (wide_bits)factor - 2 * bits,
                2 * (infinity - bits) - 1);
}

/* What the careful ways are told of their inputs: no result below 2^-126 unless it is 0; or any, but |x| <=
 * 20; or every x below -20; or every x above 20 (for 16 bits, 19); or anything. In each of them any may be
 * NaN. */
enum extreme { NOTHING_EXTREME, SMALL, FAR, BELOW, ABOVE, ANYTHING = EXTREME_LAST };

static inline int extreme(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    const wide end = wide_of(end_of_segments), infinity = (wide)wide_bits_of(0x7f800000);
    wide_bits small = wide_bits_of(UINT32_MAX);
    wide least = infinity, greatest = -infinity;
#pragma GCC unroll 4
    for (int i = 0; i < vectors; i++) {
        greatest = wide_greatest(input[i][1], greatest); /* no NaN */
        least = wide_least(input[i][1], least);
        small = wide_lesser(small, magnitude_order(input[i][0]));
    }
    const wide_bits smallest = wide_bits_of(2 * smallest_factor - 1);
    if (wide_any_flag(wide_greater(greatest, end) | wide_greater(-end, least))) {
        /* The least x that counts: one above 20 in fp32, where every way gives the same bits. */
        const wide all = wide_of(dtype == ARITHMETIC_FP32 ? 0x1.400002p4F : 19);
        if (!wide_any_flag(wide_greater(greatest, -all)))
            return BELOW;
        return wide_any_flag(wide_greater(all, least)) ? FAR : ABOVE;
    }
    if (dtype != ARITHMETIC_FP16 && wide_any((wide_bits)(wide_lesser(small, smallest) != smallest)))
        return SMALL;
    return NOTHING_EXTREME;
}

/* In fp32 there is one way for all that is neither nothing nor ABOVE. */
static inline int extreme_fp32(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    int found = extreme(dtype, input, vectors);
    return found == NOTHING_EXTREME || found == ABOVE ? found : FAR;
}

/* g s'(x) is value + rest, |rest| at most about half a unit of value, both times 2^exponent. */
struct scaled {
    wide value, rest;
    wide_ints exponent;
    wide slope; /* has the sign of s'(x) */
};

/* A gradient as fraction * 2^exponent, 1 <= |fraction| < 2; for 0 with an exponent below all others. */
struct gradient {
    wide fraction;
    wide_ints exponent;
};

static inline bool has_small_results(const struct doubts *doubts)
{
    return doubts->dtype != ARITHMETIC_FP16 && doubts->extreme != NOTHING_EXTREME;
}

/* In integers: arithmetic with subnormal numbers is slow. Where no result is small, g itself. */
static inline struct gradient gradient_of(wide g, const struct doubts *doubts)
{
    if (!has_small_results(doubts))
        return (struct gradient){g, wide_ints_of(0)};
#if defined(__AVX512F__)
    __m512 exponent = _mm512_max_ps(_mm512_getexp_ps((__m512)g), _mm512_set1_ps(-276)); /* not that of 0 */
    wide fraction = (wide)_mm512_getmant_ps((__m512)g, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    return (struct gradient){fraction, (wide_ints)_mm512_cvttps_epi32(exponent)};
#else
    wide magnitude = wide_absolute(g);
    flags subnormal = wide_less_ints((wide_ints)magnitude, wide_ints_of(0x00800000));
    magnitude = wide_choose(subnormal, wide_from_ints((wide_ints)magnitude), magnitude);
    wide fraction = wide_with_sign_of((wide)(((wide_bits)magnitude & 0x007fffff) | 0x3f800000), g);
    wide_ints exponent = (wide_ints)magnitude >> 23;
    exponent -= (wide_ints)wide_choose(subnormal, (wide)wide_bits_of(127 + 149), (wide)wide_bits_of(127));
    return (struct gradient){fraction, exponent};
#endif
}

/* For every finite g and x. Where there are small results, 2^-40 < |value| < 4, elsewhere exponent = 0. */
static inline __attribute__((always_inline)) struct scaled scaled_product(wide g, wide x,
                                                                          const struct doubts *doubts)
{
    const bool has_small = has_small_results(doubts);
    struct gradient gradient = gradient_of(g, doubts);
    wide size = wide_absolute(x), fraction = gradient.fraction, b = size;
    wide_ints exponent = gradient.exponent;
    if (doubts->extreme >= FAR)
        b = wide_least(wide_of(end_of_segments), size);
    struct wide_pair phi = silu_phi_pair(b);
    if (doubts->extreme >= FAR) {
        flags beyond = wide_greater(size, wide_of(end_of_segments));
        struct silu_tail tail =
            silu_tail_pair(wide_least(wide_of(doubts->dtype == ARITHMETIC_FP16 ? 60 : 200), size));
        /* Above the segments phi(b) is only compared with 1. */
        wide power = silu_power(wide_greatest_ints(tail.exponent, wide_ints_of(-90)));
        if (has_small) {
            flags below = wide_greater(wide_of(-end_of_segments), x);
            exponent += (wide_ints)wide_choose(below, (wide)tail.exponent, wide_of(0));
            power = wide_choose(below, wide_of(1), power);
        }
        phi.high = wide_choose(beyond, tail.value.high * power, phi.high);
        phi.low = wide_choose(beyond, tail.value.low * power, phi.low);
    }
    struct wide_pair derivative = derivative_of(phi, wide_greater(x, wide_of(0)));
    wide small = fraction * derivative.low, value = fused(fraction, derivative.high, small);
    wide rest = fused_minus(fraction, derivative.high, value) + small;
    return (struct scaled){value, rest, exponent, derivative.high + derivative.low};
}

/* The sign of g s'(x), and what an infinite g or NaN gives, which the steps in integers lose. */
static inline wide completed(wide result, wide g, wide x, wide slope, const struct doubts *doubts)
{
    wide_ints magnitude = (wide_ints)wide_absolute(g), greatest = magnitude;
    if (doubts->extreme != NOTHING_EXTREME)
        greatest = wide_greatest_ints(greatest, (wide_ints)wide_absolute(x));
    wide other = (wide)magnitude + slope;
    if (doubts->extreme >= FAR)
        other += x - x;
    result = wide_choose(wide_less_ints(wide_ints_of(0x7f7fffff), greatest), other, wide_absolute(result));
    return (wide)((wide_bits)result | (((wide_bits)g ^ (wide_bits)slope) & 0x80000000));
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

static inline __attribute__((always_inline)) wide fast_fp32(const wide *input, const void *prepared,
                                                            struct doubts *doubts)
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

/* s'(x) within about three units, times 2^exponent for x < -20 where there are small results. */
static inline wide about_derivative(wide x, wide_ints *exponent, const struct doubts *doubts)
{
    wide size = wide_absolute(x);
    if (doubts->extreme < FAR)
        return silu_phi(size);
    flags below = wide_greater(wide_of(-end_of_segments), x);
    struct silu_tail tail = silu_tail(wide_least(wide_of(doubts->dtype == ARITHMETIC_FP16 ? 60 : 200), size));
    if (doubts->extreme == BELOW)
        below = wide_all();
    if (has_small_results(doubts))
        *exponent += (wide_ints)wide_choose(below, (wide)tail.exponent, wide_of(0));
    else
        tail.value.high *= silu_power(tail.exponent);
    /* Above the segments so little is missing of 1 that g s'(x) is next to g, which is no tie. */
    return wide_choose(below, tail.value.high, silu_phi(wide_least(wide_of(end_of_segments), size)));
}

/* 16 bits: as silu_block(), for all numbers. */
static inline __attribute__((always_inline)) wide careful_narrow(wide g, wide x, struct doubts *doubts)
{
    if (doubts->extreme == ABOVE)
        return product_above(g, x);
    wide_ints exponent = wide_ints_of(0);
    flags positive = wide_greater(x, wide_of(0));
    if (doubts->extreme == BELOW)
        positive = ~wide_all();
    wide phi = about_derivative(x, &exponent, doubts);
    struct raised gradient = {g, wide_bits_of(0)};
    if (has_small_results(doubts))
        gradient = raised_gradient(g, exponent, doubts->extreme >= FAR);
    wide factor = gradient.factor, slope = wide_choose(positive, wide_of(1), phi);
    wide value = wide_choose(positive, fused_from(factor, phi, factor), factor * phi);
    if (doubts->dtype == ARITHMETIC_FP16) {
        /* The place of a tie depends on the exponent where results are subnormal: round both ends. */
        wide_halves low = wide_to_fp16(value * (1 - TIE_UNITS * 0x1p-24F));
        wide_halves high = wide_to_fp16(value * (1 + TIE_UNITS * 0x1p-24F));
        doubts->differing |= __builtin_convertvector(low ^ high, wide_bits);
        return completed(value, g, x, slope, doubts);
    }
    if (has_small_results(doubts))
        value = lowered(value, gradient.scale, -149, doubts->extreme >= FAR);
    doubt_above(doubts, TIE, distance_of_tie(value, ARITHMETIC_BF16, TIE_UNITS),
                no_tie(ARITHMETIC_BF16, TIE_UNITS));
    return completed(value, g, x, slope, doubts);
}

/*
 * The product as a float rounded to odd, which then rounds to 16 bits as the exact one does. In doubt where
 * that is next to a tie but not on a side of it that the error of the pair leaves certain.
 */
static inline __attribute__((always_inline)) wide thorough_narrow(wide g, wide x, struct doubts *doubts)
{
    const int cut = bits_cut(doubts->dtype);
    struct scaled product = scaled_product(g, x, doubts);
    wide_bits bits = (wide_bits)product.value;
    flags unsure =
        wide_greater(wide_absolute(product.value) * (0.4F * 0x1p-24F), wide_absolute(product.rest));
    /* s'(0) is exact. */
    unsure &= wide_greater(wide_absolute(x), wide_of(0));
    product.value = wide_round_to_odd(product.value, product.rest);
    const bool has_small = doubts->dtype == ARITHMETIC_BF16 && doubts->extreme != NOTHING_EXTREME;
    wide result = product.value;
    if (has_small)
        result = lowered(product.value, scale_of(product.exponent), -133, true);
    /* Subnormal results have ties at more places. */
    const wide smallest = wide_of(doubts->dtype == ARITHMETIC_BF16 ? 0x1p-126F : 0x1p-14F);
    flags tie = wide_equal_bits(bits << (32 - cut), wide_bits_of(1U << 31));
    flags small_tie = wide_equal_bits(bits << (33 - cut), wide_bits_of(0));
    if (doubts->dtype == ARITHMETIC_FP16 || has_small)
        tie |= small_tie & wide_less_ints((wide_ints)wide_absolute(result), (wide_ints)smallest);
    doubts->differing |= (wide_bits)wide_choose(unsure & tie, wide_of(1), wide_of(0));
    return completed(result, g, x, product.slope, doubts);
}

static inline __attribute__((always_inline)) wide fast_narrow(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    (void)prepared;
    return doubts->extreme == ANYTHING ? thorough_narrow(input[0], input[1], doubts)
                                       : careful_narrow(input[0], input[1], doubts);
}

static void rest_fp32(const void *const *input, void *output, size_t bytes, const void *prepared);
static void rest_fp16(const void *const *input, void *output, size_t bytes, const void *prepared);
static void rest_bf16(const void *const *input, void *output, size_t bytes, const void *prepared);

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

static __attribute__((noinline)) void rest_fp32(const void *const *input, void *output, size_t bytes,
                                                const void *prepared)
{
    map_rest(ARITHMETIC_FP32, &silu_fp32, input, output, 0, bytes, prepared, true);
}

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

MAP_KERNEL(run_fp32, ARITHMETIC_FP32, silu_fp32, NULL)
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
static aclnnStatus check_same(const struct call *call)
{
    TRY(check_same_dtype(call, SELF, GRAD_OUTPUT, "Ascend950 promotes them"));
    TRY(check_same_dtype(call, GRAD_INPUT, GRAD_OUTPUT, NULL));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, GRAD_INPUT));
    TRY(check_same_shape(call, SELF, GRAD_OUTPUT, "Ascend950 broadcasts them"));
    return check_same_shape(call, GRAD_INPUT, GRAD_OUTPUT, NULL);
}

static aclnnStatus check_common(const struct call *call, aclDataType *dtype)
{
    static const unsigned inputs[] = {GRAD_OUTPUT, SELF};
    TRY(check_promotion(call, inputs, 2, dtype));
    TRY(check_output_dtype(call, GRAD_INPUT, *dtype));
    TRY(check_rank(call, GRAD_OUTPUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, GRAD_INPUT));
    return check_broadcast(call, inputs, 2, GRAD_INPUT);
}

static aclnnStatus plan(const struct call *call)
{
    TRY(check_dtype(call, GRAD_OUTPUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, GRAD_INPUT));
    aclDataType dtype = call->tensor[SELF].dtype;
    if (call->settings->product == PRODUCT_950)
        TRY(check_common(call, &dtype));
    else
        TRY(check_same(call));
    return elementwise_plan(call, dtype, NULL, 0);
}

OPERATOR(silu_backward) = {
    .operation = ELEMENTWISE("aclnnSiluBackward"),
    .stem = "silu_backward",
    .parameter_count = 3,
    .parameter =
        {
            [GRAD_OUTPUT] = {.name = "gradOutput", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [GRAD_INPUT] = {.name = "gradInput", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_fp32_fp16_bf16},
        },
    .is_fp32_within_one_ulp = true,
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnSiluBackward,
};

aclnnStatus aclnnSiluBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *self,
                                              aclTensor *gradInput, uint64_t *workspaceSize,
                                              aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOutput}, {.tensor = self}, {.tensor = gradInput}};
    return operator_plan(&silu_backward, argument, workspaceSize, executor);
}

PHASE_2(aclnnSiluBackward, silu_backward)

#endif
