/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The norm (sum of |x|^p)^(1/p) of a row: p = 0 counts what is not 0, infinite p takes the greatest |x|.
 */
#ifndef BELAY_SIMD_LOOPS_ROW_NORM_H
#define BELAY_SIMD_LOOPS_ROW_NORM_H

#include "simd/maths/norm_power.h"
#include "simd/loops/row_moments.h"

/* The terms of a norm: |x|^0, |x| and |x|^p. */
static inline doubles is_not_0(doubles x, double number)
{
    (void)number;
    return choose(x == 0, broadcast(0), broadcast(1));
}

static inline doubles size_of(doubles x, double number)
{
    (void)number;
    return absolute(x);
}

static inline doubles power_of_size(doubles x, double p)
{
    return norm_power(absolute(x), p);
}

/* room has count doubles, and may be x. Powers of elements of 24 bits fit into doubles up to p = 6: others
 * are of |x| over the greatest one. */
static inline __attribute__((always_inline)) double row_norm(enum arithmetic dtype, const void *x,
                                                             size_t count, double *room, double p)
{
    if (p == 0)
        return row_sum(dtype, x, count, NULL, is_not_0, 0);
    if (p == 1)
        return row_sum(dtype, x, count, NULL, size_of, 0);
    if (p == 2)
        return sqrt(row_sum(dtype, x, count, NULL, row_square, 0));
    const double has_nan = row_sum(dtype, x, count, room, size_of, 0);
    const double most = has_nan != has_nan ? has_nan : row_greatest(ARITHMETIC_FP64, room, count);
    if (!(most > 0 && most < (double)INFINITY) || p == (double)INFINITY)
        return count > 0 ? most : 0;
    for (size_t i = 0; i < count; i += LANES)
        row_store(ARITHMETIC_FP64, room, i, row_load(ARITHMETIC_FP64, room, i, count - i) / most, count - i,
                  false);
    return most * norm_root_of(row_sum(ARITHMETIC_FP64, room, count, NULL, power_of_size, p), p);
}

#endif
