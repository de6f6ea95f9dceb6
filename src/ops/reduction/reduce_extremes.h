/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of the greatest and of the least: NaN if one of the elements is; +0 is greater than -0. No
 * order matters, so that floats of 16 and 32 bits are compared as they are, as whole numbers that order as
 * they do.
 */
#ifndef BELAY_OPS_REDUCTION_REDUCE_EXTREMES_H
#define BELAY_OPS_REDUCTION_REDUCE_EXTREMES_H

#include "simd/loops/reduce.h"
#include "simd/vector/vector_memory.h"

/* The lesser or greater of doubles, lane by lane, or NaN where one is; -0 is less than +0. */
static inline __attribute__((always_inline)) longs extreme_float(longs a, longs b, bool is_least)
{
    const doubles x = (doubles)a, y = (doubles)b;
    const longs is_before = is_least ? x < y : x > y;
    const doubles equal = (doubles)(is_least ? a | b : a & b); /* -0 where one is, or where both are */
    const doubles extreme = choose(is_before, x, choose(x == y, equal, y));
    return (longs)choose(x != x, x, extreme);
}

static inline __attribute__((always_inline)) longs extreme_integer(longs a, longs b, bool is_least)
{
    const longs is_a = is_least ? a < b : a > b;
    return (a & is_a) | (b & ~is_a);
}

/* The greater the number, or with is_least the less, the greater its key, and NaN has the greatest. */
static inline __attribute__((always_inline)) vector_ints extreme_key(vector value, bool is_least)
{
    const vector_ints bits = (vector_ints)value, order = bits ^ (bits >> 31 & INT32_MAX);
    return (vector_ints)vector_choose(vector_is_nan(value), (vector)vector_ints_of(INT32_MAX),
                                      (vector)(is_least ? ~order : order));
}

static inline __attribute__((always_inline)) vector extreme_of_key(vector_ints key, bool is_least)
{
    const vector_ints order = is_least ? ~key : key;
    return (vector)(order ^ (order >> 31 & INT32_MAX));
}

static inline vector_ints greater_key(vector_ints a, vector_ints b)
{
    return (vector_ints)BY_LEVEL(_mm512_max_epi32((__m512i)a, (__m512i)b),
                                 _mm256_max_epi32((__m256i)a, (__m256i)b), ((a > b) & a) | (~(a > b) & b));
}

/* The keys of so many pairs of registers, that of fewer elements in the last one, taken into greatest. */
static inline __attribute__((always_inline)) void extreme_take(enum arithmetic dtype, bool is_least,
                                                               const void *source, size_t pairs, size_t count,
                                                               vector_ints *greatest)
{
    const char *from = (const char *)source;
    const float last = is_least ? __builtin_inff() : -__builtin_inff();
#pragma GCC unroll 4
    for (size_t k = 0; k < pairs; k++) {
        vector pair[2];
        load_pair(dtype, from + k * PAIR_LANES * bytes_of(dtype), pair);
        if (count < PAIR_LANES) /* lanes beyond do not count; those of bf16 take turns */
            for (int i = 0; i < PAIR_LANES; i++) {
                const int element = dtype == ARITHMETIC_BF16 ? i % VECTOR_LANES * 2 + i / VECTOR_LANES : i;
                if ((size_t)element >= count)
                    pair[i / VECTOR_LANES][i % VECTOR_LANES] = last;
            }
        for (int i = 0; i < 2; i++)
            greatest[2 * k + (size_t)i] =
                greater_key(greatest[2 * k + (size_t)i], extreme_key(pair[i], is_least));
    }
}

/* Takes fewer elements than a pair has. */
static inline __attribute__((always_inline)) void extreme_take_few(enum arithmetic dtype, bool is_least,
                                                                   const void *source, size_t count,
                                                                   vector_ints *greatest)
{
    _Alignas(64) char padded[PAIR_LANES * sizeof(float)] = {0};
    memcpy(padded, source, count * bytes_of(dtype));
    extreme_take(dtype, is_least, padded, 1, count, greatest);
}

/* Keys of so many elements into as many states of doubles, in the elements' order. */
static inline __attribute__((always_inline)) void
extreme_keep(enum arithmetic dtype, bool is_least, const vector_ints *greatest, size_t count, char *state)
{
    double value[PAIR_LANES], lanes[PAIR_LANES];
    for (int i = 0; i < 2; i++) {
        doubles part[2];
        doubles_of_vector(extreme_of_key(greatest[i], is_least), part);
        memcpy((dtype == ARITHMETIC_BF16 ? lanes : value) + i * VECTOR_LANES, part, sizeof part);
    }
    for (int i = 0; dtype == ARITHMETIC_BF16 && i < PAIR_LANES; i++)
        value[i] = lanes[i % 2 * VECTOR_LANES + i / 2];
    for (size_t i = 0; i < count; i += LANES) {
        longs kept = {0}, own;
        const size_t bytes = (count - i < LANES ? count - i : LANES) * sizeof(double);
        memcpy(&own, value + i, sizeof own);
        memcpy(&kept, state + i * sizeof(double), bytes);
        kept = extreme_float(kept, own, is_least);
        memcpy(state + i * sizeof(double), &kept, bytes);
    }
}

static inline __attribute__((always_inline)) vector_ints extreme_first(bool is_least)
{
    return extreme_key(vector_of(is_least ? __builtin_inff() : -__builtin_inff()), is_least);
}

static inline __attribute__((always_inline)) void
extreme_along(enum arithmetic dtype, bool is_least, const void *input, size_t count, size_t soon, void *state)
{
    enum { PAIRS = 2 };
    const size_t ahead = stream_ahead(soon * bytes_of(dtype));
    const char *from = (const char *)input;
    vector_ints greatest[2 * PAIRS];
    for (size_t k = 0; k < (size_t)2 * PAIRS; k++)
        greatest[k] = extreme_first(is_least);
    size_t i = 0;
    for (; i + (size_t)PAIRS * PAIR_LANES <= count; i += (size_t)PAIRS * PAIR_LANES) {
        ask_for(from, i * bytes_of(dtype) + ahead, PAIRS * PAIR_LANES * bytes_of(dtype), SIZE_MAX);
        extreme_take(dtype, is_least, from + i * bytes_of(dtype), PAIRS, PAIR_LANES, greatest);
    }
    for (; i + PAIR_LANES <= count; i += PAIR_LANES)
        extreme_take(dtype, is_least, from + i * bytes_of(dtype), 1, PAIR_LANES, greatest);
    if (i < count)
        extreme_take_few(dtype, is_least, from + i * bytes_of(dtype), count - i, greatest);
    for (size_t k = 0; k < 2; k++)
        greatest[k] = greater_key(greatest[k], greatest[k + 2]);
    extreme_keep(dtype, is_least, greatest, PAIR_LANES, (char *)state);
}

/* All rows go into the first lane. */
static inline __attribute__((always_inline)) void extreme_across(enum arithmetic dtype, bool is_least,
                                                                 const void *const *row, size_t rows,
                                                                 size_t columns, void *state)
{
    enum { PAIRS = 2, AHEAD = 8 }; /* rows, which may be far apart */
    for (size_t j = 0, count; j < columns; j += count) {
        const size_t left = columns - j, pairs = left >= (size_t)PAIRS * PAIR_LANES ? PAIRS : 1;
        vector_ints greatest[2 * PAIRS];
        count = left < pairs * PAIR_LANES ? left : pairs * PAIR_LANES;
        for (size_t k = 0; k < (size_t)2 * PAIRS; k++)
            greatest[k] = extreme_first(is_least);
        for (size_t i = 0; i < rows; i++) {
            const char *from = (const char *)row[i] + j * bytes_of(dtype);
            const char *ahead = (const char *)row[i + AHEAD < rows ? i + AHEAD : i] + j * bytes_of(dtype);
            for (size_t line = 0; line < pairs * PAIR_LANES * bytes_of(dtype); line += 64)
                __builtin_prefetch(ahead + line);
            if (pairs == PAIRS)
                extreme_take(dtype, is_least, from, PAIRS, PAIR_LANES, greatest);
            else if (count == PAIR_LANES)
                extreme_take(dtype, is_least, from, 1, PAIR_LANES, greatest);
            else
                extreme_take_few(dtype, is_least, from, count, greatest);
        }
        for (size_t k = 0; k < pairs; k++)
            extreme_keep(dtype, is_least, greatest + 2 * k, count < PAIR_LANES ? count : PAIR_LANES,
                         (char *)state + (j + k * PAIR_LANES) * sizeof(double));
    }
}

#define EXTREME_LOOPS(name, arithmetic, is_least, steps)                                                    \
    static void name##_along(const void *const *input, size_t count, size_t soon, void *state,              \
                             const void *parameters)                                                        \
    {                                                                                                       \
        (void)parameters;                                                                                   \
        extreme_along((arithmetic), (is_least), input[0], count, soon, state);                              \
    }                                                                                                       \
    static void name##_across(const void *const *const *row, size_t rows, size_t first_row, size_t columns, \
                              void *state, const void *parameters)                                          \
    {                                                                                                       \
        (void)first_row, (void)parameters;                                                                  \
        extreme_across((arithmetic), (is_least), row[0], rows, columns, state);                             \
    }                                                                                                       \
    REDUCE_ENDS(name, 1, steps)                                                                             \
    REDUCE_RUNS(name, 1, steps)

/* The table of a level: EXTREMES(amax, false, what words of floats begin as, and those of integers). */
#define EXTREMES(stem, is_least, first_float, first_integer)                                         \
    static inline longs stem##_merge_float(longs a, longs b)                                         \
    {                                                                                                \
        return extreme_float(a, b, (is_least));                                                      \
    }                                                                                                \
    static inline longs stem##_merge_integer(longs a, longs b)                                       \
    {                                                                                                \
        return extreme_integer(a, b, (is_least));                                                    \
    }                                                                                                \
    static inline longs stem##_take_float(longs state, const longs *input, const void *parameters)   \
    {                                                                                                \
        (void)parameters;                                                                            \
        return extreme_float(state, input[0], (is_least));                                           \
    }                                                                                                \
    static inline longs stem##_take_integer(longs state, const longs *input, const void *parameters) \
    {                                                                                                \
        (void)parameters;                                                                            \
        return extreme_integer(state, input[0], (is_least));                                         \
    }                                                                                                \
    static const struct reduce_steps stem##_floats = {                                               \
        .step = stem##_take_float, .merge = stem##_merge_float, .inputs = 1};                        \
    static const struct reduce_steps stem##_integers = {                                             \
        .step = stem##_take_integer, .merge = stem##_merge_integer, .inputs = 1};                    \
    EXTREME_LOOPS(stem##_fp32, ARITHMETIC_FP32, is_least, stem##_floats)                             \
    EXTREME_LOOPS(stem##_fp16, ARITHMETIC_FP16, is_least, stem##_floats)                             \
    EXTREME_LOOPS(stem##_bf16, ARITHMETIC_BF16, is_least, stem##_floats)                             \
    REDUCE_LOOPS(stem##_fp64, ARITHMETIC_FP64, 1, stem##_floats)                                     \
    REDUCE_INTEGERS(stem, stem##_integers)                                                           \
    REDUCE_KERNELS(stem) = {                                                                         \
        .of = {REDUCE_FLOAT_KERNELS(stem, first_float), REDUCE_INTEGER_KERNELS(stem, first_integer)}};

#endif
