/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What convolutions compute with beside the kernels of contraction, for each instruction-set level. All
 * levels give the same bits.
 */
#ifndef BELAY_OPS_CONVOLUTION_KERNELS_H
#define BELAY_OPS_CONVOLUTION_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "simd/vector/level_table.h"

/* Complete sums of some channels and positions, and where they go. */
struct convolution_sums {
    const void *sums; /* floats, or doubles where is_exact */
    int64_t sums_step;
    const float *bias; /* one for each row, so far apart; or NULL */
    int64_t bias_step;
    uint32_t rows, columns;
    bool is_exact;
    aclDataType dtype;
    unsigned char *out;
    int64_t row_stride, column_stride; /* elements */
};

enum { CONVOLUTION_LANES = 8 };

/* At most a vector of floats: where they lie in planes, and their first lane in a panel. */
struct convolution_piece {
    int64_t from;
    uint32_t to;
};

/* Rows, as many as width says, of which some steps go to columns: to[k * width + i] = row[i][place + k]. */
struct convolution_turn {
    const float *const *row;
    int64_t place;
    /* What is turned later: perhaps no place of a row's, and a sum that wraps around. 0 where rows are in a cache. */
    uint64_t ahead;
    uint32_t steps, width;
    float *to;
};

/*
 * The same for channels of the rows, a distance apart, whose steps go to places of their own:
 * to[first[k] + channel * on[k] + i] = row[i][channel * distance + k].
 */
struct convolution_turned_channels {
    const float *const *row;
    int64_t distance, channels;
    uint32_t steps, width;
    const int64_t *first, *on;
    float *to;
};

/* Positions that lie side by side in planes. */
struct convolution_span {
    int64_t from, count;
};

/* Lanes of planes, as many as width says, for spans of positions: lanes behind the last one are like it. */
struct convolution_lanes {
    const float *planes;
    const int64_t *place; /* of each lane */
    uint32_t lanes, width;
    const struct convolution_span *span;
    uint32_t spans;
    float *to; /* the lanes of a position side by side */
};

/*
 * For each line l in turn left[l * left_line + i] * right[l * right_line + shift[k] + i], which doubles have exactly,
 * adds to lanes[k][i % CONVOLUTION_LANES]. Up to a vector of the right side is read behind what a line takes.
 */
struct convolution_lines {
    const float *left, *right;
    int64_t left_line, right_line;
    size_t lines, count; /* of how many elements */
    const int64_t *shift;
    size_t shifts;
};

struct convolution_kernels {
    void (*pack_lanes)(const struct convolution_lanes *lanes);
    void (*turn)(const struct convolution_turn *turn);
    void (*turn_channels)(const struct convolution_turned_channels *turn);
    /*
     * A panel of two vectors for each step, whose elements lie place[k] floats further. Pieces follow one another:
     * each writes a whole vector, of which the next ones, or those of the next step, write what is not its own.
     */
    void (*pack_columns)(const float *planes, const int64_t *place, uint32_t depth,
                         const struct convolution_piece *piece, uint32_t pieces, float *to);
    /* out = sums + bias, rounded once. */
    void (*finish)(const struct convolution_sums *sums);
    /* The sum of floats in doubles: element i adds to sum i % 8, whose sums are added up in pairs. */
    double (*add_up)(const float *value, size_t count);
    /* total[i] = sums[i] + sums[distance + i] + ... in doubles, in that order; of one run or more. */
    void (*add_runs)(const float *sums, size_t distance, uint64_t runs, size_t count, double *total);
    void (*multiply_up)(const struct convolution_lines *lines, double *lanes);
};

const struct convolution_kernels *convolution_kernels_of(enum isa_level level);

#endif
