/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of elementwise kernels: blocks by the quick way of a struct evaluation, those that it is not sure
 * of by its way for any number, and single lanes that are in doubt even then by doubles. The ragged end of an
 * array goes through the same code in a padded copy, so that a result does not depend on where its element
 * stands.
 */
#ifndef BELAY_SIMD_MAP_H
#define BELAY_SIMD_MAP_H

#include "simd/evaluation.h"
#include "simd/memory.h"
#include "simd/quotient.h"
#include "simd/tail.h"
#include "simd/rounding.h"
#include "simd/vector_memory.h"
#include "simd/write.h"

/* A block is so many pairs of registers, if the evaluation does not say less: enough work to hide the latency
 * of each of them. */
enum { BLOCK_PAIRS = 4 };

/* Bad data is seldom alone: the more blocks failed in a row, the more go the other way unasked, up to this.
 */
enum { ODD_BLOCKS_MAX = 64 };

/* Of the copies of a ragged end: a pair of fp32 or LANES doubles, and whole registers to copy them. */
enum { PAIR_BYTES = PAIR_LANES * sizeof(float), BUFFER_BYTES = PAIR_BYTES < 64 ? 64 : PAIR_BYTES };

/* Whether this level takes doubles for all elements: for fp64, and where fused products are slow and results
 * are rounded once, so that both ways give the same. */
static inline __attribute__((always_inline)) bool takes_doubles(enum arithmetic dtype,
                                                                const struct evaluation *evaluation)
{
    if (dtype == ARITHMETIC_FP64 || !(evaluation->fast || evaluation->lanes16))
        return true;
    return !FUSED_IS_FAST && !evaluation->fast_decides;
}

/* LANES elements at byte offset of every array, rounded once, to target itself; non_temporal: see put. */
static inline __attribute__((always_inline)) void
map_lanes(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
          size_t offset, char *target, const void *prepared, bool non_temporal)
{
    doubles input[INPUTS_MAX] __attribute__((uninitialized)); /* not cleared first: all that is read is set */
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        input[i] = load(dtype, source[i] + offset);
    doubles value = evaluation->estimate(input, prepared);
    if (dtype == ARITHMETIC_FP64) {
        value = choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);
        put(target, &value, sizeof value, non_temporal);
        return;
    }
    if (!evaluation->settle) {
        store(dtype, target, canonical_bits(dtype, round_bits(dtype, value)), non_temporal);
        return;
    }
    uints bits = round_bits(dtype, value * (1 - ESTIMATE_ERROR));
    ints unsure = bits != round_bits(dtype, value * (1 + ESTIMATE_ERROR));
    if (__builtin_expect(any(widen(unsure)), 0)) {
        uints settled = round_bits(dtype, evaluation->settle(input, value, prepared));
        bits = choose_uints(unsure, settled, bits);
    }
    store(dtype, target, canonical_bits(dtype, bits), non_temporal);
}

/* The inputs of PAIR_LANES elements: input[i][j] is what register i of the pair needs of array j. */
static inline __attribute__((always_inline)) void load_inputs(enum arithmetic dtype, int inputs,
                                                              const char *const *source, size_t offset,
                                                              vector (*input)[INPUTS_MAX])
{
#pragma GCC unroll 4
    for (int j = 0; j < inputs; j++) {
        vector pair[2] __attribute__((uninitialized));
        load_pair(dtype, source[j] + offset, pair);
        input[0][j] = pair[0];
        input[1][j] = pair[1];
    }
}

static inline __attribute__((always_inline)) lanes16 lanes16_at(const struct evaluation *evaluation,
                                                                const char *const *source, size_t offset,
                                                                const void *prepared,
                                                                struct unsettled *unsettled)
{
    const char *at[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        at[i] = source[i] + offset;
    return evaluation->lanes16(at, prepared, unsettled);
}

/* The quick way for pairs * PAIR_LANES elements at byte offset of every array; false, and nothing written, if
 * there is doubt. */
static inline __attribute__((always_inline)) bool
map_quick(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
          size_t offset, const void *prepared, int pairs, bool non_temporal)
{
    const size_t step = PAIR_LANES * bytes_of(dtype);
    struct unsettled unsettled = all_settled(dtype, PATH_QUICK);
    /* Not cleared, as the compiler would otherwise do: all that is read is written first. */
    vector result[BLOCK_PAIRS][2] __attribute__((uninitialized));
    lanes16 result16[BLOCK_PAIRS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++) {
        const size_t at = offset + (size_t)i * step;
        if (evaluation->lanes16) {
            result16[i] = lanes16_at(evaluation, source, at, prepared, &unsettled);
            continue;
        }
        vector input[2][INPUTS_MAX] __attribute__((uninitialized));
        load_inputs(dtype, evaluation->inputs, source, at, input);
        result[i][0] = evaluation->fast(input[0], prepared, &unsettled);
        result[i][1] = evaluation->fast(input[1], prepared, &unsettled);
    }
    if (__builtin_expect(any_unsettled(unsettled), 0))
        return false;
    /* One question for all of them. */
    if (non_temporal)
#pragma GCC unroll 4
        for (int i = 0; i < pairs; i++)
            if (evaluation->lanes16)
                put(target + offset + (size_t)i * step, &result16[i], sizeof(lanes16), true);
            else
                store_pair(dtype, target + offset + (size_t)i * step, result[i], true);
    else
#pragma GCC unroll 4
        for (int i = 0; i < pairs; i++)
            if (evaluation->lanes16)
                put(target + offset + (size_t)i * step, &result16[i], sizeof(lanes16), false);
            else
                store_pair(dtype, target + offset + (size_t)i * step, result[i], false);
    return true;
}

/* The way for any number: a register of results, and which of them are in doubt. */
static inline __attribute__((always_inline)) vector any_register(enum arithmetic dtype,
                                                                 const struct evaluation *evaluation,
                                                                 const vector *input, const void *prepared,
                                                                 flags *lanes)
{
    struct unsettled unsettled = all_settled(dtype, PATH_ANY);
    vector value = vector_canonical(evaluation->fast(input, prepared, &unsettled));
    *lanes = unsettled_lanes(unsettled);
    return value;
}

/* Writes what doubles give over the results of these lanes; where results are not rounded once over no other
 * one, as those of the neighbours might change. */
static inline __attribute__((always_inline)) void
settle_lanes(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
             size_t offset, const void *prepared, uint32_t lanes, char *result)
{
    const size_t element = bytes_of(dtype);
    for (unsigned i = 0; i < PAIR_LANES; i += LANES) {
        char settled[LANES * sizeof(float)] __attribute__((uninitialized));
        char *to = result + i * element;
        uint32_t some = lanes >> i & ((1U << LANES) - 1);
        if (some == 0)
            continue;
        map_lanes(dtype, evaluation, source, offset + i * element, evaluation->fast_decides ? settled : to,
                  prepared, false);
        for (; evaluation->fast_decides && some != 0; some &= some - 1) {
            const size_t at = (size_t)__builtin_ctz(some) * element;
            memcpy(to + at, settled + at, element);
        }
    }
}

/* Whole pairs from one byte offset to another, which may be anything. Where lanes are in doubt results go
 * through a buffer: a target that is also an input is read until all is settled. */
static inline __attribute__((always_inline)) void
map_any(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
        size_t offset, size_t end, const void *prepared, bool non_temporal)
{
    const size_t step = PAIR_LANES * bytes_of(dtype), part = step < 64 ? step : 64;
    for (; offset < end; offset += step) {
        if (!evaluation->fast) {
            struct unsettled unsettled = all_settled(dtype, PATH_ANY);
            lanes16 value = lanes16_at(evaluation, source, offset, prepared, &unsettled);
            put(target + offset, &value, sizeof value, non_temporal);
            continue;
        }
        vector input[2][INPUTS_MAX] __attribute__((uninitialized)), value[2] __attribute__((uninitialized));
        flags lanes[2];
        load_inputs(dtype, evaluation->inputs, source, offset, input);
        value[0] = any_register(dtype, evaluation, input[0], prepared, &lanes[0]);
        value[1] = any_register(dtype, evaluation, input[1], prepared, &lanes[1]);
        if (!evaluation->estimate || __builtin_expect(!vector_any_flag(lanes[0] | lanes[1]), 1)) {
            store_pair(dtype, target + offset, value, non_temporal);
            continue;
        }
        char result[PAIR_BYTES] __attribute__((uninitialized, aligned(64)));
        store_pair(dtype, result, value, false);
        settle_lanes(dtype, evaluation, source, offset, prepared, lanes_of_pair(dtype, lanes), result);
        for (size_t i = 0; i < step; i += part)
            put(target + offset + i, result + i, part, non_temporal);
    }
}

/* What does that for one evaluation, out of line, so that the loop over blocks keeps the registers. */
typedef void any_function(const char *const *source, char *target, size_t offset, size_t end,
                          const void *prepared, bool non_temporal);

/* Whole pairs, or LANES doubles, up to this byte offset. any_numbers: NULL, or what does map_any() out of
 * line. */
static inline __attribute__((always_inline)) void
map_whole(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
          size_t end, const void *prepared, bool non_temporal, any_function *any_numbers)
{
    const int pairs = evaluation->pairs ? evaluation->pairs : BLOCK_PAIRS;
    const size_t pair = PAIR_LANES * bytes_of(dtype), block = (size_t)pairs * pair;
    /* Of a block that failed the pairs are tried alone, up to this offset; where two or more of them fail
     * there, the next blocks to fail go the other way as wholes. */
    size_t offset = 0, alone = 0, failed = 0, odd = 1;
    if (takes_doubles(dtype, evaluation)) {
        for (const size_t step = LANES * bytes_of(dtype); offset < end; offset += step)
            map_lanes(dtype, evaluation, source, offset, target + offset, prepared, non_temporal);
        return;
    }
    while (offset < end) {
        size_t last = FUSED_IS_FAST ? offset + pair : end;
        if (FUSED_IS_FAST && end - offset >= block && offset >= alone) {
            if (map_quick(dtype, evaluation, source, target, offset, prepared, pairs, non_temporal)) {
                for (int i = 0; non_temporal && evaluation->asks_ahead && i < evaluation->inputs; i++)
                    ask_for(source[i], offset + STREAM_AHEAD, block);
                offset += block;
                odd = 1;
                failed = 0;
                continue;
            }
            if (failed < 2) {
                alone = offset + block;
                failed = 0;
                continue;
            }
            const size_t whole = (end - offset) / block;
            last = offset + (odd < whole ? odd : whole) * block;
            odd = odd < ODD_BLOCKS_MAX ? 4 * odd : odd;
        } else if (FUSED_IS_FAST) {
            if (map_quick(dtype, evaluation, source, target, offset, prepared, 1, non_temporal)) {
                offset = last;
                continue;
            }
            failed++;
        }
        if (any_numbers)
            any_numbers(source, target, offset, last, prepared, non_temporal);
        else
            map_any(dtype, evaluation, source, target, offset, last, prepared, non_temporal);
        offset = last;
    }
}

/* What does map_whole() for one evaluation. */
typedef void whole_function(const char *const *source, char *target, size_t end, const void *prepared,
                            bool non_temporal);

/* Of a kernel: step, the bytes of which map_whole() takes a multiple, is a constant, as the others are. */
static inline __attribute__((always_inline)) void
map_ragged(whole_function *whole, int inputs, size_t element, size_t step, const void *const *input,
           void *output, size_t count, const void *prepared, bool non_temporal)
{
    const size_t bytes = count * element, done = bytes / step * step, size = step < 64 ? 64 : step;
    const char *source[INPUTS_MAX];
    for (int i = 0; i < inputs; i++)
        source[i] = input[i];
    if (done > 0)
        whole(source, output, done, prepared, non_temporal);
    if (done == bytes)
        return;
    char padded[INPUTS_MAX][BUFFER_BYTES] __attribute__((uninitialized));
    char result[BUFFER_BYTES] __attribute__((uninitialized));
    for (int i = 0; i < inputs; i++) {
        fetch_tail(padded[i], size, source[i] + done, bytes - done, element);
        source[i] = padded[i];
    }
    whole(source, result, step, prepared, false);
    put_tail((char *)output + done, result, size, bytes - done);
}

/* How many bytes an evaluation takes at a time. */
static inline __attribute__((always_inline)) size_t step_of(enum arithmetic dtype,
                                                            const struct evaluation *evaluation)
{
    return (takes_doubles(dtype, evaluation) ? LANES : PAIR_LANES) * bytes_of(dtype);
}

/*
 * Defines the kernel of one evaluation, name, whose prepared data are its parameters; another kernel may call
 * it with data that it has prepared. Three functions, so that each has all registers.
 */
#define MAP_KERNEL(name, dtype, evaluation)                                                                  \
    static __attribute__((noinline)) void name##_any(const char *const *source, char *target, size_t offset, \
                                                     size_t end, const void *prepared, bool non_temporal)    \
    {                                                                                                        \
        if (!takes_doubles(dtype, &(evaluation)))                                                            \
            map_any(dtype, &(evaluation), source, target, offset, end, prepared, non_temporal);              \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_whole(const char *const *source, char *target, size_t end,  \
                                                       const void *prepared, bool non_temporal)              \
    {                                                                                                        \
        map_whole(dtype, &(evaluation), source, target, end, prepared, non_temporal, name##_any);            \
    }                                                                                                        \
    static void name(const void *const *input, void *output, size_t count, const void *prepared,             \
                     bool non_temporal)                                                                      \
    {                                                                                                        \
        map_ragged(name##_whole, (evaluation).inputs, bytes_of(dtype), step_of(dtype, &(evaluation)), input, \
                   output, count, prepared, non_temporal);                                                   \
    }

/* The same where the evaluation is chosen as the kernel runs, all inlined. */
static inline __attribute__((always_inline)) void map(enum arithmetic dtype,
                                                      const struct evaluation *evaluation,
                                                      const void *const *input, void *output, size_t count,
                                                      const void *prepared, bool non_temporal)
{
    const size_t bytes = count * bytes_of(dtype), step = step_of(dtype, evaluation);
    const size_t done = bytes / step * step, size = step < 64 ? 64 : step;
    const char *source[INPUTS_MAX];
    char padded[INPUTS_MAX][BUFFER_BYTES] __attribute__((uninitialized));
    char result[BUFFER_BYTES] __attribute__((uninitialized));
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    map_whole(dtype, evaluation, source, output, done, prepared, non_temporal, NULL);
    if (done == bytes)
        return;
    for (int i = 0; i < evaluation->inputs; i++) {
        fetch_tail(padded[i], size, source[i] + done, bytes - done, bytes_of(dtype));
        source[i] = padded[i];
    }
    map_whole(dtype, evaluation, source, result, step, prepared, false, NULL);
    put_tail((char *)output + done, result, size, bytes - done);
}

/* The same, of one whose fast decides. */
#define map_wide map

#endif
