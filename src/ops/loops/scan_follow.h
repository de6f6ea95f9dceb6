/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What comes of a scan that names places: elements and their numbers, brought to where they belong on each
 * instruction-set level.
 */
#ifndef BELAY_OPS_LOOPS_SCAN_FOLLOW_H
#define BELAY_OPS_LOOPS_SCAN_FOLLOW_H

#include "simd/loops/scan_kernel.h"

/* What the last pieces of a scan's lines have left: a place, and the element there. */
struct kept {
    int64_t place[SCAN_WIDTH];
    unsigned char element[SCAN_WIDTH * 8];
};

/* Where the elements of a piece lie, and where those that a scan names go. */
struct followed {
    const struct scan_piece *piece;
    const unsigned char *element;
    int64_t step;
    struct kept *kept;
    unsigned char *to;
    int64_t *place;
};

/* Lines whose elements lie side by side, and where those that a scan names go, which lie so, too. */
struct followed_lines {
    const struct scan_piece *piece;
    const unsigned char *self;
    unsigned char *values;
    int64_t *indices;
    int64_t self_stride, values_stride, indices_stride; /* from a line to the next */
    struct kept *kept;
};

/* Of elements of so many bytes. */
struct scan_follow {
    void (*piece)(const struct followed *followed, uint64_t bytes);
    void (*lines)(const struct followed_lines *followed, uint64_t bytes);
};

#endif
