/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What lists of dims are asked, wherever they come from.
 */
#ifndef BELAY_OPS_DIMS_H
#define BELAY_OPS_DIMS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Whether two tensors have one shape. */
static inline bool dims_are_same(uint32_t rank, const int64_t *dim, uint32_t other_rank, const int64_t *other)
{
    return rank == other_rank && memcmp(dim, other, rank * sizeof *dim) == 0;
}

/* Whether a tensor of these dims has 2^63 - 1 elements at most; without any it has none. */
static inline bool dims_are_countable(uint32_t rank, const int64_t *dim)
{
    int64_t count = 1;
    bool is_large = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dim[i] == 0)
            return true;
        is_large = __builtin_mul_overflow(count, dim[i], &count) || is_large;
    }
    return !is_large;
}

#endif
