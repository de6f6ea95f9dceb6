/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: 16-bit results are rounded to fp32 first.
 */
#include "simd/vector/rounding.h"

static inline uints round_twice(enum arithmetic dtype, doubles value)
{
    return round_bits(dtype, doubles_of(floats_of(value)));
}

#define round_bits round_twice
