/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: 16-bit results are rounded to fp32 first.
 */
#include "simd/rounding.h"

static inline uints encode_twice(enum arithmetic dtype, doubles value)
{
    return encode(dtype, __builtin_convertvector(__builtin_convertvector(value, floats), doubles));
}

#define encode encode_twice
