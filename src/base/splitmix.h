/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Splitmix64 (Steele, Lea and Flood): draws that are the same for the same seed, for schedules and not for operators.
 */
#ifndef BELAY_BASE_SPLITMIX_H
#define BELAY_BASE_SPLITMIX_H

#include <stdint.h>

static const uint64_t SPLITMIX_STEP = UINT64_C(0x9E3779B97F4A7C15);

/* The draw at a place: the n-th one of a seed is at the seed plus n steps. */
static inline uint64_t splitmix_at(uint64_t place)
{
    place = (place ^ place >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    place = (place ^ place >> 27) * UINT64_C(0x94D049BB133111EB);
    return place ^ place >> 31;
}

#endif
