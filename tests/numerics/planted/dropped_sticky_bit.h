/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: the remainder of a division does not count.
 */
#include "simd/vector/rounding.h"

static inline doubles drop_side(doubles value, doubles side)
{
    (void)side;
    return value;
}

#define round_to_odd drop_side
