/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of few bits: INT8 and INT4, whole numbers from -MOST - 1 to MOST, and floats of 8 and 4 bits, from
 * -MOST to MOST. The scale of a row is its greatest size over MOST, in FLOAT.
 */
#ifndef BELAY_OPS_QUANTISE_NUMBER_H
#define BELAY_OPS_QUANTISE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "ops/call.h"
#include "ops/loops/row_tasks.h"
#include "ops/quantise/formats.h"

/* What a tensor of numbers has. */
struct number {
    const struct number_format *format;
    aclDataType dtype; /* of an element of the tensor */
    uint32_t packs;    /* numbers in it */
    double most;       /* what a row's greatest size becomes */
    enum rounding rounding;
};

/* Those of a dtype that an output of numbers may have; of INT32 eight INT4. */
struct number number_of(aclDataType dtype);

/* The dtype of the parameter's numbers: what dst_type, a parameter, says; or without one, which is marked by the
 * number of all parameters, what was given, and INT8 where nothing was. Rows of x, a parameter, are whole elements;
 * those of 4 bits are contiguous. */
aclnnStatus check_numbers(const struct call *call, unsigned y, unsigned dst_type, unsigned x, int64_t width,
                          struct number *number);

/* The mode of rounding that a text names, NULL for "rint"; where rounds_to_even, "round" is that, too. Of floats of 8
 * bits it is "rint" alone. Of HIFLOAT8 "round", "hybrid" and what callers have unless told otherwise, "rint", are all
 * to the nearest, ties away from 0. */
aclnnStatus check_rounding(const struct call *call, unsigned parameter, bool rounds_to_even,
                           struct number *number);

/* An output of them, of the shape of what they are made of. */
struct output *add_numbers(struct result *result, const struct number *number, const struct shape *shape);

/* Numbers from one on that begins an element; beyond the limits they are at these. */
void numbers_write(const struct task *task, unsigned parameter, const struct number *number, uint64_t at,
                   uint64_t count, const double *value);

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
