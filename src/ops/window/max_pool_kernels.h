/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest elements of windows that lie side by side, place by place of them.
 */
#ifndef BELAY_OPS_WINDOW_MAX_POOL_KERNELS_H
#define BELAY_OPS_WINDOW_MAX_POOL_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* What some windows have met: the greatest element's bits, its order and its place, as many of each. */
struct windows_met {
    uint32_t *value;
    int32_t *order, *place;
};

/* Greater for greater elements, the same for both zeros, greatest for NaN: no number has it, and none the least. */
static inline int32_t order_of_bits(uint32_t bits, uint32_t sign, uint32_t infinity)
{
    const int32_t size = (int32_t)(bits & ~sign), negative = -(int32_t)((bits & sign) != 0);
    return size > (int32_t)infinity ? INT32_MAX : (size ^ negative) - negative;
}

/* Elements and windows that kernels may read and write behind the last ones. */
enum { WINDOWS_SLACK = 16 };

struct max_pool_kernels {
    /* Each window meets one element more, of 4 bytes or of 2, at this place of it. */
    void (*meet)(const void *element, uint32_t bytes, uint32_t infinity, int32_t place, size_t count,
                 const struct windows_met *met);
    /* Sets the bits of the windows, 8 for each byte, that have this place. */
    void (*mark)(const int32_t *place_of, int32_t place, size_t bytes, unsigned char *bits);
};

#endif
