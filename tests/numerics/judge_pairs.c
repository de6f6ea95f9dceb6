/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the judge does with fp64: the exact result as the sum of two doubles, off by at most 2^-90 of it,
 * decides all results that do not lie that near to an end of their rounding interval. Loops without branches,
 * for the compiler to make vectors of. JUDGE_PASS is the name of the instruction set.
 *
 * Sums and products of two doubles are such pairs exactly (Knuth, The Art of Computer Programming 2, 4.2.2;
 * Dekker, Numerische Mathematik 18, 1971) unless something overflows, which leaves a NaN behind, or a product
 * is so small that its second half is lost, which is marked with one: what is NaN decides nothing.
 */
#include "numerics/judge_pairs.h"

#include <math.h>

#include "numerics/reference_calculations.h"
#include "support/bits.h"

#define JOIN(name, pass)  name##pass
#define NAMED(name, pass) JOIN(name, pass)

/* Products below have a second half that is no multiple of 2^-1074. */
static const double least_product = 0x1p-960;
/* Of half a unit: more than what pairs are off, which is 2^-90 / 2^-54 of it. */
static const double margin = 0x1p-30;

/* a + b, exactly. */
static inline struct pair sum_of(double a, double b)
{
    const double high = a + b, part = high - a;
    return (struct pair){high, (a - (high - part)) + (b - part)};
}

/* a b, exactly. */
static inline struct pair product_of(double a, double b)
{
    const double wide_a = a * 0x1.0000002p+27, wide_b = b * 0x1.0000002p+27;
    const double upper_a = wide_a - (wide_a - a), upper_b = wide_b - (wide_b - b);
    const double lower_a = a - upper_a, lower_b = b - upper_b, high = a * b;
    const double low =
        ((upper_a * upper_b - high) + upper_a * lower_b + lower_a * upper_b) + lower_a * lower_b;
    const bool is_least = fabs(high) < least_product, is_zero = a == 0 || b == 0;
    const bool is_lost = is_least & !is_zero;
    return (struct pair){high, is_lost ? (double)NAN : low};
}

/* a + b to 2^-104: a + b.high is exact unless it is at least half of the greater one (Sterbenz), and so at
 * least 2^51 times what is left of both. */
static inline struct pair add(double a, struct pair b)
{
    const struct pair sum = sum_of(a, b.high), rest = sum_of(sum.low, b.low),
                      all = sum_of(sum.high, rest.high);
    return (struct pair){all.high, all.low + rest.low};
}

/* a b to 2^-100. */
static inline struct pair multiply(struct pair a, struct pair b)
{
    const struct pair product = product_of(a.high, b.high);
    return sum_of(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* a / b to 2^-100: what a quotient leaves is a double, but for what b.low adds. */
static inline struct pair divide(struct pair a, struct pair b)
{
    const double first = a.high / b.high;
    const struct pair back = product_of(first, b.high);
    const double rest = ((a.high - back.high) - back.low) + (a.low - first * b.low);
    return sum_of(first, rest / b.high);
}

/* 1 / n! from n = 23 down, each as a pair. The kernels have some of them, too; what judges takes none of
 * theirs. */
static const struct pair inverse_factorial[] = {
    {0x1.761b41316381ap-75, 0},
    {0x1.0ce396db7f853p-70, 0},
    {0x1.71b8ef6dcf572p-66, 0},
    {0x1.e542ba4020225p-62, 0},
    {0x1.2f49b46814157p-57, 0},
    {0x1.6827863b97d97p-53, 0},
    {0x1.952c77030ad4ap-49, 0},
    {0x1.ae7f3e733b81fp-45, 0},
    {0x1.ae7f3e733b81fp-41, 0},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6c00p-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0.5, 0},
    {1, 0},
    {1, 0},
};
enum { FACTORIALS = sizeof inverse_factorial / sizeof *inverse_factorial, SINGLE_FACTORIALS = 9 };

/*
 * e^-size for sizes of 0 to 690: a power of two, and the series for what is left of at most 0.35, whose terms
 * from the 24th on are less than 2^-110. Those from the 15th on, at most 2^-60 together, need no pairs.
 */
static inline struct pair exponential_of_minus(double size)
{
    /* ln 2: twice 40 bits, so that multiples of up to 1024 are doubles, and a third part, to 2^-134. */
    const double first = 0x1.62e42fefa2p-1, second = 0x1.9ef35793c6p-41, third = 0x1.673007e5ed5e8p-81;
    const double power = -size * 0x1.71547652b82fep+0 + 0x1.8p52; /* the integer is in its last bits */
    const double k = power - 0x1.8p52;
    const struct pair upper = sum_of(-size, -k * first), middle = sum_of(upper.high, -k * second);
    const struct pair r = sum_of(middle.high, (middle.low + upper.low) - k * third);
    double tail = inverse_factorial[0].high;
    for (int i = 1; i < SINGLE_FACTORIALS; i++)
        tail = tail * r.high + inverse_factorial[i].high;
    struct pair sum = {tail, 0};
    for (int i = SINGLE_FACTORIALS; i < FACTORIALS; i++) {
        /* The marks of products would be in the way where r is next to 0: what they lose there is nothing. */
        struct pair product = product_of(sum.high, fabs(r.high) < 0x1p-200 ? 0 : r.high);
        product.low += sum.high * r.low + sum.low * r.high;
        sum = sum_of(inverse_factorial[i].high, product.high);
        sum = sum_of(sum.high, sum.low + (product.low + inverse_factorial[i].low));
    }
    const double scale = fp64_from((fp64_bits(power) << 52) + 0x3ff0000000000000);
    return (struct pair){sum.high * scale, sum.low * scale};
}

/* 1 / (1 + e^-x). Beyond 690 it is 1 less than the bound, and below -690 no double of full precision. */
static inline struct pair logistic(double x)
{
    const double size = fabs(x) < 690 ? fabs(x) : 690;
    const struct pair u = exponential_of_minus(size), denominator = add(1, u);
    const struct pair numerator = {x < 0 ? u.high : 1, x < 0 ? u.low : 0};
    struct pair p = divide(numerator, denominator);
    p.low = x >= -690 ? p.low : (double)NAN;
    return p;
}

void NAMED(pairs_, JUDGE_PASS)(const struct task *task, const double *g, const double *x, size_t count,
                               struct pair *value)
{
    const double slope = task->slope;
    const uint64_t none[INPUTS_MAX] = {0};
    if (is_calculation(task->stem)) {
        const struct calculation c = calculation_of(task, none);
        const bool is_scalar = has_scalar(task->stem);
        if (c.stem == MUL)
            for (size_t i = 0; i < count; i++)
                value[i] = product_of(g[i], is_scalar ? slope : x[i]);
        else if (c.stem == DIV)
            for (size_t i = 0; i < count; i++)
                value[i] = divide((struct pair){g[i], 0}, (struct pair){is_scalar ? slope : x[i], 0});
        else
            for (size_t i = 0; i < count; i++)
                value[i] = add(g[i], product_of(c.alpha, is_scalar ? slope : x[i]));
        return;
    }
    switch (task->stem) {
    case LEAKY_RELU:
    case LEAKY_RELU_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = product_of(g[i], x[i] > 0 ? 1 : x[i] <= 0 ? slope : x[i]);
        break;
    case SIGMOID:
        for (size_t i = 0; i < count; i++)
            value[i] = logistic(x[i]);
        break;
    case SIGMOID_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = multiply(product_of(g[i], x[i]), sum_of(1, -x[i]));
        break;
    case TANH_BACKWARD:
        for (size_t i = 0; i < count; i++) {
            const struct pair square = product_of(x[i], -x[i]);
            value[i] = multiply((struct pair){g[i], 0}, add(1, square));
        }
        break;
    default:
        for (size_t i = 0; i < count; i++)
            value[i] = (struct pair){(double)NAN, (double)NAN};
    }
}

/* Twice the distance of the result from the pair, against twice the distances of the ends, in the result's
 * direction. */
static inline void decide(const uint64_t *got, const struct pair *value, size_t count,
                          struct decisions *decisions)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t magnitude = got[i] & 0x7fffffffffffffff, field = magnitude >> 52;
        const bool is_large = magnitude > fp64_bits(0x1p-950), is_small = magnitude < fp64_bits(0x1p+1000);
        const bool is_ordinary = is_large & is_small;
        const double unit = fp64_from((is_ordinary ? field - 52 : 1000) << 52);
        const double below = (got[i] & 0xfffffffffffff) == 0 ? unit / 2 : unit;
        const double result = fp64_from(got[i]);
        double distance = 2 * ((value[i].high - result) + value[i].low);
        distance = got[i] >> 63 ? -distance : distance;
        const double upper = unit * (1 - margin), lower = -below * (1 - margin);
        const bool is_below = distance < upper, is_above = lower < distance;
        decisions->value[i] = value[i].high;
        decisions->unsure[i] = !(is_ordinary & is_below & is_above);
    }
}

void NAMED(judge_pairs_, JUDGE_PASS)(const struct judge *judge, const void *const *input, const void *output,
                                     size_t count, struct decisions *decisions)
{
    struct pair value[JUDGE_CHUNK];
    const int last = reference_inputs(judge->task.stem) == 1 ? 0 : 1;
    NAMED(pairs_, JUDGE_PASS)(&judge->task, input[0], input[last], count, value);
    decisions->greatest_error = 0;
    decisions->place = 0;
    decide(output, value, count, decisions);
}
