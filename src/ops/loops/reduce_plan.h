/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What phase 1 of a reduction works out and its walk follows.
 */
#ifndef BELAY_OPS_LOOPS_REDUCE_PLAN_H
#define BELAY_OPS_LOOPS_REDUCE_PLAN_H

#include "ops/nest.h"
#include "ops/operands.h"
#include "ops/loops/reduce.h"
#include "ops/transfer.h"

/* Words of states that lie side by side: those of a tile of outputs. */
enum { REDUCE_TILE_WORDS = 64 };

/* Elements of all inputs that are brought together at a time. */
enum { STAGES_BYTES = 16384 };

/*
 * Outputs are walked in rows of kept_inner, whose views are the inputs and then the output, in tiles; a row
 * ends a tile. What is reduced for each of them is walked in its own order.
 */
struct reduce_plan {
    const struct reduction *reduction;
    const struct reduce_kernel *kernel;
    const struct transfer *transfer;
    aclDataType computed; /* what elements are converted to */
    aclDataType carrier;  /* what states become results as: DOUBLE, INT64 or COMPLEX128 */
    uint32_t computed_bytes, carrier_bytes;
    uint32_t stage_bytes; /* of an input, for elements that are brought together */
    uint32_t input_count;
    bool is_across;    /* outputs of a tile are reduced side by side, not one after the other */
    bool is_direct;    /* inputs lie as the kernel takes them, along the last reduced or the last kept axis */
    bool by_blocks;    /* there are few tiles: threads share the blocks of each */
    uint64_t elements; /* that each output is made of */
    uint64_t blocks;   /* of an output; 1 of nothing */
    uint64_t tile, tiles_in_row, tiles;
    uint64_t cost_ns, tile_block_ns; /* predicted on one thread */
    struct operand input[REDUCE_INPUTS_MAX], output;
    unsigned char parameters[REDUCE_PARAMETER_BYTES];
    struct nest_axis kept_inner;
    uint32_t reduced_offset; /* from the plan's beginning to the nest of reduced axes */
    uint32_t plan_bytes;     /* with both nests */
    struct nest kept;        /* the other kept axes; last, and filled in no further than it is needed */
};

static inline const struct nest *reduce_nest(const struct reduce_plan *plan)
{
    return nest_in(plan, plan->reduced_offset);
}

/* What one of many plans within an executor's is made of; as for reduce_plan. */
struct reduce_views {
    const struct reduction *reduction;
    const struct tensor_view *input[REDUCE_INPUTS_MAX], *output;
    uint32_t address[REDUCE_INPUTS_MAX], output_address; /* places among the addresses of phase 2 */
    unsigned input_count;
    const struct shape *shape;
    axes reduced;
    aclDataType computed;
};

/* Fills in a plan, but for its parameters, of an output with elements: reduce_fill_bytes of the shape's rank
 * at most. */
void reduce_fill(struct reduce_plan *plan, enum isa_level level, const struct reduce_views *views);
size_t reduce_fill_bytes(uint32_t rank);

#endif
