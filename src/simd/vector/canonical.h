/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The one NaN that results have, of doubles; that of fp32 and 16 bits is in vector_fp32.h and rounding.h.
 */
#ifndef BELAY_SIMD_VECTOR_CANONICAL_H
#define BELAY_SIMD_VECTOR_CANONICAL_H

#include "simd/vector/vector.h"

/* value, every NaN of which becomes the canonical one. */
static inline doubles canonical_doubles(doubles value)
{
    return choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);
}

#endif
