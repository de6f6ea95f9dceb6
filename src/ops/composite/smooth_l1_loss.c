/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * d = self - target, exact; l = d^2 / (2 beta) where |d| < beta, |d| - beta / 2 elsewhere; result = l, the
 * sum of all l, or their mean, rounded once; sums in the order of
 * simd/loops/reduce_kernel.h.
 *
 * beta = 0 gives |d|; beta = +inf gives 0 for finite d, and NaN for an infinite one, as inf - inf is. Equal
 * infinities, or a NaN anywhere, give NaN; of the sum too. The sum of nothing is 0, the mean of nothing NaN.
 *
 * Sums are those of the reduction family, in fp64: beta l is w (|d| - w / 2), w being the lesser of |d| and
 * beta, so that one division comes last. For beta = 0 it is |d| that is added up.
 */
#include "simd/vector/kernel.h"

struct smooth_l1_loss_parameters {
    float beta;
    bool is_mean;
};

#ifdef KERNEL_PASS

/* The maths. */
#include <math.h>

#include "simd/maths/fine_product.h"
#include "simd/loops/map.h"
#include "simd/maths/odd.h"
#include "simd/loops/reduce.h"

/* |self - target| exactly, and whether it is less than beta. */
struct distance {
    struct pair size;
    longs inner;
};

static inline struct distance measure(const doubles *input, double beta)
{
    struct pair d = two_sum(input[0], -input[1]);
    struct pair size = {absolute(d.high), negate_where(d.high < 0, d.low)};
    size.low = choose(size.high < (double)INFINITY, size.low, broadcast(0)); /* inf - inf inside two_sum */
    /* Rounding is monotone: only where high is beta itself does low decide. */
    longs inner = (size.high < beta) | ((size.high == beta) & (size.low < 0));
    return (struct distance){size, inner};
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    const double beta = *(const double *)prepared;
    struct distance d = measure(input, beta);
    return choose(d.inner, d.size.high * d.size.high * 0.5 / beta, (d.size.high - beta / 2) + d.size.low);
}

/*
 * What decides is what decides any division: a quotient of so few bits that its product with 2 beta is exact,
 * and the sign of the remainder d^2 - 2 beta quotient. At 26 bits every tie of a narrower dtype is a possible
 * quotient, so none lies strictly between the cut quotient and the exact one. d has 53 bits, in two halves,
 * and at most 24 more.
 */
static __attribute__((noinline)) doubles settle(const doubles *input, doubles value, const void *prepared)
{
    const double beta = *(const double *)prepared;
    struct distance d = measure(input, beta);
    doubles high = leading(d.size.high, 26), middle = d.size.high - high, low = d.size.low;
    doubles quotient = leading(value, 26), difference = leading(value, 48);
    const doubles square[] = {high * high,      2 * high * middle, middle * middle,     2 * high * low,
                              2 * middle * low, low * low,         -2 * beta * quotient};
    const doubles line[] = {d.size.high, low, broadcast(-beta / 2), -difference};
    return round_to_odd(choose(d.inner, quotient, difference),
                        choose(d.inner, sign_of_sum(square, 7), sign_of_sum(line, 4)));
}

/* What the kernels compute with; beta first, which is all that the general way takes. */
struct prepared {
    double beta;
    struct vector_divisor divisor; /* 2 beta */
};

/* |d| and what its rounding lost, of ordinary distances whose magnitude has no more bits than the limit's, 0
 * among them. */
static inline struct vector_pair ordinary_distance(const vector *input, uint32_t limit,
                                                   struct unsettled *unsettled)
{
    struct vector_pair d = vector_difference(input[0], input[1]);
    vector size = vector_absolute(d.high), rest = vector_times_sign(d.low, d.high);
    unsettled_small(unsettled, size);
    unsettled_above(unsettled, (vector_bits)size, limit);
    return (struct vector_pair){size, rest};
}

/*
 * |d| of 16 bits, in doubt where it is rounded, which is rare. From the larger operand the difference with d
 * is exact, so d is if both give the other operand back, and neither does so at infinities and NaN. fp16 has
 * no other distances than 2^-24 to 2^17.
 */
static inline vector exact_distance(const vector *input, uint32_t limit, struct unsettled *unsettled)
{
    vector d = input[0] - input[1], size = vector_absolute(d);
    unsettled_flagged(unsettled,
                      ~(vector_equal(d + input[1], input[0]) & vector_equal(input[0] - d, input[1])));
    if (unsettled->dtype == ARITHMETIC_BF16) {
        unsettled_small(unsettled, size);
        unsettled_above(unsettled, (vector_bits)size, limit);
    }
    return size;
}

/*
 * |d| of 16 bits for a beta of 1/16 or more, rounded to odd where it is not exact. In fp16 any rounding will
 * do for |d| below 1024 beta, 64 or more: it is exact below beta, and where a smaller operand is lost, |d|
 * has 11 bits, of which |d| - beta / 2 is no tie there.
 */
static inline vector near_distance(const vector *input, uint32_t limit, struct unsettled *unsettled)
{
    if (unsettled->dtype == ARITHMETIC_BF16 && !CUTS_PRODUCTS)
        return exact_distance(input, limit, unsettled);
    if (unsettled->dtype == ARITHMETIC_BF16 || unsettled->path == PATH_ANY)
        return vector_absolute(vector_odd_difference(input[0], input[1]));
    vector size = vector_absolute(input[0] - input[1]);
    unsettled_above(unsettled, (vector_bits)size, 0x427fffff); /* below 64 */
    return size;
}

/* For an ordinary beta: fp32 with what its roundings lose. */
static VECTOR_WAY fast(WAY)
{
    const struct prepared *parameters = prepared;
    const vector beta = vector_of((float)parameters->beta), half = beta * 0.5F, zero = vector_of(0);
    const uint32_t limit = 0x58800000; /* 2^50: no square overflows */
    if (unsettled->dtype != ARITHMETIC_FP32) {
        vector size = exact_distance(input, limit, unsettled), line = size - half;
        vector result =
            multiply_divide(size, (struct vector_pair){size, zero}, parameters->divisor, unsettled);
        return vector_choose(vector_greater(beta, size), result,
                             vector_round_to_odd(line, (size - line) - half));
    }
    struct vector_pair d = ordinary_distance(input, limit, unsettled);
    flags is_outer =
        vector_greater(d.high, beta) | (vector_equal(d.high, beta) & ~vector_greater(zero, d.low));
    /* The square without that of the rest, below 2^-48 of it. */
    vector result =
        multiply_divide(d.high, (struct vector_pair){d.high, d.low + d.low}, parameters->divisor, unsettled);
    vector line = d.high - half, line_rest = (d.high - line) - half; /* exact, as half is less */
    vector sum = line_rest + d.low, part = sum - line_rest;
    vector lost = (line_rest - (sum - part)) + (d.low - part);
    unsettled_flagged(unsettled, is_outer & ~vector_equal(lost, zero));
    return vector_choose(is_outer, line + sum, result);
}

/*
 * The loss for a beta that is a power of 2, from 1/16 to 1, so that no division is left: with w the lesser of
 * |d| and beta, l is w (2 |d| - w) / (2 beta), or w / beta (|d| - w / 2).
 */
static VECTOR_WAY fast_power(WAY)
{
    const struct prepared *parameters = prepared;
    const vector beta = vector_of((float)parameters->beta), two = vector_of(2);
    const uint32_t limit = 0x48800000; /* 2^18: 2 |d| - beta is a float if |d| is */
    if (unsettled->dtype != ARITHMETIC_FP32) {
        vector d = near_distance(input, limit, unsettled), lesser = vector_least(beta, d);
        /* Exact, or of a |d| so large that what is cut off it leaves an odd number, or no tie nearby. */
        vector factor = vector_cut_fused_from(lesser, vector_of(0.5F), d);
        vector value = vector_odd_product(lesser * (2 * parameters->divisor.inverse), factor);
        /* No result is negative but a NaN. */
        return CUTS_PRODUCTS && unsettled->dtype == ARITHMETIC_BF16 ? vector_canonical(value) : value;
    }
    struct vector_pair d = ordinary_distance(input, limit, unsettled);
    vector lesser = vector_least(d.high, beta), factor = fused_minus(two, d.high, lesser);
    /* What |d| and the factor lost. Of |d| below beta the square without that of the rest, below 2^-48 of it.
     */
    vector lost = fused(two, d.low, fused_minus(two, d.high, factor) - lesser);
    /* Many results are ties, of which all is known. */
    flags is_inexact = vector_greater(beta, d.high) & ~vector_is_0(d.low);
    vector exactness = vector_choose(is_inexact, vector_of(fine_rest), vector_of(exact_rest));
    lesser *= parameters->divisor.inverse;
    return fine_product(lesser, factor, fused_from(lesser, lost, vector_of(0)), exactness, unsettled);
}

/* Takes any number. Infinities and NaN have a result by one difference; they become 1 and 0 for the
 * others. */
static VECTOR_WAY with_limits(vector (*way)(WAY), WAY)
{
    if (unsettled->path == PATH_QUICK)
        return way(input, prepared, unsettled);
    const flags is_limit = vector_not_finite(input[0]) | vector_not_finite(input[1]);
    const vector finite[] = {vector_choose(is_limit, vector_of(1), input[0]),
                             vector_choose(is_limit, vector_of(0), input[1])};
    return vector_choose(is_limit, vector_absolute(input[0] - input[1]), way(finite, prepared, unsettled));
}

static VECTOR_WAY any_quotient(WAY)
{
    return with_limits(fast, input, prepared, unsettled);
}

static VECTOR_WAY any_power(WAY)
{
    return with_limits(fast_power, input, prepared, unsettled);
}

#define SMOOTH_L1_KERNELS(stem, ...) \
    MAP_KERNELS(stem, (.inputs = 2, .doubles = estimate, .settle = settle), __VA_ARGS__)
SMOOTH_L1_KERNELS(power, (.fast = any_power), (.fast = any_power), (.fast = any_power))
SMOOTH_L1_KERNELS(quotient, (.fast = any_quotient), (.fast = any_quotient), (.fast = any_quotient))
SMOOTH_L1_KERNELS(general, (), (), ())

static double beta_of(const void *parameters)
{
    return fabs((double)((const struct smooth_l1_loss_parameters *)parameters)->beta);
}

/* Whether a normal number is a power of 2: then its fraction is 0. */
static bool is_power_of_2(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits << 12 == 0;
}

/* One of three kernels, all constants, by beta. */
static inline __attribute__((always_inline)) void
run_by_beta(kernel_function *power, kernel_function *quotient, kernel_function *general,
            const void *const *input, void *output, size_t count, const void *parameters, bool non_temporal)
{
    const double beta = beta_of(parameters);
    const struct prepared prepared = {beta, vector_divisor_of(2 * beta, true)};
    kernel_function *run = beta >= 0x1p-20 && beta <= 0x1p20 ? quotient : general;
    if (beta >= 0x1p-4 && beta <= 1 && is_power_of_2(beta))
        run = power;
    run(input, output, count, &prepared, non_temporal);
}

#define SMOOTH_L1(name)                                                                           \
    KERNEL(run_##name)                                                                            \
    {                                                                                             \
        run_by_beta(map_power_##name, map_quotient_##name, map_general_##name, KERNEL_ARGUMENTS); \
    }
SMOOTH_L1(fp32)
SMOOTH_L1(fp16)
SMOOTH_L1(bf16)

KERNELS(smooth_l1_loss) = FLOAT_KERNELS(run_fp32, run_fp32, run_fp16, run_bf16);

/* Sums: of w (|d| - w / 2), and of |d|. What is neither infinite nor NaN fits: |d| <= 2^129. */
static inline longs add_loss(longs state, const longs *input, const void *prepared)
{
    const doubles beta = broadcast(*(const double *)prepared);
    const doubles d = absolute((doubles)input[0] - (doubles)input[1]), lesser = lesser_of(d, beta);
    return (longs)((doubles)state + lesser * (d - 0.5 * lesser));
}

static inline longs add_distance(longs state, const longs *input, const void *prepared)
{
    return (longs)((doubles)state + absolute((doubles)input[0] - (doubles)input[1]));
}

static const struct reduce_steps losses = {.step = add_loss, .merge = reduce_merge_sums, .inputs = 2},
                                 distances = {.step = add_distance, .merge = reduce_merge_sums, .inputs = 2};

REDUCE_FLOATS(losses, losses)
REDUCE_FLOATS(distances, distances)
REDUCE_KERNELS(smooth_l1_losses) = {.of = {REDUCE_FLOAT_KERNELS(losses, 0)}};
REDUCE_KERNELS(smooth_l1_distances) = {.of = {REDUCE_FLOAT_KERNELS(distances, 0)}};

#else

/* The contract. */
#include <math.h>

#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "ops/pointwise/contract.h"
#include "ops/loops/reduce.h"
#include "ops/loops/elementwise.h"
#include "ops/signature.h"

static const char *const reductions[] = {"none", "mean", "sum", NULL};
#define SMOOTH_L1_LOSS(X, of)                                       \
    X(of, IN, self, &dtypes_fp32_fp16_bf16)                         \
    X(of, IN, target, &dtypes_fp32_fp16_bf16)                       \
    X(of, INT64, reduction, .choices = reductions, .usual = "mean") \
    X(of, FLOAT, beta, .usual = "1")                                \
    X(of, OUT, result, &dtypes_floats_complex)
SIGNATURE(SMOOTH_L1_LOSS)
enum { NONE, MEAN };

POINTWISE(smooth_l1_loss, 210, 210, 150);
REDUCE_LEVELS(smooth_l1_losses);
REDUCE_LEVELS(smooth_l1_distances);

/* What is divided last: by beta, and for a mean by the number of elements. */
static void end(void *state, size_t outputs, uint64_t elements, aclDataType computed, const void *prepared)
{
    const double beta = *(const double *)prepared, by_losses = beta > 0 ? beta : 1;
    const double by = ((const double *)prepared)[1] != 0 ? by_losses * (double)elements : by_losses;
    double *sum = state;
    (void)computed;
    for (size_t i = 0; i < outputs; i++)
        sum[i] /= by;
}

static const struct reduction losses = {smooth_l1_losses_reduce_kernels, .element_ps = 100, .end = end};
static const struct reduction distances = {smooth_l1_distances_reduce_kernels, .element_ps = 100, .end = end};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned inputs[] = {SMOOTH_L1_LOSS_self, SMOOTH_L1_LOSS_target};
    TRY(check_dtype(call, SMOOTH_L1_LOSS_self));
    TRY(check_dtype(call, SMOOTH_L1_LOSS_target));
    TRY(check_promotion(call, inputs, 2, &result->computed));
    TRY(check_choice(call, SMOOTH_L1_LOSS_reduction));
    TRY(check_rank(call, SMOOTH_L1_LOSS_self));
    TRY(check_rank(call, SMOOTH_L1_LOSS_target));
    TRY(result_broadcast(result, call, inputs, 2, result->computed, DTYPE_CASTABLE));
    TRY(check_not_negative(call, SMOOTH_L1_LOSS_beta));
    if (call->argument[SMOOTH_L1_LOSS_reduction].int64 != NONE) {
        result->output[0].shape_rule = SHAPE_BY_COUNT;
        result->output[0].shape.rank = 0;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {SMOOTH_L1_LOSS_self, SMOOTH_L1_LOSS_target};
    struct smooth_l1_loss_parameters parameters = {
        .beta = call->argument[SMOOTH_L1_LOSS_beta].fp32,
        .is_mean = call->argument[SMOOTH_L1_LOSS_reduction].int64 == MEAN,
    };
    if (call->argument[SMOOTH_L1_LOSS_reduction].int64 == NONE)
        return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
    const double beta = fabs((double)parameters.beta), prepared[] = {beta, parameters.is_mean};
    struct shape shape;
    TRY(check_broadcast_together(call, inputs, 2, &shape));
    return reduce_plan(call, beta > 0 ? &losses : &distances, inputs, 2, &shape, ALL_AXES, result->computed,
                       prepared, sizeof prepared);
}

FUNCTION_OF(aclnnSmoothL1Loss, SMOOTH_L1_LOSS, .stem = "smooth_l1_loss", .promise = &promise_sum,
            REDUCTION_OR_ELEMENTWISE(&smooth_l1_loss_elementwise), .infer = infer, .plan = plan);

#endif
