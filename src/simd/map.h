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
};

/* LANES elements at byte offset of every array. */
static inline __attribute__((always_inline)) void map_lanes(enum arithmetic dtype,
                                                            const struct evaluation *evaluation,
                                                            const char *const *source, char *target,
                                                            size_t offset, const void *prepared)
{
    doubles input[INPUTS_MAX];
    for (int i = 0; i < evaluation->inputs; i++)
        input[i] = load(dtype, source[i] + offset);
    doubles value = evaluation->estimate(input, prepared);
    if (dtype == ARITHMETIC_FP64) {
        value = choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);
        memcpy(target + offset, &value, sizeof value);
        return;
    }
    if (!evaluation->settle) {
        store(dtype, target + offset, encode(dtype, value));
        return;
    }
    uints bits = encode(dtype, value * (1 - ESTIMATE_ERROR));
    ints unsure = bits != encode(dtype, value * (1 + ESTIMATE_ERROR));
    if (__builtin_expect(any(widen(unsure)), 0)) {
        uints settled = encode(dtype, evaluation->settle(input, value, prepared));
        bits = choose_uints(unsure, settled, bits);
    }
    store(dtype, target + offset, bits);
}

static inline __attribute__((always_inline)) void map(enum arithmetic dtype,
                                                      const struct evaluation *evaluation,
                                                      const void *const *input, void *output, size_t count,
                                                      const void *prepared)
{
    const size_t size = bytes_of(dtype), step = LANES * size, whole = count / LANES * step;
    const char *source[INPUTS_MAX];
    for (int i = 0; i < evaluation->inputs; i++)
        source[i] = input[i];
    char *target = output;
    for (size_t offset = 0; offset < whole; offset += step)
        map_lanes(dtype, evaluation, source, target, offset, prepared);
    size_t rest = count * size - whole;
    if (rest == 0)
        return;
    char padded[INPUTS_MAX][LANES * sizeof(double)] = {{0}}, result[LANES * sizeof(double)];
    for (int i = 0; i < evaluation->inputs; i++) {
        memcpy(padded[i], source[i] + whole, rest);
        source[i] = padded[i];
    }
    map_lanes(dtype, evaluation, source, result, 0, prepared);
    memcpy(target + whole, result, rest);
}

#endif
