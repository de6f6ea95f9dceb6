/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops of a reduction's kernels, made of the one line that takes an element into a state. Include it in
 * the kernel pass of a file; simd/loops/reduce_kernel.h says what kernels are.
 */
#ifndef BELAY_SIMD_LOOPS_REDUCE_H
#define BELAY_SIMD_LOOPS_REDUCE_H

#include "simd/loops/reduce_kernel.h"
#include "simd/vector/memory.h"

/*
 * One step for LANES states at once, whose words are in longs whatever they are: of floats (doubles)state and
 * (doubles)input[0] are doubles. A complex number is two neighbouring lanes.
 */
typedef longs reduce_step(longs state, const longs *input, const void *parameters);

/* REDUCE_SEVERAL of them in turn, so that none waits for another one's results. */
enum { REDUCE_SEVERAL = 4 };
typedef void reduce_several(longs *state, longs (*input)[REDUCE_INPUTS_MAX], const void *parameters);

struct reduce_steps {
    reduce_step *step;
    longs (*merge)(longs state, longs other);
    unsigned inputs;
    reduce_several *several; /* or NULL: where a step is short enough to be inlined */
};

/* Merges sums of floats. */
static inline longs reduce_merge_sums(longs state, longs other)
{
    return (longs)((doubles)state + (doubles)other);
}

/* The bytes of an element of any dtype that a reduction takes. */
static inline __attribute__((always_inline)) size_t element_bytes(enum arithmetic dtype)
{
    switch (dtype) {
    case ARITHMETIC_FP64:
    case ARITHMETIC_INT64:
        return 8;
    case ARITHMETIC_FP32:
    case ARITHMETIC_INT32:
        return 4;
    case ARITHMETIC_INT8:
    case ARITHMETIC_UINT8:
    case ARITHMETIC_BOOL:
        return 1;
    default:
        return 2;
    }
}

/* LANES elements as doubles or int64_t. */
static inline __attribute__((always_inline)) longs load_words(enum arithmetic dtype, const void *source)
{
    typedef int16_t shorts __attribute__((vector_size(LANES * 2)));
    typedef int8_t bytes __attribute__((vector_size(LANES)));
    typedef uint8_t octets __attribute__((vector_size(LANES)));
    if (dtype < ARITHMETICS)
        return (longs)load(dtype, source);
    if (dtype == ARITHMETIC_INT64) {
        longs value;
        memcpy(&value, source, sizeof value);
        return value;
    }
    if (dtype == ARITHMETIC_INT32) {
        ints value;
        memcpy(&value, source, sizeof value);
        return __builtin_convertvector(value, longs);
    }
    if (dtype == ARITHMETIC_INT16) {
        shorts value;
        memcpy(&value, source, sizeof value);
        return __builtin_convertvector(value, longs);
    }
    if (dtype == ARITHMETIC_INT8) {
        bytes value;
        memcpy(&value, source, sizeof value);
        return __builtin_convertvector(value, longs);
    }
    octets value;
    memcpy(&value, source, sizeof value);
    longs words = __builtin_convertvector(value, longs);
    return dtype == ARITHMETIC_BOOL ? (words != 0) & 1 : words;
}

/* Fewer than LANES elements; the other lanes are 0. */
static inline __attribute__((always_inline)) longs load_few_words(enum arithmetic dtype, const void *source,
                                                                  size_t count)
{
    _Alignas(64) char padded[LANES * 8] = {0};
    memcpy(padded, source, count * element_bytes(dtype));
    return load_words(dtype, padded);
}

/* a < b ? a : b, which is b if either is NaN. */
static inline doubles lesser_of(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return (doubles)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (doubles)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return choose(a < b, a, b);
#endif
}

/* All bits of the first lanes. */
static inline longs first_lanes(size_t count)
{
    longs index;
    for (int i = 0; i < LANES; i++)
        index[i] = i;
    return index < (longs){0} + (int64_t)count;
}

/* LANES elements of each input, from an index on. */
static inline __attribute__((always_inline)) void load_words_of_inputs(enum arithmetic dtype,
                                                                       const struct reduce_steps *steps,
                                                                       const void *const *input, size_t index,
                                                                       longs *value)
{
    for (unsigned k = 0; k < steps->inputs; k++)
        value[k] = load_words(dtype, (const char *)input[k] + index * element_bytes(dtype));
}

/* A state with count elements taken in, from an index on; lanes beyond count stay as they are. */
static inline __attribute__((always_inline)) longs take(enum arithmetic dtype,
                                                        const struct reduce_steps *steps,
                                                        const void *const *input, size_t index, size_t count,
                                                        longs state, const void *parameters)
{
    longs value[REDUCE_INPUTS_MAX];
    for (unsigned k = 0; k < steps->inputs; k++) {
        const char *source = (const char *)input[k] + index * element_bytes(dtype);
        value[k] = count >= LANES ? load_words(dtype, source) : load_few_words(dtype, source, count);
    }
    longs next = steps->step(state, value, parameters);
    if (count >= LANES)
        return next;
    longs mask = first_lanes(count);
    return (next & mask) | (state & ~mask);
}

/* Takes whole steps of elements into some vectors of lanes, from the first-th of them all on: no more of them
 * than there are registers for. Of each input so many elements are read soon, these among them. How many
 * elements those steps have is what it returns. */
static inline __attribute__((always_inline)) size_t
reduce_whole_steps(enum arithmetic dtype, size_t all, size_t vectors, const struct reduce_steps *steps,
                   const void *const *input, size_t first, size_t count, size_t soon, longs *lane,
                   const void *parameters)
{
    const size_t bytes = element_bytes(dtype), ahead = stream_ahead(soon * bytes);
    size_t i = first * LANES;
    for (; i + vectors * LANES <= count; i += all * LANES) {
        for (unsigned k = 0; k < steps->inputs; k++)
            ask_for(input[k], i * bytes + ahead, vectors * LANES * bytes, SIZE_MAX);
        if (steps->several && vectors % REDUCE_SEVERAL == 0) {
            for (size_t k = 0; k < vectors; k += REDUCE_SEVERAL) {
                longs value[REDUCE_SEVERAL][REDUCE_INPUTS_MAX] __attribute__((uninitialized));
                for (size_t j = 0; j < REDUCE_SEVERAL; j++)
                    load_words_of_inputs(dtype, steps, input, i + (k + j) * LANES, value[j]);
                steps->several(lane + k, value, parameters);
            }
            continue;
        }
#pragma GCC unroll 8
        for (size_t k = 0; k < vectors; k++)
            lane[k] = take(dtype, steps, input, i + k * LANES, LANES, lane[k], parameters);
    }
    return i - first * LANES;
}

enum { REDUCE_VECTORS = 8 }; /* of lanes that stay in registers */

/* Takes all elements that are theirs into some vectors of lanes. */
static inline __attribute__((always_inline)) void
reduce_lanes(enum arithmetic dtype, size_t all, size_t vectors, const struct reduce_steps *steps,
             const void *const *input, size_t first, size_t count, size_t soon, char *state,
             const void *parameters)
{
    longs lane[REDUCE_VECTORS] __attribute__((uninitialized));
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; k++)
        memcpy(&lane[k], state + (first + k) * sizeof(longs), sizeof(longs));
    const size_t i = first * LANES + reduce_whole_steps(dtype, all, vectors, steps, input, first, count, soon,
                                                        lane, parameters);
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; k++)
        if (i + k * LANES < count)
            lane[k] = take(dtype, steps, input, i + k * LANES, count - i - k * LANES, lane[k], parameters);
#pragma GCC unroll 8
    for (size_t k = 0; k < vectors; k++)
        memcpy(state + (first + k) * sizeof(longs), &lane[k], sizeof(longs));
}

/* Takes a run of elements that lie side by side, eight vectors of lanes at a time at most, so that their
 * states stay in registers. */
static inline __attribute__((always_inline)) void
reduce_along(enum arithmetic dtype, size_t width, const struct reduce_steps *steps, const void *const *input,
             size_t count, size_t soon, void *state, const void *parameters)
{
    const size_t all = REDUCE_LANES * width / LANES, at_once = all < REDUCE_VECTORS ? all : REDUCE_VECTORS;
    for (size_t first = 0; first < all; first += at_once)
        reduce_lanes(dtype, all, at_once, steps, input, first, count * width, soon * width, (char *)state,
                     parameters);
}

/* Some columns of the rows that a lane takes, in so many vectors of which each has `count` columns. */
static inline __attribute__((always_inline)) void
reduce_columns(enum arithmetic dtype, size_t vectors, size_t count, const struct reduce_steps *steps,
               const void *const *const *row, size_t rows, size_t lane, size_t column, char *to,
               const void *parameters)
{
    longs value[4] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (size_t k = 0; k < vectors; k++)
        memcpy(&value[k], to + (column + k * LANES) * sizeof(int64_t), count * sizeof(int64_t));
    for (size_t i = lane; i < rows; i += REDUCE_LANES) {
        const void *input[REDUCE_INPUTS_MAX];
        for (unsigned k = 0; k < steps->inputs; k++) {
            input[k] = row[k][i];
            if (i + 1 < rows) /* the next lane's: rows may be far apart */
                for (size_t line = 0; line < vectors * LANES * element_bytes(dtype); line += 64)
                    __builtin_prefetch((const char *)row[k][i + 1] + column * element_bytes(dtype) + line);
        }
#pragma GCC unroll 4
        for (size_t k = 0; k < vectors; k++)
            value[k] = take(dtype, steps, input, column + k * LANES, count, value[k], parameters);
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < vectors; k++)
        memcpy(to + (column + k * LANES) * sizeof(int64_t), &value[k], count * sizeof(int64_t));
}

/* Takes rows into the lanes of their numbers, column by column: row k goes into lane k modulo REDUCE_LANES,
 * as element k of a run does, so that both give the same bits. */
static inline __attribute__((always_inline)) void reduce_across(enum arithmetic dtype, size_t width,
                                                                const struct reduce_steps *steps,
                                                                const void *const *const *row, size_t rows,
                                                                size_t first_row, size_t columns, void *state,
                                                                const void *parameters)
{
    const size_t words = columns * width;
    for (size_t lane = 0; lane < REDUCE_LANES && lane < rows; lane++) {
        char *to = (char *)state + (first_row + lane) % REDUCE_LANES * words * sizeof(int64_t);
        size_t j = 0;
        for (; j + (size_t)4 * LANES <= words; j += (size_t)4 * LANES)
            reduce_columns(dtype, 4, LANES, steps, row, rows, lane, j, to, parameters);
        for (; j + LANES <= words; j += LANES)
            reduce_columns(dtype, 1, LANES, steps, row, rows, lane, j, to, parameters);
        if (j < words)
            reduce_columns(dtype, 1, words - j, steps, row, rows, lane, j, to, parameters);
    }
}

/* Makes words of a state what they begin as, up to the end of a vector: stores as wide as what reads them. */
static void reduce_begin(void *state, uint64_t first, size_t words)
{
    const ulongs value = (ulongs){0} + first;
    for (size_t i = 0; i < words; i += LANES)
        memcpy((char *)state + i * sizeof(int64_t), &value, sizeof value);
}

/* Merges all lanes, of so many words each, into the first one, by halves. What lies behind that one is
 * overwritten. */
static inline __attribute__((always_inline)) void reduce_fold(const struct reduce_steps *steps, void *state,
                                                              size_t lanes, size_t words)
{
    char *to = (char *)state;
    size_t half = lanes / 2;
    for (; half * words >= LANES || (half > 0 && words > 1); half /= 2)
        for (size_t i = 0; i < half * words; i += LANES) {
            longs value, other;
            memcpy(&value, to + i * sizeof(int64_t), sizeof value);
            memcpy(&other, to + (half * words + i) * sizeof(int64_t), sizeof other);
            value = steps->merge(value, other);
            memcpy(to + i * sizeof(int64_t), &value, sizeof value);
        }
    if (half == 0)
        return;
    longs value;
    memcpy(&value, to, sizeof value);
    for (; half > 0; half /= 2)
        value = steps->merge(value, upper_half(value, half));
    memcpy(to, &value, sizeof value);
}

/* As reduce_fold of all lanes, which stay in registers. */
static inline __attribute__((always_inline)) longs reduce_fold_lanes(const struct reduce_steps *steps,
                                                                     longs *lane, size_t width)
{
#pragma GCC unroll 8
    for (size_t half = REDUCE_LANES * width / LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (size_t k = 0; k < half; k++)
            lane[k] = steps->merge(lane[k], lane[k + half]);
    longs value = lane[0];
#pragma GCC unroll 8
    for (size_t half = LANES / 2; half >= width; half /= 2)
        value = steps->merge(value, upper_half(value, half));
    return value;
}

/* Merges states side by side, which have so many words together, into others: what is left of a vector one by
 * one, as wide as they were stored. */
static inline __attribute__((always_inline)) void reduce_merge(const struct reduce_steps *steps, size_t width,
                                                               void *state, const void *other, size_t words)
{
    char *to = (char *)state;
    const char *from = (const char *)other;
    size_t i = 0;
    for (; i + LANES <= words; i += LANES) {
        longs value, next;
        memcpy(&value, to + i * sizeof(int64_t), sizeof value);
        memcpy(&next, from + i * sizeof(int64_t), sizeof next);
        value = steps->merge(value, next);
        memcpy(to + i * sizeof(int64_t), &value, sizeof value);
    }
    for (; i < words; i += width) {
        longs value = {0}, next = {0};
        memcpy(&value, to + i * sizeof(int64_t), width * sizeof(int64_t));
        memcpy(&next, from + i * sizeof(int64_t), width * sizeof(int64_t));
        value = steps->merge(value, next);
        memcpy(to + i * sizeof(int64_t), &value, width * sizeof(int64_t));
    }
}

enum { REDUCE_WIDTH_MAX = 2 }; /* words of a state: a complex number has two */

typedef void along_function(const void *const *input, size_t count, size_t soon, void *state,
                            const void *parameters);

/* One run of elements for each output: along, from states that begin as first, and folded. */
static inline __attribute__((always_inline)) void reduce_runs(along_function *along,
                                                              const struct reduce_steps *steps, size_t width,
                                                              const void *const *input, const int64_t *step,
                                                              size_t outputs, size_t count, uint64_t first,
                                                              int64_t *state, const void *parameters)
{
    longs lane[REDUCE_LANES * REDUCE_WIDTH_MAX / LANES] __attribute__((uninitialized));
    const void *run[REDUCE_INPUTS_MAX];
    for (size_t k = 0; k < outputs; k++) {
        for (unsigned i = 0; i < steps->inputs; i++)
            run[i] = (const char *)input[i] + (int64_t)k * step[i];
        for (size_t i = 0; i < REDUCE_LANES * width / LANES; i++)
            lane[i] = (longs)((ulongs){0} + first);
        along(run, count, (outputs - k) * count, lane, parameters);
        reduce_fold(steps, lane, REDUCE_LANES, width);
        memcpy(state + k * width, lane, width * sizeof(int64_t));
    }
}

/* The same, with the states of runs of whole steps in registers, where there are enough. To have them in memory
 * costs a quarter of the time of runs of 1024 to 4096 elements. */
static inline __attribute__((always_inline)) void
reduce_whole_runs(enum arithmetic dtype, along_function *along, const struct reduce_steps *steps,
                  size_t width, const void *const *input, const int64_t *step, size_t outputs, size_t count,
                  uint64_t first, int64_t *state, const void *parameters)
{
    const size_t vectors = REDUCE_LANES * width / LANES;
    const void *run[REDUCE_INPUTS_MAX];
    if (vectors > REDUCE_VECTORS || count % REDUCE_LANES != 0) {
        reduce_runs(along, steps, width, input, step, outputs, count, first, state, parameters);
        return;
    }
    for (size_t k = 0; k < outputs; k++) {
        longs lane[REDUCE_VECTORS] __attribute__((uninitialized));
        for (unsigned i = 0; i < steps->inputs; i++)
            run[i] = (const char *)input[i] + (int64_t)k * step[i];
#pragma GCC unroll 8
        for (size_t i = 0; i < vectors; i++)
            lane[i] = (longs)((ulongs){0} + first);
        reduce_whole_steps(dtype, vectors, vectors, steps, run, 0, count * width,
                           (outputs - k) * count * width, lane, parameters);
        const longs value = reduce_fold_lanes(steps, lane, width);
        memcpy(state + k * width, &value, width * sizeof(int64_t));
    }
}

/* Defines along, across and the ends for elements of one dtype, or pairs of them, of steps that are
 * constant. */
#define REDUCE_LOOPS(name, arithmetic, width_, steps)                                                       \
    static void name##_along(const void *const *input, size_t count, size_t soon, void *state,              \
                             const void *parameters)                                                        \
    {                                                                                                       \
        reduce_along((arithmetic), (width_), &(steps), input, count, soon, state, parameters);              \
    }                                                                                                       \
    static void name##_across(const void *const *const *row, size_t rows, size_t first_row, size_t columns, \
                              void *state, const void *parameters)                                          \
    {                                                                                                       \
        reduce_across((arithmetic), (width_), &(steps), row, rows, first_row, columns, state, parameters);  \
    }                                                                                                       \
    REDUCE_ENDS(name, width_, steps)                                                                        \
    static void name##_runs(const void *const *input, const int64_t *step, size_t outputs, size_t count,    \
                            uint64_t first, int64_t *state, const void *parameters)                         \
    {                                                                                                       \
        reduce_whole_runs((arithmetic), name##_along, &(steps), (width_), input, step, outputs, count,      \
                          first, state, parameters);                                                        \
    }

/* Defines merge and fold. */
#define REDUCE_ENDS(name, width_, steps)                                   \
    static void name##_merge(void *state, const void *other, size_t words) \
    {                                                                      \
        reduce_merge(&(steps), (width_), state, other, words);             \
    }                                                                      \
    static void name##_fold(void *state, size_t lanes, size_t words)       \
    {                                                                      \
        reduce_fold(&(steps), state, lanes, words);                        \
    }

/* Defines runs for an along that is defined already. */
#define REDUCE_RUNS(name, width_, steps)                                                                 \
    static void name##_runs(const void *const *input, const int64_t *step, size_t outputs, size_t count, \
                            uint64_t first, int64_t *state, const void *parameters)                      \
    {                                                                                                    \
        reduce_runs(name##_along, &(steps), (width_), input, step, outputs, count, first, state,         \
                    parameters);                                                                         \
    }

/* The entry of a table for what REDUCE_LOOPS defined. */
#define REDUCE_KERNEL(name, width_, first_)                                                        \
    {                                                                                              \
        .first = (first_), .width = (width_), .along = name##_along, .runs = name##_runs,          \
        .across = name##_across, .merge = name##_merge, .fold = name##_fold, .begin = reduce_begin \
    }

/* Loops of all floats, or of integers and BOOL: `REDUCE_FLOATS(name, steps)`, then
 * `REDUCE_FLOAT_KERNELS(name, first)` in a table. */
#define REDUCE_FLOATS(name, steps)                       \
    REDUCE_LOOPS(name##_fp32, ARITHMETIC_FP32, 1, steps) \
    REDUCE_LOOPS(name##_fp16, ARITHMETIC_FP16, 1, steps) \
    REDUCE_LOOPS(name##_bf16, ARITHMETIC_BF16, 1, steps) \
    REDUCE_LOOPS(name##_fp64, ARITHMETIC_FP64, 1, steps)
#define REDUCE_FLOAT_KERNELS(name, first)                     \
    [ARITHMETIC_FP32] = REDUCE_KERNEL(name##_fp32, 1, first), \
    [ARITHMETIC_FP16] = REDUCE_KERNEL(name##_fp16, 1, first), \
    [ARITHMETIC_BF16] = REDUCE_KERNEL(name##_bf16, 1, first), \
    [ARITHMETIC_FP64] = REDUCE_KERNEL(name##_fp64, 1, first)

#define REDUCE_INTEGERS(name, steps)                       \
    REDUCE_LOOPS(name##_int8, ARITHMETIC_INT8, 1, steps)   \
    REDUCE_LOOPS(name##_int16, ARITHMETIC_INT16, 1, steps) \
    REDUCE_LOOPS(name##_int32, ARITHMETIC_INT32, 1, steps) \
    REDUCE_LOOPS(name##_int64, ARITHMETIC_INT64, 1, steps) \
    REDUCE_LOOPS(name##_uint8, ARITHMETIC_UINT8, 1, steps) \
    REDUCE_LOOPS(name##_bool, ARITHMETIC_BOOL, 1, steps)
#define REDUCE_SHORT_INTEGER_KERNELS(name, first)               \
    [ARITHMETIC_INT8] = REDUCE_KERNEL(name##_int8, 1, first),   \
    [ARITHMETIC_INT16] = REDUCE_KERNEL(name##_int16, 1, first), \
    [ARITHMETIC_INT32] = REDUCE_KERNEL(name##_int32, 1, first), \
    [ARITHMETIC_UINT8] = REDUCE_KERNEL(name##_uint8, 1, first), \
    [ARITHMETIC_BOOL] = REDUCE_KERNEL(name##_bool, 1, first)
#define REDUCE_INTEGER_KERNELS(name, first) \
    REDUCE_SHORT_INTEGER_KERNELS(name, first), [ARITHMETIC_INT64] = REDUCE_KERNEL(name##_int64, 1, first)

/* The definition of a level's table: `REDUCE_KERNELS(sum) = {.of = {...}};` */
#define REDUCE_KERNELS(stem)                                    \
    extern const struct reduce_kernels AT_LEVEL(stem##_reduce); \
    const struct reduce_kernels AT_LEVEL(stem##_reduce)

#endif
