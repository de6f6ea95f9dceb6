/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Moves elements between strided memory and contiguous memory.
 */
#ifndef BELAY_OPS_STRIDED_H
#define BELAY_OPS_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* Rows of columns; strides are in elements. */
struct block {
    size_t rows, columns;
    int64_t row_stride, column_stride;
};

/* The bytes of an element are 1, 2, 4, 8 or 16. The two memories do not overlap and are aligned to the
 * element; what scatter writes to does not overlap itself. */
typedef void gather_function(void *to, const void *from, const struct block *block, uint32_t bytes);
typedef void scatter_function(void *to, const struct block *block, const void *from, uint32_t bytes);

#endif
