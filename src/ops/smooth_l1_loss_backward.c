/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * d = self - target, exact; r = sign(d) where |d| >= beta, d / beta where |d| < beta;
 * gradInput = gradOut * r * (1/N for mean, 1 otherwise), N = the number of elements of gradInput.
 *
 * sign(+-0) is that same zero. beta = +inf gives 0 with the sign of d for finite d; d = +-inf gives +-1.
 * Equal infinities, or a NaN anywhere, give NaN. beta * N is divided by in one step, never multiplied by a
 * reciprocal.
 */
#include "simd/kernel.h"

struct smooth_l1_loss_backward_parameters {
    float beta;
    uint64_t divisor; /* N for mean, 1 otherwise */
};

#ifdef KERNEL_PASS

/* The maths. */
#include <math.h>

#include "simd/any_gradient.h"
#include "simd/exact.h"
#include "simd/map.h"
#include "simd/odd.h"

enum { PIECES = 4 };

/* What |d| < beta divides by, beta * N, and what the other branch divides by, N: rounded, and exactly as the
 * sum of pieces of at most 26 bits. */
struct divisors {
    double beta;
    double inner, outer;
    double inner_piece[PIECES], outer_piece[PIECES];
    struct wide_divisor fast_inner;
    /* Where beta and N are powers of two, their inverses. */
    float beta_inverse, outer_inverse;
    uint16_t narrow_limit; /* the bits of beta 2^-15 in bf16 */
};

/* A double of at most 53 bits in two pieces of at most 26. */
static inline void cut(double whole, double *piece)
{
    piece[0] = leading(broadcast(whole), 26)[0];
    piece[1] = whole - piece[0];
}

/* N counts elements in memory and is below 2^52, so that it and each half of it times beta are doubles. */
static inline struct divisors prepare(const struct smooth_l1_loss_backward_parameters *parameters)
{
    struct divisors divisors = {.beta = (double)parameters->beta, .outer = (double)parameters->divisor};
    cut(divisors.outer, divisors.outer_piece);
    divisors.inner = divisors.beta * divisors.outer;
    cut(divisors.beta * divisors.outer_piece[0], divisors.inner_piece);
    cut(divisors.beta * divisors.outer_piece[1], divisors.inner_piece + 2);
    divisors.fast_inner = wide_divisor_of(divisors.inner, divisors.outer <= 0x1p29);
    divisors.beta_inverse = 1 / parameters->beta;
    divisors.outer_inverse = (float)(1 / divisors.outer);
    const float limit = parameters->beta * 0x1p-15F;
    uint32_t bits;
    memcpy(&bits, &limit, sizeof bits);
    divisors.narrow_limit = (uint16_t)(bits >> 16);
    return divisors;
}

/* d = self - target exactly, what it is divided by, and where that is N because |d| >= beta. */
struct difference {
    struct pair value;
    longs outer;
};

static inline struct difference subtract(const doubles *input, const struct divisors *divisors)
{
    struct pair d = two_sum(input[1], -input[2]);
    doubles size = absolute(d.high);
    d.low = choose(size < (double)INFINITY, d.low, broadcast(0)); /* infinity - infinity inside two_sum */
    /* Rounding is monotone: only where high is beta itself does low decide. */
    longs not_less = (d.low == 0) | (longs)(sign_bit(d.low) == sign_bit(d.high));
    longs outer = (size > divisors->beta) | ((size == divisors->beta) & not_less);
    doubles sign = choose(d.high == 0, d.high, with_sign_of(broadcast(1), d.high));
    d.high = choose(outer, sign, d.high);
    d.low = choose(outer, broadcast(0), d.low);
    return (struct difference){d, outer};
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct divisors *divisors = prepared;
    struct difference d = subtract(input, divisors);
    return input[0] * d.value.high / choose(d.outer, broadcast(divisors->outer), broadcast(divisors->inner));
}

/*
 * As for any division: a quotient of so few bits that its products with the pieces are exact, and the sign of
 * the remainder gradient * d - quotient * divisor. At 26 bits every tie of a narrower dtype is a possible
 * quotient, so none lies strictly between the cut quotient and the exact one.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    const struct divisors *divisors = prepared;
    struct difference d = subtract(input, divisors);
    doubles quotient = leading(value, 26), high = leading(d.value.high, 26);
    doubles remainder[3 + PIECES] = {
        input[0] * high,
        input[0] * (d.value.high - high),
        input[0] * d.value.low,
    };
    for (int i = 0; i < PIECES; i++)
        remainder[3 + i] = -quotient * choose(d.outer, broadcast(divisors->outer_piece[i]),
                                              broadcast(divisors->inner_piece[i]));
    return round_to_odd(quotient, sign_of_sum(remainder, 3 + PIECES));
}

/*
 * d exactly, as a pair. sign(d) where |d| >= beta is beta / beta: cutting d to +-beta leaves one division. At
 * |d| = beta before rounding only the rest of d tells the branches apart, and a rest there is in doubt.
 */
static inline __attribute__((always_inline)) struct wide_pair
cut_difference(const wide *input, const struct divisors *divisors, struct doubts *doubts)
{
    const wide beta = wide_of((float)divisors->beta);
    struct wide_pair d = wide_difference(input[1], input[2]);
    wide size = wide_absolute(d.high), rest = wide_choose(wide_greater(beta, size), d.low, wide_of(0));
    doubt_differing(doubts, (wide_bits)wide_choose(wide_equal(beta, size), d.low, wide_of(0)));
    return (struct wide_pair){wide_clamp(d.high, beta), rest};
}

static inline __attribute__((always_inline)) wide
small_result(wide g, struct wide_pair d, struct wide_divisor divisor, struct doubts *doubts)
{
    return doubts->path == PATH_ANY ? multiply_divide_small(g, d, divisor, doubts)
                              : multiply_divide_counts(g, d, divisor, doubts);
}

static inline __attribute__((always_inline)) wide fast(const wide *input, const void *prepared,
                                                       struct doubts *doubts)
{
    const struct divisors *divisors = prepared;
    struct wide_pair d = cut_difference(input, divisors, doubts);
    if (doubts->extreme > 0)
        return small_result(input[0], d, divisors->fast_inner, doubts);
    doubt_small(doubts, input[0]);
    doubt_small(doubts, d.high);
    /* However small the rest is, it takes a 16-bit result off a tie, and its product must not become 0. */
    if (doubts->dtype == ARITHMETIC_BF16)
        doubt_small(doubts, d.low);
    return multiply_divide(input[0], d, divisors->fast_inner, doubts);
}

/*
 * With beta and N powers of two the result is a product: nothing is divided. All below is for those, and a
 * beta from 2^-20 to 16.
 */
static inline bool is_product(const struct divisors *divisors)
{
    uint64_t beta, outer;
    memcpy(&beta, &divisors->beta, sizeof beta);
    memcpy(&outer, &divisors->outer, sizeof outer);
    return (beta | outer) << 12 == 0 && divisors->beta >= 0x1p-20 && divisors->beta <= 16 &&
           divisors->outer <= 0x1p30;
}

/*
 * fp32, and N beta of 1 or more, by which the rounded product with the whole difference is divided. That is
 * in doubt where a change of its rest, which has been rounded, could change it, and where it is small.
 */
static inline __attribute__((always_inline)) wide product_fp32(const wide *input, const void *prepared,
                                                               struct doubts *doubts)
{
    const struct divisors *divisors = prepared;
    const float inverse = divisors->outer_inverse * divisors->beta_inverse;
    const struct wide_divisor divisor = {(float)divisors->inner, 0, inverse, .is_exact = true};
    const bool is_any = doubts->extreme >= ANY_SMALL && doubts->path == PATH_QUICK;
    wide g = input[0];
    if (doubts->extreme > 0 && !is_any)
        return small_result(g, cut_difference(input, divisors, doubts), divisor, doubts);
    const wide beta = wide_of((float)divisors->beta);
    struct wide_pair d = wide_difference(input[1], input[2]);
    wide cut = wide_clamp_part(d.high, beta, &d.low);
    doubt_flagged(doubts, wide_flagged_not_0(wide_equal(beta, wide_absolute(d.high)), d.low));
    if (is_any) {
        wide whole, result = multiply_divide_any(g, (struct wide_pair){cut, d.low}, divisor, &whole, doubts);
        doubt_small(doubts, whole);
        return result;
    }
    wide product = g * cut;
    wide excess = fused_from(g, d.low, fused_from(g, cut, product));
    wide result = fused_from(excess, wide_of(1 - 0x1p-18F), product);
    wide difference = result - fused_from(excess, wide_of(1 + 0x1p-18F), product);
    if (doubts->path == PATH_ANY)
        difference = wide_choose(wide_is_nan(fused(g, cut, d.low)), wide_of(0), difference);
    doubt_differing(doubts, (wide_bits)difference);
    doubt_small(doubts, result);
    /* What is so small that it becomes 0 must keep its sign. */
    return wide_signed_as(result, product) * wide_of(inverse);
}

/* fp16, and a beta of 1 or less: below it a difference, a multiple of 2^-24, is exact. */
static inline __attribute__((always_inline)) wide product_fp16(const wide *input, const void *prepared,
                                                               struct doubts *doubts)
{
    const struct divisors *divisors = prepared;
    wide d = wide_clamp(input[1] - input[2], wide_of((float)divisors->beta));
    wide g = input[0] * wide_of(divisors->outer_inverse * divisors->beta_inverse);
    wide product = wide_cut_product(g, d), lost = fused_minus(g, d, product);
    if (doubts->path == PATH_ANY)
        return wide_odd(product, lost);
    wide result = wide_odd_finite(product, lost);
    doubt_nan(doubts, result);
    return result;
}

/* Where no gradient and no term is small. */
static inline __attribute__((always_inline)) wide ordinary_product_bf16(const wide *input,
                                                                        const struct divisors *divisors)
{
    wide d = wide_clamp(input[1] - input[2], wide_of((float)divisors->beta));
    d *= wide_of(divisors->outer_inverse * divisors->beta_inverse);
    wide product = wide_cut_product(input[0], d), lost = fused_minus(input[0], d, product);
    return wide_odd(product, lost);
}

/*
 * Two roundings to odd in a row are one here: between a difference that is not exact and its odd neighbour
 * lies no tie divided by a gradient of 8 bits.
 */
static inline __attribute__((always_inline)) wide careful_product_bf16(const wide *input,
                                                                       const struct divisors *divisors)
{
    wide d = wide_clamp(wide_odd_difference(input[1], input[2]), wide_of((float)divisors->beta));
    d *= wide_of(divisors->beta_inverse);
    wide g = input[0], raised = wide_raised(g) * wide_of(divisors->outer_inverse);
    flags is_small = wide_greater(wide_of(4), wide_absolute(raised * d)) &
                     wide_less_ints((wide_ints)wide_absolute(g), (wide_ints)wide_of(raised_limit));
    g = wide_rescaled(is_small, raised, g, divisors->outer_inverse);
    wide product = wide_cut_product(g, d);
    return wide_unscaled_bf16(wide_odd(product, fused_minus(g, d, product)), is_small);
}

/* Gradients that are subnormal or 0, which takes no more rounding than that of the sum; differences that are
 * NaN are in doubt. */
static inline __attribute__((always_inline)) narrow subnormal_product_bf16(narrow gradient, wide (*term)[2],
                                                                           const struct divisors *divisors,
                                                                           struct doubts *doubts)
{
    const wide inverse = wide_of(divisors->outer_inverse * divisors->beta_inverse);
    wide g[2], d[2];
    wide_counts_of_bf16(gradient, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        d[i] = wide_odd_difference(term[0][i], term[1][i]);
        wide size = wide_least(wide_of((float)divisors->beta), wide_absolute(d[i]));
        g[i] = fused(g[i] * inverse, size, wide_of(count_origin));
        doubt_nan(doubts, size);
    }
    narrow sign = (narrow)((wide_bits)d[0] >> 16 | ((wide_bits)d[1] & 0x80000000));
    return narrow_of_counts(g, gradient ^ sign);
}

static inline __attribute__((always_inline)) narrow product_bf16(const narrow *input, const void *prepared,
                                                                 struct doubts *doubts)
{
    const struct divisors *divisors = prepared;
    const uint16_t limit = divisors->narrow_limit, smallest = smallest_factor >> 16;
    wide pair[INPUTS_MAX][2], result[2];
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++)
        wide_of_bf16(input[i], pair[i]);
    if (doubts->extreme > 0) {
        doubt_narrow_above(doubts, input[0], 0x007f);
        return subnormal_product_bf16(input[0], pair + 1, divisors, doubts);
    }
    const bool has_small =
        doubts->path == PATH_ANY && (narrow_has_below(input[0], smallest) || narrow_has_below(input[1], limit) ||
                               narrow_has_below(input[2], limit));
    const wide even[] = {pair[0][0], pair[1][0], pair[2][0]}, odd[] = {pair[0][1], pair[1][1], pair[2][1]};
    if (has_small) {
        result[0] = careful_product_bf16(even, divisors);
        result[1] = careful_product_bf16(odd, divisors);
    } else {
        result[0] = ordinary_product_bf16(even, divisors);
        result[1] = ordinary_product_bf16(odd, divisors);
    }
    if (doubts->path == PATH_QUICK) {
        doubt_narrow_below(doubts, 0, input[0], smallest);
        /* A difference below beta is exact unless one of its terms is so small. */
        doubt_narrow_below(doubts, 1, input[1], limit);
        doubt_narrow_below(doubts, 1, input[2], limit);
    }
    return narrow_canonical(ARITHMETIC_BF16, narrow_of_wide(result));
}

/* Any gradients, where CUTS_PRODUCTS. */
static inline __attribute__((always_inline)) narrow
any_product_bf16(const narrow *input, const void *prepared, struct doubts *doubts)
{
    const struct divisors *divisors = prepared;
    wide gradient[2], self[2], target[2];
    wide_of_bf16(input[0], gradient);
    wide_of_bf16(input[1], self);
    wide_of_bf16(input[2], target);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        wide d = wide_clamp(self[i] - target[i], wide_of((float)divisors->beta));
        d *= wide_of(divisors->outer_inverse * divisors->beta_inverse);
        gradient[i] = wide_any_odd_product(gradient[i], d);
    }
    doubt_narrow_below(doubts, 1, input[1], divisors->narrow_limit);
    doubt_narrow_below(doubts, 1, input[2], divisors->narrow_limit);
    return narrow_canonical(ARITHMETIC_BF16, narrow_of_wide(gradient));
}

static inline int extreme(enum arithmetic dtype, wide (*input)[INPUTS_MAX], int vectors)
{
    (void)dtype;
    return smallness(input, vectors);
}

static const struct evaluation smooth_l1 = {.inputs = 3, .estimate = estimate, .settle = settle};
static const struct evaluation smooth_l1_fast = {
    .inputs = 3, .estimate = estimate, .settle = settle, .fast = fast};
static const struct evaluation smooth_l1_fast_fp32 = {
    .inputs = 3, .estimate = estimate, .settle = settle, .fast = fast, .extreme = extreme, .has_small = true};
static const struct evaluation smooth_l1_product_fp32 = {.inputs = 3,
                                                         .estimate = estimate,
                                                         .settle = settle,
                                                         .fast = product_fp32,
                                                         .extreme = extreme,
                                                         .has_small = true,
                                                         .has_quick_rest = true,
                                                         .has_any = true};
static const struct evaluation smooth_l1_product_fp16 = {
    .inputs = 3, .estimate = estimate, .settle = settle, .fast = product_fp16};
static const struct evaluation smooth_l1_any_bf16 = {.inputs = 3, .narrow = any_product_bf16};
MAP_ANY_BLOCKS(smooth_l1_any_blocks, ARITHMETIC_BF16, smooth_l1_any_bf16, struct divisors)
static const struct evaluation smooth_l1_product_bf16 = {.inputs = 3,
                                                         .estimate = estimate,
                                                         .settle = settle,
                                                         .narrow = product_bf16,
                                                         .has_small = true,
                                                         .any_blocks =
                                                             CUTS_PRODUCTS ? smooth_l1_any_blocks : NULL};

/* With beta * N far from the ends of fp32 no step of the fast way meets them before its result does. */
static inline bool is_moderate(const struct divisors *divisors)
{
    return divisors->beta >= 0x1p-40 && divisors->beta <= 0x1p40;
}

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    struct divisors divisors = prepare(parameters);
    if (is_product(&divisors) && divisors.inner >= 1)
        map(ARITHMETIC_FP32, &smooth_l1_product_fp32, input, output, count, &divisors, streams);
    else if (is_moderate(&divisors))
        map(ARITHMETIC_FP32, &smooth_l1_fast_fp32, input, output, count, &divisors, streams);
    else
        map(ARITHMETIC_FP32, &smooth_l1, input, output, count, &divisors, streams);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    struct divisors divisors = prepare(parameters);
    if (is_product(&divisors) && divisors.beta <= 1)
        map(ARITHMETIC_FP16, &smooth_l1_product_fp16, input, output, count, &divisors, streams);
    else if (is_moderate(&divisors))
        map(ARITHMETIC_FP16, &smooth_l1_fast, input, output, count, &divisors, streams);
    else
        map(ARITHMETIC_FP16, &smooth_l1, input, output, count, &divisors, streams);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    struct divisors divisors = prepare(parameters);
    if (is_product(&divisors))
        map(ARITHMETIC_BF16, &smooth_l1_product_bf16, input, output, count, &divisors, streams);
    else if (is_moderate(&divisors))
        map(ARITHMETIC_BF16, &smooth_l1_fast, input, output, count, &divisors, streams);
    else
        map(ARITHMETIC_BF16, &smooth_l1, input, output, count, &divisors, streams);
}

KERNELS(smooth_l1_loss_backward) = {
    .run = {[ACCURACY_DEFAULT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16},
            [ACCURACY_EXACT] =
                {[ARITHMETIC_FP32] = run_fp32, [ARITHMETIC_FP16] = run_fp16, [ARITHMETIC_BF16] = run_bf16}},
};

#else

/* The contract. */
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "ops/check.h"

enum { GRAD_OUT, SELF, TARGET, REDUCTION, BETA, GRAD_INPUT };
enum { MEAN = 1 };

static const char *const reductions[] = {"none", "mean", "sum", NULL};

KERNEL_LEVELS(smooth_l1_loss_backward);
static const struct elementwise elementwise = {smooth_l1_loss_backward_kernels, .cost_ps = {150, 150},
                                               .cost_16_bits_ps = 95};

static aclnnStatus plan(const struct call *call)
{
    static const unsigned inputs[] = {GRAD_OUT, SELF, TARGET};
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, TARGET));
    TRY(check_dtype(call, GRAD_INPUT));
    TRY(check_rank(call, GRAD_OUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, TARGET));
    TRY(check_choice(call, REDUCTION));
    TRY(check_not_negative(call, BETA));
    aclDataType dtype;
    TRY(check_promotion(call, inputs, 3, &dtype));
    TRY(check_broadcast(call, inputs, 3, GRAD_INPUT));

    struct smooth_l1_loss_backward_parameters parameters = {
        .beta = call->argument[BETA].fp32,
        .divisor = call->argument[REDUCTION].int64 == MEAN ? (uint64_t)call->tensor[GRAD_INPUT].count : 1,
    };
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(smooth_l1_loss_backward) = {
    .operation = ELEMENTWISE("aclnnSmoothL1LossBackward"),
    .stem = "smooth_l1_loss_backward",
    .parameter_count = 6,
    .parameter =
        {
            [GRAD_OUT] = {.name = "gradOut", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [TARGET] = {.name = "target", .kind = PARAMETER_INPUT, .dtypes = &dtypes_fp32_fp16_bf16},
            [REDUCTION] = {.name = "reduction",
                           .kind = PARAMETER_INT64,
                           .choice_names = reductions,
                           .default_text = "mean"},
            [BETA] = {.name = "beta", .kind = PARAMETER_FLOAT, .default_text = "1"},
            [GRAD_INPUT] = {.name = "gradInput", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_fp32_fp16_bf16},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnSmoothL1LossBackward,
};

aclnnStatus aclnnSmoothL1LossBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclTensor *self,
                                                      const aclTensor *target, int64_t reduction, float beta,
                                                      aclTensor *gradInput, uint64_t *workspaceSize,
                                                      aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = gradOut},  {.tensor = self},       {.tensor = target},
                                       {.int64 = reduction}, argument_of_fp32(beta), {.tensor = gradInput}};
    return operator_plan(&smooth_l1_loss_backward, argument, workspaceSize, executor);
}

PHASE_2(aclnnSmoothL1LossBackward, smooth_l1_loss_backward)

#endif
