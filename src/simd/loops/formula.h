/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas in doubles, of some tensors and some numbers: a block of elements is widened, given to
 * the formula, and rounded once to the dtype. The formula is called through a pointer, so that it is compiled
 * once for all dtypes.
 *
 *     static inline doubles formula_elu(const doubles *x, const double *scalar) { ... }
 *     FORMULA_KERNELS(elu, 1)     of one input
 */
#ifndef BELAY_SIMD_LOOPS_FORMULA_H
#define BELAY_SIMD_LOOPS_FORMULA_H

#include "simd/loops/formula_numbers.h"
#include "simd/vector/kernel.h"
#include "simd/vector/memory.h"
#include "simd/vector/rounding.h"

/* to[i] = f(from[0][i], from[1][i], ..., scalar) for LANES * vectors doubles; to may be an input. */
typedef void formula_block(const double *const *from, const double *scalar, double *to, size_t vectors);

enum { FORMULA_LANES = 128 };

/* length elements as doubles, and behind them as many more as make whole vectors. */
static inline __attribute__((always_inline)) void widen_elements(enum arithmetic dtype, const char *source,
                                                                 double *to, size_t length)
{
    char padded[FORMULA_LANES * sizeof(double)] __attribute__((uninitialized));
    if (length % LANES != 0)
        source = memcpy(memset(padded, 0, sizeof padded), source, length * bytes_of(dtype));
    for (size_t i = 0; i < length; i += LANES) {
        doubles x = load(dtype, source + i * bytes_of(dtype));
        memcpy(to + i, &x, sizeof x);
    }
}

/* length of these doubles rounded once; they are canonical where they are NaN. */
static inline __attribute__((always_inline)) void
round_elements(enum arithmetic dtype, const double *from, char *target, size_t length, bool non_temporal)
{
    char padded[FORMULA_LANES * sizeof(double)] __attribute__((uninitialized));
    char *to = length % LANES == 0 ? target : padded;
    for (size_t i = 0; i < length; i += LANES) {
        doubles value;
        memcpy(&value, from + i, sizeof value);
        char *place = to + i * bytes_of(dtype);
        if (dtype == ARITHMETIC_FP64)
            put(place, &value, sizeof value, non_temporal && to == target);
        else
            store(dtype, place, canonical_bits(dtype, round_bits(dtype, value)),
                  non_temporal && to == target);
    }
    if (to != target)
        memcpy(target, padded, length * bytes_of(dtype));
}

static inline __attribute__((always_inline)) void map_elements(enum arithmetic dtype, formula_block *f,
                                                               int inputs, const void *const *input,
                                                               const struct formula_numbers *numbers,
                                                               char *output, size_t count, bool non_temporal)
{
    double block[INPUTS_MAX][FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    double result[FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    const double *from[INPUTS_MAX] = {block[0], block[1], block[2]};
    for (int i = 0; i < inputs; i++)
        for (size_t k = 0; numbers->place[i] != 0 && k < FORMULA_LANES; k++)
            block[i][k] = numbers->fp64[numbers->place[i] - 1];
    for (size_t done = 0; done < count; done += FORMULA_LANES) {
        const size_t length = count - done < FORMULA_LANES ? count - done : FORMULA_LANES;
        const bool is_direct = dtype == ARITHMETIC_FP64 && length % LANES == 0 && !non_temporal;
        char *target = output + done * bytes_of(dtype);
        for (int i = 0, tensor = 0; i < inputs; i++) {
            if (numbers->place[i] != 0)
                continue;
            const char *source = (const char *)input[tensor++] + done * bytes_of(dtype);
            from[i] = is_direct ? (const double *)(const void *)source : block[i];
            if (!is_direct)
                widen_elements(dtype, source, block[i], length);
        }
        f(from, numbers->fp64, is_direct ? (double *)(void *)target : result, (length + LANES - 1) / LANES);
        if (!is_direct)
            round_elements(dtype, result, target, length, non_temporal);
    }
}

/* One function for each dtype, so that no kernel has loops of its own. */
static __attribute__((noinline)) void map_formula(enum arithmetic dtype, formula_block *f, int inputs,
                                                  const void *const *input,
                                                  const struct formula_numbers *numbers, char *output,
                                                  size_t count, bool non_temporal)
{
    switch (dtype) {
    case ARITHMETIC_FP32:
        map_elements(ARITHMETIC_FP32, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_FP16:
        map_elements(ARITHMETIC_FP16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_BF16:
        map_elements(ARITHMETIC_BF16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    default:
        map_elements(ARITHMETIC_FP64, f, inputs, input, numbers, output, count, non_temporal);
        break;
    }
}

#define FORMULA_KERNEL(name, block, inputs, arithmetic, numbers)                             \
    KERNEL(name)                                                                             \
    {                                                                                        \
        (void)parameters;                                                                    \
        map_formula(arithmetic, block, inputs, input, numbers, output, count, non_temporal); \
    }

/* stem_fp32 and so on; of DOUBLE by the formula of wide. */
#define FORMULA_RUNS(stem, wide, inputs, numbers)                               \
    FORMULA_KERNEL(stem##_fp32, stem##_block, inputs, ARITHMETIC_FP32, numbers) \
    FORMULA_KERNEL(stem##_fp16, stem##_block, inputs, ARITHMETIC_FP16, numbers) \
    FORMULA_KERNEL(stem##_bf16, stem##_block, inputs, ARITHMETIC_BF16, numbers) \
    FORMULA_KERNEL(stem##_fp64, wide##_block, inputs, ARITHMETIC_FP64, numbers)

#define FORMULA_BLOCK(stem, inputs)                                                                     \
    static __attribute__((noinline)) void stem##_block(const double *const *from, const double *scalar, \
                                                       double *to, size_t vectors)                      \
    {                                                                                                   \
        for (size_t i = 0; i < vectors * LANES; i += LANES) {                                           \
            doubles x[inputs];                                                                          \
            for (int k = 0; k < (inputs); k++)                                                          \
                memcpy(&x[k], from[k] + i, sizeof x[k]);                                                \
            doubles value = formula_##stem(x, scalar);                                                  \
            value = choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);         \
            memcpy(to + i, &value, sizeof value);                                                       \
        }                                                                                               \
    }

/* The first of some arguments, and the others, each with a comma behind. */
#define FORMULA_FIRST(first, ...)  first
#define FORMULA_OTHERS(first, ...) __VA_ARGS__
#define FORMULA_INPUTS(...)        FORMULA_FIRST(__VA_ARGS__, )
#define FORMULA_BEHIND_INPUTS(...) FORMULA_OTHERS(__VA_ARGS__, )

/* The kernels of formula_stem, of DOUBLE those of formula_wide, with the same results at every accuracy: how
 * many inputs there are, and behind that other members of the table, as those of integers. */
#define FORMULA_KERNELS_WIDE(stem, wide, ...)        \
    FORMULA_BLOCK(stem, FORMULA_INPUTS(__VA_ARGS__)) \
    FORMULA_BLOCK(wide, FORMULA_INPUTS(__VA_ARGS__)) \
    FORMULA_KERNELS_OF(stem, wide, FORMULA_INPUTS(__VA_ARGS__), FORMULA_BEHIND_INPUTS(__VA_ARGS__))
#define FORMULA_KERNELS(stem, ...)                   \
    FORMULA_BLOCK(stem, FORMULA_INPUTS(__VA_ARGS__)) \
    FORMULA_KERNELS_OF(stem, stem, FORMULA_INPUTS(__VA_ARGS__), FORMULA_BEHIND_INPUTS(__VA_ARGS__))
#define FORMULA_KERNELS_OF(stem, wide, inputs, ...) \
    FORMULA_RUNS(stem, wide, inputs, parameters)    \
    KERNELS(stem) = {SAME_AT_BOTH_ACCURACIES(stem), __VA_ARGS__};

#endif
