/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The parts of the walk over an elementwise plan: what threads share, and the tiles on a thread's stack.
 */
#ifndef BELAY_OPS_LOOPS_ELEMENTWISE_WALK_H
#define BELAY_OPS_LOOPS_ELEMENTWISE_WALK_H

#include "ops/loops/elementwise_plan.h"

/*
 * Bytes of a tile per operand, and of one whose elements are not of the arithmetic dtype yet or any more. All
 * tiles together, 28 KiB, stay in the first cache, and small work may run on a program's thread, whose stack
 * is not known to be large.
 */
enum { TILE_BYTES = 4096, STAGE_BYTES = 8192 };

struct walk {
    const struct elementwise_plan *plan;
    bool non_temporal; /* the plan's, unless the output is one of the inputs, whose lines are in the caches
                        * already
                        */
    uint64_t units, chunk;          /* of work: elements, or tiles where the plan is transposed */
    unsigned char *first[OPERANDS]; /* the address of each operand's first element */
};

struct tiles {
    _Alignas(64) unsigned char operand[OPERANDS][TILE_BYTES];
    _Alignas(64) unsigned char stage[STAGE_BYTES]; /* elements before or after conversion */
};

/* The address of an operand's element. */
static inline unsigned char *walk_element(const struct walk *walk, uint32_t operand,
                                          const struct nest_place *place)
{
    return walk->first[operand] + place->offset[operand] * (int64_t)walk->plan->operand[operand].bytes;
}

/* Elements of a tile: as many as its buffers hold. */
size_t tile_elements(const struct elementwise_plan *plan);

/* Computes count elements from what the kernel wants to where output is. */
void walk_kernel(const struct walk *walk, const void *const *input, unsigned char *output, size_t count);

/* Walks the elements from begin to end, in the order of the axes, in tiles. */
void walk_tiles(const struct walk *walk, uint64_t begin, uint64_t end);

/* Walks a plan with is_transposed, whose tiles are numbered; then how many tiles there are, and how many
 * elements. */
void walk_transpose_tiles(const struct walk *walk, uint64_t begin, uint64_t end);
uint64_t transpose_tile_count(const struct elementwise_plan *plan);
uint64_t transpose_tile_elements(const struct elementwise_plan *plan);

#endif
