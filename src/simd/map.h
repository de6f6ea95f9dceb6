/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops of every elementwise kernel over its blocks, of which simd/block.h does one. The ragged end goes
 * through the same code as the body, in a padded copy, so that a result does not depend on where its element
 * stands.
 */
#ifndef BELAY_SIMD_MAP_H
#define BELAY_SIMD_MAP_H

#include "simd/block.h"
#include "simd/quotient.h"
#include "simd/rest.h"

/* Whether some of the first numbers of a block, of fp32, are beyond this, and not all above it, for which the
 * careful way does less: then others may be. */
static inline __attribute__((always_inline)) bool starts_far(const char *source, float far)
{
    wide pair[2] __attribute__((uninitialized));
    load_pair(ARITHMETIC_FP32, source, pair);
    wide greatest = wide_greatest(wide_absolute(pair[0]), wide_absolute(pair[1]));
    return wide_any_flag(wide_greater(greatest, wide_of(far))) &&
           wide_any_flag(wide_greater(wide_of(far), wide_least(pair[0], pair[1])));
}

/* The quick way, extreme as it is told, for as many whole blocks as it has no doubts about: the bytes that
 * are done. A loop of its own, which the careful ways leave the registers for its constants. */
static inline __attribute__((always_inline)) size_t
map_blocks(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
           char *target, size_t offset, size_t end, const void *prepared, int extreme, bool streams)
{
    const int pairs = extreme >= 3 ? CAREFUL_PAIRS : BLOCK_PAIRS; /* of more the masks would not fit */
    const size_t block = (size_t)pairs * PAIR_LANES * bytes_of(dtype);
    while (end - offset >= block && (extreme != 2 || starts_far(source[1] + offset, evaluation->far)) &&
           map_fast(dtype, evaluation, source, target, offset, prepared, pairs, false, extreme, streams)) {
        for (int i = 0; streams && evaluation->asks_ahead && i < evaluation->inputs; i++)
            ask_for(source[i], offset + STREAM_AHEAD, block);
        offset += block;
    }
    /* What follows reads memory again: gcc would keep all inputs of a block for it, in registers of their
     * own, where the instructions of the loop can take them from memory. */
    __asm__("" : "+r"(offset));
    return offset;
}

/* Whether the first gradients of a block are all subnormal or 0, of fp32 or bf16: then the others may be. */
static inline __attribute__((always_inline)) bool starts_small(enum arithmetic dtype, const char *source)
{
    wide pair[2] __attribute__((uninitialized));
    load_pair(dtype, source, pair);
    return !wide_any(((wide_bits)pair[0] | (wide_bits)pair[1]) & 0x7f800000);
}

/* Bad data is seldom alone: the more blocks failed in a row, the more the careful way takes, up to this. */
enum { CAREFUL_BLOCKS = 64 };

/* Writes what was kept for later. */
static inline __attribute__((always_inline)) void map_late(enum arithmetic dtype,
                                                           const struct evaluation *evaluation, char *target,
                                                           const void *prepared, struct late *late)
{
    const char *source[INPUTS_MAX];
    char result[PAIR_LANES * 2] __attribute__((uninitialized));
    for (int j = 0; j < evaluation->inputs; j++) {
        for (unsigned i = late->count; i < PAIR_LANES; i++)
            late->input[j][i] = late->input[j][0];
        source[j] = (const char *)late->input[j];
    }
    if (!map_fast(dtype, evaluation, source, result, 0, prepared, 1, true, EXTREME_LAST, false))
        for (size_t i = 0; i < PAIR_LANES; i += LANES)
            map_lanes(dtype, evaluation, source, result, i * 2, prepared, false);
    for (unsigned i = 0; i < late->count; i++)
        memcpy(target + late->offset[i], result + (size_t)i * 2, 2);
    late->count = 0;
}

/* The quick way has too many doubts about a block: *care as in struct evaluation. */
static inline __attribute__((always_inline)) void
map_other(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
          size_t offset, const void *prepared, int *care, struct late *late, bool streams)
{
    const size_t part = CAREFUL_PAIRS * PAIR_LANES * bytes_of(dtype);
    if (evaluation->block && late->count > PAIR_LANES - LATE_OF_BLOCK)
        map_late(dtype, evaluation, target, prepared, late);
    if (evaluation->other_block &&
        evaluation->other_block(dtype, source, target, offset, care, late, streams))
        return;
    for (int i = 0; i < BLOCK_PAIRS; i += CAREFUL_PAIRS, offset += part)
        map_careful(dtype, evaluation, source, target, offset, prepared, CAREFUL_PAIRS, streams);
}

static inline bool overlaps_inputs(const struct evaluation *evaluation, const char *const *source,
                                   const char *target, size_t bytes)
{
    bool overlaps = false;
    for (int i = 0; i < evaluation->inputs; i++)
        overlaps |= (uintptr_t)source[i] < (uintptr_t)target + bytes &&
                    (uintptr_t)target < (uintptr_t)source[i] + bytes;
    return overlaps;
}

/* How many blocks are computed before what is in doubt of them is looked at, in the end: 8 KiB of AVX-512. */
enum { BATCH_BLOCKS = 32, BATCH_BYTES = BATCH_BLOCKS * BLOCK_PAIRS * PAIR_LANES * 2 };

/* Blocks from byte offset on by evaluation->block. */
static inline __attribute__((always_inline)) void
map_batch(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
          size_t offset, size_t blocks, const void *prepared, uint32_t *doubts, bool asks_ahead, bool streams)
{
    const size_t block = BLOCK_PAIRS * PAIR_LANES * 2;
    for (size_t i = 0; i < blocks; i++, offset += block) {
        for (int j = 0; asks_ahead && j < evaluation->inputs; j++)
            ask_for(source[j], offset + STREAM_AHEAD, block);
        doubts[i] = evaluation->block(dtype, source, target, offset, prepared, streams);
    }
}

/*
 * All whole blocks by evaluation->block: those of a batch without a branch that could be mistaken, then what
 * is in doubt of them. Inputs are read again for that, so that results which would overwrite them, or would
 * be past the caches by then, go to a buffer first. Returns the bytes that are done.
 */
static inline __attribute__((always_inline)) size_t
map_batches(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
            char *target, size_t bytes, const void *prepared, bool streams)
{
    const size_t block = BLOCK_PAIRS * PAIR_LANES * 2;
    const bool is_buffered = (streams && dtype == ARITHMETIC_FP16) || /* bf16 has few doubts */
                             overlaps_inputs(evaluation, source, target, bytes);
    char buffer[BATCH_BYTES] __attribute__((uninitialized, aligned(64)));
    uint32_t doubts[BATCH_BLOCKS] __attribute__((uninitialized));
    struct late late __attribute__((uninitialized));
    size_t done = 0, batch = 1, careful = 1;
    late.count = 0;
    while (bytes - done >= block) {
        const size_t whole = (bytes - done) / block, blocks = batch < whole ? batch : whole;
        const char *from[INPUTS_MAX];
        for (int i = 0; i < evaluation->inputs; i++)
            from[i] = source[i] + (is_buffered ? done : 0);
        char *to = is_buffered ? buffer : target;
        size_t offset = is_buffered ? 0 : done, many = 0;
        int care = 0;
        if (is_buffered && streams)
            map_batch(dtype, evaluation, from, to, offset, blocks, prepared, doubts, true, false);
        else if (streams)
            map_batch(dtype, evaluation, from, to, offset, blocks, prepared, doubts, true, true);
        else
            map_batch(dtype, evaluation, from, to, offset, blocks, prepared, doubts, false, false);
        for (size_t i = 0; i < blocks; i++, offset += block) {
            if (__builtin_expect(doubts[i] == 0, 1))
                continue;
            if (late.count > PAIR_LANES - LATE_OF_BLOCK)
                map_late(dtype, evaluation, to, prepared, &late);
            if (late_keep_lanes(&late, dtype, evaluation->inputs, from, offset, doubts[i], BLOCK_PAIRS))
                continue;
            map_other(dtype, evaluation, from, to, offset, prepared, &care, &late, streams && !is_buffered);
            many++;
        }
        if (is_buffered) {
            if (late.count > 0)
                map_late(dtype, evaluation, to, prepared, &late);
            for (size_t i = 0; i < blocks * block; i += sizeof(narrow))
                put(target + done + i, buffer + i, sizeof(narrow), streams);
        }
        done += blocks * block;
        if (2 * many <= blocks) {
            careful = 1;
            batch = 4 * batch < BATCH_BLOCKS ? 4 * batch : BATCH_BLOCKS;
            continue;
        }
        /* What follows is likely to be as bad. */
        batch = 1;
        for (size_t i = 0; i < careful && bytes - done >= block; i++, done += block)
            map_other(dtype, evaluation, source, target, done, prepared, &care, &late, streams);
        if (is_buffered && late.count > 0)
            map_late(dtype, evaluation, target, prepared, &late);
        careful = careful < CAREFUL_BLOCKS ? 4 * careful : careful;
    }
    if (late.count > 0)
        map_late(dtype, evaluation, target, prepared, &late);
    return done;
}

/* As many whole blocks as there are. Returns the bytes that are done. */
static inline __attribute__((always_inline)) size_t
map_whole_blocks(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
                 char *target, size_t bytes, const void *prepared, bool streams)
{
    const size_t pair = PAIR_LANES * bytes_of(dtype), block = BLOCK_PAIRS * pair;
    const size_t end = bytes / pair * pair;
    size_t offset = 0, careful = 1;
    if (evaluation->block)
        offset = map_batches(dtype, evaluation, source, target, bytes, prepared, streams);
    while (!evaluation->block && end - offset >= block) {
        /* Two loops: else each turn would ask, between its loads and the rest. */
        size_t done = streams
                          ? map_blocks(dtype, evaluation, source, target, offset, end, prepared, 0, true)
                          : map_blocks(dtype, evaluation, source, target, offset, end, prepared, 0, false);
        careful = done > offset ? 1 : careful;
        offset = done;
        if (evaluation->has_small && end - offset >= block && starts_small(dtype, source[0] + offset))
            offset = map_blocks(dtype, evaluation, source, target, offset, end, prepared, 1, streams);
        if (evaluation->far > 0)
            offset = map_blocks(dtype, evaluation, source, target, offset, end, prepared, 2, streams);
        if (offset > done || end - offset < block)
            continue;
        const size_t whole = (end - offset) / block;
        const size_t last = offset + (careful < whole ? careful : whole) * block;
        int care = 0;
        while (offset < last) {
            if (evaluation->any_blocks) {
                const size_t start = offset;
                offset = evaluation->any_blocks(source, target, offset, last, prepared, streams);
                if (offset > start)
                    continue;
            }
            if (!evaluation->has_any) {
                map_other(dtype, evaluation, source, target, offset, prepared, &care, NULL, streams);
                offset += block;
                continue;
            }
            const size_t start = offset;
            offset = map_blocks(dtype, evaluation, source, target, offset, last, prepared, 3, streams);
            if (!evaluation->narrow) /* which has no doubts about infinities and NaN */
                offset = map_blocks(dtype, evaluation, source, target, offset, last, prepared, 4, streams);
            if (offset > start)
                continue;
            map_careful(dtype, evaluation, source, target, offset, prepared, CAREFUL_PAIRS, streams);
            offset += CAREFUL_PAIRS * pair;
        }
        careful = careful < CAREFUL_BLOCKS ? 4 * careful : careful;
    }
    return offset;
}

/* Of the copies of a ragged end: a pair of fp32 or LANES doubles, and whole registers to copy them. */
enum { PAIR_BYTES = PAIR_LANES * sizeof(float), BUFFER_BYTES = PAIR_BYTES < 64 ? 64 : PAIR_BYTES };

/* One pair or two by the quick way; false, and nothing written, if there is doubt or no quick way for so few.
 */
static inline __attribute__((always_inline)) bool map_few(enum arithmetic dtype,
                                                          const struct evaluation *evaluation,
                                                          const char *const *source, char *target,
                                                          size_t offset, const void *prepared, int pairs)
{
    if (!evaluation->has_quick_rest)
        return false;
    return evaluation->few[pairs - 1]
               ? evaluation->few[pairs - 1](dtype, source, target, offset)
               : map_fast(dtype, evaluation, source, target, offset, prepared, pairs, false, 0, false);
}

/* The ragged end of each input, in a buffer of this size. */
static inline __attribute__((always_inline)) void
fetch_inputs(enum arithmetic dtype, int inputs, const void *const *input, size_t done, size_t bytes,
             size_t size, char (*padded)[BUFFER_BYTES], const char **source)
{
#pragma GCC unroll 4
    for (int i = 0; i < inputs; i++) {
        fetch_rest(padded[i], size, (const char *)input[i] + done, bytes - done, bytes_of(dtype));
        source[i] = padded[i];
    }
}

/* What map_wide() has not done: less than a block. Small operators are nothing else. */
static inline __attribute__((always_inline)) void
map_rest(enum arithmetic dtype, const struct evaluation *evaluation, const void *const *input, void *output,
         size_t done, size_t bytes, const void *prepared, bool is_quick)
{
    const size_t step = PAIR_LANES * bytes_of(dtype), size = step < 64 ? 64 : step;
    const char *source[INPUTS_MAX];
    char *target = output;
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    if (bytes - done >= 2 * step && is_quick && map_few(dtype, evaluation, source, target, done, prepared, 2))
        done += 2 * step;
    for (; bytes - done >= step; done += step)
        if (!is_quick || !map_few(dtype, evaluation, source, target, done, prepared, 1))
            map_careful(dtype, evaluation, source, target, done, prepared, 1, false);
    if (done == bytes)
        return;
    /* Not cleared, as the compiler would otherwise do: all that is read is written first. */
    char padded[INPUTS_MAX][BUFFER_BYTES] __attribute__((uninitialized));
    char result[BUFFER_BYTES] __attribute__((uninitialized));
    fetch_inputs(dtype, evaluation->inputs, input, done, bytes, size, padded, source);
    if (!is_quick || !map_few(dtype, evaluation, source, result, 0, prepared, 1))
        map_careful(dtype, evaluation, source, result, 0, prepared, 1, false);
    put_rest(target + done, result, size, bytes - done);
}

/* By the fast ways, on any level. */
static inline __attribute__((always_inline)) void map_wide(enum arithmetic dtype,
                                                           const struct evaluation *evaluation,
                                                           const void *const *input, void *output,
                                                           size_t count, const void *prepared, bool streams)
{
    const size_t bytes = count * bytes_of(dtype);
    const char *source[INPUTS_MAX];
    if (evaluation->rest && bytes < BLOCK_PAIRS * PAIR_LANES * bytes_of(dtype)) {
        evaluation->rest(input, output, bytes, prepared);
        return;
    }
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    size_t done = map_whole_blocks(dtype, evaluation, source, output, bytes, prepared, streams);
    if (done < bytes)
        map_rest(dtype, evaluation, input, output, done, bytes, prepared, !evaluation->rest);
}

/* By the estimate and what settles it. */
static inline __attribute__((always_inline)) void
map_doubles(enum arithmetic dtype, const struct evaluation *evaluation, const void *const *input,
            void *output, size_t count, const void *prepared, bool streams)
{
    const size_t step = LANES * bytes_of(dtype), size = step < 64 ? 64 : step;
    const size_t bytes = count * bytes_of(dtype);
    const char *source[INPUTS_MAX];
    char *target = output;
    size_t done = 0;
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    for (; bytes - done >= step; done += step)
        map_lanes(dtype, evaluation, source, target, done, prepared, streams);
    if (done == bytes)
        return;
    char padded[INPUTS_MAX][BUFFER_BYTES] __attribute__((uninitialized));
    char result[BUFFER_BYTES] __attribute__((uninitialized));
    fetch_inputs(dtype, evaluation->inputs, input, done, bytes, size, padded, source);
    map_lanes(dtype, evaluation, source, result, 0, prepared, false);
    put_rest(target + done, result, size, bytes - done);
}

/* By the fast ways where there are some and fused products make them fast. FUSED_IS_FAST comes first: a
 * compiler then need not look at the fast ways of every operator to find that it has no use for them. */
static inline __attribute__((always_inline)) void map(enum arithmetic dtype,
                                                      const struct evaluation *evaluation,
                                                      const void *const *input, void *output, size_t count,
                                                      const void *prepared, bool streams)
{
    if (FUSED_IS_FAST && dtype != ARITHMETIC_FP64 && (evaluation->fast || evaluation->narrow))
        map_wide(dtype, evaluation, input, output, count, prepared, streams);
    else
        map_doubles(dtype, evaluation, input, output, count, prepared, streams);
}

/*
 * Defines any_blocks of one evaluation by the quick way of another, whose prepared data are of the type. It
 * is a function of its own, so that the loops beside it keep all registers, and gets what is prepared by
 * value: what another function may know the address of would have to be read again after every store.
 */
#define MAP_ANY_BLOCKS(name, dtype, evaluation, type)                                                 \
    static __attribute__((noinline))                                                                  \
    size_t name##_apart(const char *first, const char *second, const char *third, char *target,       \
                        size_t offset, size_t end, type prepared, bool streams)                       \
    {                                                                                                 \
        const char *const source[] = {first, second, third};                                          \
        return map_blocks(dtype, &(evaluation), source, target, offset, end, &prepared, 0, streams);  \
    }                                                                                                 \
    static inline __attribute__((always_inline)) size_t name(const char *const *source, char *target, \
                                                             size_t offset, size_t end,               \
                                                             const void *prepared, bool streams)      \
    {                                                                                                 \
        const char *second = (evaluation).inputs > 1 ? source[1] : NULL;                              \
        const char *third = (evaluation).inputs > 2 ? source[2] : NULL;                               \
        return name##_apart(source[0], second, third, target, offset, end, *(const type *)prepared,   \
                            streams);                                                                 \
    }

/* Defines the kernel that is nothing but map() of one evaluation; prepared is NULL, or the parameters as they
 * are. MAP_WIDE_KERNEL: of one whose fast way decides. MAP_KERNEL_BY: by another function like map(). */
#define MAP_KERNEL(name, dtype, evaluation, prepared) MAP_KERNEL_BY(map, name, dtype, evaluation, prepared)
#define MAP_WIDE_KERNEL(name, dtype, evaluation, prepared) \
    MAP_KERNEL_BY(map_wide, name, dtype, evaluation, prepared)
#define MAP_KERNEL_BY(function, name, dtype, evaluation, prepared)                                 \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool streams)                                                                 \
    {                                                                                              \
        (void)parameters;                                                                          \
        function(dtype, &(evaluation), input, output, count, prepared, streams);                   \
    }

#endif
