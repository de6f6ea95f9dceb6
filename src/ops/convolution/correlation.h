/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One side of a convolution from the other: every element is the sum of products of a weight with elements
 * of planes (planes.h), plus a bias.
 *
 * What fixes every bit: the terms of a sum are in the order of the channels and, within one, of the kernel's
 * steps that take part; they are cut into blocks of CONTRACTION_BLOCK, each of which is a chain of fused
 * multiply-adds in FLOAT from +0 on, of BFLOAT16 by BFLOAT16 in pairs of which the odd one comes first; the
 * blocks' sums are added in order, then the bias; one rounding to the output's dtype. Padding is zeros that
 * take part. With is_exact all of it is in DOUBLE, where products are exact.
 *
 * A large side is computed in passes: elements i * stride + f of the output, for each f below the stride
 * along each axis, take the same steps of the kernel.
 */
#ifndef BELAY_OPS_CONVOLUTION_CORRELATION_H
#define BELAY_OPS_CONVOLUTION_CORRELATION_H

#include "ops/contraction/contraction.h"
#include "ops/convolution/kernels.h"
#include "ops/convolution/planes.h"
#include "ops/loops/tasks.h"

/* An element for each channel, in row-major order of any shape. */
struct bias {
    aclDataType dtype;
    uint32_t bytes, address, rank;
    int64_t size[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
};

enum {
    CORRELATION_COLUMNS =
        256, /* positions in planes whose sums are computed together, and stay in the nearest cache */
    CORRELATION_COLUMNS_OF_ONE = 2048, /* the same of one channel */
    CORRELATION_PACKED_COLUMNS =
        512, /* packed positions of a tile, which meet weights once these are packed */
    CORRELATION_BLOCKS =
        40, /* of packed channels: their weights of a block of terms stay in the second cache */
    CORRELATION_BLOCKS_IN_PLACE = 64, /* the same of those that are smaller, and read in place */
};

struct correlation {
    /* What the caller sets. */
    struct geometry geometry;
    bool is_spread; /* from small to large */
    struct side in, out;
    struct weight weight;
    bool has_bias;
    struct bias bias;
    bool is_exact;

    /* What correlation_prepare finds out. */
    const struct contraction_kernels *contraction;
    const struct convolution_kernels *kernels;
    const struct transfer *transfer;
    struct planes planes;
    int64_t kernel[CONVOLUTION_AXES];
    uint64_t channels, terms; /* of a group: of the output, and of the input */
    uint64_t steps;           /* terms of the sums of all passes */
    uint64_t passes;
    uint32_t rows_at_once;                /* channels of the innermost loop */
    uint64_t row_blocks;                  /* of them, in a group */
    bool is_packed;                       /* what they share */
    bool has_weight_in_place;             /* it is read where it lies */
    uint64_t blocks_at_once, block_tiles; /* what a task takes of them */
    struct task_units units; /* tiles by blocks: parts are positions, and channels of what is left over */
    uint64_t tasks;
    uint32_t slots;
    uint64_t cost_ns;
};

/* The output is not empty. */
void correlation_prepare(struct correlation *plan, enum isa_level level, uint32_t threads);

/* Memory for a run, and the run: in is where the input's first element is. Threads may be used. */
size_t correlation_work_bytes(const void *plan);
void correlation_run(const struct correlation *plan, void *const *address, const unsigned char *in,
                     unsigned char *scratch);

#endif
