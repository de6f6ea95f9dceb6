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
    /* NULL where what is not in doubt is what doubles give. Otherwise fast gives fp32 within an error bound,
     * and such a result counts exactly where this has all bits set: that must not depend on other elements.
     */
    wide_bits (*counts)(const wide *input, wide value);
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

enum { BLOCK_PAIRS = 2, BLOCK = BLOCK_PAIRS * PAIR_LANES };

/* The inputs of PAIR_LANES elements: input[i][j] is what vector i of the pair needs of array j. */
static inline __attribute__((always_inline)) void load_inputs(enum arithmetic dtype, int inputs,
                                                              const char *const *source, size_t offset,
                                                              wide (*input)[INPUTS_MAX])
{
#pragma GCC unroll 4
    for (int j = 0; j < inputs; j++) {
        wide pair[2];
        load_pair(dtype, source[j] + offset, pair);
        input[0][j] = pair[0];
        input[1][j] = pair[1];
    }
}

/* pairs * PAIR_LANES elements at byte offset of every array; false, and nothing written, if there is doubt.
 */
static inline __attribute__((always_inline)) bool
map_fast(enum arithmetic dtype, const struct evaluation *evaluation, const char *const *source, char *target,
         size_t offset, const void *prepared, int pairs, bool nan_is_expected, bool streams)
{
    const size_t step = PAIR_LANES * bytes_of(dtype);
    struct doubts doubts = no_doubts(dtype, nan_is_expected);
    wide result[BLOCK_PAIRS][2];
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++) {
        wide input[2][INPUTS_MAX];
        load_inputs(dtype, evaluation->inputs, source, offset + (size_t)i * step, input);
#pragma GCC unroll 4
        for (int k = 0; k < 2; k++) {
            wide value = evaluation->fast(input[k], prepared, &doubts);
            result[i][k] = nan_is_expected ? wide_canonical(value) : value;
        }
    }
    if (__builtin_expect(doubtful(doubts), 0))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++)
        store_pair(dtype, target + offset + (size_t)i * step, result[i], streams);
    return true;
}

/* PAIR_LANES elements in doubles, except for what counts of the fast way. */
static inline __attribute__((always_inline)) void map_slow(enum arithmetic dtype,
                                                           const struct evaluation *evaluation,
                                                           const char *const *source, char *target,
                                                           size_t offset, const void *prepared, bool streams)
{
    if (!evaluation->counts) {
        for (size_t i = 0; i < PAIR_LANES; i += LANES)
            map_lanes(dtype, evaluation, source, target, offset + i * bytes_of(dtype), prepared, streams);
        return;
    }
    wide input[2][INPUTS_MAX], exact[2];
    load_inputs(dtype, evaluation->inputs, source, offset, input);
    const char *shifted[INPUTS_MAX];
    for (int i = 0; i < evaluation->inputs; i++)
        shifted[i] = source[i] + offset;
    for (size_t i = 0; i < PAIR_LANES; i += LANES)
        map_lanes(dtype, evaluation, shifted, (char *)exact, i * sizeof(float), prepared, false);
    for (int i = 0; i < 2; i++) {
        struct doubts ignored = no_doubts(dtype, false);
        wide value = evaluation->fast(input[i], prepared, &ignored);
        wide_bits counts = evaluation->counts(input[i], value);
        exact[i] = (wide)((counts & (wide_bits)value) | (~counts & (wide_bits)exact[i]));
    }
    store_pair(dtype, target + offset, exact, streams);
}

/* BLOCK elements: the shortest way first, and what it leaves in doubt in smaller parts. */
static inline __attribute__((always_inline)) void map_block(enum arithmetic dtype,
                                                            const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared, bool streams)
{
    if (map_fast(dtype, evaluation, source, target, offset, prepared, BLOCK_PAIRS, false, streams))
        return;
    const size_t step = PAIR_LANES * bytes_of(dtype);
    for (size_t end = offset + BLOCK_PAIRS * step; offset < end; offset += step)
        if (!map_fast(dtype, evaluation, source, target, offset, prepared, 1, true, streams))
            map_slow(dtype, evaluation, source, target, offset, prepared, streams);
}

/* How many elements map_step takes. */
static inline size_t step_of(enum arithmetic dtype, const struct evaluation *evaluation)
{
    const bool has_fast =
        (FUSED_IS_FAST && dtype != ARITHMETIC_FP64 && evaluation->fast) || evaluation->counts;
    return has_fast ? BLOCK : LANES;
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
