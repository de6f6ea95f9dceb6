/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A block of elements in each of the ways in which an operator can compute, from memory to memory. The loops
 * over blocks are in simd/map.h.
 */
#ifndef BELAY_SIMD_BLOCK_H
#define BELAY_SIMD_BLOCK_H

#include "simd/evaluation.h"
#include "simd/memory.h"
#include "simd/rounding.h"
#include "simd/wide_memory.h"
#include "simd/write.h"

/* LANES elements at byte offset of every array; streams: see put. */
static inline __attribute__((always_inline)) void map_lanes(enum arithmetic dtype,
                                                            const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared, bool streams)
{
    doubles input[INPUTS_MAX] __attribute__((uninitialized)); /* not cleared first; see map_fast */
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        input[i] = load(dtype, source[i] + offset);
    doubles value = evaluation->estimate(input, prepared);
    if (dtype == ARITHMETIC_FP64) {
        value = choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);
        put(target + offset, &value, sizeof value, streams);
        return;
    }
    if (!evaluation->settle) {
        store(dtype, target + offset, canonical_bits(dtype, round_bits(dtype, value)), streams);
        return;
    }
    uints bits = round_bits(dtype, value * (1 - ESTIMATE_ERROR));
    ints unsure = bits != round_bits(dtype, value * (1 + ESTIMATE_ERROR));
    if (__builtin_expect(any(widen(unsure)), 0)) {
        uints settled = round_bits(dtype, evaluation->settle(input, value, prepared));
        bits = choose_uints(unsure, settled, bits);
    }
    store(dtype, target + offset, canonical_bits(dtype, bits), streams);
}

/* The registers of a block are enough work to hide the latency of each of them. */
enum { BLOCK_PAIRS = 4, CAREFUL_PAIRS = 2 };

/* The inputs of PAIR_LANES elements: input[i][j] is what vector i of the pair needs of array j. */
static inline __attribute__((always_inline)) void load_inputs(enum arithmetic dtype, int inputs,
                                                              const char *const *source, size_t offset,
                                                              wide (*input)[INPUTS_MAX])
{
#pragma GCC unroll 4
    for (int j = 0; j < inputs; j++) {
        wide pair[2] __attribute__((uninitialized));
        load_pair(dtype, source[j] + offset, pair);
        input[0][j] = pair[0];
        input[1][j] = pair[1];
    }
}

/* map_fast for 16 bits, of what is asked before it is widened. */
static inline __attribute__((always_inline)) bool map_narrow(enum arithmetic dtype,
                                                             const struct evaluation *evaluation,
                                                             const char *const *source, char *target,
                                                             size_t offset, const void *prepared, int pairs,
                                                             bool is_careful, int extreme, bool streams)
{
    struct doubts doubts = no_doubts(dtype, is_careful);
    doubts.extreme = extreme;
    narrow result[BLOCK_PAIRS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++) {
        narrow input[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 4
        for (int j = 0; j < evaluation->inputs; j++)
            input[j] = narrow_load(source[j] + offset + (size_t)i * sizeof(narrow));
        result[i] = evaluation->narrow(input, prepared, &doubts);
    }
    if (!is_careful && __builtin_expect(narrow_doubtful(doubts), 0))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++)
        put(target + offset + (size_t)i * sizeof(narrow), &result[i], sizeof(narrow), streams);
    return true;
}

/* pairs * PAIR_LANES elements at byte offset of every array; false, and nothing written, if there is doubt.
 */
static inline __attribute__((always_inline)) bool
map_fast(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
         size_t offset, const void *prepared, int pairs, bool is_careful, int extreme, bool streams)
{
    if (evaluation->narrow)
        return map_narrow(dtype, evaluation, source, target, offset, prepared, pairs, is_careful, extreme,
                          streams);
    const size_t step = PAIR_LANES * bytes_of(dtype);
    struct doubts doubts = no_doubts(dtype, is_careful);
    doubts.extreme = extreme;
    /* Not cleared, as the compiler would otherwise do: all that is read is written first. */
    wide result[BLOCK_PAIRS][2] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++) {
        wide input[2][INPUTS_MAX] __attribute__((uninitialized));
        load_inputs(dtype, evaluation->inputs, source, offset + (size_t)i * step, input);
#pragma GCC unroll 4
        for (int k = 0; k < 2; k++) {
            wide value = evaluation->fast(input[k], prepared, &doubts);
            result[i][k] = is_careful ? wide_canonical(value) : value;
        }
    }
    if (!(is_careful && evaluation->fast_decides) && __builtin_expect(doubtful(doubts), 0))
        return false;
    /* One question for all of them. */
    if (streams)
#pragma GCC unroll 4
        for (int i = 0; i < pairs; i++)
            store_pair(dtype, target + offset + (size_t)i * step, result[i], true);
    else
#pragma GCC unroll 4
        for (int i = 0; i < pairs; i++)
            store_pair(dtype, target + offset + (size_t)i * step, result[i], false);
    return true;
}

/* A block of struct evaluation by its fast. */
static inline __attribute__((always_inline)) uint32_t
block_by_fast(enum arithmetic dtype, wide (*fast)(const wide *, const void *, struct doubts *), int inputs,
              const char *const *source, char *target, size_t offset, const void *prepared, bool streams)
{
    const size_t step = PAIR_LANES * bytes_of(dtype);
    struct doubts first = no_doubts(dtype, false), second = no_doubts(dtype, false);
    wide result[BLOCK_PAIRS][2] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_PAIRS; i++) {
        wide input[2][INPUTS_MAX] __attribute__((uninitialized));
        load_inputs(dtype, inputs, source, offset + (size_t)i * step, input);
        result[i][0] = fast(input[0], prepared, &first);
        result[i][1] = fast(input[1], prepared, &second);
    }
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_PAIRS; i++)
        store_pair(dtype, target + offset + (size_t)i * step, result[i], streams);
    const flags lanes[2] = {doubtful_lanes(first), doubtful_lanes(second)};
    return late_lanes_of_pair(lanes);
}

/* pairs * PAIR_LANES elements, which may be any. */
static inline __attribute__((always_inline)) void
map_careful(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source,
            char *target, size_t offset, const void *prepared, int pairs, bool streams)
{
    const size_t step = PAIR_LANES * bytes_of(dtype);
    int extreme = 0;
    if (evaluation->extreme) {
        wide input[2 * CAREFUL_PAIRS][INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 4
        for (int i = 0; i < pairs; i++)
            load_inputs(dtype, evaluation->inputs, source, offset + (size_t)i * step, input + 2 * i);
        extreme = evaluation->extreme(dtype, input, 2 * pairs);
    }
    bool sure;
    switch (extreme) {
    case 0:
        sure = map_fast(dtype, evaluation, source, target, offset, prepared, pairs, true, 0, streams);
        break;
    case 1:
        sure = map_fast(dtype, evaluation, source, target, offset, prepared, pairs, true, 1, streams);
        break;
    case 2:
        sure = map_fast(dtype, evaluation, source, target, offset, prepared, pairs, true, 2, streams);
        break;
    case 3:
        sure = map_fast(dtype, evaluation, source, target, offset, prepared, pairs, true, 3, streams);
        break;
    default:
        sure = map_fast(dtype, evaluation, source, target, offset, prepared, pairs, true, 4, streams);
        break;
    }
    if (sure || evaluation->fast_decides)
        return;
    for (size_t end = offset + (size_t)pairs * step; offset < end; offset += step) {
        if (evaluation->extreme &&
            map_fast(dtype, evaluation, source, target, offset, prepared, 1, true, EXTREME_LAST, streams))
            continue;
        for (size_t i = 0; i < PAIR_LANES; i += LANES)
            map_lanes(dtype, evaluation, source, target, offset + i * bytes_of(dtype), prepared, streams);
    }
}

#endif
