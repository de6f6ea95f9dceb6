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
#ifndef BELAY_SIMD_FORMULA_H
#define BELAY_SIMD_FORMULA_H

#include "simd/formula_numbers.h"
#include "simd/kernel.h"
#include "simd/memory.h"
#include "simd/rounding.h"

/* to[i] = f(from[0][i], from[1][i], ..., scalar) for LANES * vectors doubles; to may be an input. */
typedef void formula_block(const double *const *from, const double *scalar, double *to, size_t vectors);

enum { FORMULA_LANES = 128 };

/* length elements as doubles, and behind them as many more as make whole vectors. */
static inline __attribute__((always_inline)) void widen_block(enum arithmetic dtype, const char *source,
                                                              double *to, size_t length)
{
    char padded[FORMULA_LANES * sizeof(double)];
    if (length % LANES != 0)
        source = memcpy(memset(padded, 0, sizeof padded), source, length * bytes_of(dtype));
    for (size_t i = 0; i < length; i += LANES) {
        doubles x = load(dtype, source + i * bytes_of(dtype));
        memcpy(to + i, &x, sizeof x);
    }
}

/* length of these doubles rounded once; they are canonical where they are NaN. */
static inline __attribute__((always_inline)) void round_block(enum arithmetic dtype, const double *from,
                                                              char *target, size_t length, bool non_temporal)
{
    char padded[FORMULA_LANES * sizeof(double)], *to = length % LANES == 0 ? target : padded;
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

static inline __attribute__((always_inline)) void map_blocks(enum arithmetic dtype, formula_block *f,
                                                             int inputs, const void *const *input,
                                                             const struct formula_numbers *numbers,
                                                             char *output, size_t count, bool non_temporal)
{
    double block[INPUTS_MAX][FORMULA_LANES] __attribute__((aligned(64)));
    double result[FORMULA_LANES] __attribute__((aligned(64)));
    const double *const from[INPUTS_MAX] = {block[0], block[1], block[2]};
    for (int i = 0; i < inputs; i++)
        for (size_t k = 0; numbers->place[i] != 0 && k < FORMULA_LANES; k++)
            block[i][k] = numbers->fp64[numbers->place[i] - 1];
    for (size_t done = 0; done < count; done += FORMULA_LANES) {
        const size_t length = count - done < FORMULA_LANES ? count - done : FORMULA_LANES;
        for (int i = 0, tensor = 0; i < inputs; i++)
            if (numbers->place[i] == 0)
                widen_block(dtype, (const char *)input[tensor++] + done * bytes_of(dtype), block[i], length);
        f(from, numbers->fp64, result, (length + LANES - 1) / LANES);
        round_block(dtype, result, output + done * bytes_of(dtype), length, non_temporal);
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
        map_blocks(ARITHMETIC_FP32, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_FP16:
        map_blocks(ARITHMETIC_FP16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_BF16:
        map_blocks(ARITHMETIC_BF16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    default:
        map_blocks(ARITHMETIC_FP64, f, inputs, input, numbers, output, count, non_temporal);
        break;
    }
}

#define FORMULA_KERNEL(stem, block, inputs, dtype, arithmetic)                                               \
    static void stem##_##dtype(const void *const *input, void *output, size_t count, const void *parameters, \
                               bool non_temporal)                                                            \
    {                                                                                                        \
        map_formula(arithmetic, block, inputs, input, parameters, output, count, non_temporal);              \
    }

#define FORMULA_TABLE(stem)                                                                                \
    {                                                                                                      \
        [ARITHMETIC_FP32] = stem##_fp32, [ARITHMETIC_FP16] = stem##_fp16, [ARITHMETIC_BF16] = stem##_bf16, \
        [ARITHMETIC_FP64] = stem##_fp64                                                                    \
    }

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
#define FORMULA_KERNELS_OF(stem, wide, inputs, ...)                                                \
    FORMULA_KERNEL(stem, stem##_block, inputs, fp32, ARITHMETIC_FP32)                              \
    FORMULA_KERNEL(stem, stem##_block, inputs, fp16, ARITHMETIC_FP16)                              \
    FORMULA_KERNEL(stem, stem##_block, inputs, bf16, ARITHMETIC_BF16)                              \
    FORMULA_KERNEL(stem, wide##_block, inputs, fp64, ARITHMETIC_FP64)                              \
    KERNELS(stem) = {                                                                              \
        .run = {[ACCURACY_DEFAULT] = FORMULA_TABLE(stem), [ACCURACY_EXACT] = FORMULA_TABLE(stem)}, \
        __VA_ARGS__};

#endif
