/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single elements that indices put, or add, along a dim, where everything lies in one piece: a position leads
 * into its own line of the dim, so that some lines side by side are done at a time, in memory that the caches
 * hold, and threads take different ones. Positions of one place come in the order in which they lie.
 */
#ifndef BELAY_OPS_INDEX_INDEX_LINES_H
#define BELAY_OPS_INDEX_INDEX_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/transfer.h"

/* Whether sums of the dtype's elements are made in doubles, and not in integers that wrap. */
static inline bool index_sums_doubles(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE;
}

/* The index, and what is put, have outer x count x inner elements, the tensor that is indexed outer x size x
 * inner. */
struct index_lines {
    const struct transfer *transfer;
    aclDataType dtype;
    bool adds; /* and does not put */
    uint64_t outer, count, size, inner;
    uint64_t width; /* lines at a time */
    uint64_t slots; /* threads that have memory: all of the pool, before a width is chosen */
};

/* Chooses the width of lines whose sizes are filled in, and how many threads take them; false where they had
 * better not be done so. */
bool index_lines_choose(struct index_lines *lines);

size_t index_lines_bytes(const struct index_lines *lines);
uint64_t index_lines_cost_ns(const struct index_lines *lines);

/* self, which may be out, becomes out. All indices have been found legal. */
void index_lines_run(const struct index_lines *lines, const int64_t *index, const unsigned char *self,
                     const unsigned char *source, unsigned char *out, void *room);

#endif
