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
#include "simd/wide.h"
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

enum { BLOCK_VECTORS = 4, BLOCK = BLOCK_VECTORS * WIDE_LANES };

/* BLOCK elements of fp32 at byte offset of every array; false, and nothing written, if there is doubt left.
 */
static inline __attribute__((always_inline)) bool map_fast(const struct evaluation *evaluation,
                                                           const char *const *source, char *target,
                                                           size_t offset, const void *prepared,
                                                           bool nan_is_expected, bool streams)
{
    struct doubts doubts = {nan_is_expected, wide_bits_of(0), wide_bits_of(UINT32_MAX)};
    wide result[BLOCK_VECTORS];
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_VECTORS; i++) {
        wide input[INPUTS_MAX];
#pragma GCC unroll 4
        for (int j = 0; j < evaluation->inputs; j++)
            memcpy(&input[j], source[j] + offset + (size_t)i * sizeof(wide), sizeof(wide));
        result[i] = evaluation->fast(input, prepared, &doubts);
        if (nan_is_expected)
            result[i] = wide_canonical(result[i]);
    }
    if (__builtin_expect(doubtful(doubts), 0))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < BLOCK_VECTORS; i++)
        put(target + offset + (size_t)i * sizeof(wide), &result[i], sizeof(wide), streams);
    return true;
}

/* The same without a condition: NaN costs a little, what is in doubt for other reasons some more. */
static inline __attribute__((always_inline)) void map_block(const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared, bool streams)
{
    if (map_fast(evaluation, source, target, offset, prepared, false, streams) ||
        map_fast(evaluation, source, target, offset, prepared, true, streams))
        return;
    for (int i = 0; i < BLOCK; i += LANES)
        map_lanes(ARITHMETIC_FP32, evaluation, source, target, offset + (size_t)i * sizeof(float), prepared,
                  streams);
}

static inline __attribute__((always_inline)) void map(enum arithmetic dtype,
                                                      const struct evaluation *evaluation,
                                                      const void *const *input, void *output, size_t count,
                                                      const void *prepared, bool streams)
{
    const size_t size = bytes_of(dtype), step = LANES * size, whole = count / LANES * step;
    const char *source[INPUTS_MAX];
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    char *target = output;
    size_t offset = 0;
    if (FUSED_IS_FAST && dtype == ARITHMETIC_FP32 && evaluation->fast)
        for (; whole - offset >= BLOCK * sizeof(float); offset += BLOCK * sizeof(float))
            map_block(evaluation, source, target, offset, prepared, streams);
    for (; offset < whole; offset += step)
        map_lanes(dtype, evaluation, source, target, offset, prepared, streams);
    size_t rest = count * size - whole;
    if (rest == 0)
        return;
    char padded[INPUTS_MAX][LANES * sizeof(double)] = {{0}}, result[LANES * sizeof(double)];
    for (int i = 0; i < evaluation->inputs; i++) {
        memcpy(padded[i], source[i] + whole, rest);
        source[i] = padded[i];
    }
    map_lanes(dtype, evaluation, source, result, 0, prepared, false);
    memcpy(target + whole, result, rest);
}

#endif
