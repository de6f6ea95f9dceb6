/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Registers of integers and of BOOL, whatever their size: sums and products that wrap, and the loop over
 * contiguous elements. Everything is unsigned, where C says that it wraps.
 */
#ifndef BELAY_OPS_POINTWISE_BITS_H
#define BELAY_OPS_POINTWISE_BITS_H

#include <stddef.h>
#include <string.h>

#include "simd/vector/lanes16.h"
#include "simd/vector/write.h"

typedef uint8_t octets __attribute__((vector_size(LANES * 8)));

enum { REGISTER_BYTES = LANES * 8, BITS_REGISTERS = 4 };

/* The element, of so many bytes, in every lane. */
static inline ulongs bits_broadcast(int element_bytes, uint64_t element)
{
    ulongs value = (ulongs){0} + element;
    if (element_bytes == 1)
        value = (ulongs)((octets){0} + (uint8_t)element);
    else if (element_bytes == 2)
        value = (ulongs)((lanes16){0} + (uint16_t)element);
    else if (element_bytes == 4)
        value = (ulongs)((vector_bits){0} + (uint32_t)element);
    return value;
}

static inline __attribute__((always_inline)) ulongs bits_sum(int element_bytes, ulongs a, ulongs b)
{
    return element_bytes == 1   ? (ulongs)((octets)a + (octets)b)
           : element_bytes == 2 ? (ulongs)((lanes16)a + (lanes16)b)
           : element_bytes == 4 ? (ulongs)((vector_bits)a + (vector_bits)b)
                                : a + b;
}

static inline __attribute__((always_inline)) ulongs bits_product(int element_bytes, ulongs a, ulongs b)
{
    if (element_bytes == 1) { /* no processor multiplies bytes: those with even indices and the others */
        lanes16 even = ((lanes16)a * (lanes16)b) & 0x00ff, odd = ((lanes16)a >> 8) * ((lanes16)b >> 8) << 8;
        return (ulongs)(even | odd);
    }
    return element_bytes == 2   ? (ulongs)((lanes16)a * (lanes16)b)
           : element_bytes == 4 ? (ulongs)((vector_bits)a * (vector_bits)b)
                                : a * b;
}

/* BOOL as the kernels see it: 1 for every byte that is not 0. */
static inline ulongs bits_truth(ulongs value)
{
    return (ulongs)((octets)((octets)value != 0) & 1);
}

/* What an operator makes of registers of both operands and of what is the same for all elements. */
typedef ulongs bits_function(int element_bytes, ulongs self, ulongs other, ulongs factor);

/* Registers, a constant, of the elements at an offset. All loads come before the stores, which compilers
 * could not know to be elsewhere. second is NULL where other is the same for all elements. */
static inline __attribute__((always_inline)) void
map_registers(int registers, int element_bytes, bits_function *evaluate, const char *first,
              const char *second, char *target, ulongs other, ulongs factor, bool non_temporal)
{
    ulongs result[BITS_REGISTERS];
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) {
        ulongs self;
        memcpy(&self, first + i * REGISTER_BYTES, sizeof self);
        if (second != NULL)
            memcpy(&other, second + i * REGISTER_BYTES, sizeof other);
        result[i] = evaluate(element_bytes, self, other, factor);
    }
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++)
        put(target + i * REGISTER_BYTES, &result[i], sizeof result[i], non_temporal);
}

/* For elements of one, two, four or eight bytes; has_scalar, a constant: other is what it is for all. */
static inline __attribute__((always_inline)) void map_bits(int element_bytes, bool has_scalar,
                                                           bits_function *evaluate, const void *const *input,
                                                           void *output, size_t count, uint64_t scalar,
                                                           uint64_t constant, bool non_temporal)
{
    const size_t size = count * (size_t)element_bytes;
    const char *first = input[0], *second = has_scalar ? NULL : input[1];
    const ulongs factor = bits_broadcast(element_bytes, constant);
    ulongs self = {0}, other = bits_broadcast(element_bytes, scalar);
    char *target = output;
    size_t done = 0;
    for (; size - done >= BITS_REGISTERS * REGISTER_BYTES; done += BITS_REGISTERS * REGISTER_BYTES)
        map_registers(BITS_REGISTERS, element_bytes, evaluate, first + done,
                      has_scalar ? NULL : second + done, target + done, other, factor, non_temporal);
    for (; size - done >= REGISTER_BYTES; done += REGISTER_BYTES)
        map_registers(1, element_bytes, evaluate, first + done, has_scalar ? NULL : second + done,
                      target + done, other, factor, non_temporal);
    if (done == size)
        return;
    memcpy(&self, first + done, size - done);
    if (!has_scalar)
        memcpy(&other, second + done, size - done);
    self = evaluate(element_bytes, self, other, factor);
    memcpy(target + done, &self, size - done);
}

#endif
