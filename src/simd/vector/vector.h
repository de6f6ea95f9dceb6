/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The vectors that kernels compute with, one element of each array per lane, and what C lacks for them.
 *
 * Everything in src/simd is static inline: a file compiled for a higher instruction-set level must not lend
 * its code to a lower one.
 */
#ifndef BELAY_SIMD_VECTOR_VECTOR_H
#define BELAY_SIMD_VECTOR_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A vector has as many lanes as a register has doubles: wider ones would be taken apart lane by lane. */
#if defined(__AVX512F__)
enum { LANES = 8 };
#elif defined(__AVX2__)
enum { LANES = 4 };
#else
enum { LANES = 2 };
#endif

/* A comparison gives longs (of doubles, longs, ulongs) or ints (of floats, ints, uints): all bits set or
 * none. */
typedef double doubles __attribute__((vector_size(LANES * 8)));
typedef int64_t longs __attribute__((vector_size(LANES * 8)));
typedef uint64_t ulongs __attribute__((vector_size(LANES * 8)));
typedef float floats __attribute__((vector_size(LANES * 4)));
typedef int32_t ints __attribute__((vector_size(LANES * 4)));
typedef uint32_t uints __attribute__((vector_size(LANES * 4)));
typedef uint16_t halves __attribute__((vector_size(LANES * 2)));

/*
 * clang 14 compares floats that came from fp16 as fp16, one lane at a time. What passes through here has no
 * origin that it knows.
 */
#if defined(__clang__) && defined(__F16C__)
#define FORGET_ORIGIN(value) __asm__("" : "+v"(value))
#else
#define FORGET_ORIGIN(value) ((void)0)
#endif

/* One double in all lanes, of either zero and of any NaN the same bits. */
static inline doubles broadcast(double value)
{
    uint64_t bits; /* 0 + value would be a sum of doubles, which turns -0 into 0 */
    memcpy(&bits, &value, sizeof bits);
    return (doubles)((ulongs){0} + bits);
}

/* yes where the mask is set, no elsewhere. */
static inline doubles choose(longs mask, doubles yes, doubles no)
{
    return (doubles)((mask & (longs)yes) | (~mask & (longs)no));
}

/* The upper half of the first 8, 4 or 2 elements, in the place of the lower. */
static inline longs upper_half(longs v, size_t half)
{
#if defined(__AVX512F__)
    return half == 4   ? __builtin_shufflevector(v, v, 4, 5, 6, 7, 4, 5, 6, 7)
           : half == 2 ? __builtin_shufflevector(v, v, 2, 3, 2, 3, 2, 3, 2, 3)
                       : __builtin_shufflevector(v, v, 1, 1, 1, 1, 1, 1, 1, 1);
#elif defined(__AVX2__)
    return half == 2 ? __builtin_shufflevector(v, v, 2, 3, 2, 3) : __builtin_shufflevector(v, v, 1, 1, 1, 1);
#else
    (void)half;
    return __builtin_shufflevector(v, v, 1, 1);
#endif
}

/* yes where all bits of the mask's lane are set, no where none is. */
static inline uints choose_uints(ints mask, uints yes, uints no)
{
    return ((uints)mask & yes) | (~(uints)mask & no);
}

/* Whether any lane of the mask is set. */
static inline bool any(longs mask)
{
#if defined(__AVX512F__)
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_pd((__m256d)mask) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_pd((__m128d)mask) != 0;
#else
    int64_t set = 0;
    for (int i = 0; i < LANES; i++)
        set |= mask[i];
    return set != 0;
#endif
}

/* A mask of 32-bit lanes as one of 64-bit lanes. */
static inline longs widen(ints mask)
{
#if defined(__AVX512F__)
    return (longs)_mm512_cvtepi32_epi64((__m256i)mask);
#elif defined(__AVX2__)
    return (longs)_mm256_cvtepi32_epi64((__m128i)mask);
#else
    return __builtin_convertvector(mask, longs);
#endif
}

/* gcc 12 converts the widest vectors in halves. */
static inline doubles doubles_of(floats value)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_cvtps_pd((__m256)value);
#elif defined(__AVX2__)
    return (doubles)_mm256_cvtps_pd((__m128)value);
#else
    return __builtin_convertvector(value, doubles);
#endif
}

/* Each double rounded once to fp32, to nearest, ties to even. */
static inline floats floats_of(doubles value)
{
#if defined(__AVX512F__)
    return (floats)_mm512_cvtpd_ps((__m512d)value);
#elif defined(__AVX2__)
    return (floats)_mm256_cvtpd_ps((__m256d)value);
#else
    return __builtin_convertvector(value, floats);
#endif
}

/* a * b + c, rounded once or twice: for estimates alone, whose rounding the levels need not share. */
static inline doubles about_sum(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

/* The sign bit alone, and the value without it: both also of NaN. */
static inline ulongs sign_bit(doubles value)
{
    return (ulongs)value & (1ULL << 63);
}

static inline doubles absolute(doubles value)
{
    return (doubles)((ulongs)value & ~(1ULL << 63));
}

/* magnitude >= 0 with the sign of the other. */
static inline doubles with_sign_of(doubles magnitude, doubles sign)
{
    return (doubles)((ulongs)magnitude | sign_bit(sign));
}

/* value, but never closer to 0 than smallest unless it is 0; the sign stays. */
static inline doubles keep_off_zero(doubles value, double smallest)
{
    longs tiny = (absolute(value) < smallest) & (value != 0);
    return choose(tiny, with_sign_of(broadcast(smallest), value), value);
}

/* 2^exponent for exponents of -1022 to 1023. */
static inline doubles power_of_two(longs exponent)
{
    return (doubles)((exponent + 1023) << 52);
}

/* value times 2^exponent for exponents of -2044 to 2046: in two steps, so that the result may be subnormal.
 */
static inline doubles scale(doubles value, longs exponent)
{
    longs half = exponent >> 1;
    return value * power_of_two(half) * power_of_two(exponent - half);
}

/* -value where the mask is set: the sign bit turned over, of 0 and NaN too. */
static inline doubles negate_where(longs mask, doubles value)
{
    return (doubles)((ulongs)value ^ ((ulongs)mask & (1ULL << 63)));
}

#endif
