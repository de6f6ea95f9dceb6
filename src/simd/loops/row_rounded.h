/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Doubles rounded to the numbers of a shorter dtype, as rows of them see their elements.
 */
#ifndef BELAY_SIMD_LOOPS_ROW_ROUNDED_H
#define BELAY_SIMD_LOOPS_ROW_ROUNDED_H

#include "simd/loops/row.h"
#include "simd/loops/row_digits.h"

/* To nearest, ties to even: 1.5 * 2^52 times the step that numbers of its size have leaves only multiples. */
static inline doubles row_rounded(doubles x, const struct row_digits *digits)
{
    const double infinity = __builtin_inf();
    if (digits->places <= -52) /* doubles are that already */
        return x;
    const doubles least = power_of_two((longs){0} + digits->least), size = absolute(x);
    const doubles power = (doubles)((ulongs)size & UINT64_C(0x7ff0000000000000));
    const doubles step = choose(power < least, least, power) * power_of_two((longs){0} + digits->places);
    const doubles shift = step * 0x1.8p52, rounded = (size + shift) - shift;
    const doubles limited = choose(rounded < digits->limit, rounded, broadcast(infinity));
    return choose(size < infinity, with_sign_of(limited, x), x);
}

#endif
