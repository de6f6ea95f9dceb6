/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^(x - m) for sums over rows, m being the greatest element, so that x - m is not above 0. What makes e^x of
 * the difference is row_exp, or row_exp_short where 24 bits count, of simd/loops/row.h: e^x is 2^k e^r with a
 * whole k and |r| <= ln 2 / 2, r being reduced by ln 2 in two parts (W. J. Cody and W. Waite, Software Manual
 * for the Elementary Functions, 1980).
 */
#ifndef BELAY_SIMD_LOOPS_ROW_EXPONENTIAL_H
#define BELAY_SIMD_LOOPS_ROW_EXPONENTIAL_H

#include "simd/loops/row.h"

/* e^(x - greatest) for x that is not above greatest, where the difference is exact or what its rounding loses
 * may be lost: within 1 ulp of e to the rounded difference. */
static inline doubles exp_of_difference(doubles x, double greatest)
{
    return row_exp(x - greatest, broadcast(0));
}

/* e^(x - greatest) within 1 ulp for any two doubles, x not above greatest. */
static inline doubles exp_of_whole_difference(doubles x, double greatest)
{
    /* The difference and what its rounding lost (two-sum: D. E. Knuth, The Art of Computer Programming 2,
     * 4.2.2), which is nothing to e^-800. */
    const doubles high = x - greatest, back = high - x, low = (x - (high - back)) + (-greatest - back);
    return row_exp(high, choose(high > -800, low, broadcast(0)));
}

/* e^(x - greatest) of which 24 bits count, for numbers of 24 bits. */
static inline doubles exp_of_difference_short(doubles x, double greatest)
{
    return row_exp_short(x - greatest);
}

#endif
