/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scales and offsets of a quantised operand as floats.
 */
#ifndef BELAY_OPS_CONTRACTION_QUANTISED_FACTORS_H
#define BELAY_OPS_CONTRACTION_QUANTISED_FACTORS_H

#include "ops/contraction/element.h"
#include "ops/contraction/quantised.h"

/* Reads a lane's factors for count groups, from one on, and up to a vector more. */
static ALWAYS_INLINE void read_factors(const struct quantised_factor *factor, uint64_t lane, uint64_t group,
                                       uint32_t count, float *to)
{
    const int64_t place = (int64_t)lane * factor->lane + (int64_t)group * factor->group;
    const unsigned char *from = factor->first + place * 2;
    for (uint32_t i = 0; i < count; i += VECTOR_LANES, from += VECTOR_LANES * 2 * factor->group)
        store_floats(to + i, read_elements(from, factor->dtype, factor->group, count - i));
}

#endif
