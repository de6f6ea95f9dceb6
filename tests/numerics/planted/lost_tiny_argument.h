/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A planted fault: an argument too small for the sum that it stands in is forgotten.
 */
#include "simd/vector/vector.h"

static inline doubles keep_nothing(doubles value, double smallest)
{
    (void)smallest;
    return value;
}

#define keep_off_zero keep_nothing
