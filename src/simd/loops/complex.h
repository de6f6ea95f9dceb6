/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over contiguous complex numbers: their real and imaginary parts, as doubles, in registers of their
 * own; and the sums of products that their arithmetic consists of.
 */
#ifndef BELAY_SIMD_LOOPS_COMPLEX_H
#define BELAY_SIMD_LOOPS_COMPLEX_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "simd/vector/canonical.h"
#include "simd/vector/exact.h"
#include "simd/vector/kernel.h"

enum { REAL, IMAGINARY, PARTS };

/*
 * addend + sign * (x0 y0 + x1 y1) for a sign of 1 or -1. Each product and each sum leaves what it loses,
 * which is added at the end (products of COMPLEX64, is_wide being false, lose nothing in doubles). So the
 * result is within 1 unit in the last place, however much the terms cancel, down to 2^-100 of the largest
 * one. A product that overflows counts as infinite.
 */
static inline doubles sum_of_products(bool is_wide, doubles addend, double sign, const doubles *x,
                                      const doubles *y)
{
    struct pair first = {x[0] * y[0], broadcast(0)}, second = {x[1] * y[1], broadcast(0)};
    if (is_wide) {
        first = two_product(x[0], y[0]);
        second = two_product(x[1], y[1]);
    }
    struct pair products = two_sum(first.high, second.high), sum = two_sum(addend, sign * products.high);
    doubles lost = sum.low + sign * (products.low + (first.low + second.low));
    /* Next to infinities what is lost is not a number; and where nothing is lost a zero keeps its sign. */
    longs counts = (absolute(lost) > 0) & (absolute(lost) < (double)INFINITY);
    return choose(counts, sum.high + lost, sum.high);
}

/* addend + sign * x y. */
static inline void complex_product(bool is_wide, const doubles *addend, double sign, const doubles *x,
                                   const doubles *y, doubles *result)
{
    const doubles real[PARTS] = {y[REAL], -y[IMAGINARY]}, imaginary[PARTS] = {y[IMAGINARY], y[REAL]};
    result[REAL] = sum_of_products(is_wide, addend[REAL], sign, x, real);
    result[IMAGINARY] = sum_of_products(is_wide, addend[IMAGINARY], sign, x, imaginary);
}

/* The exponent of the greater one of both parts, from -1023 for 0 and subnormal numbers to 1022. */
static inline longs exponent_of(const doubles *number)
{
    longs real = (longs)absolute(number[REAL]) >> 52, imaginary = (longs)absolute(number[IMAGINARY]) >> 52;
    longs is_real = real > imaginary, greater = (real & is_real) | (imaginary & ~is_real);
    longs is_high = greater > 2045;
    return ((greater & ~is_high) | (2045 & is_high)) - 1023;
}

/*
 * self / other by (a c + b d) / (c^2 + d^2) and (b c - a d) / (c^2 + d^2). Doubles hold the squares of fp32.
 * Numbers of fp64 are scaled to about 1 first, so that no square over- or underflows where the quotient does
 * not. Within 4 units in the last place of fp64: the numerator's error is at most 1, the denominator's 1.5,
 * and dividing adds a half.
 */
static inline __attribute__((always_inline)) void complex_quotient(bool is_wide, const doubles *self,
                                                                   const doubles *other, doubles *result)
{
    longs up = (longs){0}, down = (longs){0};
    if (is_wide) {
        up = exponent_of(self);
        down = exponent_of(other);
    }
    const doubles x[PARTS] = {self[REAL] * power_of_two(-up), self[IMAGINARY] * power_of_two(-up)};
    const doubles turned[PARTS] = {x[IMAGINARY], -x[REAL]};
    doubles y[PARTS] = {other[REAL] * power_of_two(-down), other[IMAGINARY] * power_of_two(-down)};
    const longs is_infinite = ~(absolute(x[REAL]) + absolute(x[IMAGINARY]) < (double)INFINITY);
    for (int part = 0; part < PARTS; part++) /* beside an infinity the sign of what is not 0 counts */
        y[part] = choose(is_infinite & (other[part] != 0) & (absolute(other[part]) < (double)INFINITY),
                         with_sign_of(broadcast(1), other[part]), y[part]);
    const doubles square = y[REAL] * y[REAL] + y[IMAGINARY] * y[IMAGINARY], none = broadcast(-0.0);
    result[REAL] = scale(sum_of_products(is_wide, none, 1, x, y) / square, up - down);
    result[IMAGINARY] = scale(sum_of_products(is_wide, none, 1, turned, y) / square, up - down);
}

/* What an operator makes of LANES numbers of each input, as doubles. is_wide, a constant, tells COMPLEX128
 * from COMPLEX64, whose results are rounded to fp32 afterwards. */
typedef void complex_function(bool is_wide, doubles (*input)[PARTS], doubles *result, const void *prepared);

/* The parts of count complex numbers, LANES at most, as doubles; other lanes are 0. */
static inline __attribute__((always_inline)) void load_complex(bool is_wide, const void *source, size_t count,
                                                               doubles *part)
{
    const double *wide = source;
    const float *single = source;
    part[REAL] = part[IMAGINARY] = broadcast(0);
    for (size_t i = 0; i < PARTS * count; i++)
        part[i % PARTS][i / PARTS] = is_wide ? wide[i] : (double)single[i];
}

/* Writes count complex numbers, each part rounded once, and NaN as the canonical one. */
static inline __attribute__((always_inline)) void store_complex(bool is_wide, void *target, size_t count,
                                                                const doubles *part)
{
    doubles result[PARTS];
    for (int i = 0; i < PARTS; i++)
        result[i] = canonical_doubles(part[i]);
    for (size_t i = 0; i < PARTS * count; i++)
        if (is_wide)
            ((double *)target)[i] = result[i % PARTS][i / PARTS];
        else
            ((float *)target)[i] = (float)result[i % PARTS][i / PARTS];
}

/* For all numbers: of so many inputs, the last of which is the scalar unless that is NULL. */
static inline __attribute__((always_inline)) void map_complex(bool is_wide, int inputs, const double *scalar,
                                                              complex_function *evaluate,
                                                              const void *const *input, void *output,
                                                              size_t count, const void *prepared)
{
    const size_t bytes = is_wide ? 16 : 8;
    const int tensors = scalar != NULL ? inputs - 1 : inputs;
    char *target = output;
    doubles number[2][PARTS] = {{{0}}}, result[PARTS];
    for (int part = 0; scalar != NULL && part < PARTS; part++)
        number[inputs - 1][part] = broadcast(scalar[part]);
    for (size_t done = 0; done < count; done += LANES) {
        size_t length = count - done < LANES ? count - done : LANES;
        for (int i = 0; i < tensors; i++) {
            const char *source = (const char *)input[i] + done * bytes;
            if (length == LANES) /* a loop of constant length */
                load_complex(is_wide, source, LANES, number[i]);
            else
                load_complex(is_wide, source, length, number[i]);
        }
        evaluate(is_wide, number, result, prepared);
        if (length == LANES)
            store_complex(is_wide, target + done * bytes, LANES, result);
        else
            store_complex(is_wide, target + done * bytes, length, result);
    }
}

/* Define a kernel of one input or two, and one of two of which the second is a scalar unless that is NULL. */
#define COMPLEX_KERNEL(name, is_wide, inputs, evaluate) \
    COMPLEX_KERNEL_OF(name, is_wide, inputs, evaluate, NULL)
#define COMPLEX_KERNEL_OF(name, is_wide, inputs, evaluate, scalar)                        \
    KERNEL(name)                                                                          \
    {                                                                                     \
        (void)non_temporal;                                                               \
        map_complex(is_wide, inputs, scalar, evaluate, input, output, count, parameters); \
    }

#endif
