/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of every elementwise kernel: load, evaluate, round, store. The ragged end goes through the same
 * code as the body, in a padded copy, so that a result does not depend on where its element stands.
 */
#ifndef BELAY_SIMD_MAP_H
#define BELAY_SIMD_MAP_H

#include "simd/memory.h"
#include "simd/rounding.h"
#include "simd/quotient.h"
#include "simd/rest.h"
#include "simd/wide_memory.h"
#include "simd/write.h"

/*
 * How one operator computes. Both functions see LANES elements of each input as doubles and what the kernel
 * prepared from the operator's parameters.
 */
struct evaluation {
    int inputs;
    /* The result with a relative error of at most ESTIMATE_ERROR; exactly 0, infinite or NaN where the result
     * is. Where settle is NULL the estimate must round to every dtype as the exact result does. */
    doubles (*estimate)(const doubles *input, const void *prepared);
    /* A double that rounds to every narrower dtype as the exact result does. Only lanes with a finite
     * estimate other than 0 are used. */
    doubles (*settle)(const doubles *input, doubles estimate, const void *prepared);
    /* The result in fp32 for fp32, or doubts about it; NULL: there is no such way, or not with these
     * parameters. */
    wide (*fast)(const wide *input, const void *prepared, struct doubts *doubts);
};

/* LANES elements at byte offset of every array; streams: see put. */
static inline __attribute__((always_inline)) void map_lanes(enum arithmetic dtype,
                                                            const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared, bool streams)
{
    doubles input[INPUTS_MAX];
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
        store(dtype, target + offset, encode(dtype, value), streams);
        return;
    }
    uints bits = encode(dtype, value * (1 - ESTIMATE_ERROR));
    ints unsure = bits != encode(dtype, value * (1 + ESTIMATE_ERROR));
    if (__builtin_expect(any(widen(unsure)), 0)) {
        uints settled = encode(dtype, evaluation->settle(input, value, prepared));
        bits = choose_uints(unsure, settled, bits);
    }
    store(dtype, target + offset, bits, streams);
}

enum { BLOCK_PAIRS = 2, BLOCK = BLOCK_PAIRS * PAIR_LANES };

/* BLOCK elements at byte offset of every array; false, and nothing written, if there is doubt left. */
static inline __attribute__((always_inline)) bool
map_fast(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
         size_t offset, const void *prepared, bool nan_is_expected, bool streams)
{
    const size_t step = PAIR_LANES * bytes_of(dtype);
    struct doubts doubts = {dtype, nan_is_expected, wide_bits_of(0), wide_bits_of(UINT32_MAX)};
    wide result[2 * BLOCK_PAIRS];
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_PAIRS; i++) {
        wide input[INPUTS_MAX][2];
#pragma GCC unroll 4
        for (int j = 0; j < evaluation->inputs; j++)
            load_pair(dtype, source[j] + offset + (size_t)i * step, input[j]);
#pragma GCC unroll 4
        for (int k = 0; k < 2; k++) {
            const wide of_lane[INPUTS_MAX] = {input[0][k], input[1][k],
                                              evaluation->inputs > 2 ? input[2][k] : wide_of(0)};
            wide value = evaluation->fast(of_lane, prepared, &doubts);
            result[2 * i + k] = nan_is_expected ? wide_canonical(value) : value;
        }
    }
    if (__builtin_expect(doubtful(doubts), 0))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_PAIRS; i++)
        store_pair(dtype, target + offset + (size_t)i * step, &result[2 * i], streams);
    return true;
}

/* The same without a condition: NaN costs a little, what is in doubt for other reasons some more. */
static inline __attribute__((always_inline)) void map_block(enum arithmetic dtype,
                                                            const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared, bool streams)
{
    if (map_fast(dtype, evaluation, source, target, offset, prepared, false, streams) ||
        map_fast(dtype, evaluation, source, target, offset, prepared, true, streams))
        return;
    for (size_t i = 0; i < BLOCK; i += LANES)
        map_lanes(dtype, evaluation, source, target, offset + i * bytes_of(dtype), prepared, streams);
}

/* How many elements map_step takes. */
static inline size_t step_of(enum arithmetic dtype, const struct evaluation *evaluation)
{
    return FUSED_IS_FAST && dtype != ARITHMETIC_FP64 && evaluation->fast ? BLOCK : LANES;
}

static inline __attribute__((always_inline)) void map_step(enum arithmetic dtype,
                                                           const struct evaluation *evaluation,
                                                           const char *const *source, char *target,
                                                           size_t offset, const void *prepared, bool streams)
{
    if (step_of(dtype, evaluation) == BLOCK)
        map_block(dtype, evaluation, source, target, offset, prepared, streams);
    else
        map_lanes(dtype, evaluation, source, target, offset, prepared, streams);
}

/* Of the copies of a ragged end: a step of the widest dtype. */
enum { BUFFER_BYTES = BLOCK * sizeof(double) };

static inline __attribute__((always_inline)) void map(enum arithmetic dtype,
                                                      const struct evaluation *evaluation,
                                                      const void *const *input, void *output, size_t count,
                                                      const void *prepared, bool streams)
{
    const size_t size = bytes_of(dtype), step = step_of(dtype, evaluation) * size;
    const size_t whole = count * size / step * step, rest = count * size - whole;
    const char *source[INPUTS_MAX];
    char *target = output;
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    if (streams)
        for (size_t offset = 0; offset < whole; offset += step)
            map_step(dtype, evaluation, source, target, offset, prepared, true);
    else
        for (size_t offset = 0; offset < whole; offset += step)
            map_step(dtype, evaluation, source, target, offset, prepared, false);
    if (rest == 0)
        return;
    /* Not cleared, as the compiler would otherwise do: all that is read is written first. */
    char padded[INPUTS_MAX][BUFFER_BYTES] __attribute__((uninitialized));
    char result[BUFFER_BYTES] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < evaluation->inputs; i++) {
        fetch_rest(padded[i], step < 64 ? 64 : step, source[i] + whole, rest);
        source[i] = padded[i];
    }
    map_step(dtype, evaluation, source, result, 0, prepared, false);
    put_rest(target + whole, result, rest);
}

#endif
