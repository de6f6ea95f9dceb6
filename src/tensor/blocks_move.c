/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors in blocks become plain ones, and plain ones such. The work is cut into bands: up to 16 rows of the
 * last axis, which in a matrix of blocks share their blocks.
 */
#include <string.h>

#include "runtime/streams/workers.h"
#include "tensor/blocks.h"

enum { BAND_ROWS = 16, BANDS_AT_ONCE = 64 };

struct move {
    const struct blocks *blocks;
    const unsigned char *from;
    unsigned char *to;
    bool is_unpacked; /* from is stored */
    int64_t bands;    /* of each sequence of rows */
};

static int64_t place_on(const struct block_axis *axis, int64_t x)
{
    return x / axis->block * axis->outer + x % axis->block * axis->inner;
}

/* Elements that lie `step` of them apart where they are stored. */
static void move_elements(const struct move *move, int64_t stored, int64_t plain, int64_t count, int64_t step)
{
    const size_t bytes = move->blocks->bytes;
    for (int64_t i = 0; i < count; i++) {
        const size_t at_stored = (size_t)(stored + i * step) * bytes, at_plain = (size_t)(plain + i) * bytes;
        const unsigned char *from = move->from + (move->is_unpacked ? at_stored : at_plain);
        unsigned char *to = move->to + (move->is_unpacked ? at_plain : at_stored);
        if (bytes == 2)
            memcpy(to, from, 2);
        else if (bytes == 4)
            memcpy(to, from, 4);
        else
            memcpy(to, from, bytes);
    }
}

/* Elements that lie one behind the other on both sides: mostly the 32 bytes of a row of a block. */
static void move_run(const struct move *move, int64_t stored, int64_t plain, int64_t count)
{
    enum { USUAL = 32 };
    const size_t bytes = move->blocks->bytes, run = (size_t)count * bytes;
    const size_t at_stored = (size_t)stored * bytes, at_plain = (size_t)plain * bytes;
    const unsigned char *from = move->from + (move->is_unpacked ? at_stored : at_plain);
    unsigned char *to = move->to + (move->is_unpacked ? at_plain : at_stored);
    if (run == USUAL)
        memcpy(to, from, USUAL);
    else
        memcpy(to, from, run);
}

/* Rows that begin at these elements; stored[i] is where each of them begins. */
static void move_rows(const struct move *move, const int64_t *stored, int64_t plain, int64_t rows)
{
    const struct block_axis *last = &move->blocks->axis[move->blocks->axis_count - 1];
    if (last->block == 1) {
        for (int64_t i = 0; i < rows; i++)
            move_elements(move, stored[i], plain + i * last->size, last->size, last->outer);
        return;
    }
    for (int64_t at = 0; at < last->size; at += last->block) {
        const int64_t count = last->size - at < last->block ? last->size - at : last->block;
        for (int64_t i = 0; i < rows; i++)
            move_run(move, stored[i] + at / last->block * last->outer, plain + i * last->size + at, count);
    }
}

static void move_bands(void *context, uint64_t begin, uint64_t end)
{
    const struct move *move = (const struct move *)context;
    const struct blocks *blocks = move->blocks;
    const uint32_t along = blocks->axis_count - 2; /* the axis whose rows a band has some of */
    const struct block_axis *rows = &blocks->axis[along];
    for (uint64_t band = begin; band < end; band++) {
        const int64_t sequence = (int64_t)band / move->bands;
        const int64_t first = (int64_t)band % move->bands * BAND_ROWS;
        const int64_t count = rows->size - first < BAND_ROWS ? rows->size - first : BAND_ROWS;
        int64_t base = 0, rest = sequence, stored[BAND_ROWS];
        for (uint32_t k = along; k-- > 0; rest /= blocks->axis[k].size)
            base += place_on(&blocks->axis[k], rest % blocks->axis[k].size);
        for (int64_t i = 0; i < count; i++)
            stored[i] = base + place_on(rows, first + i);
        const int64_t row = sequence * rows->size + first;
        move_rows(move, stored, row * blocks->axis[along + 1].size, count);
    }
}

static void move_all(struct move *move)
{
    const struct blocks *blocks = move->blocks;
    const int64_t rows = blocks->axis[blocks->axis_count - 2].size;
    const int64_t row = rows * blocks->axis[blocks->axis_count - 1].size;
    move->bands = (rows + BAND_ROWS - 1) / BAND_ROWS;
    workers_share(move_bands, move, (uint64_t)(blocks->plain_count / row * move->bands), BANDS_AT_ONCE,
                  blocks_cost_ns(blocks));
}

void blocks_unpack(const struct blocks *blocks, const void *stored, void *plain)
{
    struct move move = {.blocks = blocks, .from = stored, .to = plain, .is_unpacked = true};
    move_all(&move);
}

void blocks_pack(const struct blocks *blocks, const void *plain, void *stored)
{
    struct move move = {.blocks = blocks, .from = plain, .to = stored};
    if (blocks->plain_count != blocks->stored_count)
        memset(stored, 0, (size_t)blocks->stored_count * blocks->bytes);
    move_all(&move);
}

uint64_t blocks_cost_ns(const struct blocks *blocks)
{
    enum { BYTES_PER_NS = 4, CALL_NS = 100 };
    return (uint64_t)blocks->stored_count * blocks->bytes / BYTES_PER_NS + CALL_NS;
}
