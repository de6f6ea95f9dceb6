/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements between floating-point dtypes: loops without branches, which become
 * vector code with -O3. Each value is rounded once, to nearest, ties to even; every NaN becomes the canonical
 * one.
 */
#ifndef BELAY_SIMD_CONVERT_FLOATS_H
#define BELAY_SIMD_CONVERT_FLOATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

/* Elements in memory that is otherwise bytes. */
typedef uint16_t half_word __attribute__((may_alias));
typedef uint32_t word __attribute__((may_alias));
typedef uint64_t double_word __attribute__((may_alias));

static inline uint32_t fp32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float fp32_from(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t fp64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double fp64_from(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits with the canonical NaN for every NaN. */
static inline uint32_t fp32_canonical(uint32_t bits)
{
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : bits;
}

static inline uint64_t fp64_canonical(uint64_t bits)
{
    return (bits & (UINT64_MAX >> 1)) > UINT64_C(0x7FF) << 52 ? UINT64_C(0x7FF8) << 48 : bits;
}

#if defined(__AVX512F__)
static inline __m512 canonical_register(__m512 value)
{
    __mmask16 is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    return _mm512_mask_mov_ps(value, is_nan, _mm512_castsi512_ps(_mm512_set1_epi32(0x7FC00000)));
}
#endif

/* The processor keeps the payload of NaN, which is mended after: compilers would branch around a conversion.
 */
static inline uint64_t fp64_of_fp32(uint32_t bits)
{
    return fp64_canonical(fp64_bits((double)fp32_from(bits)));
}

/*
 * The fields of an fp16 in the places of an fp32's make a number 2^112 too small, subnormal for subnormals
 * and zero for zero, so that one exact multiplication is all it takes. Infinities and NaN are put in after.
 */
static inline void fp16_to_fp32(const void *source, void *target, size_t count)
{
    const half_word *from = source;
    word *to = target;
    size_t i = 0;
#if defined(__AVX512F__)
    for (; count - i >= 16; i += 16) {
        __m512 value = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *)(from + i)));
        _mm512_storeu_ps(to + i, canonical_register(value));
    }
#endif
#if defined(__F16C__)
    for (; count - i >= 8; i += 8) {
        __m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)(from + i)));
        __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
        value = _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
        _mm256_storeu_ps((float *)(to + i), value);
    }
#endif
    for (; i < count; i++) {
        uint32_t magnitude = (uint32_t)(from[i] & 0x7FFF) << 13, sign = (uint32_t)(from[i] & 0x8000) << 16;
        uint32_t finite = fp32_bits(fp32_from(magnitude) * 0x1p112f);
        uint32_t number = sign | (magnitude >= 0x0F800000 ? 0x7F800000 : finite);
        to[i] = magnitude > 0x0F800000 ? 0x7FC00000 : number;
    }
}

static inline void bf16_to_fp32(const void *source, void *target, size_t count)
{
    const half_word *from = source;
    word *to = target;
    for (size_t i = 0; i < count; i++)
        to[i] = (from[i] & 0x7FFF) > 0x7F80 ? 0x7FC00000 : (uint32_t)from[i] << 16;
}

static inline void fp32_to_fp64(const void *source, void *target, size_t count)
{
    const word *from = source;
    double_word *to = target;
    for (size_t i = 0; i < count; i++)
        to[i] = fp64_of_fp32(from[i]);
}

static inline void fp64_to_fp32(const void *source, void *target, size_t count)
{
    const double_word *from = source;
    word *to = target;
    for (size_t i = 0; i < count; i++)
        to[i] = fp32_canonical(fp32_bits((float)fp64_from(from[i])));
}

static inline void fp32_to_bf16(const void *source, void *target, size_t count)
{
    const word *from = source;
    half_word *to = target;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = from[i], rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
        to[i] = (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : rounded);
    }
}

/*
 * Rounding by addition: next to a number m = 2^p of the wider format with the right p, neighbours lie as far
 * apart as the target's do next to the value, so that (value + m) - m rounds, to even too, because m is an
 * even multiple of that distance. The distance below the target's least normal number is constant, hence the
 * lower bound of the exponent; the upper bound is where the target overflows.
 */
static inline void fp32_to_fp16(const void *source, void *target, size_t count)
{
    const word *from = source;
    half_word *to = target;
    size_t i = 0;
#if defined(__AVX512F__)
    for (; count - i >= 16; i += 16) {
        __m256i value =
            _mm512_cvtps_ph(canonical_register(_mm512_loadu_ps(from + i)), _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256((__m256i_u *)(to + i), value);
    }
#endif
#if defined(__F16C__)
    for (; count - i >= 8; i += 8) {
        __m256 value = _mm256_loadu_ps((const float *)(from + i));
        __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
        value = _mm256_blendv_ps(value, nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
        _mm_storeu_si128((__m128i_u *)(to + i), _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
    }
#endif
    for (; i < count; i++) {
        uint32_t magnitude = from[i] & 0x7FFFFFFF, sign = from[i] >> 16 & 0x8000;
        uint32_t clamped = magnitude > 0x47800000 ? 0x47800000 : magnitude; /* 65536 */
        uint32_t exponent = clamped & 0x7F800000;
        exponent = exponent < 0x38800000 ? 0x38800000 : exponent; /* 2^-14 */
        float much = fp32_from(exponent + (13u << 23)), rounded = fp32_from(clamped) + much - much;
        uint32_t normal = (fp32_bits(rounded) >> 13) - (112u << 10);
        bool is_subnormal = rounded < 0x1p-14f;
        uint32_t subnormal = (uint32_t)(int32_t)(is_subnormal ? rounded * 0x1p24f : 0);
        uint32_t finite = is_subnormal ? subnormal : normal;
        to[i] = (uint16_t)(magnitude > 0x7F800000 ? 0x7E00 : sign | finite);
    }
}

/*
 * An fp64 as the bits of an fp32 that is rounded to odd: what is lost makes the last bit 1, so that rounding
 * once more, to at most 22 bits, is as good as once. The processor rounds to the nearest; where that is
 * above, the number below it is the one before in the order of bits, also of 0 and infinity. NaN stays
 * one of some kind.
 */
static inline uint32_t odd_fp32_of_fp64(uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    uint32_t nearest = fp32_bits((float)fp64_from(bits));
    uint64_t kept = fp64_bits((double)fp32_from(nearest)) & (UINT64_MAX >> 1);
    return (nearest - (uint32_t)(kept > magnitude)) | (uint32_t)(kept != magnitude);
}

#endif
