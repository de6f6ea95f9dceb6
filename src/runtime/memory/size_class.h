/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sizes of small blocks in granules of 512 bytes: 1 to 8, then four per power of two up to 2048 (1 MiB).
 */
#ifndef BELAY_RUNTIME_MEMORY_SIZE_CLASS_H
#define BELAY_RUNTIME_MEMORY_SIZE_CLASS_H

#include <stdint.h>

#include "runtime/addresses/address_space.h"
#include "runtime/memory/device_memory.h"

enum { CLASSES = 40, SMALL_GRANULES = 2048 };

/* The smallest class, from 1, that holds as many granules: at least 1, at most SMALL_GRANULES. */
static inline uint32_t class_of(uint64_t granules)
{
    if (granules <= 8)
        return (uint32_t)granules;
    uint32_t octave = 60u - (uint32_t)__builtin_clzll(granules - 1); /* (8 << octave, 16 << octave] */
    uint64_t step = UINT64_C(2) << octave;
    return 8 + 4 * octave + (uint32_t)((granules - (UINT64_C(8) << octave) + step - 1) / step);
}

/* How many granules a block of a class has. */
static inline uint32_t class_granules(uint32_t size_class)
{
    if (size_class <= 8)
        return size_class;
    uint32_t octave = (size_class - 9) / 4;
    return (8u << octave) + ((size_class - 9) % 4 + 1) * (2u << octave);
}

/* What a block of bytes that the program asked for takes, with its slack. */
static inline uint64_t granules_of(uint64_t bytes)
{
    return (bytes + MEMORY_SLACK_BYTES + GRANULE_BYTES - 1) >> GRANULE_BITS;
}

#endif
