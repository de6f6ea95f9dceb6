/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quotients of integers, which are floats.
 */
#ifndef BELAY_SIMD_INTEGER_QUOTIENT_H
#define BELAY_SIMD_INTEGER_QUOTIENT_H

#include "simd/exact.h"
#include "simd/long_sum.h"
#include "simd/rounding.h"

/* Doubles that round to fp32 as the exact quotients do: infinite for x / 0, NaN for 0 / 0. */
static inline doubles odd_quotient(ints self, ints other)
{
    doubles over = __builtin_convertvector(self, doubles), under = __builtin_convertvector(other, doubles);
    doubles quotient = over / under;
    struct pair product = two_product(quotient, under);
    doubles rest = (over - product.high) - product.low; /* of the sign of what is missing, times under's */
    doubles side = negate_where(under < 0, rest);
    longs is_exact = (rest == 0) | (rest != rest) | (quotient == 0);
    return choose(is_exact, quotient, round_to_odd(quotient, side));
}

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

#endif
