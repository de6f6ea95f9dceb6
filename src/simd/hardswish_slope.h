/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g times the slope of hardswish: x / 3 + 1/2 between -3 and 3, 0 below, 1 above, with the ends belonging to
 * the middle (closed) or to the parts beside it.
 */
#ifndef BELAY_SIMD_HARDSWISH_SLOPE_H
#define BELAY_SIMD_HARDSWISH_SLOPE_H

#include "simd/exact.h"
#include "simd/odd.h"
#include "simd/quotient.h"
#include "simd/rounding.h"

/* 6 times the slope, exactly: 2x + 3 between the ends, 6 above, 0 below. */
static inline doubles hardswish_slope_by_six(doubles x, bool is_closed)
{
    /* Doubles hold 2x + 3 for every x of 24 bits down to 2^-29. A smaller one only decides, by its sign, to
     * which side a result that is nearly g / 2 rounds if g / 2 is a tie. */
    doubles slope = 2 * keep_off_zero(x, 0x1p-29) + 3;
    slope = choose(is_closed ? x > 3 : x >= 3, broadcast(6), slope);
    return choose(is_closed ? x < -3 : x <= -3, broadcast(0), slope);
}

static inline doubles hardswish_slope_estimate(const doubles *input, bool is_closed)
{
    return input[0] * hardswish_slope_by_six(input[1], is_closed) / 6;
}

/*
 * The gradient has 24 bits, the slope 53: with the slope in two parts both products are exact. A quotient cut
 * to 48 bits is off by more than the estimate was, yet not by a whole unit of its last place, so no tie lies
 * between it and the exact one; 6 times it is exact, and the remainder's sign tells the side.
 */
static inline doubles hardswish_slope_settle(const doubles *input, doubles value, bool is_closed)
{
    doubles slope = hardswish_slope_by_six(input[1], is_closed), high = leading(slope, 26);
    doubles quotient = leading(value, 48);
    const doubles remainder[] = {input[0] * high, input[0] * (slope - high), -6 * quotient};
    return round_to_odd(quotient, sign_of_sum(remainder, 3));
}

/* Where the slope is 1 or 0 x becomes one in between that has the same slope. */
static inline wide hardswish_inner(wide x, bool is_closed)
{
    const wide end = wide_of(is_closed ? 3 : 0x1.7ffffep+1F);
    return wide_magnitude_where(wide_greater(wide_absolute(x), end), wide_of(1.5F), x);
}

/*
 * g (x + 3/2) / 3, with the sum exactly as a pair: 3/2 is a multiple of the last place of every smaller x.
 * Where the slope is 1 or 0 an x between the ends has the same one, so that any gradient has one product.
 */
static inline __attribute__((always_inline)) wide hardswish_slope_fast(const wide *input,
                                                                       struct doubts *doubts, bool is_closed)
{
    wide g = input[0], x = hardswish_inner(input[1], is_closed), sum = x + 1.5F;
    struct wide_pair slope = {sum, x - (sum - 1.5F)};
    if (doubts->path == PATH_ANY)
        return multiply_divide_any(g, slope, wide_divisor_of(3, true), doubts);
    doubt_small(doubts, g);
    return multiply_divide(g, slope, wide_divisor_of(3, true), doubts);
}

#endif
