/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * From doubles to the bits of a dtype in one rounding, and the test whether an approximation settles them.
 */
#ifndef BELAY_SIMD_VECTOR_ROUNDING_H
#define BELAY_SIMD_VECTOR_ROUNDING_H

#include "simd/vector/kernels.h"
#include "simd/vector/vector.h"

/*
 * An estimate may be wrong by this much, relatively. Both ends of that interval round alike for all but about
 * one in 2^22 results of fp32; exact ties apart, which are common in 16-bit data.
 */
#define ESTIMATE_ERROR 0x1p-48

/*
 * value rounded to nearest, ties to even, to a significand of fraction_bits + 1 bits and exponents from
 * smallest_exponent on. Adding 3 * 2^51 units of the wanted last place leaves a double no finer place than
 * that, and being a multiple of 2 units it keeps the parity that ties look at.
 */
static inline doubles round_to(doubles value, int fraction_bits, double smallest_normal)
{
    const doubles lowest = broadcast(smallest_normal), highest = broadcast(0x1p200);
    doubles binade = (doubles)((ulongs)value & 0x7ff0000000000000);
    binade = choose(binade < lowest, lowest, binade);
    binade = choose(binade > highest, highest, binade); /* infinities must not become infinity - infinity */
    doubles shift = binade * (1.5 * (double)(1ULL << (52 - fraction_bits)));
    return (doubles)((ulongs)((value + shift) - shift) | sign_bit(value));
}

/* The bits of an fp16 for floats that fp16 has, or that overflow it. */
static inline uints fp16_bits(floats value)
{
#if defined(__AVX512F__)
    return (uints)_mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)value, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__AVX2__)
    return (uints)_mm_cvtepu16_epi32(_mm_cvtps_ph((__m128)value, _MM_FROUND_TO_NEAREST_INT));
#else
    /* 2^-112 takes fp16's exponents and subnormals to those of fp32; 65536 becomes the infinity. */
    uints sign = (uints)value >> 31 << 15, bits = (uints)value << 1 >> 1;
    const uints infinity = (uints){0} + 0x47800000;
    ints overflow = ((ints)bits > (ints)infinity) & ((ints)bits <= 0x7f800000);
    bits = choose_uints(overflow, infinity, bits);
    return sign | (uints)((floats)bits * 0x1p-112f) >> 13;
#endif
}

/* The bits of the dtype (not fp64) that value rounds to; NaN becomes some NaN. */
static inline uints round_bits(enum arithmetic dtype, doubles value)
{
    if (dtype == ARITHMETIC_FP32)
        return (uints)floats_of(value);
    if (dtype == ARITHMETIC_FP16)
        return fp16_bits(floats_of(round_to(value, 10, 0x1p-14)));
    return (uints)floats_of(round_to(value, 7, 0x1p-126)) >> 16;
}

/* Bits of the dtype with the canonical NaN for every NaN. */
static inline uints canonical_bits(enum arithmetic dtype, uints bits)
{
    const uint32_t infinity = dtype == ARITHMETIC_FP32   ? 0x7f800000
                              : dtype == ARITHMETIC_FP16 ? 0x7c00
                                                         : 0x7f80;
    const uint32_t nan = dtype == ARITHMETIC_FP32 ? 0x7fc00000 : dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    const uint32_t magnitude = dtype == ARITHMETIC_FP32 ? 0x7fffffff : 0x7fff;
    ints is_nan = (ints)(bits & magnitude) > (int32_t)infinity;
    return choose_uints(is_nan, (uints){0} + nan, bits);
}

/*
 * value where the exact number is value itself, otherwise a double on the exact number's side of value that
 * is no tie of any narrower dtype: the odd one next to an even value. side has the sign of exact - value.
 * Ties and numbers of fp32 or less end in zeros, so an odd double lies strictly between them. value != 0.
 */
static inline doubles round_to_odd(doubles value, doubles side)
{
    longs away = (longs)(sign_bit(value) == sign_bit(side));
    longs even = ((longs)value & 1) == 0;
    longs inexact = side != 0;
    /* away is -1 or 0: bits + 1 for away from zero, bits - 1 for towards it. */
    return (doubles)((longs)value + ((-2 * away - 1) & even & inexact));
}

#endif
