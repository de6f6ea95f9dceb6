/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest element that a walk through a plane has met, and where: the first of equal ones, or the last
 * NaN.
 */
#ifndef BELAY_OPS_WINDOW_GREATEST_H
#define BELAY_OPS_WINDOW_GREATEST_H

#include <stdbool.h>
#include <stdint.h>

/* What a plane holds; a constant where the functions below are inlined. */
enum plane_of { PLANE_OF_FP32, PLANE_OF_FP64, PLANE_OF_INT64 };

struct greatest {
    int64_t place; /* -1: nothing yet */
    float fp32;    /* the element there, in the one member that the plane holds */
    double fp64;
    int64_t int64;
};

static inline __attribute__((always_inline)) void
greatest_meet(struct greatest *greatest, enum plane_of plane_of, const void *plane, int64_t place)
{
    const bool is_first = greatest->place < 0;
    if (plane_of == PLANE_OF_FP32) {
        const float value = ((const float *)plane)[place];
        if (!is_first && !(value > greatest->fp32 || value != value))
            return;
        greatest->fp32 = value;
    } else if (plane_of == PLANE_OF_FP64) {
        const double value = ((const double *)plane)[place];
        if (!is_first && !(value > greatest->fp64 || value != value))
            return;
        greatest->fp64 = value;
    } else {
        const int64_t value = ((const int64_t *)plane)[place];
        if (!is_first && value <= greatest->int64)
            return;
        greatest->int64 = value;
    }
    greatest->place = place;
}

#endif
