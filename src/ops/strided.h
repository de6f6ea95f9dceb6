/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Moves elements between a strided row and a contiguous one. The bytes of an element are 1, 2, 4, 8 or 16;
 * strides are in elements. Rows are aligned to the element and do not overlap each other.
 */
#ifndef BELAY_OPS_STRIDED_H
#define BELAY_OPS_STRIDED_H

#include <stddef.h>
#include <stdint.h>

void gather_row(void *to, const void *from, int64_t stride, size_t count, uint32_t bytes);
void scatter_row(void *to, int64_t stride, const void *from, size_t count, uint32_t bytes);

#endif
