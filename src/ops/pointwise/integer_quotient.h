/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quotients of integers, which are floats.
 */
#ifndef BELAY_OPS_POINTWISE_INTEGER_QUOTIENT_H
#define BELAY_OPS_POINTWISE_INTEGER_QUOTIENT_H

#include "simd/vector/canonical.h"
#include "simd/vector/exact.h"
#include "simd/vector/rounding.h"
#include "simd/vector/vector_fp32.h"

/* Doubles that round to fp32 as the exact quotients of integers do, which doubles have: infinite for x / 0,
 * NaN for 0 / 0. */
static inline doubles odd_quotient(doubles over, doubles under)
{
    doubles quotient = over / under;
    struct pair product = two_product(quotient, under);
    doubles rest = (over - product.high) - product.low; /* of the sign of what is missing, times under's */
    doubles side = negate_where(under < 0, rest);
    longs is_exact = (rest == 0) | (rest != rest) | (quotient == 0);
    return choose(is_exact, quotient, round_to_odd(quotient, side));
}

/* Floats have all integers up to 2^FP32_BITS, doubles all up to 2^FP64_BITS: whether one is beyond. */
enum { FP32_BITS = 24, FP64_BITS = 53 };

static inline bool any_int_beyond(vector_ints integers)
{
    const uint32_t bound = UINT32_C(1) << FP32_BITS;
    return vector_any((vector_bits)((vector_bits)integers + bound > vector_bits_of(2 * bound)));
}

static inline bool any_long_beyond(longs integers, int bits)
{
    const uint64_t bound = UINT64_C(1) << bits;
    return any((ulongs)integers + bound > (ulongs){0} + 2 * bound);
}

/* The nearest fp32 of 32-bit integers. */
static inline vector vector_quotient(vector_ints self, vector_ints other)
{
    if (__builtin_expect(!any_int_beyond(self) && !any_int_beyond(other), 1))
        return vector_canonical(__builtin_convertvector(self, vector) /
                                __builtin_convertvector(other, vector));
    ints over[2], under[2];
    floats quotient[2];
    memcpy(over, &self, sizeof over);
    memcpy(under, &other, sizeof under);
    for (int i = 0; i < 2; i++)
        quotient[i] = floats_of(odd_quotient(__builtin_convertvector(over[i], doubles),
                                             __builtin_convertvector(under[i], doubles)));
    vector whole;
    memcpy(&whole, quotient, sizeof whole);
    return vector_canonical(whole);
}

__extension__ typedef unsigned __int128 double_length;

/* The nearest fp32 of 64-bit integers: 26 bits or more of the quotient, and whether there is a remainder. */
static inline float fp32_quotient(int64_t self, int64_t other)
{
    if (self == 0 || other == 0)
        return (float)self / (float)other;
    uint64_t over = self < 0 ? 0 - (uint64_t)self : (uint64_t)self;
    uint64_t under = other < 0 ? 0 - (uint64_t)other : (uint64_t)other;
    int up = __builtin_clzll(over), down = __builtin_clzll(under);
    over <<= up;
    under <<= down;
    /* Both have their first bit set, so that this is 2^25 to 2^27. */
    double_length dividend = (double_length)over << 26;
    uint64_t quotient = (uint64_t)(dividend / under), odd = dividend % under != 0;
    uint64_t power = (uint64_t)(1023 - 27 + down - up) << 52;
    double unit;
    memcpy(&unit, &power, sizeof unit);
    double magnitude = (double)(quotient << 1 | odd) * unit; /* exact */
    return (float)((self < 0) != (other < 0) ? -magnitude : magnitude);
}

/* Quotients of 64-bit integers, rounded to fp32, as doubles. */
static inline doubles quotient_of_longs(longs self, longs other)
{
    const doubles over = __builtin_convertvector(self, doubles),
                  under = __builtin_convertvector(other, doubles);
    doubles result;
    if (__builtin_expect(!any_long_beyond(self, FP32_BITS) && !any_long_beyond(other, FP32_BITS), 1))
        result = doubles_of(floats_of(over) / floats_of(under));
    else if (!any_long_beyond(self, FP64_BITS) && !any_long_beyond(other, FP64_BITS))
        result = doubles_of(floats_of(odd_quotient(over, under)));
    else
        for (int i = 0; i < LANES; i++)
            result[i] = (double)fp32_quotient(self[i], other[i]);
    return canonical_doubles(result);
}

#endif
