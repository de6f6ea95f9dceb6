/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of one complex number, in plain arithmetic over doubles. The error is at most 2^-48 of the
 * result's absolute value; parts that are so much smaller than the other one may have none of their bits.
 * Branch cuts and the signs of zeros are those of C99; of infinite and NaN numbers the formula's.
 */
#ifndef BELAY_SIMD_LOOPS_COMPLEX_FUNCTIONS_H
#define BELAY_SIMD_LOOPS_COMPLEX_FUNCTIONS_H

#include "simd/loops/complex.h"
#include "simd/maths/arc.h"
#include "simd/maths/area.h"
#include "simd/maths/circle.h"
#include "simd/maths/simple.h"

/* Defines a function of z = a + b i by formulas of its parts. */
#define COMPLEX_FORMULA(name, real, imaginary)                           \
    static inline void complex_##name(const doubles *z, doubles *result) \
    {                                                                    \
        const doubles a = z[REAL], b = z[IMAGINARY];                     \
        result[REAL] = (real);                                           \
        result[IMAGINARY] = (imaginary);                                 \
    }

/* x y, where 0 times an infinity is 0. */
static inline doubles zero_or_product(doubles x, doubles y)
{
    longs is_zero = ((x == 0) & (y == y)) | ((y == 0) & (x == x));
    return choose(is_zero, (doubles)(sign_bit(x) ^ sign_bit(y)), x * y);
}

/* The absolute value, without squares that over- or underflow. */
static inline doubles complex_size(doubles a, doubles b)
{
    const doubles number[PARTS] = {a, b};
    longs exponent = exponent_of(number);
    doubles x = a * power_of_two(-exponent), y = b * power_of_two(-exponent);
    doubles size = scale(square_root(x * x + y * y), exponent);
    longs is_infinite = (absolute(a) == (double)INFINITY) | (absolute(b) == (double)INFINITY);
    return choose(is_infinite, broadcast((double)INFINITY), size);
}

/* The angle of a + b i: the arc tangent of the lesser part by the greater, and what is left of right angles.
 */
static inline doubles complex_angle(doubles a, doubles b)
{
    doubles x = absolute(a), y = absolute(b);
    longs is_steep = y > x, is_left = sign_bit(a) != 0;
    doubles lesser = choose(is_steep, x, y), greater = choose(is_steep, y, x);
    doubles ratio = choose(lesser == greater, broadcast(1), lesser / greater);
    doubles angle = maths_atan(choose(greater == 0, broadcast(0), ratio));
    angle = choose(is_steep, maths_pi[0] / 2 - (angle - maths_pi[1] / 2), angle);
    angle = choose(is_left, maths_pi[0] - (angle - maths_pi[1]), angle);
    return choose((a == a) & (b == b), with_sign_of(angle, b), a + b);
}

/* x x in two parts; the lesser one is 0 where it may be less than doubles hold, which each level rounds in its way. */
static inline struct pair exact_square(doubles x)
{
    struct pair square = exact_product(x, x);
    square.low = choose(square.high > 0x1p-900, square.low, broadcast(0));
    return square;
}

/* ln |z|, near 1 by what |z|^2 differs from 1. */
static inline doubles complex_logarithm_of_size(doubles a, doubles b)
{
    struct pair x = exact_square(a), y = exact_square(b), square = two_sum(x.high, y.high);
    struct pair rest = two_sum(square.high, broadcast(-1));
    rest = renormalize(rest.high, rest.low + (square.low + (x.low + y.low)));
    longs is_near = (square.high > 0.5) & (square.high < 2);
    rest.high = choose(is_near, rest.high, broadcast(0));
    rest.low = choose(is_near, rest.low, broadcast(0));
    return choose(is_near, 0.5 * logarithm_of_1_and(rest), maths_log(complex_size(a, b)));
}

/* sqrt z for a scale 2^(2 k) of z: t = sqrt((|a| + |z|) / 2) is one part, |b| / 2 t the other. */
static inline void complex_sqrt(const doubles *z, doubles *result)
{
    const doubles a = z[REAL], b = z[IMAGINARY];
    longs half = exponent_of(z) >> 1;
    doubles x = a * power_of_two(-half) * power_of_two(-half),
            y = b * power_of_two(-half) * power_of_two(-half);
    doubles t = square_root(0.5 * (absolute(x) + complex_size(x, y))), other = absolute(y) / (2 * t);
    other = choose(t == 0, broadcast(0), choose(t == (double)INFINITY, broadcast(0), other));
    longs is_left = sign_bit(a) != 0, is_endless = absolute(b) == (double)INFINITY;
    doubles real = scale(choose(is_left, other, t), half), imaginary = scale(choose(is_left, t, other), half);
    result[REAL] = choose(is_endless, absolute(b), real);
    result[IMAGINARY] = with_sign_of(choose(is_endless, absolute(b), absolute(imaginary)), b);
}

/* 1 / z, scaled as any quotient of complex numbers is. */
static inline void complex_reciprocal(const doubles *z, doubles *result)
{
    const doubles one[PARTS] = {broadcast(1), broadcast(0)};
    complex_quotient(true, one, z, result);
}

/* arcsin z with r = sqrt(1 - z) and s = sqrt(1 + z): the angle of Re(r s) + a i, and arsinh Im(conj(r) s). */
static inline void arc_sine_of(doubles a, doubles b, doubles *result)
{
    doubles r[PARTS], s[PARTS];
    complex_sqrt((doubles[]){1 - a, -b}, r);
    complex_sqrt((doubles[]){1 + a, b}, s);
    result[REAL] = complex_angle(r[REAL] * s[REAL] - r[IMAGINARY] * s[IMAGINARY], a);
    result[IMAGINARY] = maths_asinh(r[REAL] * s[IMAGINARY] - r[IMAGINARY] * s[REAL]);
}

COMPLEX_FORMULA(neg, -a, -b)
COMPLEX_FORMULA(abs, complex_size(a, b), broadcast(0))
COMPLEX_FORMULA(angle_v2, complex_angle(a, b), broadcast(0))
COMPLEX_FORMULA(log, complex_logarithm_of_size(a, b), complex_angle(a, b))
COMPLEX_FORMULA(log2, complex_logarithm_of_size(a, b) * 0x1.71547652b82fep+0,
                complex_angle(a, b) * 0x1.71547652b82fep+0)
COMPLEX_FORMULA(log10, complex_logarithm_of_size(a, b) * 0x1.bcb7b1526e50ep-2,
                complex_angle(a, b) * 0x1.bcb7b1526e50ep-2)
/* The half of a, twice, so that nothing overflows but the result. */
COMPLEX_FORMULA(exp, zero_or_product(zero_or_product(maths_exp(0.5 * a), maths_cos(b)), maths_exp(0.5 * a)),
                zero_or_product(zero_or_product(maths_exp(0.5 * a), maths_sin(b)), maths_exp(0.5 * a)))
COMPLEX_FORMULA(sinh, zero_or_product(maths_sinh(a), maths_cos(b)),
                zero_or_product(maths_cosh(a), maths_sin(b)))
COMPLEX_FORMULA(cosh, zero_or_product(maths_cosh(a), maths_cos(b)),
                zero_or_product(maths_sinh(a), maths_sin(b)))
COMPLEX_FORMULA(sin, zero_or_product(maths_sin(a), maths_cosh(b)),
                zero_or_product(maths_cos(a), maths_sinh(b)))
COMPLEX_FORMULA(cos, zero_or_product(maths_cos(a), maths_cosh(b)),
                -zero_or_product(maths_sin(a), maths_sinh(b)))

/* z / |z|, 0 for 0. */
static inline void complex_sign(const doubles *z, doubles *result)
{
    const longs exponent = exponent_of(z);
    doubles a = z[REAL] * power_of_two(-exponent), b = z[IMAGINARY] * power_of_two(-exponent);
    doubles size = complex_size(a, b);
    result[REAL] = choose(size == 0, broadcast(0), a / size);
    result[IMAGINARY] = choose(size == 0, broadcast(0), b / size);
}

/* With t = tan a and h = tanh b: (t / cosh^2 b + h (1 + t^2) i) / (1 + t^2 h^2). */
static inline void complex_tan(const doubles *z, doubles *result)
{
    const doubles t = maths_tan(z[REAL]), b = z[IMAGINARY], wide = maths_cosh(b);
    doubles h = choose(absolute(b) < 30, maths_sinh(b) / wide, with_sign_of(broadcast(1), b));
    doubles below = 1 + (t * h) * (t * h);
    result[REAL] = t / wide / wide / below;
    result[IMAGINARY] = choose(b == b, h * (1 + t * t) / below, b);
}

/* -i tan(i z) */
static inline void complex_tanh(const doubles *z, doubles *result)
{
    doubles tangent[PARTS];
    complex_tan((const doubles[]){-z[IMAGINARY], z[REAL]}, tangent);
    result[REAL] = tangent[IMAGINARY];
    result[IMAGINARY] = -tangent[REAL];
}

/* 1 / sqrt(z). */
static inline void complex_rsqrt(const doubles *z, doubles *result)
{
    doubles root[PARTS];
    complex_sqrt(z, root);
    complex_reciprocal(root, result);
}

/* -i arcsin(i z) */
static inline void complex_asinh(const doubles *z, doubles *result)
{
    doubles angle[PARTS];
    arc_sine_of(-z[IMAGINARY], z[REAL], angle);
    result[REAL] = angle[IMAGINARY];
    result[IMAGINARY] = -angle[REAL];
}

/* With r = sqrt(z - 1) and s = sqrt(z + 1): arsinh Re(conj(r) s), and twice the angle of Re s + Im r i. */
static inline void complex_acosh(const doubles *z, doubles *result)
{
    const doubles a = z[REAL], b = z[IMAGINARY];
    doubles r[PARTS], s[PARTS];
    complex_sqrt((doubles[]){a - 1, b}, r);
    complex_sqrt((doubles[]){a + 1, b}, s);
    result[REAL] = maths_asinh(r[REAL] * s[REAL] + r[IMAGINARY] * s[IMAGINARY]);
    result[IMAGINARY] = 2 * complex_angle(s[REAL], r[IMAGINARY]);
}

/* Up to this size whole exponents are powers by products. */
enum { COMPLEX_WHOLE_EXPONENT = 16 };

/* z^|n| for whole numbers n, by squares; each product is within 1 unit in the last place. */
static inline void complex_whole_power(const doubles *z, doubles n, doubles *result)
{
    const doubles none[PARTS] = {broadcast(-0.0), broadcast(-0.0)};
    doubles factor[PARTS] = {z[REAL], z[IMAGINARY]}, rest = absolute(n);
    longs has_value = (longs){0};
    result[REAL] = broadcast(1);
    result[IMAGINARY] = broadcast(0);
    for (int bit = 1; bit <= COMPLEX_WHOLE_EXPONENT; bit *= 2) {
        const doubles half = maths_trunc(0.5 * rest);
        const longs is_odd = rest != 2 * half;
        doubles product[PARTS];
        complex_product(true, none, 1, factor, result, product);
        for (int part = 0; part < PARTS; part++)
            result[part] = choose(is_odd, choose(has_value, product[part], factor[part]), result[part]);
        has_value |= is_odd;
        rest = half;
        const doubles base[PARTS] = {factor[REAL], factor[IMAGINARY]};
        complex_product(true, none, 1, base, base, factor);
    }
}

/*
 * z^w: by products where w is a small whole number, and e^(w ln z) elsewhere. 1 where w is 0; of 0 it is 0
 * where w has a real part above 0, and no number where not.
 */
static inline void complex_pow(const doubles *z, const doubles *w, doubles *result)
{
    const doubles c = w[REAL], d = w[IMAGINARY];
    const longs is_whole = (d == 0) & (maths_trunc(c) == c) & (absolute(c) <= (double)COMPLEX_WHOLE_EXPONENT);
    const longs is_zero = (z[REAL] == 0) & (z[IMAGINARY] == 0);
    doubles logarithm[PARTS], whole[PARTS], inverse[PARTS], power[PARTS];
    complex_log(z, logarithm);
    const doubles exponent[PARTS] = {
        zero_or_product(c, logarithm[REAL]) - zero_or_product(d, logarithm[IMAGINARY]),
        zero_or_product(c, logarithm[IMAGINARY]) + zero_or_product(d, logarithm[REAL])};
    complex_exp(exponent, power);
    complex_whole_power(z, choose(is_whole, c, broadcast(0)), whole);
    complex_reciprocal(whole, inverse);
    for (int part = 0; part < PARTS; part++) {
        const doubles of_zero = choose(c > 0, broadcast(0), broadcast((double)NAN));
        const doubles of_whole = choose(c < 0, inverse[part], whole[part]);
        result[part] = choose(is_zero, of_zero, choose(is_whole, of_whole, power[part]));
        result[part] = choose((c == 0) & (d == 0), broadcast(part == REAL ? 1 : 0), result[part]);
    }
}

/* ln(1 + 4 |a| / ((1 - |a|)^2 + b^2)) / 4 and half the angle of (1 - |a|)(1 + |a|) - b^2 + 2 b i. */
static inline void complex_atanh(const doubles *z, doubles *result)
{
    const doubles a = z[REAL], b = z[IMAGINARY], size = absolute(a), rest = 1 - size;
    doubles real = 0.25 * maths_log1p(4 * size / (rest * rest + b * b));
    result[REAL] = with_sign_of(choose(size == (double)INFINITY, broadcast(0), absolute(real)), a);
    result[IMAGINARY] = 0.5 * complex_angle(rest * (1 + size) - b * b, 2 * b);
}

#endif
