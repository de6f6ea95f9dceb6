/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Caches of keys and values by slots: slot s is row s mod `rows` of block s / rows. A row lies side by side, or
 * in tiles of 32 bytes, of which the block has each for all its rows together (FRACTAL_NZ): element e of row r
 * is number ((block * width / tile + e / tile) * rows + r) * tile + e mod tile then.
 */
#ifndef BELAY_OPS_CACHE_SLOTS_H
#define BELAY_OPS_CACHE_SLOTS_H

#include "ops/check.h"
#include "ops/loops/row_tasks.h"
#include "ops/signature.h"

struct slots {
    uint64_t blocks, rows, width; /* width: elements of a row */
    uint64_t tile;                /* elements of one; width where there are none */
};

static inline uint64_t slots_count(const struct slots *slots)
{
    return slots->blocks * slots->rows;
}

/* The number of the first element of a tile of a slot's row. */
static inline uint64_t slots_at(const struct slots *slots, uint64_t slot, uint64_t tile)
{
    const uint64_t tiles = slots->width / slots->tile;
    return ((slot / slots->rows * tiles + tile) * slots->rows + slot % slots->rows) * slots->tile;
}

/* What a cache with rows of that many elements has: (blocks, rows, ...), of one head (blocks, 1, rows, width)
 * too, or in tiles (blocks, tiles, rows, tile) or with tiles by heads, or any shape of as many elements. */
aclnnStatus slots_of(const struct call *call, unsigned cache, int64_t width, bool has_tiles,
                     struct slots *slots);

/* A cache of the dtype of the rows that go there, or of INT8 where a scale is given. */
aclnnStatus slots_check_scale(const struct call *call, unsigned cache, unsigned rows, unsigned scale);

void slots_write(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                 const double *row);
/* The row of a slot from or to elements of another tensor, as bits. */
void slots_store(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                 unsigned from, uint64_t at);
void slots_load(const struct task *task, unsigned cache, const struct slots *slots, uint64_t slot,
                unsigned to, uint64_t at);

/* Pairs of neighbours, turned, to the two halves of a row. */
static inline void turn_pairs_to_halves(const double *from, const double *cosine, const double *sine,
                                        uint64_t count, double *to)
{
    for (uint64_t p = 0, half = count / 2; p < half; p++) {
        const double a = from[2 * p], b = from[2 * p + 1];
        to[p] = a * cosine[p] - b * sine[p];
        to[p + half] = b * cosine[p + half] + a * sine[p + half];
    }
}

/* A bit for each slot: whether one is named twice, whose last row is to stay. */
static inline uint64_t slots_bytes(const struct slots *slots)
{
    return slots_count(slots) / 8 + 1;
}

/* For the start of work: a slot beyond the cache is a fault, and of two equal ones the later is written last.
 * Negative ones are skipped. slot_of gives the slot of a task. */
int slots_check(struct task *task, const struct slots *slots, uint64_t tasks, const char *name,
                int64_t (*slot_of)(const struct task *task, uint64_t number));

/* "PA_NZ" and its like among names, of which the first one stands for NULL and "". */
aclnnStatus slots_mode(const struct call *call, unsigned parameter, const char *const *names, unsigned *mode);

/* An output that keeps what is not written, as it was given; and one of a shape. */
struct output *slots_kept(struct result *result, const struct call *call, unsigned parameter);
struct output *slots_output(struct result *result, aclDataType dtype, uint32_t rank, const int64_t *dim);

#endif
