/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One integer of an array whose elements are 1, 2, 4 or 8 bytes large, in 64 bits. The size is a constant
 * where these are inlined, so that loops over them become vector code as loops over arrays of that type do.
 */
#ifndef BELAY_SIMD_VECTOR_ELEMENT_H
#define BELAY_SIMD_VECTOR_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/* Zero-extended. */
static inline __attribute__((always_inline)) uint64_t natural_element(const void *from, size_t i,
                                                                      size_t bytes)
{
    switch (bytes) {
    case 1:
        return ((const uint8_t *)from)[i];
    case 2:
        return ((const uint16_t *)from)[i];
    case 4:
        return ((const uint32_t *)from)[i];
    default:
        return ((const uint64_t *)from)[i];
    }
}

/* Sign-extended. */
static inline __attribute__((always_inline)) int64_t integer_element(const void *from, size_t i, size_t bytes)
{
    switch (bytes) {
    case 1:
        return ((const int8_t *)from)[i];
    case 2:
        return ((const int16_t *)from)[i];
    case 4:
        return ((const int32_t *)from)[i];
    default:
        return ((const int64_t *)from)[i];
    }
}

/* Keeps the low bits. */
static inline __attribute__((always_inline)) void put_element(void *to, size_t i, size_t bytes, uint64_t bits)
{
    switch (bytes) {
    case 1:
        ((uint8_t *)to)[i] = (uint8_t)bits;
        break;
    case 2:
        ((uint16_t *)to)[i] = (uint16_t)bits;
        break;
    case 4:
        ((uint32_t *)to)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)to)[i] = bits;
        break;
    }
}

#endif
