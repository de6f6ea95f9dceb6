/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of kernels that choose among elements and change none: registers of integers, whatever the dtype
 * is. Floats compare as the integers that their bits are, once the negative ones are turned around.
 */
#ifndef BELAY_OPS_POINTWISE_LINES_H
#define BELAY_OPS_POINTWISE_LINES_H

#include "simd/vector/kernels.h"
#include "simd/loops/move.h"

/* A register of the level, and its lanes. */
typedef int8_t line_int8 __attribute__((vector_size(MOVE_REGISTER)));
typedef int16_t line_int16 __attribute__((vector_size(MOVE_REGISTER)));
typedef int32_t line_int32 __attribute__((vector_size(MOVE_REGISTER)));
typedef int64_t line_int64 __attribute__((vector_size(MOVE_REGISTER)));
typedef line_int64 line;

/* prepared is what the kernel made of the operator's parameters. Inlined. */
typedef line line_function(const line *input, const void *prepared);

/* Whole registers: the bytes that are done. Where results stream, several inputs, a register of each in turn,
 * would come at half the speed of the memory if they were not asked for ahead. */
static inline __attribute__((always_inline)) size_t map_whole_lines(line_function *evaluate, int inputs,
                                                                    const void *const *input, char *target,
                                                                    size_t bytes, const void *prepared,
                                                                    bool non_temporal)
{
    size_t done = 0;
    for (; bytes - done >= sizeof(line); done += sizeof(line)) {
        line value[INPUTS_MAX] __attribute__((uninitialized)); /* all that is read is written */
#pragma GCC unroll 4
        for (int i = 0; i < inputs; i++)
            memcpy(&value[i], (const char *)input[i] + done, sizeof(line));
        for (int i = 0; non_temporal && inputs > 1 && i < inputs; i++)
            ask_for(input[i], done + STREAM_AHEAD, sizeof(line), bytes);
        line result = evaluate(value, prepared);
        put(target + done, &result, sizeof result, non_temporal);
    }
    return done;
}

static inline __attribute__((always_inline)) void map_lines(line_function *evaluate, int inputs,
                                                            size_t element_bytes, const void *const *input,
                                                            void *output, size_t count, const void *prepared,
                                                            bool non_temporal)
{
    const size_t bytes = count * element_bytes;
    char *target = output;
    size_t done = non_temporal ? map_whole_lines(evaluate, inputs, input, target, bytes, prepared, true)
                               : map_whole_lines(evaluate, inputs, input, target, bytes, prepared, false);
    if (done == bytes)
        return;
    line value[INPUTS_MAX] = {{0}};
    for (int i = 0; i < inputs; i++)
        memcpy(&value[i], (const char *)input[i] + done, bytes - done);
    line result = evaluate(value, prepared);
    memcpy(target + done, &result, bytes - done);
}

/* The bits of floats in the order of their values, NaN outside of the infinities; -0 is the one below 0. */
static inline line_int16 order_of_16_bits(line_int16 bits)
{
    return bits ^ ((bits >> 15) & 0x7fff);
}

static inline line_int32 order_of_32_bits(line_int32 bits)
{
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

/* Every NaN as the canonical one. infinity: its bits. */
static inline line_int16 canonical_16_bits(line_int16 bits, int16_t infinity, int16_t nan)
{
    line_int16 is_nan = (bits & 0x7fff) > infinity;
    return (bits & ~is_nan) | (is_nan & nan);
}

static inline line_int32 canonical_32_bits(line_int32 bits)
{
    line_int32 is_nan = (bits & 0x7fffffff) > 0x7f800000;
    return (bits & ~is_nan) | (is_nan & 0x7fc00000);
}

/* Defines the kernel of one such function that has no parameters. */
#define LINE_KERNEL(name, function, inputs, element_bytes)                                         \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)                                                            \
    {                                                                                              \
        (void)parameters;                                                                          \
        map_lines(function, inputs, element_bytes, input, output, count, NULL, non_temporal);      \
    }

#endif
