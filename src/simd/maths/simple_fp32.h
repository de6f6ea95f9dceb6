/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * simd/maths/simple.h in registers of floats: what is exact there, or rounded once, or nearly so.
 */
#ifndef BELAY_SIMD_MATHS_SIMPLE_FP32_H
#define BELAY_SIMD_MATHS_SIMPLE_FP32_H

#include <math.h>

#include "simd/vector/vector_fp32.h"

/* 1 where the flag is set, 0 elsewhere. */
static inline vector vector_truth(flags flag)
{
    return vector_choose(flag, vector_of(1), vector_of(0));
}

/* sqrt(x), rounded once as IEEE 754 has it. */
static inline vector vector_root(vector x)
{
#if defined(__SSE2__) && !defined(__AVX2__)
    return (vector)_mm_sqrt_ps((__m128)x);
#elif defined(__x86_64__)
    return (vector)BY_LEVEL(_mm512_sqrt_ps((__m512)x), _mm256_sqrt_ps((__m256)x), x);
#else
    for (int i = 0; i < VECTOR_LANES; i++)
        x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

static inline vector fp32_maths_abs(vector x)
{
    return vector_absolute(x);
}

static inline vector fp32_maths_neg(vector x)
{
    return -x;
}

/* a b, as a fused product where that is one instruction: plain ones take ten times as long on some processors
 * where a number or the result is subnormal. -0 adds nothing, and no sign. */
static inline vector fp32_product(vector a, vector b)
{
    return FUSED_IS_FAST ? fused(a, b, vector_of(-0.0F)) : a * b;
}

static inline vector fp32_maths_square(vector x)
{
    return fp32_product(x, x);
}

static inline vector fp32_maths_reciprocal(vector x)
{
    return 1 / x;
}

static inline vector fp32_maths_sqrt(vector x)
{
    return vector_root(x);
}

/* y = 1 / s corrected by what s lacks of the root and y of the inverse, both of which are exact once x is far
 * from subnormal numbers: within 0.51 ulp. */
static inline vector fp32_maths_rsqrt(vector x)
{
    const flags is_small = vector_greater(vector_of(0x1p-64F), x);
    vector far = vector_choose(is_small, fp32_product(x, vector_of(0x1p80F)), x);
    vector root = vector_root(far), value = 1 / root;
    vector lost = fused_minus(root, root, far), rest = fused_from(value, root, vector_of(1));
    vector better = fused(value, fused(lost * 0.5F * value, value, rest), value);
    const flags is_ordinary = vector_greater(x, vector_of(0)) & vector_greater(vector_of((float)INFINITY), x);
    value = vector_choose(is_ordinary, better, value);
    return vector_choose(is_small, value * 0x1p40F, value);
}

/* The whole number to nearest, ties to even, below, above and towards 0, with the sign of x: exact, so that
 * levels without the instruction give the same. Beyond 2^23 all are whole. */
enum whole { WHOLE_NEAREST = 0, WHOLE_BELOW = 1, WHOLE_ABOVE = 2, WHOLE_TOWARDS_0 = 3 };

static inline vector vector_whole_by_sums(vector x, enum whole whole)
{
    vector size = vector_absolute(x);
    size = vector_choose(vector_greater(vector_of(0x1p23F), size), (size + 0x1p23F) - 0x1p23F, size);
    if (whole == WHOLE_TOWARDS_0)
        size -= vector_truth(vector_greater(size, vector_absolute(x)));
    vector value = vector_with_sign_of(size, x);
    if (whole == WHOLE_BELOW)
        value = vector_signed_as(value - vector_truth(vector_greater(value, x)), x);
    if (whole == WHOLE_ABOVE)
        value = vector_signed_as(value + vector_truth(vector_greater(x, value)), x);
    return value;
}

/* The instructions take a constant alone, which a parameter is not to each compiler. */
#define VECTOR_WHOLE(x, whole)                                                                       \
    ((vector)BY_LEVEL(_mm512_roundscale_ps((__m512)(x), whole), _mm256_round_ps((__m256)(x), whole), \
                      vector_whole_by_sums(x, whole)))

static inline vector fp32_maths_round(vector x)
{
    return VECTOR_WHOLE(x, WHOLE_NEAREST);
}

static inline vector fp32_maths_floor(vector x)
{
    return VECTOR_WHOLE(x, WHOLE_BELOW);
}

static inline vector fp32_maths_ceil(vector x)
{
    return VECTOR_WHOLE(x, WHOLE_ABOVE);
}

static inline vector fp32_maths_trunc(vector x)
{
    return VECTOR_WHOLE(x, WHOLE_TOWARDS_0);
}

/* 0 for NaN and for zeros of both signs. */
static inline vector fp32_maths_sign(vector x)
{
    return vector_truth(vector_greater(x, vector_of(0))) - vector_truth(vector_greater(vector_of(0), x));
}

/* The angle of a real number: pi below 0. */
static inline vector fp32_maths_angle_v2(vector x)
{
    const vector right = vector_choose(vector_is_nan(x), x, vector_of(0));
    return vector_choose(vector_greater(vector_of(0), x), vector_of(0x1.921fb6p1F), right);
}

static inline vector fp32_maths_isfinite(vector x)
{
    return vector_truth(vector_greater(vector_of((float)INFINITY), vector_absolute(x)));
}

static inline vector fp32_maths_is_inf(vector x)
{
    return vector_truth(vector_equal(vector_absolute(x), vector_of((float)INFINITY)));
}

static inline vector fp32_maths_isposinf(vector x)
{
    return vector_truth(vector_equal(x, vector_of((float)INFINITY)));
}

static inline vector fp32_maths_isneginf(vector x)
{
    return vector_truth(vector_equal(x, vector_of(-(float)INFINITY)));
}

static inline vector fp32_maths_frac(vector x)
{
    vector rest = x - fp32_maths_trunc(x);
    return rest + 0; /* +0 for whole numbers; infinities give NaN */
}

#endif
