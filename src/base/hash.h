/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FNV-1a, 64 bits (Fowler, Noll and Vo): the same number for the same bytes in every process, quick for a few
 * of them. It keeps what is well-meant apart and is no protection against who wants two texts to have one
 * number.
 */
#ifndef BELAY_BASE_HASH_H
#define BELAY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

/* The hash of what stood before, HASH_START at the beginning, and of these bytes. */
static inline uint64_t hash_add(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
