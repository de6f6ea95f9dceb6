/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of kernels that inline their formula: blocks by the quick way of a struct formula, those that it is
 * not sure of by its way for any number, and single lanes that are in doubt even then by doubles. The ragged end of an
 * array goes through the latter two in a padded copy: where two ways are sure they give the same bits, so
 * that a result does not depend on where its element stands.
 */
#ifndef BELAY_SIMD_LOOPS_MAP_H
#define BELAY_SIMD_LOOPS_MAP_H

#include "simd/loops/formula.h"
#include "simd/vector/canonical.h"
#include "simd/vector/kernel.h"
#include "simd/vector/memory.h"
#include "simd/maths/quotient.h"
#include "simd/vector/rounding.h"
#include "simd/vector/vector_memory.h"
#include "simd/vector/write.h"

/* A block is so many pairs of registers, if the formula does not say less: enough work to hide the latency
 * of each of them. */
enum { BLOCK_PAIRS = 4 };

/* Bad data is seldom alone: the more blocks failed in a row, the more go the other way unasked, up to this.
 */
enum { ODD_BLOCKS_MAX = 64 };

/* The size of a padded copy of a ragged end: a pair of fp32, or LANES doubles. */
enum { PADDED_BYTES = PAIR_LANES * sizeof(float) };

/* Whether this level takes doubles for all elements: for fp64, and where fused products are slow and results
 * are rounded once, so that both ways give the same. */
static inline __attribute__((always_inline)) bool takes_doubles(enum arithmetic dtype,
                                                                const struct formula *formula)
{
    if (dtype == ARITHMETIC_FP64 || !(formula->fast || formula->lanes16))
        return true;
    return !FUSED_IS_FAST && !formula->fast_decides;
}

/* LANES elements at byte offset of every array, rounded once, to target itself; non_temporal: see put. */
static inline __attribute__((always_inline)) void
map_lanes(enum arithmetic dtype, const struct formula *formula, const char *const *source, size_t offset,
          char *target, const void *prepared, bool non_temporal)
{
    doubles input[INPUTS_MAX] __attribute__((uninitialized)); /* not cleared first: all that is read is set */
#pragma GCC unroll 4
    for (int i = 0; i < formula->inputs; i++)
        input[i] = load(dtype, source[i] + offset);
    if (formula->inputs == 1)
        input[1] = input[0];
    prepared = formula->constant ? formula->constant : prepared;
    doubles value =
        (dtype == ARITHMETIC_FP64 && formula->wide ? formula->wide : formula->doubles)(input, prepared);
    if (dtype == ARITHMETIC_FP64) {
        value = canonical_doubles(value);
        put(target, &value, sizeof value, non_temporal);
        return;
    }
    if (!formula->settle) {
        store(dtype, target, canonical_bits(dtype, round_bits(dtype, value)), non_temporal);
        return;
    }
    uints bits = round_bits(dtype, value * (1 - ESTIMATE_ERROR));
    ints unsure = bits != round_bits(dtype, value * (1 + ESTIMATE_ERROR));
    if (__builtin_expect(any(widen(unsure)), 0)) {
        uints settled = round_bits(dtype, formula->settle(input, value, prepared));
        bits = choose_uints(unsure, settled, bits);
    }
    store(dtype, target, canonical_bits(dtype, bits), non_temporal);
}

/* fast, for one register. */
static inline __attribute__((always_inline)) vector vector_at(const struct formula *formula,
                                                              const vector *input, const void *prepared,
                                                              struct unsettled *unsettled)
{
    return formula->fast(input, formula->constant ? formula->constant : prepared, unsettled);
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
    if (inputs == 1) {
        input[0][1] = input[0][0];
        input[1][1] = input[1][0];
    }
}

static inline __attribute__((always_inline)) lanes16 lanes16_at(const struct formula *formula,
                                                                const char *const *source, size_t offset,
                                                                const void *prepared,
                                                                struct unsettled *unsettled)
{
    const char *at[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (int i = 0; i < formula->inputs; i++)
        at[i] = source[i] + offset;
    if (formula->inputs == 1)
        at[1] = at[0];
    return formula->lanes16(at, formula->constant ? formula->constant : prepared, unsettled);
}

/* The quick way for pairs * PAIR_LANES elements at byte offset of every array; false, and nothing written, if
 * there is doubt. */
static inline __attribute__((always_inline)) bool
map_quick(enum arithmetic dtype, const struct formula *formula, const char *const *source, char *target,
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
        if (formula->lanes16) {
            result16[i] = lanes16_at(formula, source, at, prepared, &unsettled);
            continue;
        }
        vector input[2][INPUTS_MAX] __attribute__((uninitialized));
        load_inputs(dtype, formula->inputs, source, at, input);
        result[i][0] = vector_at(formula, input[0], prepared, &unsettled);
        result[i][1] = vector_at(formula, input[1], prepared, &unsettled);
    }
    if (__builtin_expect(any_unsettled(unsettled), 0))
        return false;
#pragma GCC unroll 4
    for (int i = 0; i < pairs; i++)
        if (formula->lanes16)
            put(target + offset + (size_t)i * step, &result16[i], sizeof(lanes16), non_temporal);
        else
            store_pair(dtype, target + offset + (size_t)i * step, result[i], non_temporal);
    return true;
}

/* Writes what doubles give over the results of these lanes; where results are not rounded once over no other
 * one, as those of the neighbours might change. */
static inline __attribute__((always_inline)) void
settle_lanes(enum arithmetic dtype, const struct formula *formula, const char *const *source, size_t offset,
             const void *prepared, uint32_t lanes, char *result)
{
    const size_t element = bytes_of(dtype);
    for (unsigned i = 0; i < PAIR_LANES; i += LANES) {
        char settled[LANES * sizeof(float)] __attribute__((uninitialized));
        char *to = result + i * element;
        uint32_t some = lanes >> i & ((1U << LANES) - 1);
        if (some == 0)
            continue;
        map_lanes(dtype, formula, source, offset + i * element, formula->fast_decides ? settled : to,
                  prepared, false);
        for (; formula->fast_decides && some != 0; some &= some - 1) {
            const size_t at = (size_t)__builtin_ctz(some) * element;
            memcpy(to + at, settled + at, element);
        }
    }
}

/* Whole pairs from one byte offset to another, which may be anything. Where lanes are in doubt results go
 * through a buffer: a target that is also an input is read until all is settled. */
static inline __attribute__((always_inline)) void
map_any(enum arithmetic dtype, const struct formula *formula, const char *const *source, char *target,
        size_t offset, size_t end, const void *prepared, bool non_temporal)
{
    const size_t step = PAIR_LANES * bytes_of(dtype), part = step < 64 ? step : 64;
    for (; offset < end; offset += step) {
        struct unsettled first = all_settled(dtype, PATH_ANY), second = first;
        if (!formula->fast) {
            lanes16 value = lanes16_at(formula, source, offset, prepared, &first);
            put(target + offset, &value, sizeof value, non_temporal);
            continue;
        }
        vector input[2][INPUTS_MAX] __attribute__((uninitialized)), value[2] __attribute__((uninitialized));
        load_inputs(dtype, formula->inputs, source, offset, input);
        value[0] = vector_canonical(vector_at(formula, input[0], prepared, &first));
        value[1] = vector_canonical(vector_at(formula, input[1], prepared, &second));
        const flags lanes[] = {unsettled_lanes(first), unsettled_lanes(second)};
        if (!formula->doubles || __builtin_expect(!vector_any_flag(lanes[0] | lanes[1]), 1)) {
            store_pair(dtype, target + offset, value, non_temporal);
            continue;
        }
        char result[PADDED_BYTES] __attribute__((uninitialized, aligned(64)));
        store_pair(dtype, result, value, false);
        settle_lanes(dtype, formula, source, offset, prepared, lanes_of_pair(dtype, lanes), result);
        for (size_t i = 0; i < step; i += part)
            put(target + offset + i, result + i, part, non_temporal);
    }
}

/* What does that for one formula, out of line, so that the loop over blocks keeps the registers; NULL:
 * there is none. */
typedef void any_function(const char *const *source, char *target, size_t offset, size_t end,
                          const void *prepared, bool non_temporal);

/* Blocks, as long as they are whole, by the quick way or by the other. The bytes that are done. */
static inline __attribute__((always_inline)) size_t
map_blocks(enum arithmetic dtype, const struct formula *formula, const char *const *source, char *target,
           size_t end, const void *prepared, bool non_temporal, any_function *any_numbers)
{
    const int pairs = formula->pairs ? formula->pairs : BLOCK_PAIRS;
    const size_t block = (size_t)pairs * PAIR_LANES * bytes_of(dtype);
    size_t offset = 0, odd = 1;
    while (end - offset >= block) {
        /* Before the work, which waits for it where numbers are subnormal. In place, too: that gains a third from
         * memory and loses a tenth in a cache. */
        const bool asks = non_temporal || (formula->inputs == 1 && source[0] == target);
        for (int i = 0; asks && i < formula->inputs; i++)
            ask_for(source[i], offset + STREAM_AHEAD, block, end);
        if (map_quick(dtype, formula, source, target, offset, prepared, pairs, non_temporal)) {
            offset += block;
            odd = 1;
            continue;
        }
        const size_t whole = (end - offset) / block, last = offset + (odd < whole ? odd : whole) * block;
        if (any_numbers)
            any_numbers(source, target, offset, last, prepared, non_temporal);
        else
            map_any(dtype, formula, source, target, offset, last, prepared, non_temporal);
        odd = odd < ODD_BLOCKS_MAX ? 4 * odd : odd;
        offset = last;
    }
    return offset;
}

/* Whole pairs, or LANES doubles, up to this byte offset. Two copies of a loop, as the question how to write
 * would take more time in each block than it is worth. */
static inline __attribute__((always_inline)) void
map_whole(enum arithmetic dtype, const struct formula *formula, const char *const *source, char *target,
          size_t end, const void *prepared, bool non_temporal, any_function *any_numbers)
{
    size_t done = 0;
    if (takes_doubles(dtype, formula)) {
        for (const size_t step = LANES * bytes_of(dtype); done < end; done += step)
            map_lanes(dtype, formula, source, done, target + done, prepared, non_temporal);
        return;
    }
    if (FUSED_IS_FAST && non_temporal)
        done = map_blocks(dtype, formula, source, target, end, prepared, true, any_numbers);
    else if (FUSED_IS_FAST)
        done = map_blocks(dtype, formula, source, target, end, prepared, false, any_numbers);
    if (any_numbers && done < end)
        any_numbers(source, target, done, end, prepared, non_temporal);
    else
        map_any(dtype, formula, source, target, done, end, prepared, non_temporal);
}

/* What does map_whole() for one formula, or NULL. */
typedef void whole_function(const char *const *source, char *target, size_t end, const void *prepared,
                            bool non_temporal);

/* How many bytes a formula takes at a time. */
static inline __attribute__((always_inline)) size_t step_of(enum arithmetic dtype,
                                                            const struct formula *formula)
{
    return (takes_doubles(dtype, formula) ? LANES : PAIR_LANES) * bytes_of(dtype);
}

/* The work of a kernel. The ragged end is padded with its first element: another one could be something that
 * a kernel takes longer for. */
static inline __attribute__((always_inline)) void
map_ragged(enum arithmetic dtype, const struct formula *formula, whole_function *whole,
           const void *const *input, void *output, size_t count, const void *prepared, bool non_temporal)
{
    const size_t element = bytes_of(dtype), step = step_of(dtype, formula), bytes = count * element,
                 done = bytes / step * step;
    const char *source[INPUTS_MAX];
    for (int i = 0; i < formula->inputs; i++)
        source[i] = input[i];
    if (done > 0 && whole)
        whole(source, output, done, prepared, non_temporal);
    else if (done > 0)
        map_whole(dtype, formula, source, output, done, prepared, non_temporal, NULL);
    if (done == bytes)
        return;
    char padded[INPUTS_MAX][PADDED_BYTES] __attribute__((uninitialized));
    char result[PADDED_BYTES] __attribute__((uninitialized));
    for (int i = 0; i < formula->inputs; i++) {
        for (size_t at = 0; at < step; at += element)
            memcpy(padded[i] + at, source[i] + done, element);
        memcpy(padded[i], source[i] + done, bytes - done);
        source[i] = padded[i];
    }
    if (whole)
        whole(source, result, step, prepared, false);
    else
        map_whole(dtype, formula, source, result, step, prepared, false, NULL);
    memcpy((char *)output + done, result, bytes - done);
}

/* Numbers of any kind from one byte offset to another. Formulas that take doubles have none such. */
static inline __attribute__((always_inline)) void
map_any_numbers(enum arithmetic dtype, const struct formula *formula, const char *const *source, char *target,
                size_t offset, size_t end, const void *prepared, bool non_temporal)
{
    if (!takes_doubles(dtype, formula))
        map_any(dtype, formula, source, target, offset, end, prepared, non_temporal);
}

/*
 * Defines the kernel of one formula, name, whose prepared data are its parameters; another kernel may call it
 * with data that it has prepared. Three functions, so that each has all registers.
 */
#define MAP_KERNEL(name, dtype, formula)                                                                     \
    static __attribute__((noinline)) void name##_any(const char *const *source, char *target, size_t offset, \
                                                     size_t end, const void *prepared, bool non_temporal)    \
    {                                                                                                        \
        map_any_numbers(dtype, &(formula), source, target, offset, end, prepared, non_temporal);             \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_whole(const char *const *source, char *target, size_t end,  \
                                                       const void *prepared, bool non_temporal)              \
    {                                                                                                        \
        map_whole(dtype, &(formula), source, target, end, prepared, non_temporal, name##_any);               \
    }                                                                                                        \
    __attribute__((unused)) KERNEL(name)                                                                     \
    {                                                                                                        \
        map_ragged(dtype, &(formula), name##_whole, KERNEL_ARGUMENTS);                                       \
    }

/*
 * Kernels map_stem_fp32, map_stem_fp16, map_stem_bf16 and map_stem_fp64 of one formula: members that all of
 * them have, and those that are ways of a dtype, each in parentheses; and map_stem_exact_fp32, without such.
 */
#define MAP_KERNELS(stem, formula_, fp32, fp16, bf16)                              \
    static const struct formula stem##_exact = {MEMBERS formula_};                 \
    static const struct formula stem##_of_fp32 = {MEMBERS formula_, MEMBERS fp32}; \
    static const struct formula stem##_of_fp16 = {MEMBERS formula_, MEMBERS fp16}; \
    static const struct formula stem##_of_bf16 = {MEMBERS formula_, MEMBERS bf16}; \
    MAP_KERNEL(map_##stem##_exact_fp32, ARITHMETIC_FP32, stem##_exact)             \
    MAP_KERNEL(map_##stem##_fp64, ARITHMETIC_FP64, stem##_exact)                   \
    MAP_KERNEL(map_##stem##_fp32, ARITHMETIC_FP32, stem##_of_fp32)                 \
    MAP_KERNEL(map_##stem##_fp16, ARITHMETIC_FP16, stem##_of_fp16)                 \
    MAP_KERNEL(map_##stem##_bf16, ARITHMETIC_BF16, stem##_of_bf16)

/* Their places in the table: where fp32 is the same at both accuracies, and where it is not rounded once at
 * the default one. fp64: map_stem_fp64 or NULL. */
#define MAP_RUNS(stem, fp64) \
    FLOAT_RUNS(map_##stem##_fp32, map_##stem##_fp32, map_##stem##_fp16, map_##stem##_bf16, fp64)
#define MAP_ULP_RUNS(stem, fp64) \
    FLOAT_RUNS(map_##stem##_fp32, map_##stem##_exact_fp32, map_##stem##_fp16, map_##stem##_bf16, fp64)

/* map_ragged() for a formula that is chosen as the kernel runs: all of it is inlined. */
#define map(dtype, formula, ...) map_ragged(dtype, formula, NULL, __VA_ARGS__)

#endif
