/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far a view reaches: the arithmetic that keeps every access inside a block, in one place.
 */
#ifndef BELAY_TENSOR_VIEW_H
#define BELAY_TENSOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of elements of a view and the index of its last one, both in elements; reach is offset when
 * there are none. False, and neither is written, when a dim, a stride or offset is negative or either result
 * exceeds 2^63 - 1. rank is at most 25.
 */
bool view_check(uint32_t rank, const int64_t *shape, const int64_t *stride, int64_t offset, int64_t *count,
                int64_t *reach);

/* Whether the elements lie one behind the other, the last dim's fastest; the strides of dims of size 1 do not
 * matter. */
bool view_is_contiguous(uint32_t rank, const int64_t *shape, const int64_t *stride);

/* Whether elements 0 to reach lie within this many bytes. element_bytes is a power of two. */
static inline bool view_fits(int64_t reach, uint32_t element_bytes, uint64_t bytes)
{
    return (uint64_t)reach < bytes >> __builtin_ctz(element_bytes);
}

#endif
