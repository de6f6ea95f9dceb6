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
#include "simd/vector/kernel.h"

struct smooth_l1_loss_backward_parameters {
    float beta;
    uint64_t divisor; /* N for mean, 1 otherwise */
};

#ifdef KERNEL_PASS

/* The maths. */
#include <math.h>

#include "simd/vector/exact.h"
#include "simd/loops/map.h"
#include "simd/maths/odd.h"

enum { PIECES = 4 };

/* What |d| < beta divides by, beta * N, and what the other branch divides by, N: rounded, and exactly as the
 * sum of pieces of at most 26 bits. */
struct divisors {
    double beta;
    double inner, outer;
    double inner_piece[PIECES], outer_piece[PIECES];
    struct vector_divisor fast_inner;
    float inverse;          /* where beta and N are powers of two */
    uint16_t lanes16_limit; /* the bits of beta 2^-15 in bf16 */
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
    divisors.fast_inner = vector_divisor_of(divisors.inner, divisors.outer <= 0x1p29);
    divisors.inverse = (float)(1 / divisors.inner);
    const float limit = parameters->beta * 0x1p-15F;
    uint32_t bits;
    memcpy(&bits, &limit, sizeof bits);
    divisors.lanes16_limit = (uint16_t)(bits >> 16);
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
 * What decides is what decides any division: a quotient of so few bits that its products with the pieces are
 * exact, and the sign of the remainder gradient * d - quotient * divisor. At 26 bits every tie of a narrower
 * dtype is a possible quotient, so none lies strictly between the cut quotient and the exact one.
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
static inline __attribute__((always_inline)) struct vector_pair
cut_difference(const vector *input, const struct divisors *divisors, struct unsettled *unsettled)
{
    const vector beta = vector_of((float)divisors->beta);
    struct vector_pair d = vector_difference(input[1], input[2]);
    vector size = vector_absolute(d.high),
           rest = vector_choose(vector_greater(beta, size), d.low, vector_of(0));
    unsettled_flagged(unsettled, vector_equal(beta, size) & ~vector_is_0(d.low));
    return (struct vector_pair){vector_clamp(d.high, beta), rest};
}

/* In fp32, and for 16 bits so that it rounds to them as the exact quotient does. */
static VECTOR_WAY quotient(WAY)
{
    const struct divisors *divisors = prepared;
    struct vector_pair d = cut_difference(input, divisors, unsettled);
    if (unsettled->path == PATH_ANY && unsettled->dtype == ARITHMETIC_FP32)
        return multiply_divide_any(input[0], d, divisors->fast_inner, unsettled);
    unsettled_small(unsettled, input[0]);
    unsettled_small(unsettled, d.high);
    /* However small the rest is, it takes a 16-bit result off a tie, and its product must not become 0. */
    if (unsettled->dtype == ARITHMETIC_BF16)
        unsettled_small(unsettled, d.low);
    return multiply_divide(input[0], d, divisors->fast_inner, unsettled);
}

/*
 * With beta and N powers of two the result is a product: nothing is divided. That takes a beta from 2^-20 to
 * 16; of fp16 one of 1 or less: below it a difference, a multiple of 2^-24, is exact; and of fp32 beta * N of
 * 1 or more, so that what is divided by it in the end was no smaller before.
 */
static inline bool is_product(enum arithmetic dtype, const struct divisors *divisors)
{
    uint64_t beta, outer;
    memcpy(&beta, &divisors->beta, sizeof beta);
    memcpy(&outer, &divisors->outer, sizeof outer);
    return (beta | outer) << 12 == 0 && divisors->beta >= 0x1p-20 &&
           divisors->beta <= (dtype == ARITHMETIC_FP16 ? 1 : 16) && divisors->outer <= 0x1p30 &&
           (dtype != ARITHMETIC_FP32 || divisors->inner >= 1);
}

/* In doubt where a change of the rounded rest of the difference could change the product, and where that is
 * small. */
static VECTOR_WAY product_fp32(WAY)
{
    const struct divisors *divisors = prepared;
    const vector g = input[0];
    if (unsettled->path == PATH_ANY)
        return quotient(input, prepared, unsettled);
    struct vector_pair d = cut_difference(input, divisors, unsettled);
    vector product = g * d.high, excess = fused_from(g, d.low, fused_from(g, d.high, product));
    vector result = fused_from(excess, vector_of(1 - 0x1p-18F), product);
    unsettled_differing(unsettled,
                        (vector_bits)(result - fused_from(excess, vector_of(1 + 0x1p-18F), product)));
    unsettled_small(unsettled, result);
    /* What is so small that it becomes 0 must keep its sign. */
    return vector_signed_as(result, product) * vector_of(divisors->inverse);
}

/* Any number. */
static VECTOR_WAY product_fp16(WAY)
{
    const struct divisors *divisors = prepared;
    vector d = vector_clamp(input[1] - input[2], vector_of((float)divisors->beta));
    vector g = input[0] * vector_of(divisors->inverse), product = vector_cut_product(g, d);
    return vector_canonical(vector_odd(product, fused_minus(g, d, product)));
}

/* Products of bf16 in pairs, where gradients and terms are not small: a difference below beta is then
 * exact. */
static LANES_WAY quick_product_bf16(WAY_16)
{
    const struct divisors *divisors = prepared;
    vector g[2], self[2], target[2];
    load_pair(ARITHMETIC_BF16, source[0], g);
    load_pair(ARITHMETIC_BF16, source[1], self);
    load_pair(ARITHMETIC_BF16, source[2], target);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        vector d = vector_clamp(self[i] - target[i], vector_of((float)divisors->beta));
        d *= vector_of(divisors->inverse);
        vector product = vector_cut_product(g[i], d);
        g[i] = vector_odd(product, fused_minus(g[i], d, product));
    }
    unsettled_lanes16_below(unsettled, lanes16_load(source[0]), (uint16_t)(smallest_factor >> 16));
    unsettled_lanes16_below(unsettled, lanes16_load(source[1]), divisors->lanes16_limit);
    unsettled_lanes16_below(unsettled, lanes16_load(source[2]), divisors->lanes16_limit);
    lanes16 result = lanes16_of_vectors(ARITHMETIC_BF16, g);
    return lanes16_nan_where(ARITHMETIC_BF16, result, result);
}

/*
 * Two roundings to odd in a row are one here: between a difference that is not exact and its odd neighbour
 * lies no tie divided by a gradient of 8 bits. In doubt is a difference that would lose bits.
 */
static VECTOR_WAY product_bf16(WAY)
{
    const struct divisors *divisors = prepared;
    vector d = vector_clamp(vector_odd_difference(input[1], input[2]), vector_of((float)divisors->beta));
    d *= vector_of(divisors->inverse);
    unsettled_below(unsettled, d, 0x00800000);
    return vector_any_odd_product(input[0], d);
}

/* With beta * N far from the ends of fp32 no step of the quotient meets them before its result does. */
static inline bool is_moderate(const struct divisors *divisors)
{
    return divisors->beta >= 0x1p-40 && divisors->beta <= 0x1p40;
}

#define SMOOTH_L1_KERNELS(stem, ...) \
    MAP_KERNELS(stem, (.inputs = 3, .doubles = estimate, .settle = settle), __VA_ARGS__)
SMOOTH_L1_KERNELS(in_doubles, (), (), ())
SMOOTH_L1_KERNELS(quotient, (.fast = quotient), (.fast = quotient), (.fast = quotient))
SMOOTH_L1_KERNELS(product, (.fast = product_fp32), (.fast = product_fp16),
                  (.fast = product_bf16, .lanes16 = quick_product_bf16))

/* One of three kernels of a dtype, all constants, by beta and the number of elements. */
static inline __attribute__((always_inline)) void
run_by_divisors(enum arithmetic dtype, kernel_function *product, kernel_function *quotient_of,
                kernel_function *in_doubles, const void *const *input, void *output, size_t count,
                const void *parameters, bool non_temporal)
{
    const struct divisors divisors = prepare(parameters);
    kernel_function *run = is_product(dtype, &divisors) ? product
                           : is_moderate(&divisors)     ? quotient_of
                                                        : in_doubles;
    run(input, output, count, &divisors, non_temporal);
}

#define SMOOTH_L1(name, dtype)                                                                 \
    KERNEL(run_##name)                                                                         \
    {                                                                                          \
        run_by_divisors(dtype, map_product_##name, map_quotient_##name, map_in_doubles_##name, \
                        KERNEL_ARGUMENTS);                                                     \
    }
SMOOTH_L1(fp32, ARITHMETIC_FP32)
SMOOTH_L1(fp16, ARITHMETIC_FP16)
SMOOTH_L1(bf16, ARITHMETIC_BF16)

KERNELS(smooth_l1_loss_backward) = FLOAT_KERNELS(run_fp32, run_fp32, run_fp16, run_bf16);

#else

/* The contract. */
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/elementwise.h"

enum { GRAD_OUT, SELF, TARGET, REDUCTION, BETA, GRAD_INPUT };
enum { MEAN = 1 };

static const char *const reductions[] = {"none", "mean", "sum", NULL};

POINTWISE(smooth_l1_loss_backward, 150, 150, 95);

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {GRAD_OUT, SELF, TARGET};
    TRY(check_dtype(call, GRAD_OUT));
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, TARGET));
    TRY(check_rank(call, GRAD_OUT));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, TARGET));
    TRY(check_choice(call, REDUCTION));
    TRY(check_not_negative(call, BETA));
    TRY(check_promotion(call, inputs, 3, &result->computed));
    return result_broadcast(result, call, inputs, 3, result->computed, DTYPE_ANY);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct smooth_l1_loss_backward_parameters parameters = {
        .beta = call->argument[BETA].fp32,
        .divisor = call->argument[REDUCTION].int64 == MEAN ? (uint64_t)call->tensor[GRAD_INPUT].count : 1,
    };
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

FUNCTION_WITH(aclnnSmoothL1LossBackward,
              ((IN, gradOut, &dtypes_fp32_fp16_bf16), (IN, self, &dtypes_fp32_fp16_bf16),
               (IN, target, &dtypes_fp32_fp16_bf16),
               (INT64, reduction, .choices = reductions, .usual = "mean"), (FLOAT, beta, .usual = "1"),
               (OUT, gradInput, &dtypes_fp32_fp16_bf16)),
              POINTWISE_FUNCTION(smooth_l1_loss_backward, promise_exact, infer, plan));

#endif
