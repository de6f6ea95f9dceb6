/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far an approximation may be off, relatively; the doubles below are good to 2^-45 and better. */
static const double margin = 0x1p-40;

/* The number whose bits these are, for fp32 and fp64 without a table. */
static double wide_value(enum arithmetic dtype, uint64_t bits)
{
    if (dtype == ARITHMETIC_FP64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return (double)value;
}

static inline double value_in(const struct judge *judge, uint64_t bits)
{
    return judge->value ? judge->value[bits] : wide_value(judge->task.dtype, bits);
}

/* Where the numbers end that round to the one with this magnitude, exactly: halfway to the next. */
static double upper_end(const struct format *format, uint64_t magnitude)
{
    if (magnitude >= infinity_bits(format))
        return (double)INFINITY;
    double value = value_of(format, magnitude), below = value_of(format, magnitude - 1);
    if (magnitude + 1 == infinity_bits(format))
        return value + (value - below) / 2;
    return (value + value_of(format, magnitude + 1)) / 2;
}

/* s'(x) from libm: measured from the root where the sum would cancel. */
static double silu_derivative(double x)
{
    const double root_high = -0x1.474973c84120bp+0, root_low = -0x1.f8d74bc9ac154p-54;
    if (isnan(x) || isinf(x))
        return (double)NAN;
    if (x == 0)
        return 0.5;
    x = fmin(fmax(fabs(x), 0x1p-45), 400) * (x < 0 ? -1 : 1); /* s'(x) = 1/2 + x/2 near 0 */
    double u = exp(-fabs(x)), from_root = (x - root_high) - root_low;
    if (fabs(from_root) < 0.25)
        return u * (from_root - (1 + root_high) * expm1(from_root)) / ((1 + u) * (1 + u));
    return (x < 0 ? u * (u + (1 + x)) : 1 + u * (1 + x)) / ((1 + u) * (1 + u));
}

void judge_init(struct judge *judge, const struct task *task)
{
    const struct format *format = &formats[task->dtype];
    *judge = (struct judge){.task = *task};
    if (format->bits != 16)
        return;
    size_t count = 65536;
    judge->value = malloc(count * sizeof(double));
    judge->upper_end = malloc(count / 2 * sizeof(double));
    judge->factor = task->stem == SILU_BACKWARD ? malloc(count * sizeof(double)) : NULL;
    if (!judge->value || !judge->upper_end || (task->stem == SILU_BACKWARD && !judge->factor))
        abort();
    for (uint64_t bits = 0; bits < count; bits++) {
        judge->value[bits] = value_of(format, bits);
        if (bits < count / 2)
            judge->upper_end[bits] = upper_end(format, bits);
        if (judge->factor)
            judge->factor[bits] = silu_derivative(judge->value[bits]);
    }
}

void judge_release(struct judge *judge)
{
    free(judge->value);
    free(judge->upper_end);
    free(judge->factor);
}

/* The exact result to within the margin, or NaN where it is NaN or the doubles cannot tell. */
static inline double approximate(const struct judge *judge, const uint64_t *input)
{
    double g = value_in(judge, input[0]), x = value_in(judge, input[1]);
    switch (judge->task.stem) {
    case HARDSWISH_BACKWARD: {
        double slope = x > 3 ? 6 : x < -3 ? 0 : 2 * x + 3;
        return isnan(x) ? (double)NAN : g * slope / 6;
    }
    case LEAKY_RELU_BACKWARD:
        return x > 0 ? g : g * judge->task.slope;
    case SILU_BACKWARD:
        return g * (judge->factor ? judge->factor[input[1]] : silu_derivative(x));
    default: {
        double d = x - value_in(judge, input[2]), size = fabs(d), beta = (double)judge->task.beta;
        double divisor = (double)judge->task.divisor;
        if (size == beta && d != 0) /* which side the exact d is on */
            return (double)NAN;
        if (size < beta)
            return g * d / (beta * divisor);
        return d == 0 ? g * d : g * (d > 0 ? 1 : -1) / divisor;
    }
    }
}

__extension__ typedef unsigned __int128 wide;

/* significand * 2^exponent for a double that is finite; no more than 53 bits. */
struct scaled {
    wide significand;
    int exponent;
};

static struct scaled scale(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent);
    uint64_t significand = (uint64_t)ldexp(fraction, 53);
    if (significand == 0)
        return (struct scaled){0, 0};
    int zeros = __builtin_ctzll(significand);
    return (struct scaled){significand >> zeros, exponent - 53 + zeros};
}

static int width(wide value)
{
    uint64_t high = (uint64_t)(value >> 64);
    return high ? 128 - __builtin_clzll(high) : value ? 64 - __builtin_clzll((uint64_t)value) : 0;
}

/* a < b: -1, a == b: 0, a > b: 1. Significands of at most 100 bits. */
static int compare(struct scaled a, struct scaled b)
{
    if (a.significand == 0 || b.significand == 0)
        return (a.significand != 0) - (b.significand != 0);
    int top_a = width(a.significand) + a.exponent, top_b = width(b.significand) + b.exponent;
    if (top_a != top_b)
        return top_a < top_b ? -1 : 1;
    if (a.exponent > b.exponent)
        a.significand <<= a.exponent - b.exponent;
    else
        b.significand <<= b.exponent - a.exponent;
    return a.significand < b.significand ? -1 : a.significand > b.significand;
}

static bool product(struct scaled *result, struct scaled a, struct scaled b)
{
    if (width(a.significand) + width(b.significand) > 100)
        return false;
    *result = (struct scaled){a.significand * b.significand, a.exponent + b.exponent};
    return true;
}

/*
 * |result| = numerator / denominator with both in integers of at most 100 bits; false where they do not fit
 * or the operator is no quotient. Finite inputs only.
 */
static bool as_quotient(const struct judge *judge, const uint64_t *input, struct scaled *numerator,
                        struct scaled *denominator)
{
    double g = value_in(judge, input[0]), x = value_in(judge, input[1]);
    *denominator = scale(1);
    switch (judge->task.stem) {
    case HARDSWISH_BACKWARD:
        *denominator = scale(6);
        if (fabs(x) > 3)
            return product(numerator, scale(g), scale(x > 0 ? 6 : 0));
        /* 2x + 3 is a double unless x is tiny. */
        return (x == 0 || fabs(x) >= 0x1p-28) && product(numerator, scale(g), scale(2 * x + 3));
    case LEAKY_RELU_BACKWARD:
        return (x > 0 || isfinite(judge->task.slope)) &&
               product(numerator, scale(g), scale(x > 0 ? 1 : judge->task.slope));
    case SMOOTH_L1_LOSS_BACKWARD: {
        double t = value_in(judge, input[2]), beta = (double)judge->task.beta;
        struct scaled a = scale(x), b = scale(t), d = a;
        if (a.significand && b.significand) {
            int lower = a.exponent < b.exponent ? a.exponent : b.exponent;
            if (a.exponent - lower > 60 || b.exponent - lower > 60)
                return false;
            a.significand <<= a.exponent - lower;
            b.significand <<= b.exponent - lower;
            bool same = (x < 0) != (t < 0);
            d.significand = same                            ? a.significand + b.significand
                            : a.significand > b.significand ? a.significand - b.significand
                                                            : b.significand - a.significand;
            d.exponent = lower;
        } else if (b.significand) {
            d = b;
        }
        *denominator = scale((double)judge->task.divisor);
        if (isinf(beta))
            return false;
        if (compare(d, scale(beta)) >= 0)
            return product(numerator, scale(g), scale(d.significand != 0));
        return product(numerator, scale(g), d) && product(denominator, *denominator, scale(beta));
    }
    default:
        return false;
    }
}

/* Whether the exact result rounds to magnitude, in integers; *decided is false where they do not suffice. */
static bool rounds_to(const struct judge *judge, const uint64_t *input, uint64_t magnitude, bool *decided)
{
    const struct format *format = &formats[judge->task.dtype];
    struct scaled numerator, denominator, end;
    *decided = false;
    for (int i = 0; i < (judge->task.stem == SMOOTH_L1_LOSS_BACKWARD ? 3 : 2); i++)
        if ((input[i] & magnitude_mask(format)) >= infinity_bits(format))
            return false;
    if (magnitude >= infinity_bits(format) || format->bits == 64 ||
        !as_quotient(judge, input, &numerator, &denominator))
        return false;
    if (magnitude > 0) {
        if (!product(&end, denominator, scale(upper_end(format, magnitude - 1))))
            return false;
        int order = compare(numerator, end);
        *decided = true;
        if (order < 0 || (order == 0 && magnitude % 2))
            return false;
    }
    *decided = product(&end, denominator, scale(upper_end(format, magnitude)));
    int order = compare(numerator, end);
    return order < 0 || (order == 0 && magnitude % 2 == 0);
}

static void count_wrong(const struct judge *judge, const uint64_t *input, uint64_t got, uint64_t wanted,
                        struct verdict *verdict)
{
    const struct format *format = &formats[judge->task.dtype];
    double value = approximate(judge, input), result = value_of(format, got);
    uint64_t magnitude = wanted & magnitude_mask(format), infinity = infinity_bits(format);
    uint64_t above = magnitude + 1 < infinity ? magnitude + 1 : infinity - 1;
    double unit = value_of(format, above) - value_of(format, above - 1);
    double error = fabs(value - result) / unit;
    if (isnan(error) || (got >> (format->bits - 1)) != (wanted >> (format->bits - 1)))
        error = (double)INFINITY;
    verdict->wrong++;
    if (error < verdict->greatest_error && verdict->wrong > 1)
        return;
    verdict->greatest_error = error;
    memcpy(verdict->input, input, sizeof verdict->input);
    verdict->got = got;
    verdict->wanted = wanted;
}

/* The way round for one result. */
static __attribute__((noinline)) void judge_exactly(const struct judge *judge, const uint64_t *input,
                                                    uint64_t got, double value, struct verdict *verdict)
{
    const struct format *format = &formats[judge->task.dtype];
    uint64_t magnitude = got & magnitude_mask(format);
    bool decided;
    verdict->exact++;
    if (!isnan(value) && (got >> (format->bits - 1)) == (uint64_t)(signbit(value) != 0) &&
        rounds_to(judge, input, magnitude, &decided) && decided)
        return;
    uint64_t wanted = reference_integer(&judge->task, input);
    if (got != wanted)
        count_wrong(judge, input, got, wanted, verdict);
}

void judge_results(const struct judge *judge, const void *const *input, const void *output, size_t count,
                   struct verdict *verdict)
{
    const struct format *format = &formats[judge->task.dtype];
    const uint64_t infinity = infinity_bits(format), mask = magnitude_mask(format), nan = nan_bits(format);
    const size_t bytes = (size_t)format->bits / 8;
    const int inputs = judge->task.stem == SMOOTH_L1_LOSS_BACKWARD ? 3 : 2;
    verdict->tried += count;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits[INPUTS_MAX] = {0}, got = 0;
        for (int j = 0; j < inputs; j++)
            memcpy(&bits[j], (const char *)input[j] + i * bytes, bytes);
        memcpy(&got, (const char *)output + i * bytes, bytes);
        double value = approximate(judge, bits), size = fabs(value);
        uint64_t magnitude = got & mask;
        bool sure = false;
        if (magnitude + 1 < infinity && (got != magnitude) == (signbit(value) != 0)) {
            /* size is NaN where the doubles cannot tell, and then nothing is sure. */
            double above, below;
            if (judge->upper_end) {
                above = judge->upper_end[magnitude];
                below = magnitude ? judge->upper_end[magnitude - 1] : -1;
            } else {
                double centre = value_in(judge, magnitude);
                above = (centre + value_in(judge, magnitude + 1)) / 2;
                below = magnitude ? (centre + value_in(judge, magnitude - 1)) / 2 : -1;
                if (format->bits == 64)
                    above = below = (double)NAN;
            }
            sure = size * (1 + margin) < above && size * (1 - margin) > below;
        } else if (got == nan) {
            sure = (bits[0] & mask) > infinity || (bits[1] & mask) > infinity;
        }
        if (!sure)
            judge_exactly(judge, bits, got, value, verdict);
    }
}

void verdict_add(struct verdict *sum, const struct verdict *part)
{
    uint64_t wrong = sum->wrong;
    sum->tried += part->tried;
    sum->wrong += part->wrong;
    sum->exact += part->exact;
    if (part->wrong == 0 || (wrong > 0 && part->greatest_error < sum->greatest_error))
        return;
    sum->greatest_error = part->greatest_error;
    memcpy(sum->input, part->input, sizeof sum->input);
    sum->got = part->got;
    sum->wanted = part->wanted;
}
