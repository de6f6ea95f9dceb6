/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows that become numbers of few bits while a function moves them: which scales they have, and the loop over a
 * row's pieces. Where a row comes from, and where its numbers and scales go, the function says.
 */
#ifndef BELAY_OPS_QUANTISE_MOVED_ROWS_H
#define BELAY_OPS_QUANTISE_MOVED_ROWS_H

#include "ops/quantise/mx_number.h"

enum { MOVED_PIECE = 512, MOVED_BLOCK = 128 };

enum moved_scales {
    MOVED_NO_SCALES,
    MOVED_ROW_SCALES,   /* FLOAT, one for a row: its greatest size over the greatest number */
    MOVED_BLOCK_SCALES, /* FLOAT, the same of 128 numbers each */
    MOVED_MX_SCALES     /* FLOAT8_E8M0, of 32 numbers each, an even number of them */
};

struct moved_rows {
    struct mx_number number; /* the rule is that of MX blocks */
    enum moved_scales scales;
    bool has_pairs; /* scales of 128 are an even number, too: 0 behind the last block */
};

/* Numbers of a dtype, rounded to the nearest, ties to even, or of HIFLOAT8 away from 0. The greatest size of an MX
 * block is at least `least`; its scale that over the greatest number, rounded up to a power of two, or of FLOAT4 by
 * the exponent of the size. */
struct moved_rows moved_rows_of(aclDataType dtype, enum moved_scales scales, float least);

/* How many scales a row has, and of which dtype; that of FLOAT where there are none. */
uint64_t moved_scale_count(const struct moved_rows *rows, uint64_t width);
aclDataType moved_scale_dtype(const struct moved_rows *rows);

/* A row's way: values to quantise, and what becomes of them, a piece of MOVED_PIECE at most at a time. */
struct moved_way {
    const void *context;
    void (*bring)(const void *context, uint64_t row, uint64_t at, uint64_t count, double *value);
    void (*put)(const void *context, uint64_t row, uint64_t at, uint64_t count, const uint8_t *code);
    void (*put_scales)(const void *context, uint64_t row, uint64_t at, uint64_t count, const void *scale);
};

/* A code to a byte; the way of scales is asked for only where there are any. */
void moved_row_write(const struct moved_rows *rows, const struct moved_way *way, uint64_t row,
                     uint64_t width);

#endif
