/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of a sort: the first elements in order, or the one with a number. Of 32 bits of key or less; other
 * rows are sorted whole.
 */
#include <string.h>

#include "ops/sorting/key.h"

#ifdef KERNEL_PASS
#include "simd/vector/level_table.h"
#include "simd/vector/vector_fp32.h"

/* Keys of 32 bits at most, as key_of's; kind and bytes are constants where this is inlined. */
static inline __attribute__((always_inline)) uint32_t make_keys(const unsigned char *row, size_t count,
                                                                const struct order *order, int kind,
                                                                unsigned bytes, uint32_t *key)
{
    const uint32_t sign = (uint32_t)order->sign, mask = (uint32_t)order->mask, flip = (uint32_t)order->flip;
    const uint32_t infinity = (uint32_t)order->infinity;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        uint32_t raw;
        if (bytes == 4)
            memcpy(&raw, row + i * 4, 4);
        else if (bytes == 2)
            raw = (uint32_t)row[2 * i] | (uint32_t)row[2 * i + 1] << 8;
        else
            raw = row[i];
        const uint32_t size = raw & ~sign, turned = size == raw ? raw | sign : ~raw & mask;
        const uint32_t number = size == 0 ? sign : turned, whole = size > infinity ? mask : number;
        const uint32_t own = kind == ORDER_FLOAT     ? whole
                             : kind == ORDER_TRUTH   ? raw != 0
                             : kind == ORDER_INTEGER ? raw ^ sign
                                                     : raw;
        key[i] = own ^ flip;
        least = key[i] < least ? key[i] : least;
    }
    return least;
}

static inline __attribute__((always_inline)) uint32_t make_keys_of_kind(const unsigned char *row,
                                                                        size_t count,
                                                                        const struct order *order,
                                                                        unsigned bytes, uint32_t *key)
{
    switch (order->kind) {
    case ORDER_FLOAT:
        return make_keys(row, count, order, ORDER_FLOAT, bytes, key);
    case ORDER_INTEGER:
        return make_keys(row, count, order, ORDER_INTEGER, bytes, key);
    case ORDER_TRUTH:
        return make_keys(row, count, order, ORDER_TRUTH, bytes, key);
    default:
        return make_keys(row, count, order, ORDER_NATURAL, bytes, key);
    }
}

keys_function AT_LEVEL(keys);

uint32_t AT_LEVEL(keys)(const unsigned char *row, size_t count, const struct order *order, unsigned bytes,
                        uint32_t *key)
{
    if (bytes == 4)
        return make_keys_of_kind(row, count, order, 4, key);
    if (bytes == 2)
        return make_keys_of_kind(row, count, order, 2, key);
    return make_keys_of_kind(row, count, order, 1, key);
}

/*
 * How many keys come before each of those from the one numbered `first` on: of those in front equal ones, too.
 * Keys are whole vectors; what fills the last one is INT32_MAX, which comes behind all others.
 */
static inline vector_ints ranks_of(const int32_t *key, size_t first, size_t padded)
{
    vector_ints own, number = {0}, rank = vector_ints_of((int32_t)first);
    memcpy(&own, key + first, sizeof own);
    for (int32_t i = 0; i < VECTOR_LANES; i++)
        number[i] = i;
    /* Comparisons are -1 where they hold. */
    for (size_t j = 0; j < first; j += VECTOR_LANES)
        for (size_t i = 0; i < VECTOR_LANES; i++)
            rank += own < key[j + i];
    for (size_t i = 0; i < VECTOR_LANES; i++) {
        rank -= key[first + i] < own;
        rank -= (key[first + i] == own) & (number > (int32_t)i);
    }
    for (size_t j = first + VECTOR_LANES; j < padded; j += VECTOR_LANES)
        for (size_t i = 0; i < VECTOR_LANES; i++)
            rank -= key[j + i] < own;
    return rank;
}

/* The ranks of the first `count` keys; there is room for whole vectors of both. */
static inline void rank_keys(int32_t *key, size_t count, int32_t *rank)
{
    const size_t padded = (count + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
    for (size_t i = count; i < padded; i++)
        key[i] = INT32_MAX;
    for (size_t first = 0; first < padded; first += VECTOR_LANES) {
        const vector_ints ranks = ranks_of(key, first, padded);
        memcpy(rank + first, &ranks, sizeof ranks);
    }
}

rank_function AT_LEVEL(rank);

void AT_LEVEL(rank)(const uint64_t *word, size_t count, uint64_t *sorted)
{
    int32_t key[RANKED_MAX] __attribute__((uninitialized)), rank[RANKED_MAX] __attribute__((uninitialized));
    for (size_t i = 0; i < count; i++)
        key[i] = (int32_t)((uint32_t)(word[i] >> 32) ^ UINT32_C(1) << 31);
    rank_keys(key, count, rank);
    for (size_t i = 0; i < count; i++)
        sorted[rank[i]] = word[i];
}

rank_rows_function AT_LEVEL(rank_rows);

void AT_LEVEL(rank_rows)(const uint32_t *key, size_t rows, size_t length, uint8_t *place)
{
    int32_t own[RANKED_MAX] __attribute__((uninitialized)), rank[RANKED_MAX] __attribute__((uninitialized));
    for (size_t row = 0; row < rows; row++, key += length, place += length) {
        for (size_t i = 0; i < length; i++)
            own[i] = (int32_t)(key[i] ^ UINT32_C(1) << 31);
        rank_keys(own, length, rank);
        for (size_t i = 0; i < length; i++)
            place[rank[i]] = (uint8_t)i;
    }
}

#else

#include "ops/sorting/radix.h"
#include "simd/vector/level_table.h"

LEVEL_TABLE(keys_function, keys_functions, keys);

/* Elements whose keys are made at a time. */
enum { CHUNK = 512 };

/* Candidates that are sorted at a time at least. Rows that are worth counters for their keys' upper bits. */
enum {
    CANDIDATES_MIN = 16,
    COUNTED_MIN = 4096,
    COUNTED_KEPT = 64,
    COUNTED_BITS = 11,
    COUNTERS = 1 << COUNTED_BITS
};

bool radix_selects(const struct radix *radix, uint64_t kept)
{
    const uint64_t shortest = radix->length % radix->block_length;
    return dtype_bytes(radix->dtype) <= 4 && kept <= radix->block_length / 4 &&
           (shortest == 0 || kept <= shortest);
}

/*
 * Sorts those elements of a part of the row whose keys have the same upper bits as the one with that number
 * has, or, where `has_former`, these or less. Returns how many before them were left out.
 */
static uint64_t collect(struct radix *own, uint64_t begin, uint64_t end, uint64_t number, bool has_former,
                        unsigned bytes)
{
    const struct order order = order_of(own->dtype, own->is_descending);
    const unsigned char *row = own->row;
    const unsigned shift = 8 * bytes - COUNTED_BITS;
    uint32_t counter[COUNTERS] = {0}, key[CHUNK] __attribute__((uninitialized));
    uint64_t bucket = 0, count = 0, before = 0;
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const size_t size = end - i < CHUNK ? (size_t)(end - i) : CHUNK;
        keys_functions[own->level](row + i * bytes, size, &order, bytes, key);
        for (size_t j = 0; j < size; j++)
            counter[key[j] >> shift]++;
    }
    for (; number - before >= counter[bucket]; bucket++)
        before += counter[bucket];
    const uint64_t lowest = has_former ? 0 : bucket;
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const size_t size = end - i < CHUNK ? (size_t)(end - i) : CHUNK;
        keys_functions[own->level](row + i * bytes, size, &order, bytes, key);
        for (size_t j = 0; j < size; j++) { /* the words have room for all of the part */
            own->words[count] = (uint64_t)key[j] << 32 | (i + j);
            count += key[j] >> shift >= lowest && key[j] >> shift <= bucket;
        }
    }
    own->length = own->block_length = count;
    own->block_count = 1;
    radix_sort_words(own, bytes);
    return has_former ? 0 : before;
}

/*
 * The first elements of a block: candidates come together as long as they are before the last one of those
 * that were found, which are as many as are kept; of an equal one the former counts.
 */
static uint64_t select_from(struct radix *own, uint64_t begin, uint64_t end, unsigned bytes)
{
    const struct order order = order_of(own->dtype, own->is_descending);
    const uint64_t kept = own->kept, most = 4 * kept < CANDIDATES_MIN ? CANDIDATES_MIN : 4 * kept;
    uint32_t key[CHUNK] __attribute__((uninitialized));
    uint64_t limit = UINT64_C(1) << 32, count = 0;
    if (kept >= COUNTED_KEPT && bytes > 1 && end - begin >= COUNTED_MIN) {
        (void)collect(own, begin, end, kept - 1, true, bytes);
        return kept;
    }
    for (uint64_t i = begin; i < end; i += CHUNK) {
        const size_t size = end - i < CHUNK ? (size_t)(end - i) : CHUNK;
        const uint32_t least =
            keys_functions[own->level]((const unsigned char *)own->row + i * bytes, size, &order, bytes, key);
        if (least >= limit)
            continue;
        for (size_t j = 0; j < size; j++) {
            if (key[j] >= limit || (kept == 1 && key[j] != least))
                continue;
            own->words[count++] = (uint64_t)key[j] << 32 | (i + j);
            if (kept == 1) {
                own->words[0] = own->words[count - 1];
                count = 1;
                limit = least;
            }
            if (count < most)
                continue;
            own->length = own->block_length = count;
            radix_sort_words(own, bytes);
            count = kept;
            limit = own->words[kept - 1] >> 32;
        }
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
        count = select_from(&own, begin, end, dtype_bytes(radix->dtype));
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

static void take_from(struct radix *radix, uint64_t number, unsigned bytes)
{
    struct radix all = *radix;
    number -= collect(&all, 0, radix->length, number, false, bytes);
    radix->words[0] = all.words[number];
}

void radix_take(struct radix *radix, uint64_t number)
{
    const unsigned bytes = dtype_bytes(radix->dtype);
    if ((bytes == 4 || bytes == 2) && radix->length >= COUNTED_MIN) {
        take_from(radix, number, bytes);
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

#endif
