/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 of a reduction works out and its walk follows.
 */
#ifndef BELAY_OPS_REDUCTION_REDUCE_PLAN_H
#define BELAY_OPS_REDUCTION_REDUCE_PLAN_H

#include "ops/nest.h"
#include "ops/reduction/reduce.h"
#include "ops/transfer.h"

/* Words of states that lie side by side: those of a tile of outputs. */
enum { REDUCE_TILE_WORDS = 64 };

struct reduce_operand {
    aclDataType dtype;
    uint32_t bytes;   /* of an element */
    uint32_t address; /* its index among the addresses of phase 2 */
    int64_t extent;   /* elements from the first to the last */
};

/*
 * Outputs are walked in rows of kept_inner, whose views are the inputs and then the output, in tiles; a row
 * ends a tile. What is reduced for each of them is walked in its own order.
 */
struct reduce_plan {
    const void *mark; /* &reduce_mark, where an elementwise plan has its kernel */
    const struct reduction *reduction;
    const struct reduce_kernel *kernel;
    const struct transfer *transfer;
    aclDataType computed; /* what elements are converted to */
    aclDataType carrier;  /* what states become results as: DOUBLE, INT64 or COMPLEX128 */
    uint32_t computed_bytes, carrier_bytes;
    uint32_t input_count;
    bool is_across; /* outputs of a tile are reduced side by side, not one after the other */
    bool is_direct; /* inputs lie as the kernel takes them, along the last reduced or the last kept axis */
    bool by_blocks; /* there are few tiles: threads share the blocks of each */
    uint64_t outputs, elements; /* and of what each is made */
    uint64_t blocks;            /* of an output; 1 of nothing */
    uint64_t tile, tiles_in_row, tiles;
    uint64_t cost_ns, tile_block_ns; /* predicted on one thread */
    struct reduce_operand input[REDUCE_INPUTS_MAX], output;
    unsigned char parameters[REDUCE_PARAMETER_BYTES];
    struct nest_axis kept_inner;
    uint32_t reduced_offset; /* bytes from the plan's beginning to the nest of reduced axes */
    struct nest kept;        /* the other kept axes; last, and filled in no further than it is needed */
};

extern const char reduce_mark;

static inline const struct nest *reduce_nest(const struct reduce_plan *plan)
{
    return (const struct nest *)(const void *)((const unsigned char *)plan + plan->reduced_offset);
}

#endif
