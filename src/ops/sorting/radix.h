/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A stable sort of words by their upper halves, and the keys that put elements in order.
 */
#ifndef BELAY_OPS_SORTING_RADIX_H
#define BELAY_OPS_SORTING_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum { RADIX_BUCKETS = 256, RADIX_BLOCKS_MAX = 64 };

/* A row in work. A word is 32 bits of an element's key above the element's place in the row. */
struct radix {
    const void *row;
    aclDataType dtype;
    bool is_descending;
    bool is_high;          /* the key's upper half, of an order that its lower half has made */
    unsigned shift;        /* of the digit that is being sorted by */
    uint64_t length;       /* below 2^32 */
    uint64_t block_length; /* blocks are shared out to threads */
    uint32_t block_count;
    uint64_t *words, *other; /* length each; words is in order in the end */
    uint32_t *counts;        /* RADIX_BUCKETS for each block */
};

/* Chooses the blocks: one, or as many as threads find worth it. */
void radix_divide(struct radix *radix, uint64_t length, bool is_shared_out);

/* Has words hold the places of the row's elements in their order, above what is left of the keys. */
void radix_sort_row(struct radix *radix);

/* Runs the body for every block. */
void radix_for_blocks(const struct radix *radix, void (*body)(void *, uint64_t, uint64_t), void *context);

#endif
