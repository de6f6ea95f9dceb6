/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a run of a correlation works on, pass by pass of a tile, and how sums that are complete go to the output.
 */
#ifndef BELAY_OPS_CONVOLUTION_CORRELATION_WORK_H
#define BELAY_OPS_CONVOLUTION_CORRELATION_WORK_H

#include "ops/convolution/packed_weight.h"

/* Shared by all threads of a run. */
struct run {
    const struct correlation *plan;
    const unsigned char *in;
    unsigned char *out;
    struct packed_weight weight;
    float *bias;
    int64_t right_place[CONTRACTION_BLOCK]; /* where a packed panel has each term's */
};

/* A task in work. */
struct work {
    const struct run *run;
    struct planes_tile tile;
    uint64_t part, parts; /* of its positions */
    uint64_t group, first_block, end_block;
    float *planes, *left, *right;
    unsigned char *sums;
};

/* What a pass computes of a tile. */
struct pass_work {
    uint64_t number, first, terms;
    int64_t along[CONVOLUTION_AXES], count[CONVOLUTION_AXES]; /* its positions within the tile */
};

/* Positions side by side: a number of them from one on, as an image of the tile and places along the axes. */
struct positions {
    int64_t image, along[CONVOLUTION_AXES], count;
};

static inline size_t number_bytes(const struct correlation *plan)
{
    return plan->is_exact ? sizeof(double) : sizeof(float);
}

/* Positions in planes whose sums are computed together: more of them where there is one channel. */
static inline int64_t columns_at_once(const struct correlation *plan)
{
    return plan->rows_at_once == 1 ? CORRELATION_COLUMNS_OF_ONE : CORRELATION_COLUMNS;
}

/* The positions of a pass from one on, in their order, that lie side by side in the planes. */
static inline struct positions positions_at(const struct pass_work *pass, int64_t position)
{
    struct positions positions;
    for (uint32_t i = CONVOLUTION_AXES; i-- > 0; position /= pass->count[i])
        positions.along[i] = position % pass->count[i];
    positions.image = position;
    positions.count = pass->count[2] - positions.along[2];
    return positions;
}

/* Positions in planes from a column on: what lies between rows is no position. */
void correlation_finish_columns(const struct work *work, const struct pass_work *pass, uint64_t row,
                                uint32_t rows, int64_t column, int64_t columns);

/* Packed positions from one on. */
void correlation_finish_packed(const struct work *work, const struct pass_work *pass, uint64_t row,
                               uint32_t rows, int64_t position, int64_t columns, const unsigned char *sums,
                               int64_t sums_step);

#endif
