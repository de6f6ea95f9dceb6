/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sort: by digits of 8 bits, the lowest first, each pass stable. Short rows are ranked (select.c).
 */
#include "ops/sorting/radix.h"

#include <string.h>

#include "ops/sorting/key.h"
#include "runtime/streams/workers.h"
#include "simd/vector/level_table.h"
#include "tensor/dtype.h"

LEVEL_TABLE(rank_function, rank_functions, rank);

enum { BLOCK_LENGTH_MIN = 8192, DIGIT_BITS = 8 };

/* Compiled for each size of elements. */
static inline __attribute__((always_inline)) void load(const struct radix *radix, uint64_t begin,
                                                       uint64_t end, unsigned bytes)
{
    const struct order order = order_of(radix->dtype, radix->is_descending);
    if (radix->is_high) {
        for (uint64_t i = begin; i < end; i++) {
            uint64_t place = radix->words[i] & UINT32_MAX;
            radix->words[i] = key_of(raw_at(radix->row, place, bytes), &order) >> 32 << 32 | place;
        }
        return;
    }
    for (uint64_t i = begin; i < end; i++)
        radix->words[i] = key_of(raw_at(radix->row, i, bytes), &order) << 32 | i;
}

void radix_block(const struct radix *radix, uint64_t block, uint64_t *begin, uint64_t *end)
{
    *begin = block * radix->block_length;
    *end = *begin + radix->block_length < radix->length ? *begin + radix->block_length : radix->length;
}

static void load_blocks(void *context, uint64_t first, uint64_t behind)
{
    const struct radix *radix = (const struct radix *)context;
    for (uint64_t block = first; block < behind; block++) {
        uint64_t begin, end;
        radix_block(radix, block, &begin, &end);
        switch (dtype_bytes(radix->dtype)) {
        case 1:
            load(radix, begin, end, 1);
            break;
        case 2:
            load(radix, begin, end, 2);
            break;
        case 4:
            load(radix, begin, end, 4);
            break;
        default:
            load(radix, begin, end, 8);
            break;
        }
    }
}

static void count_blocks(void *context, uint64_t first, uint64_t behind)
{
    const struct radix *radix = (const struct radix *)context;
    for (uint64_t block = first; block < behind; block++) {
        uint32_t *count = radix->counts + block * RADIX_BUCKETS;
        uint64_t begin, end;
        radix_block(radix, block, &begin, &end);
        memset(count, 0, RADIX_BUCKETS * sizeof *count);
        for (uint64_t i = begin; i < end; i++)
            count[radix->words[i] >> radix->shift & (RADIX_BUCKETS - 1)]++;
    }
}

/* Counts become the places where each block puts its first word of each bucket. */
static void place_buckets(const struct radix *radix)
{
    uint64_t place = 0; /* below 2^32 but behind the last bucket */
    for (unsigned bucket = 0; bucket < RADIX_BUCKETS; bucket++)
        for (uint32_t block = 0; block < radix->block_count; block++) {
            uint32_t *count = &radix->counts[(size_t)block * RADIX_BUCKETS + bucket];
            uint64_t here = *count;
            *count = (uint32_t)place;
            place += here;
        }
}

static void move_blocks(void *context, uint64_t first, uint64_t behind)
{
    const struct radix *radix = (const struct radix *)context;
    for (uint64_t block = first; block < behind; block++) {
        uint32_t *place = radix->counts + block * RADIX_BUCKETS;
        uint64_t begin, end;
        radix_block(radix, block, &begin, &end);
        for (uint64_t i = begin; i < end; i++) {
            uint64_t word = radix->words[i];
            radix->other[place[word >> radix->shift & (RADIX_BUCKETS - 1)]++] = word;
        }
    }
}

static void exchange(struct radix *radix)
{
    uint64_t *sorted = radix->other;
    radix->other = radix->words;
    radix->words = sorted;
}

/* By so many digits above bit 32. */
void radix_sort_words(struct radix *radix, unsigned digits)
{
    if (radix->length <= RANKED_MAX) {
        rank_functions[radix->level](radix->words, radix->length, radix->other);
        exchange(radix);
        return;
    }
    uint64_t apart = 0; /* bits in which words differ: of small integers most digits are the same */
    for (uint64_t i = 0; i < radix->length; i++)
        apart |= radix->words[i] ^ radix->words[0];
    for (unsigned digit = 0; digit < digits; digit++) {
        radix->shift = 32 + DIGIT_BITS * digit;
        if ((apart >> radix->shift & (RADIX_BUCKETS - 1)) == 0)
            continue;
        radix_for_blocks(radix, count_blocks, radix);
        place_buckets(radix);
        radix_for_blocks(radix, move_blocks, radix);
        exchange(radix);
    }
}

void radix_divide(struct radix *radix, uint64_t length, uint64_t cost_ns)
{
    uint64_t block_length = (length + RADIX_BLOCKS_MAX - 1) / RADIX_BLOCKS_MAX;
    if (block_length < BLOCK_LENGTH_MIN)
        block_length = BLOCK_LENGTH_MIN;
    radix->length = length;
    radix->block_length = cost_ns > 0 && workers_pay(cost_ns) ? block_length : length;
    radix->block_count = (uint32_t)((length + radix->block_length - 1) / radix->block_length);
}

void radix_for_blocks(const struct radix *radix, void (*body)(void *, uint64_t, uint64_t), void *context)
{
    if (radix->block_count == 1)
        body(context, 0, 1);
    else
        workers_run(body, context, radix->block_count, 1);
}

/* Whether a second sort, by the upper halves of keys of 64 bits, may change anything: of small integers these
 * are all the same. */
static bool has_upper_halves(const struct radix *radix)
{
    enum { TOGETHER = 512 };
    const struct order order = order_of(radix->dtype, false);
    const uint64_t *raw = radix->row;
    uint64_t apart = order.kind == ORDER_FLOAT ? UINT64_MAX : 0;
    for (uint64_t i = 0, end; i < radix->length && apart >> 32 == 0; i = end) {
        end = radix->length - i < TOGETHER ? radix->length : i + TOGETHER;
        for (uint64_t j = i; j < end; j++)
            apart |= raw[j] ^ raw[0];
    }
    return apart >> 32 != 0;
}

void radix_sort_row(struct radix *radix)
{
    const unsigned bytes = dtype_bytes(radix->dtype);
    radix->is_high = false;
    radix_for_blocks(radix, load_blocks, radix);
    radix_sort_words(radix, bytes < 4 ? bytes : 4);
    if (bytes <= 4 || !has_upper_halves(radix))
        return;
    radix->is_high = true;
    radix_for_blocks(radix, load_blocks, radix);
    radix_sort_words(radix, 4);
}
