/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers as INT8 or INT4: whole numbers from -MOST - 1 to MOST, of which the scale of a row is its greatest
 * size over MOST, in FLOAT.
 */
#ifndef BELAY_OPS_QUANTISE_NUMBER_H
#define BELAY_OPS_QUANTISE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The nearest whole number, ties to even, and no further than the ends; 0 of what is no number. */
static inline int8_t quantised_number(double value, double most)
{
    const double whole = nearbyint(value), least = -most - 1;
    return whole != whole ? 0 : (int8_t)(whole < least ? least : whole > most ? most : whole);
}

/* The greatest size in a row so far, and NaN once there was one. */
static inline double greatest_size(const double *value, size_t count, double before)
{
    double greatest = before;
    bool is_number = before == before;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(value[i]);
        is_number = is_number && size == size;
        greatest = size > greatest ? size : greatest;
    }
    return is_number ? greatest : (double)NAN;
}

/* Numbers as they lie in memory: one, two or eight to an element, of INT4 the first in the lowest bits. */
static inline void pack_numbers(const int8_t *number, size_t count, unsigned packs, void *to)
{
    uint8_t *byte = to;
    if (packs == 1)
        memcpy(to, number, count);
    for (size_t i = 0; packs > 1 && i < count; i += 2) /* elements of eight have their bytes in this order */
        byte[i / 2] = (uint8_t)((number[i] & 15) | (number[i + 1] & 15) << 4);
}

static inline float scale_of_size(double greatest, double most)
{
    return greatest == greatest ? (float)(greatest / most) : (float)NAN;
}

#endif
