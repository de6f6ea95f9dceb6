/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of a convolution's weight: sums over all images and positions of the small side of its
 * elements times those of the large side that a step of the kernel reads there.
 *
 * What fixes every bit: positions are cut into tiles of some images or rows, as their sizes say, and tiles
 * into blocks of CONTRACTION_BLOCK. A block's sum is a chain of fused multiply-adds in FLOAT from +0 on, of
 * BFLOAT16 in pairs of which the odd one comes first. Blocks are added in order within a run of tiles; the
 * sums of runs are added up in DOUBLE, in order, and rounded once. With is_exact all of it is in DOUBLE.
 *
 * A group of one channel on each side is of one product for each step of the kernel, which leaves nothing to
 * pack: products are added up in DOUBLE, with is_exact or not, those of element i of a row of positions in
 * lane i % CONVOLUTION_LANES for all of a run of tiles, and then the lanes by halves.
 */
#ifndef BELAY_OPS_CONVOLUTION_WEIGHT_GRADIENT_H
#define BELAY_OPS_CONVOLUTION_WEIGHT_GRADIENT_H

#include "ops/contraction/contraction.h"
#include "ops/convolution/kernels.h"
#include "ops/convolution/planes.h"
#include "ops/loops/tasks.h"

enum {
    WEIGHT_GRADIENT_LANES =
        288 /* of a task: whole panels of 32 channels by 9 steps, which are the commonest */
};

struct weight_gradient {
    /* What the caller sets. */
    struct geometry geometry;
    struct side small, large;
    struct weight out;
    bool is_exact;

    /* What weight_gradient_prepare finds out. */
    const struct contraction_kernels *contraction;
    const struct transfer *transfer;
    struct planes of_small, of_large;   /* with the same tiles */
    uint64_t tiles, tiles_of_run, runs; /* runs of tiles */
    uint64_t steps;                     /* of the kernel */
    uint64_t channels, channel_parts;   /* of the large side: in a task, and tasks for all */
    uint64_t lanes;                     /* steps of a task's channels, in whole panels */
    bool is_contiguous;                 /* the output */
    bool is_single;                     /* a group has one channel on each side */
    bool small_is_direct;               /* read where it lies */
    bool is_turned;                     /* lanes are step by step of the kernel, and channels within one */
    const struct convolution_kernels *kernels;
    uint32_t rows_at_once;
    struct task_units units; /* parts of the large side's channels by runs: parted by the small side's */
    uint64_t tasks;
    uint32_t slots;
    uint64_t cost_ns;
};

/* Channels of the small side. */
static inline uint64_t weight_gradient_rows(const struct weight_gradient *plan)
{
    return (uint64_t)plan->geometry.small_channels;
}

/* Lanes that are computed together: two vectors, or one where that has them all. */
static inline uint32_t weight_gradient_panel(const struct weight_gradient *plan)
{
    const uint32_t lanes = plan->contraction->vector_lanes;
    return plan->channels * plan->steps <= lanes ? lanes : 2 * lanes;
}

/* Nothing is empty but perhaps the batch. */
void weight_gradient_prepare(struct weight_gradient *plan, enum isa_level level, uint32_t threads);
size_t weight_gradient_work_bytes(const struct weight_gradient *plan);
void weight_gradient_run(const struct weight_gradient *plan, void *const *address, const unsigned char *small,
                         const unsigned char *large, unsigned char *scratch);

#endif
