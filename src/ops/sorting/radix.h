/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A stable sort of words by their upper halves, parts of it, and the keys that put elements in order.
 */
#ifndef BELAY_OPS_SORTING_RADIX_H
#define BELAY_OPS_SORTING_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "base/processor.h"

enum { RADIX_BUCKETS = 256, RADIX_BLOCKS_MAX = 64 };

/* A row in work. A word is 32 bits of an element's key above the element's place in the row. */
struct radix {
    const void *row;
    aclDataType dtype;
    enum isa_level level;
    bool is_descending;
    bool is_high;          /* the key's upper half, of an order that its lower half has made */
    unsigned shift;        /* of the digit that is being sorted by */
    uint64_t length;       /* below 2^32 */
    uint64_t kept;         /* of a selection */
    uint64_t block_length; /* blocks are shared out to threads */
    uint32_t block_count;
    uint64_t *words, *other; /* length each; words is in order in the end */
    uint32_t *counts;        /* RADIX_BUCKETS for each block */
};

/* Chooses the blocks: one, or as many as threads find worth it for work that takes so long; 0 is no such
 * work. */
void radix_divide(struct radix *radix, uint64_t length, uint64_t cost_ns);

/* Has words hold the places of the row's elements in their order, above what is left of the keys. */
void radix_sort_row(struct radix *radix);

/* Sorts the first `kept` places alone, where radix_selects says that this is quicker. */
bool radix_selects(const struct radix *radix, uint64_t kept);
void radix_select_row(struct radix *radix, uint64_t kept);

/* Has the first of words hold the place with this number in the order. */
void radix_take(struct radix *radix, uint64_t number);

/* How many of the row's elements are NaN. */
uint64_t radix_count_nans(const struct radix *radix);

/* Sorts the words themselves, by so many digits of 8 bits above bit 32; other may be where they are then. */
void radix_sort_words(struct radix *radix, unsigned digits);

/* The first and the one behind the last element of a block. */
void radix_block(const struct radix *radix, uint64_t block, uint64_t *begin, uint64_t *end);

/* Runs the body for every block. */
void radix_for_blocks(const struct radix *radix, void (*body)(void *, uint64_t, uint64_t), void *context);

#endif
