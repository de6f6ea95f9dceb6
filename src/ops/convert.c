/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements between floating-point dtypes, for one instruction-set level: ten loops,
 * of which a conversion takes one or two. Every first step of two is exact, so that there is one rounding.
 *
 * This file is compiled with -O3; the loops have no branches and become vector code.
 */
#include "ops/convert.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "ops/transfer.h"

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

typedef uint16_t half_word __attribute__((may_alias));
typedef uint32_t word __attribute__((may_alias));
typedef uint64_t double_word __attribute__((may_alias));

/*
 * The fields of an fp16 in the places of an fp32's make a number 2^112 too small, subnormal for subnormals
 * and zero for zero, so that one exact multiplication is all it takes. Infinities and NaN get their exponent
 * after, NaN the bit that makes it quiet, too.
 */
static void fp16_to_fp32(const half_word *from, word *to, size_t count)
{
    size_t i = 0;
#if defined(__F16C__)
    for (; count - i >= 8; i += 8) {
        __m128i bits = _mm_loadu_si128((const __m128i_u *)(from + i));
        _mm256_storeu_ps((float *)(to + i), _mm256_cvtph_ps(bits));
    }
#endif
    for (; i < count; i++) {
        uint32_t magnitude = (uint32_t)(from[i] & 0x7FFF) << 13, sign = (uint32_t)(from[i] & 0x8000) << 16;
        uint32_t finite = fp32_bits(fp32_from(magnitude) * 0x1p112f);
        uint32_t special = magnitude | (magnitude > 0x0F800000 ? 0x7FC00000 : 0x7F800000);
        to[i] = sign | (magnitude >= 0x0F800000 ? special : finite);
    }
}

static void bf16_to_fp32(const half_word *from, word *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)from[i] << 16;
}

static void fp32_to_fp64(const word *from, double_word *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = fp64_bits((double)fp32_from(from[i]));
}

static void fp64_to_fp32(const double_word *from, word *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = fp64_from(from[i]);
        to[i] = value != value ? 0x7FC00000 : fp32_bits((float)value);
    }
}

static void fp32_to_bf16(const word *from, half_word *to, size_t count)
{
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
static void fp32_to_fp16(const word *from, half_word *to, size_t count)
{
    size_t i = 0;
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

static void fp64_to_fp16(const double_word *from, half_word *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = from[i] & (UINT64_MAX >> 1), infinity = UINT64_C(0x7FF) << 52;
        uint64_t top = UINT64_C(1039) << 52, least = UINT64_C(1009) << 52; /* 2^16 and 2^-14 */
        uint64_t clamped = magnitude > top ? top : magnitude, exponent = clamped & infinity;
        exponent = exponent < least ? least : exponent;
        double much = fp64_from(exponent + (UINT64_C(42) << 52));
        float rounded = (float)(fp64_from(clamped) + much - much); /* exact */
        uint32_t normal = (fp32_bits(rounded) >> 13) - (112u << 10);
        bool is_subnormal = rounded < 0x1p-14f;
        uint32_t subnormal = (uint32_t)(int32_t)(is_subnormal ? rounded * 0x1p24f : 0);
        uint32_t finite = is_subnormal ? subnormal : normal, sign = (uint32_t)(from[i] >> 48) & 0x8000;
        to[i] = (uint16_t)(magnitude > infinity ? 0x7E00 : sign | finite);
    }
}

static void fp64_to_bf16(const double_word *from, half_word *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = from[i] & (UINT64_MAX >> 1), infinity = UINT64_C(0x7FF) << 52;
        uint64_t top = UINT64_C(1151) << 52, least = UINT64_C(897) << 52; /* 2^128 and 2^-126 */
        uint64_t clamped = magnitude > top ? top : magnitude, exponent = clamped & infinity;
        exponent = exponent < least ? least : exponent;
        double much = fp64_from(exponent + (UINT64_C(45) << 52));
        float rounded = (float)(fp64_from(clamped) + much - much); /* exact, or 2^128 and then infinite */
        uint32_t sign = (uint32_t)(from[i] >> 48) & 0x8000;
        to[i] = (uint16_t)(magnitude > infinity ? 0x7FC0 : sign | fp32_bits(rounded) >> 16);
    }
}

static void fp32_to_complex64(const word *from, word *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = from[i];
        to[2 * i + 1] = 0;
    }
}

static void fp64_to_complex128(const double_word *from, double_word *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        to[2 * i] = from[i];
        to[2 * i + 1] = 0;
    }
}

static void from_fp32(const void *from, void *to, aclDataType dtype, size_t count)
{
    double_word wide[CONVERT_MAX] __attribute__((uninitialized));
    switch (dtype) {
    case ACL_FLOAT16:
        fp32_to_fp16((const word *)from, (half_word *)to, count);
        break;
    case ACL_BF16:
        fp32_to_bf16((const word *)from, (half_word *)to, count);
        break;
    case ACL_DOUBLE:
        fp32_to_fp64((const word *)from, (double_word *)to, count);
        break;
    case ACL_COMPLEX64:
        fp32_to_complex64((const word *)from, (word *)to, count);
        break;
    default: /* COMPLEX128 */
        fp32_to_fp64((const word *)from, wide, count);
        fp64_to_complex128(wide, (double_word *)to, count);
        break;
    }
}

static void from_fp64(const void *from, void *to, aclDataType dtype, size_t count)
{
    word narrow[CONVERT_MAX] __attribute__((uninitialized));
    switch (dtype) {
    case ACL_FLOAT16:
        fp64_to_fp16((const double_word *)from, (half_word *)to, count);
        break;
    case ACL_BF16:
        fp64_to_bf16((const double_word *)from, (half_word *)to, count);
        break;
    case ACL_FLOAT:
        fp64_to_fp32((const double_word *)from, (word *)to, count);
        break;
    case ACL_COMPLEX64:
        fp64_to_fp32((const double_word *)from, narrow, count);
        fp32_to_complex64(narrow, (word *)to, count);
        break;
    default: /* COMPLEX128 */
        fp64_to_complex128((const double_word *)from, (double_word *)to, count);
        break;
    }
}

void AT_LEVEL(convert)(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, size_t count)
{
    word single[CONVERT_MAX] __attribute__((uninitialized));
    if (from_dtype == ACL_DOUBLE) {
        from_fp64(from, to, to_dtype, count);
        return;
    }
    if (from_dtype != ACL_FLOAT) {
        word *target = to_dtype == ACL_FLOAT ? (word *)to : single;
        if (from_dtype == ACL_FLOAT16)
            fp16_to_fp32((const half_word *)from, target, count);
        else
            bf16_to_fp32((const half_word *)from, target, count);
        from = single;
    }
    if (to_dtype != ACL_FLOAT)
        from_fp32(from, to, to_dtype, count);
}
