/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop over contiguous elements for functions of one argument in doubles: a block of elements is widened,
 * given to the function, and rounded once to the dtype. The function is called through a pointer, so that it
 * is compiled once for all dtypes.
 */
#ifndef BELAY_SIMD_MATHS_MAP_H
#define BELAY_SIMD_MATHS_MAP_H

#include "simd/memory.h"
#include "simd/rounding.h"

/* to[i] = f(from[i]) for LANES * vectors doubles, NaN being the canonical one; to may be from. */
typedef void block_function(const double *from, double *to, size_t vectors);

/* Defines stem##_block by maths_##stem. */
#define MATHS_BLOCK(stem)                                                                              \
    static __attribute__((noinline)) void stem##_block(const double *from, double *to, size_t vectors) \
    {                                                                                                  \
        for (size_t i = 0; i < vectors * LANES; i += LANES) {                                          \
            doubles x;                                                                                 \
            memcpy(&x, from + i, sizeof x);                                                            \
            doubles value = maths_##stem(x);                                                           \
            value = choose(value != value, (doubles)((ulongs){0} + 0x7ff8000000000000), value);        \
            memcpy(to + i, &value, sizeof value);                                                      \
        }                                                                                              \
    }

enum { MATHS_BLOCK_LANES = 128 };

/* Of some dtype but fp64. */
static inline __attribute__((always_inline)) void map_maths_narrow(enum arithmetic dtype, block_function *f,
                                                                   const char *source, char *target,
                                                                   size_t count, bool non_temporal)
{
    double block[MATHS_BLOCK_LANES] __attribute__((aligned(64)));
    const size_t bytes = bytes_of(dtype);
    for (size_t done = 0; done < count;) {
        size_t length = count - done < MATHS_BLOCK_LANES ? count - done : MATHS_BLOCK_LANES;
        const char *from = source + done * bytes;
        char *to = target + done * bytes, rest[MATHS_BLOCK_LANES * 4] = {0};
        bool is_ragged = length % LANES != 0;
        if (is_ragged)
            from = memcpy(rest, from, length * bytes);
        for (size_t i = 0; i < length; i += LANES) {
            doubles x = load(dtype, from + i * bytes);
            memcpy(block + i, &x, sizeof x);
        }
        f(block, block, (length + LANES - 1) / LANES);
        for (size_t i = 0; i < length; i += LANES) {
            doubles value;
            memcpy(&value, block + i, sizeof value);
            uints bits = canonical_bits(dtype, round_bits(dtype, value));
            store(dtype, is_ragged ? rest + i * bytes : to + i * bytes, bits, non_temporal && !is_ragged);
        }
        if (is_ragged)
            memcpy(to, rest, length * bytes);
        done += length;
    }
}

static void map_maths_fp64(block_function *f, const char *source, char *target, size_t count)
{
    const size_t whole = count / LANES * LANES, length = (count - whole) * sizeof(double);
    double rest[LANES] __attribute__((aligned(64))) = {0};
    f((const double *)(const void *)source, (double *)(void *)target, whole / LANES);
    if (length == 0)
        return;
    memcpy(rest, source + whole * sizeof(double), length);
    f(rest, rest, 1);
    memcpy(target + whole * sizeof(double), rest, length);
}

/* One function for each dtype, so that no kernel has loops of its own. */
static __attribute__((noinline)) void map_maths(enum arithmetic dtype, block_function *f,
                                                const void *const *input, void *output, size_t count,
                                                bool non_temporal)
{
    switch (dtype) {
    case ARITHMETIC_FP32:
        map_maths_narrow(ARITHMETIC_FP32, f, input[0], output, count, non_temporal);
        break;
    case ARITHMETIC_FP16:
        map_maths_narrow(ARITHMETIC_FP16, f, input[0], output, count, non_temporal);
        break;
    case ARITHMETIC_BF16:
        map_maths_narrow(ARITHMETIC_BF16, f, input[0], output, count, non_temporal);
        break;
    default:
        map_maths_fp64(f, input[0], output, count);
        break;
    }
}

#endif
