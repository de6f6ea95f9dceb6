/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The elements of several views that broadcast to one shape, in blocks of a fixed length in the order of that
 * shape, as doubles. Which elements a block has depends on the shape alone: sums of blocks that are added in
 * the blocks' order have the same bits for every layout and number of threads.
 */
#ifndef BELAY_OPS_BLOCKS_H
#define BELAY_OPS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/nest.h"
#include "ops/transfer.h"

/* Few enough for several buffers of doubles on the stack of a program's thread. */
enum { BLOCK_ELEMENTS = 512, BLOCK_OPERANDS_MAX = 5 };

struct block_operand {
    aclDataType dtype;
    uint32_t bytes;   /* of an element */
    uint32_t address; /* its index among the addresses of phase 2 */
    bool is_linear;   /* its elements lie in the order of the shape, without gaps */
    uint64_t extent;  /* elements from the first to the last */
};

struct blocks {
    const struct transfer *transfer;
    uint32_t operand_count;
    struct block_operand operand[BLOCK_OPERANDS_MAX];
    struct nest nest; /* last, so that it is kept no longer than it is filled in */
};

/* Views of a shape with elements, to which the others broadcast: that of the first one. */
void blocks_fill(struct blocks *blocks, enum isa_level level, const struct tensor_view *const *view,
                 const uint32_t *address, uint32_t operand_count);

/* The bytes that blocks_fill writes at most, for a first view of this rank. */
size_t blocks_bytes(uint32_t rank);

static inline uint64_t blocks_count(const struct blocks *blocks)
{
    return (blocks->nest.count + BLOCK_ELEMENTS - 1) / BLOCK_ELEMENTS;
}

/* Elements of the block with this number. */
static inline size_t block_elements(const struct blocks *blocks, uint64_t block)
{
    uint64_t left = blocks->nest.count - block * BLOCK_ELEMENTS;
    return left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
}

/* Reads a block of an operand whose first element is at first; or writes it, rounded once. */
void block_read(const struct blocks *blocks, uint32_t operand, const void *first, uint64_t block, double *to);
void block_write(const struct blocks *blocks, uint32_t operand, void *first, uint64_t block,
                 const double *from);

#endif
