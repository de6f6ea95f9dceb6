/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What contraction needs of vectors beyond simd/vector/vector_fp32.h: parts of them from and to memory, and
 * doubles with a fused multiply-add. Every level gives the same bits.
 */
#ifndef BELAY_OPS_CONTRACTION_VECTORS_H
#define BELAY_OPS_CONTRACTION_VECTORS_H

#include "simd/vector/vector_memory.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

static ALWAYS_INLINE vector load_floats(const float *from)
{
    vector value;
    memcpy(&value, from, sizeof value);
    return value;
}

static ALWAYS_INLINE void store_floats(float *to, vector value)
{
    memcpy(to, &value, sizeof value);
}

/* The first of them, at most a vector. */
static ALWAYS_INLINE void store_some_floats(float *to, vector value, uint32_t count)
{
    if (count >= VECTOR_LANES) {
        store_floats(to, value);
        return;
    }
#if defined(__AVX512F__)
    _mm512_mask_storeu_ps(to, (__mmask16)((1U << count) - 1), (__m512)value);
#else
    for (uint32_t i = 0; i < count; i++)
        to[i] = value[i];
#endif
}

static ALWAYS_INLINE void store_some_halves(unsigned char *to, vector_halves value, uint32_t count)
{
    if (count >= VECTOR_LANES) {
        memcpy(to, &value, sizeof value);
        return;
    }
#if defined(__AVX512F__)
    _mm256_mask_storeu_epi16(to, (__mmask16)((1U << count) - 1), (__m256i)value);
#else
    memcpy(to, &value, count * sizeof(uint16_t));
#endif
}

static ALWAYS_INLINE doubles load_doubles(const double *from)
{
    doubles value;
    memcpy(&value, from, sizeof value);
    return value;
}

static ALWAYS_INLINE void store_doubles(double *to, doubles value)
{
    memcpy(to, &value, sizeof value);
}

/* Floats at an address as doubles, half a vector of them. */
static ALWAYS_INLINE doubles load_as_doubles(const float *from)
{
    floats value;
    memcpy(&value, from, sizeof value);
    return doubles_of(value);
}

/* a * b + c in doubles that were floats: the product is exact, so that all levels round once. */
static ALWAYS_INLINE doubles fused_doubles(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

/* fp16 of canonical floats, ties to even; the canonical NaN stays one, which without the instruction takes a
 * word. */
static ALWAYS_INLINE vector_halves halves_of_fp16(vector value)
{
    vector_halves half = vector_to_fp16(value);
#if !defined(__F16C__) && !defined(__aarch64__)
    const vector_halves is_nan = __builtin_convertvector(value != value, vector_halves);
    half = (half & ~is_nan) | (is_nan & 0x7e00);
#endif
    return half;
}

static ALWAYS_INLINE vector vector_from_bf16(vector_halves half)
{
    return (vector)(__builtin_convertvector(half, vector_bits) << 16);
}

/* bf16 of canonical floats, ties to even; the canonical NaN stays one. */
static ALWAYS_INLINE vector_halves halves_of_bf16(vector value)
{
    return __builtin_convertvector(vector_to_bf16(value) >> 16, vector_halves);
}

#endif
