/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The steps by which norms take an element into a state, a double, and merge two states
 * (simd/loops/reduce.h): of the orders 0, 1, 2, infinite and minus infinite.
 */
#ifndef BELAY_SIMD_LOOPS_NORM_STEPS_H
#define BELAY_SIMD_LOOPS_NORM_STEPS_H

#include "simd/loops/reduce.h"

/* The least of sizes begins with it. */
#define INFINITY_BITS UINT64_C(0x7ff0000000000000)

/* The sum of |x|^0: how many are not 0, NaN among them. */
static inline longs count_not_0(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state + choose((doubles)input[0] == 0, broadcast(0), broadcast(1)));
}

/* The sum of |x|. */
static inline longs add_sizes(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state + absolute((doubles)input[0]));
}

/* The sum of x^2, which for numbers of fp32 is exact in each term. */
static inline longs add_squares(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return (longs)((doubles)state + (doubles)input[0] * (doubles)input[0]);
}

static inline longs merge_sums(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
}

/* NaN stays. */
static inline longs merge_most(longs state, longs other)
{
    const doubles a = (doubles)state, b = (doubles)other;
    return (longs)choose((a > b) | (a != a), a, b);
}

static inline longs merge_least(longs state, longs other)
{
    const doubles a = (doubles)state, b = (doubles)other;
    return (longs)choose((a < b) | (a != a), a, b);
}

/* The greatest and the least |x|, which are the norms of p = infinity and -infinity. */
static inline longs take_most(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return merge_most(state, (longs)absolute((doubles)input[0]));
}

static inline longs take_least(longs state, const longs *input, const void *parameters)
{
    (void)parameters;
    return merge_least(state, (longs)absolute((doubles)input[0]));
}

#endif
