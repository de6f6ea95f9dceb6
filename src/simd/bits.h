/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Registers of integers and of BOOL, whatever their size: sums and products that wrap, and the loop over
 * contiguous elements. Everything is unsigned, where C says that it wraps.
 */
#ifndef BELAY_SIMD_BITS_H
#define BELAY_SIMD_BITS_H

#include <stddef.h>
#include <string.h>

#include "simd/lanes16.h"
#include "simd/write.h"

typedef uint8_t octets __attribute__((vector_size(LANES * 8)));

enum { REGISTER_BYTES = LANES * 8, BITS_REGISTERS = 4 };

/* The element, of so many bytes, in every lane. */
static inline ulongs bits_broadcast(int element_bytes, uint64_t element)
{
    static const uint64_t ones[] = {[1] = UINT64_C(0x0101010101010101),
                                    [2] = UINT64_C(0x0001000100010001),
                                    [4] = UINT64_C(0x0000000100000001),
                                    [8] = 1};
    uint64_t lane = element_bytes == 8 ? element : element & ((UINT64_C(1) << 8 * element_bytes) - 1);
    return (ulongs){0} + lane * ones[element_bytes];
}

static inline __attribute__((always_inline)) ulongs bits_sum(int element_bytes, ulongs a, ulongs b)
{
    switch (element_bytes) {
    case 1:
        return (ulongs)((octets)a + (octets)b);
    case 2:
        return (ulongs)((lanes16)a + (lanes16)b);
    case 4:
        return (ulongs)((vector_bits)a + (vector_bits)b);
    default:
        return a + b;
    }
}

static inline __attribute__((always_inline)) ulongs bits_product(int element_bytes, ulongs a, ulongs b)
{
    switch (element_bytes) {
    case 1: { /* no processor multiplies bytes: those with even indices and the others */
        lanes16 even = ((lanes16)a * (lanes16)b) & 0x00ff, odd = ((lanes16)a >> 8) * ((lanes16)b >> 8) << 8;
        return (ulongs)(even | odd);
    }
    case 2:
        return (ulongs)((lanes16)a * (lanes16)b);
    case 4:
        return (ulongs)((vector_bits)a * (vector_bits)b);
    default:
        return a * b;
    }
}

/* Of BOOL: 1 for every byte that is not 0. */
static inline ulongs bits_truth(ulongs value)
{
    return (ulongs)((octets)((octets)value != 0) & 1);
}

/* What an operator makes of registers of its inputs; both are the same where it has but one. */
typedef ulongs bits_function(int element_bytes, const ulongs *input, const void *prepared);

/* Registers, a constant, of the elements at an offset. All loads come before the stores, which compilers
 * could not know to be elsewhere. */
static inline __attribute__((always_inline)) void map_registers(int registers, int inputs, int element_bytes,
                                                                bits_function *evaluate, const char *first,
                                                                const char *second, char *target,
                                                                const void *prepared, bool non_temporal)
{
    ulongs result[BITS_REGISTERS];
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) {
        ulongs input[2];
        memcpy(&input[0], first + i * REGISTER_BYTES, sizeof input[0]);
        memcpy(&input[1], inputs > 1 ? second + i * REGISTER_BYTES : (const char *)&input[0],
               sizeof input[1]);
        result[i] = evaluate(element_bytes, input, prepared);
    }
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++)
        put(target + i * REGISTER_BYTES, &result[i], sizeof result[i], non_temporal);
}

/* A kernel_function of elements of one, two, four or eight bytes: inputs of these are read. */
static inline __attribute__((always_inline)) void map_bits(int inputs, int element_bytes,
                                                           bits_function *evaluate, const void *const *source,
                                                           void *output, size_t count, const void *prepared,
                                                           bool non_temporal)
{
    const size_t size = count * (size_t)element_bytes;
    const char *first = source[0], *second = inputs > 1 ? source[1] : source[0];
    char *target = output;
    size_t done = 0;
    for (; size - done >= BITS_REGISTERS * REGISTER_BYTES; done += BITS_REGISTERS * REGISTER_BYTES)
        map_registers(BITS_REGISTERS, inputs, element_bytes, evaluate, first + done, second + done,
                      target + done, prepared, non_temporal);
    for (; size - done >= REGISTER_BYTES; done += REGISTER_BYTES)
        map_registers(1, inputs, element_bytes, evaluate, first + done, second + done, target + done,
                      prepared, non_temporal);
    if (done == size)
        return;
    ulongs input[2] = {{0}}, result;
    memcpy(&input[0], first + done, size - done);
    memcpy(&input[1], second + done, size - done);
    result = evaluate(element_bytes, input, prepared);
    memcpy(target + done, &result, size - done);
}

/* Defines the kernel that is run(element_bytes, ...) for elements of so many bytes. */
#define BITS_KERNEL(name, element_bytes, run)                                                      \
    static void name(const void *const *input, void *output, size_t count, const void *parameters, \
                     bool non_temporal)                                                            \
    {                                                                                              \
        run(element_bytes, input, output, count, parameters, non_temporal);                        \
    }

#endif
