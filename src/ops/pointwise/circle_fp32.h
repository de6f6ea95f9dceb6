/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * sin x, cos x, tan x and atan x in registers of floats, within 1 ulp: simd/maths/circle.h with pairs of
 * floats. Angles beyond 2^17, which are rare, are left to that.
 */
#ifndef BELAY_OPS_POINTWISE_CIRCLE_FP32_H
#define BELAY_OPS_POINTWISE_CIRCLE_FP32_H

#include "simd/maths/exponential_fp32.h"
#include "simd/maths/circle.h"

static const float fp32_large_angle = 0x1p17F;

/* An angle as right angles, of which only the low bits are right, and a rest. */
struct fp32_angle {
    struct vector_pair rest;
    vector_bits whole;
};

/* pi / 2 in three parts: k times the first is exact beside x, and of the second a pair, so that what is left
 * errs by 2^-58 when no float of this size lies nearer than 2^-31 to a multiple. */
static inline struct fp32_angle fp32_angle(vector x)
{
    vector sum = fused(x, vector_of(0x1.45f306p-1F), vector_of(fp32_whole)), k = sum - fp32_whole;
    vector first = fused_from(k, vector_of(0x1.921fb6p0F), x);
    vector second = k * -0x1.777a5cp-25F, low = fused_minus(k, vector_of(-0x1.777a5cp-25F), second);
    struct vector_pair rest = vector_difference(first, second);
    rest.low -= fused(k, vector_of(-0x1.ee59dap-50F), low);
    return (struct fp32_angle){rest, (vector_bits)sum};
}

/* r + r^3 S(r^2), 2^-30.9. */
static inline vector fp32_sine(struct vector_pair r, vector square)
{
    static const float coefficient[] = {-0x1.555556p-3F, 0x1.111198p-7F, -0x1.a08312p-13F, 0x1.8777ep-19F};
    return r.high + fused(fp32_product(r.high, square), FP32_POLYNOMIAL(square, coefficient), r.low);
}

/* 1 - r^2 / 2 + r^4 C(r^2), 2^-29.9. */
static inline vector fp32_cosine(struct vector_pair r, vector square)
{
    static const float coefficient[] = {0x1.555554p-5F, -0x1.6c129cp-10F, 0x1.9bc672p-16F};
    vector half = fp32_product(square, vector_of(0.5F)), sum = 1 - half,
           rest = fused_from(r.high, r.low, (1 - sum) - half);
    return sum + fused(fp32_product(square, square), FP32_POLYNOMIAL(square, coefficient), rest);
}

/* value, but by doubles where the angle is large, and NaN where it is infinite or NaN, for which doubles would
 * take as long as for large ones. */
static __attribute__((noinline)) vector fp32_far(vector x, vector value, doubles (*function)(doubles x))
{
    const flags is_endless = vector_not_finite(x);
    const vector finite = vector_choose(is_endless, vector_of(0), x), size = vector_absolute(finite);
    const flags is_near = vector_greater(vector_of(fp32_large_angle), size);
    if (vector_any_flag(~is_near)) {
        doubles part[2];
        doubles_of_vector(finite, part);
        part[0] = function(part[0]);
        part[1] = function(part[1]);
        value = vector_choose(is_near, value, vector_of_doubles(part));
    }
    return vector_choose(is_endless, vector_of((float)NAN), value);
}

/* value, or what fp32_far() makes of x where an angle of size = |x| is large. */
static inline vector fp32_of_angle(vector x, vector size, vector value, doubles (*function)(doubles x))
{
    const flags is_far = vector_less_ints(vector_ints_of(0x47ffffff), (vector_ints)size);
    return __builtin_expect(vector_any_flag(is_far), 0) ? fp32_far(x, value, function) : value;
}

/* The sine of the angle and quarters more right angles; times a sign. */
static inline vector fp32_circle(vector x, uint32_t quarters, vector sign)
{
    struct fp32_angle angle = fp32_angle(x);
    vector square = fp32_product(angle.rest.high, angle.rest.high);
    vector_bits whole = angle.whole + quarters;
    const flags is_odd = vector_less_ints((vector_ints)(whole << 31), vector_ints_of(0));
    vector value = vector_choose(is_odd, fp32_cosine(angle.rest, square), fp32_sine(angle.rest, square));
    return vector_times_sign(value, (vector)(whole << 30 ^ (vector_bits)sign));
}

static inline vector fp32_maths_sin(vector x)
{
    vector size = vector_absolute(x);
    return fp32_of_angle(x, size, fp32_circle(size, 0, x), maths_sin);
}

static inline vector fp32_maths_cos(vector x)
{
    vector size = vector_absolute(x);
    return fp32_of_angle(x, size, fp32_circle(size, 1, vector_of(0)), maths_cos);
}

/* t = r + r^3 T(r^2), 2^-27.5, as a pair; -1 / t by a quotient and what it lacks. */
static inline vector fp32_maths_tan(vector x)
{
    static const float coefficient[] = {0x1.555556p-2F, 0x1.111072p-3F,  0x1.ba571ap-5F, 0x1.620a5p-6F,
                                        0x1.478ba6p-7F, 0x1.2b06f2p-10F, 0x1.fab264p-9F};
    vector size = vector_absolute(x);
    struct fp32_angle angle = fp32_angle(size);
    vector r = angle.rest.high, square = r * r;
    vector slope = FP32_POLYNOMIAL(square, coefficient);
    vector tail = fused(r * square, slope, fused(r * slope, fused_minus(r, r, square), angle.rest.low));
    vector t = r + tail, low = (r - t) + tail;
    low = fused(angle.rest.low * t, t, low);
    vector inverse = -1 / t, rest = fused(inverse, t, vector_of(1));
    vector far = fused(inverse, fused(inverse, low, rest), inverse);
    const flags is_even = vector_less_ints((vector_ints)(angle.whole & 1), vector_ints_of(1));
    vector value = vector_choose(is_even, t + low, far);
    return fp32_of_angle(x, size, vector_times_sign(value, x), maths_tan);
}

/* u = |x|, or 1 / |x|, and what that lacks, beyond 1: u + u^3 A(u^2), 2^-28.6, or pi / 2 less that. Beyond 2^30
 * it is the float next to pi / 2, and products with smaller u would become subnormal, which is slow. */
static inline vector fp32_maths_atan(vector x)
{
    static const float coefficient[] = {-0x1.555556p-2F, 0x1.9999b8p-3F, -0x1.249002p-3F, 0x1.c69708p-4F,
                                        -0x1.6fa246p-4F, 0x1.248d34p-4F, -0x1.9ef2f2p-5F, 0x1.c83f28p-6F,
                                        -0x1.44d7e2p-7F, 0x1.b092fap-10F};
    vector size = vector_least(vector_of(0x1p30F), vector_absolute(x)), inverse = 1 / size;
    const flags is_far = vector_greater(size, vector_of(1));
    vector u = vector_choose(is_far, -inverse, size), square = u * u;
    vector rest = inverse * fused_minus(inverse, size, vector_of(1));
    rest = fused_from(rest, square * 0.5F, rest) + -0x1.777a5cp-25F; /* nearly rest / (1 + u^2) */
    vector slope = FP32_POLYNOMIAL(square, coefficient), low = u * fused_minus(u, u, square);
    vector tail = fused(u * square, slope, fused(low, slope, vector_choose(is_far, rest, vector_of(0))));
    vector base = vector_choose(is_far, vector_of(0x1.921fb6p0F), vector_of(0)), sum = base + u;
    return vector_times_sign(sum + (((base - sum) + u) + tail), x);
}

#endif
