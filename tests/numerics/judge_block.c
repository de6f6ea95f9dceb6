/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Loops without branches, for the compiler to make vectors of; no fp64. JUDGE_PASS is the name of the
 * instruction set.
 */
#include "numerics/judge_block.h"

#include "numerics/family_judge.h"
#include "support/bits.h"

#include <math.h>

#define JOIN(name, pass)  name##pass
#define NAMED(name, pass) JOIN(name, pass)

/* How far value may be off, relatively: a rounded factor times a gradient, and everything else. */
static const double table_margin = 0x1p-50, margin = 0x1p-43;

/* integer < 2^52, exactly; converting 64-bit integers is slow without the newest instructions. */
static inline double to_double(uint64_t integer)
{
    return fp64_from(integer | 0x4330000000000000) - 0x1p52;
}

static inline void widen(enum arithmetic dtype, const void *source, size_t count, uint64_t *bits)
{
    if (dtype == ARITHMETIC_FP32)
        for (size_t i = 0; i < count; i++)
            bits[i] = ((const uint32_t *)source)[i];
    else
        for (size_t i = 0; i < count; i++)
            bits[i] = ((const uint16_t *)source)[i];
}

static inline void decode(const struct format *format, const uint64_t *bits, size_t count, double *value)
{
    const uint64_t mask = magnitude_mask(format), infinity = infinity_bits(format);
    const int fraction_bits = format->fraction_bits;
    const uint64_t implicit = (uint64_t)1 << fraction_bits,
                   offset = (uint64_t)(1022 + lowest_exponent(format));
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = bits[i] & mask, field = magnitude >> fraction_bits;
        uint64_t significand = (magnitude & (implicit - 1)) + (field ? implicit : 0);
        double size = to_double(significand) * fp64_from((field + (field ? 0 : 1) + offset) << 52);
        uint64_t special = magnitude > infinity ? 0x7ff8000000000000 : 0x7ff0000000000000;
        uint64_t whole = magnitude >= infinity ? special : fp64_bits(size);
        value[i] = fp64_from(whole | (bits[i] & (mask + 1)) << (64 - format->bits));
    }
}

/* e^r - 1 for |r| <= 0.35: 14 terms leave 2^-57. */
static inline double small_exp_minus_1(double r)
{
    double sum = 1.0 / 87178291200 * r;
    sum = r * (1.0 / 6227020800 + sum);
    sum = r * (1.0 / 479001600 + sum);
    sum = r * (1.0 / 39916800 + sum);
    sum = r * (1.0 / 3628800 + sum);
    sum = r * (1.0 / 362880 + sum);
    sum = r * (1.0 / 40320 + sum);
    sum = r * (1.0 / 5040 + sum);
    sum = r * (1.0 / 720 + sum);
    sum = r * (1.0 / 120 + sum);
    sum = r * (1.0 / 24 + sum);
    sum = r * (1.0 / 6 + sum);
    sum = r * (0.5 + sum);
    return r + r * sum;
}

/* s'(x) to 2^-47, measured from the root where the sum would cancel. */
static inline double silu_derivative(double x)
{
    const double root_high = -0x1.474973c84120bp+0, root_low = -0x1.f8d74bc9ac154p-54;
    double size = fabs(x);
    size = size < 0x1p-45 ? 0x1p-45 : size; /* s'(x) = 1/2 + x/2 near 0 */
    size = size > 400 ? 400 : size;
    double power = -size * 0x1.71547652b82fep+0 + 0x1.8p52; /* the integer is in its last bits */
    double k = power - 0x1.8p52;
    double r = (-size - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    double scale = fp64_from((fp64_bits(power) << 52) + 0x3ff0000000000000);
    double u = scale + scale * small_exp_minus_1(r);
    double y = x < 0 ? -size : size, from_root = (y - root_high) - root_low;
    double near = fabs(from_root) < 0.25 ? from_root : 0;
    double at_root = u * (near - (1 + root_high) * small_exp_minus_1(near));
    double negative = fabs(from_root) < 0.25 ? at_root : u * (u + (1 + y));
    double numerator = x < 0 ? negative : 1 + u * (1 + y);
    double derivative = x == 0 ? 0.5 : numerator / ((1 + u) * (1 + u));
    return derivative + (x - x);
}

/* 1 / (1 + e^-y) to 2^-47. */
static inline double logistic(double y)
{
    double size = fabs(y);
    size = size > 400 ? 400 : size;
    double power = -size * 0x1.71547652b82fep+0 + 0x1.8p52; /* the integer is in its last bits */
    double k = power - 0x1.8p52;
    double r = (-size - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    double scale = fp64_from((fp64_bits(power) << 52) + 0x3ff0000000000000);
    double u = scale + scale * small_exp_minus_1(r);
    double p = (y < 0 ? u : 1) / (1 + u);
    return y == -(double)INFINITY ? 0 : p;
}

static inline void multiply_by_factor(const double *factor, const uint64_t *x_bits, const double *g,
                                      size_t count, double *value)
{
    for (size_t i = 0; i < count; i++)
        value[i] = g[i] * factor[x_bits[i]];
}

static inline __attribute__((always_inline)) void approximate(const struct judge *judge, const double *g,
                                                              const double *x, const double *t, size_t count,
                                                              double *value)
{
    const double slope = judge->task.slope, beta = fabs((double)judge->task.beta);
    const double outer = (double)judge->task.divisor, inner = beta * outer;
    switch (judge->task.stem) {
    case SMOOTH_L1_LOSS:
        for (size_t i = 0; i < count; i++) {
            double size = fabs(g[i] - x[i]);
            value[i] = size < beta ? size * size * 0.5 / beta : size - beta * 0.5;
        }
        break;
    case SILU:
        for (size_t i = 0; i < count; i++)
            value[i] = x[i] * logistic(x[i]);
        break;
    case SWISH:
        for (size_t i = 0; i < count; i++)
            value[i] = x[i] * logistic(slope == 0 ? 0 : slope * x[i]);
        break;
    case SWISH_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * silu_derivative(slope * x[i]);
        break;
    case HARDSWISH_BACKWARD_V2:
        for (size_t i = 0; i < count; i++) {
            double six = x[i] >= 3 ? 6 : x[i] <= -3 ? 0 : 2 * x[i] + 3;
            value[i] = g[i] * six / 6;
        }
        break;
    case HARDSWISH_BACKWARD:
        for (size_t i = 0; i < count; i++) {
            double six = x[i] > 3 ? 6 : x[i] < -3 ? 0 : 2 * x[i] + 3;
            value[i] = g[i] * six / 6;
        }
        break;
    case HARDSWISH:
        for (size_t i = 0; i < count; i++)
            value[i] = x[i] <= -3 ? 0 : x[i] >= 3 ? x[i] : x[i] * (x[i] + 3) / 6;
        break;
    case LEAKY_RELU:
    case LEAKY_RELU_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * (x[i] > 0 ? 1 : slope);
        break;
    case SILU_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * silu_derivative(x[i]);
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            double d = x[i] - t[i], size = fabs(d), sign = d > 0 ? 1 : d < 0 ? -1 : d;
            bool is_inner = size < beta;
            value[i] = g[i] * (is_inner ? d : sign) / (is_inner ? inner : outer);
        }
    }
}

/* Where the branch that |d| takes depends on what d = x - t lost in rounding, nothing is known. */
static inline void doubt_at_beta(double beta, const double *x, const double *t, size_t count,
                                 struct decisions *decisions)
{
    for (size_t i = 0; i < count; i++) {
        double d = x[i] - t[i], part = d - x[i], rest = (x[i] - (d - part)) - (t[i] + part);
        bool is_doubtful = (fabs(d) == beta) & (rest != 0);
        decisions->unsure[i] |= is_doubtful;
        decisions->value[i] = is_doubtful ? (double)NAN : decisions->value[i];
    }
}

/*
 * The numbers that round to got, which is c times a unit, lie between (c - 1/2) and (c + 1/2) units, below
 * only 1/4 of a unit if got is a power of two. An infinity counts as the power of two that it stands for.
 */
static inline void decide(const struct format *format, double relative, const uint64_t *got,
                          const double *value, size_t count, uint64_t *unsure, double *error)
{
    const uint64_t mask = magnitude_mask(format), infinity = infinity_bits(format), nan = nan_bits(format);
    const int fraction_bits = format->fraction_bits, sign_shift = format->bits - 1;
    const uint64_t implicit = (uint64_t)1 << fraction_bits,
                   offset = (uint64_t)(1022 + lowest_exponent(format));
    const uint64_t least = (offset + 1 + (uint64_t)fraction_bits) << 52;
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = got[i] & mask, field = magnitude >> fraction_bits;
        uint64_t fraction = magnitude & (implicit - 1);
        double centre = to_double(fraction + (field ? implicit : 0));
        double unit = fp64_from((field + (field ? 0 : 1) + offset) << 52);
        double step = ((fraction == 0) & (field > 1)) ? 0.25 : 0.5;
        double low = (centre - step) * unit, high = (centre + 0.5) * unit;
        double size = fabs(value[i]);
        bool is_below = (magnitude == infinity) | (size * (1 + relative) < high);
        bool is_inside = is_below & (size * (1 - relative) > low);
        bool is_same_sign = got[i] >> sign_shift == fp64_bits(value[i]) >> 63;
        bool is_number = is_inside & is_same_sign & (magnitude <= infinity);
        bool is_nan = (got[i] == nan) & (value[i] != value[i]);
        unsure[i] = !(is_number | is_nan);
        if (error) {
            uint64_t binade = fp64_bits(size) & 0x7ff0000000000000;
            binade = binade < least ? least : binade;
            double inverse = fp64_from(((uint64_t)(2046 + fraction_bits) << 52) - binade);
            double distance = fabs(size - centre * unit) * inverse;
            error[i] = ((magnitude < infinity) & is_same_sign & (distance < 1e9)) ? distance : 0;
        }
    }
}

static inline void find_greatest(const double *error, size_t count, struct decisions *decisions)
{
    uint64_t greatest = 0; /* as bits, which are in the same order and reduce in any order */
    for (size_t i = 0; i < count; i++)
        greatest = fp64_bits(error[i]) > greatest ? fp64_bits(error[i]) : greatest;
    decisions->greatest_error = fp64_from(greatest);
    for (size_t i = 0; i < count; i++)
        if (fp64_bits(error[i]) == greatest)
            decisions->place = i;
}

/* With the dtype as a constant, for the sake of speed. */
static inline __attribute__((always_inline)) void
judge_dtype(enum arithmetic dtype, const struct format *format, const struct judge *judge,
            const void *const *input, const void *output, size_t count, struct decisions *decisions)
{
    uint64_t bits[JUDGE_CHUNK], x_bits[JUDGE_CHUNK];
    double g[JUDGE_CHUNK], x[JUDGE_CHUNK], t[JUDGE_CHUNK], error[JUDGE_CHUNK];
    const bool is_smooth = judge->task.stem == SMOOTH_L1_LOSS_BACKWARD;
    widen(dtype, input[0], count, bits);
    decode(format, bits, count, g);
    widen(dtype, input[reference_inputs(judge->task.stem) == 1 ? 0 : 1], count, x_bits);
    if (judge->factor) {
        multiply_by_factor(judge->factor, x_bits, g, count, decisions->value);
    } else {
        decode(format, x_bits, count, x);
        if (is_smooth) {
            widen(dtype, input[2], count, bits);
            decode(format, bits, count, t);
        }
        if (judge->family)
            judge->family->approximate(&judge->task, g, x, count, decisions->value);
        else
            approximate(judge, g, x, t, count, decisions->value);
    }
    widen(dtype, output, count, bits);
    decisions->greatest_error = 0;
    if (dtype == ARITHMETIC_FP32)
        decide(format, margin, bits, decisions->value, count, decisions->unsure, error);
    else
        decide(format, judge->factor ? table_margin : margin, bits, decisions->value, count,
               decisions->unsure, NULL);
    if (is_smooth)
        doubt_at_beta(fabs((double)judge->task.beta), x, t, count, decisions);
    if (dtype == ARITHMETIC_FP32)
        find_greatest(error, count, decisions);
}

void NAMED(judge_block_, JUDGE_PASS)(const struct judge *judge, const void *const *input, const void *output,
                                     size_t count, struct decisions *decisions)
{
    /* Constants of their own, which the compiler can see. */
    static const struct format fp32 = {"fp32", 32, 23, 8}, fp16 = {"fp16", 16, 10, 5},
                               bf16 = {"bf16", 16, 7, 8};
    if (judge->task.dtype == ARITHMETIC_FP32)
        judge_dtype(ARITHMETIC_FP32, &fp32, judge, input, output, count, decisions);
    else if (judge->task.dtype == ARITHMETIC_FP16)
        judge_dtype(ARITHMETIC_FP16, &fp16, judge, input, output, count, decisions);
    else
        judge_dtype(ARITHMETIC_BF16, &bf16, judge, input, output, count, decisions);
}
