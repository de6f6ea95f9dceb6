/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The vectors that contraction computes with on one instruction-set level: floats with a fused multiply-add,
 * doubles of the same number, and 16-bit floats on their way in and out. Every level gives the same bits.
 */
#ifndef BELAY_OPS_CONTRACTION_VECTORS_H
#define BELAY_OPS_CONTRACTION_VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_base.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { VECTOR_LANES = 16 };
#elif defined(__AVX2__)
enum { VECTOR_LANES = 8 };
#else
enum { VECTOR_LANES = 4 };
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))

typedef float float_vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef int32_t int_vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef uint32_t bit_vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef uint16_t half_vector __attribute__((vector_size(VECTOR_LANES * 2)));
/* Half the lanes: as many doubles as fit a register. */
typedef double double_vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef int64_t long_vector __attribute__((vector_size(VECTOR_LANES * 4)));
typedef float half_float_vector __attribute__((vector_size(VECTOR_LANES * 2)));

static ALWAYS_INLINE float_vector load_floats(const float *from)
{
    float_vector value;
    memcpy(&value, from, sizeof value);
    return value;
}

static ALWAYS_INLINE void store_floats(float *to, float_vector value)
{
    memcpy(to, &value, sizeof value);
}

/* The first of them, at most a vector. */
static ALWAYS_INLINE void store_some_floats(float *to, float_vector value, uint32_t count)
{
    if (count >= VECTOR_LANES) {
        store_floats(to, value);
        return;
    }
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(to, (__mmask16)((1U << count) - 1), (__m512)value);
#else
    float element[VECTOR_LANES];
    store_floats(element, value);
    for (uint32_t i = 0; i < count; i++)
        to[i] = element[i];
#endif
}

static ALWAYS_INLINE double_vector load_doubles(const double *from)
{
    double_vector value;
    memcpy(&value, from, sizeof value);
    return value;
}

static ALWAYS_INLINE void store_doubles(double *to, double_vector value)
{
    memcpy(to, &value, sizeof value);
}

static ALWAYS_INLINE float_vector all_floats(float value)
{
#if defined(__AVX512F__)
    return (float_vector)_mm512_set1_ps(value);
#elif defined(__AVX2__)
    return (float_vector)_mm256_set1_ps(value);
#else
    return (float_vector){value, value, value, value};
#endif
}

static ALWAYS_INLINE double_vector all_doubles(double value)
{
#if defined(__AVX512F__)
    return (double_vector)_mm512_set1_pd(value);
#elif defined(__AVX2__)
    return (double_vector)_mm256_set1_pd(value);
#else
    return (double_vector){value, value};
#endif
}

static ALWAYS_INLINE int_vector select_bits(int_vector mask, int_vector yes, int_vector no)
{
    return (mask & yes) | (~mask & no);
}

/* Floats at an address as doubles, half a vector of them. */
static ALWAYS_INLINE double_vector load_as_doubles(const float *from)
{
    half_float_vector value;
    memcpy(&value, from, sizeof value);
#if defined(__AVX512F__)
    return (double_vector)_mm512_cvtps_pd((__m256)value);
#elif defined(__AVX2__)
    return (double_vector)_mm256_cvtps_pd((__m128)value);
#else
    return __builtin_convertvector(value, double_vector);
#endif
}

#if !defined(__FMA__) && !defined(__aarch64__)
/*
 * a * b + c of floats as a float, rounded once, in doubles. The product is exact (48 bits). Rounding the sum
 * to double first and then to float differs from rounding once only where the double is a tie of floats, or
 * where the float has fewer bits because it is tiny. There the double is rounded to odd: if it is inexact and
 * even, to its neighbour on the side of what was lost, which is never a tie.
 */
static inline double_vector sum_for_float(double_vector product, double_vector addend)
{
    double_vector sum = product + addend;
    const long_vector magnitude = (long_vector)sum & INT64_MAX;
    const long_vector tie = ((long_vector)sum & 0x1fffffff) == 0x10000000;
    const long_vector tiny = magnitude < INT64_C(0x3820000000000000); /* 2^-125 */
    long_vector doubtful = tie | tiny;
    if (__builtin_expect((doubtful[0] | doubtful[1]) == 0, 1))
        return sum;
    /* What was lost (Knuth); NaN beside an infinity, where nothing was. */
    double_vector part = sum - product;
    double_vector lost = (product - (sum - part)) + (addend - part);
    long_vector even = ((long_vector)sum & 1) == 0;
    long_vector inexact = (lost < 0) | (lost > 0);
    long_vector outwards = (((long_vector)sum ^ (long_vector)lost) >> 63) == 0;
    return (double_vector)((long_vector)sum + ((-2 * outwards - 1) & even & inexact));
}
#endif

/* a * b + c, rounded once. */
static ALWAYS_INLINE float_vector fused(float_vector a, float_vector b, float_vector c)
{
#if defined(__AVX512F__)
    return (float_vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    return (float_vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
    return (float_vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#else
    float term[3][VECTOR_LANES];
    memcpy(term[0], &a, sizeof a);
    memcpy(term[1], &b, sizeof b);
    memcpy(term[2], &c, sizeof c);
    half_float_vector half[2];
    for (int i = 0; i < 2; i++)
        half[i] = __builtin_convertvector(
            sum_for_float(load_as_doubles(term[0] + 2 * i) * load_as_doubles(term[1] + 2 * i),
                          load_as_doubles(term[2] + 2 * i)),
            half_float_vector);
    float_vector result;
    memcpy(&result, half, sizeof result);
    return result;
#endif
}

/* a * b + c in doubles that were floats: the product is exact, so that all levels round once. */
static ALWAYS_INLINE double_vector fused_doubles(double_vector a, double_vector b, double_vector c)
{
#if defined(__AVX512F__)
    return (double_vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (double_vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

/* Every NaN becomes the one that is positive, quiet and without a payload. */
static ALWAYS_INLINE float_vector canonical(float_vector value)
{
#if defined(__AVX512F__)
    __mmask16 is_nan = _mm512_cmp_ps_mask((__m512)value, (__m512)value, _CMP_UNORD_Q);
    return (float_vector)_mm512_mask_mov_ps((__m512)value, is_nan,
                                            _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)));
#else
    return (float_vector)select_bits(value == value, (int_vector)value, (int_vector){0} + 0x7fc00000);
#endif
}

/* FLOAT16 as floats, exactly. */
static ALWAYS_INLINE float_vector floats_of_fp16(half_vector half)
{
#if defined(__AVX512F__)
    return (float_vector)_mm512_cvtph_ps((__m256i)half);
#elif defined(__F16C__)
    return (float_vector)_mm256_cvtph_ps((__m128i)half);
#else
    /* The exponent is 112 too small, which a product repairs for subnormal numbers too; infinities and NaNs
     * have the greatest exponent instead. */
    int_vector bits = __builtin_convertvector(half, int_vector);
    int_vector magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
    int_vector finite = (int_vector)((float_vector)magnitude * 0x1p112f);
    return (float_vector)(sign | select_bits(magnitude >= 0x7c00 << 13, magnitude | 0x7f800000, finite));
#endif
}

/* BFLOAT16 as floats, exactly. */
static ALWAYS_INLINE float_vector floats_of_bf16(half_vector half)
{
#if defined(__AVX512F__)
    return (float_vector)_mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)half), 16);
#elif defined(__AVX2__)
    return (float_vector)_mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)half), 16);
#else
    return (float_vector)(__builtin_convertvector(half, bit_vector) << 16);
#endif
}

/* Canonical floats rounded to FLOAT16, ties to even. */
static ALWAYS_INLINE half_vector fp16_of_floats(float_vector value)
{
#if defined(__AVX512F__)
    return (half_vector)_mm512_cvtps_ph((__m512)value, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__F16C__)
    return (half_vector)_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT);
#else
    int_vector bits = (int_vector)value, magnitude = bits & 0x7fffffff;
    int_vector sign = (int_vector)((bit_vector)bits >> 16 & 0x8000);
    /* Normal: 13 bits are rounded off, and a carry may raise the exponent up to infinity. */
    int_vector normal = ((magnitude + 0xfff + ((magnitude >> 13) & 1)) >> 13) - (112 << 10);
    normal = select_bits(normal > 0x7c00, (int_vector){0} + 0x7c00, normal);
    /* Below 2^-14: beside 0.5 a float has the places of a subnormal FLOAT16. */
    int_vector subnormal = (int_vector)((float_vector)magnitude + 0.5f) - 0x3f000000;
    int_vector result = select_bits(magnitude < 0x38800000, subnormal, normal);
    result = select_bits(magnitude > 0x7f800000, (int_vector){0} + 0x7e00, result);
    return __builtin_convertvector(result | sign, half_vector);
#endif
}

/* Canonical floats rounded to BFLOAT16, ties to even. */
static ALWAYS_INLINE half_vector bf16_of_floats(float_vector value)
{
    bit_vector bits = (bit_vector)value;
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16; /* the canonical NaN stays one */
#if defined(__AVX512F__)
    return (half_vector)_mm512_cvtepi32_epi16((__m512i)bits);
#else
    return __builtin_convertvector(bits, half_vector);
#endif
}

#endif
