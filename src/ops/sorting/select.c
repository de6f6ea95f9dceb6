/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of a sort: the first elements in order, or the one with a number. Of 32 bits of key or less; other
 * rows are sorted whole.
 */
#include <string.h>

#include "ops/sorting/key.h"
#include "ops/sorting/radix.h"

/* Candidates that are sorted at a time at least. Rows that are worth counters for their keys' upper bits. */
enum { CANDIDATES_MIN = 16, COUNTED_MIN = 4096, COUNTED_BITS = 11, COUNTERS = 1 << COUNTED_BITS };

bool radix_selects(const struct radix *radix, uint64_t kept)
{
    const uint64_t shortest = radix->length % radix->block_length;
    return dtype_bytes(radix->dtype) <= 4 && kept <= radix->block_length / 4 &&
           (shortest == 0 || kept <= shortest);
}

/*
 * The first elements of a block: candidates come together as long as they are before the last one of those
 * that were found, which are as many as are kept; of an equal one the former counts.
 */
static inline __attribute__((always_inline)) uint64_t select_from(struct radix *own, uint64_t begin,
                                                                  uint64_t end, unsigned bytes)
{
    const struct order order = order_of(own->dtype, own->is_descending);
    const uint64_t kept = own->kept, most = 2 * kept < CANDIDATES_MIN ? CANDIDATES_MIN : 2 * kept;
    uint64_t limit = UINT64_C(1) << 32, count = 0;
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t key = key_of(raw_at(own->row, i, bytes), &order);
        if (key >= limit)
            continue;
        own->words[count++] = key << 32 | i;
        if (count < most)
            continue;
        own->length = own->block_length = count;
        radix_sort_words(own, bytes);
        count = kept;
        limit = own->words[kept - 1] >> 32;
    }
    own->length = own->block_length = count;
    radix_sort_words(own, bytes);
    return count < kept ? count : kept;
}

static void select_blocks(void *context, uint64_t first, uint64_t behind)
{
    const struct radix *radix = (const struct radix *)context;
    for (uint64_t block = first; block < behind; block++) {
        struct radix own = *radix;
        uint64_t begin, end, count;
        radix_block(radix, block, &begin, &end);
        own.words += begin;
        own.other += begin;
        own.counts += block * RADIX_BUCKETS;
        own.block_count = 1;
        switch (dtype_bytes(radix->dtype)) {
        case 1:
            count = select_from(&own, begin, end, 1);
            break;
        case 2:
            count = select_from(&own, begin, end, 2);
            break;
        default:
            count = select_from(&own, begin, end, 4);
            break;
        }
        if (own.words != radix->words + begin)
            memcpy(radix->words + begin, own.words, count * sizeof *own.words);
    }
}

void radix_select_row(struct radix *radix, uint64_t kept)
{
    radix->kept = kept;
    radix_for_blocks(radix, select_blocks, radix);
    if (radix->block_count == 1)
        return;
    for (uint64_t block = 1; block < radix->block_count; block++)
        memmove(radix->words + block * kept, radix->words + block * radix->block_length,
                kept * sizeof *radix->words);
    struct radix all = *radix;
    all.length = all.block_length = radix->block_count * kept;
    all.block_count = 1;
    radix_sort_words(&all, dtype_bytes(radix->dtype));
    radix->words = all.words;
    radix->other = all.other;
}

/* Of those whose keys have the upper bits of the one that is asked for: places, in their order. */
static inline __attribute__((always_inline)) void take_from(struct radix *radix, uint64_t number,
                                                            unsigned bytes)
{
    const struct order order = order_of(radix->dtype, radix->is_descending);
    const unsigned shift = 8 * bytes > COUNTED_BITS ? 8 * bytes - COUNTED_BITS : 0;
    uint32_t counter[COUNTERS] = {0};
    uint64_t bucket = 0, count = 0;
    for (uint64_t i = 0; i < radix->length; i++)
        counter[key_of(raw_at(radix->row, i, bytes), &order) >> shift]++;
    for (; number >= counter[bucket]; bucket++)
        number -= counter[bucket];
    for (uint64_t i = 0; i < radix->length; i++) {
        const uint64_t key = key_of(raw_at(radix->row, i, bytes), &order);
        radix->words[count] = key << 32 | i;
        count += key >> shift == bucket;
    }
    struct radix all = *radix;
    all.length = all.block_length = count;
    all.block_count = 1;
    radix_sort_words(&all, bytes);
    radix->words[0] = all.words[number];
}

void radix_take(struct radix *radix, uint64_t number)
{
    const unsigned bytes = dtype_bytes(radix->dtype);
    if (bytes == 4 && radix->length >= COUNTED_MIN) {
        take_from(radix, number, 4);
    } else if (bytes == 2 && radix->length >= COUNTED_MIN) {
        take_from(radix, number, 2);
    } else {
        radix_sort_row(radix);
        radix->words[0] = radix->words[number];
    }
}

uint64_t radix_count_nans(const struct radix *radix)
{
    const struct order order = order_of(radix->dtype, radix->is_descending);
    const unsigned bytes = dtype_bytes(radix->dtype);
    uint64_t count = 0;
    if (order.kind != ORDER_FLOAT)
        return 0;
    for (uint64_t i = 0; i < radix->length; i++)
        count += (raw_at(radix->row, i, bytes) & ~order.sign) > order.infinity;
    return count;
}
