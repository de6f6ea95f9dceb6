/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Moves elements between strided memory and contiguous memory. This file is compiled with -O3: the loops over
 * a constant element size are meant to become vector code.
 */
#include "ops/strided.h"

#include <string.h>

/* Rows at least this long are worth a call of memcpy. */
enum { COPY_MIN = 32 };

/* bytes is a constant wherever these are inlined, so that each memcpy of one element is a load and a store.
 */
static inline __attribute__((always_inline)) void gather(unsigned char *to, const unsigned char *from,
                                                         const struct block *block, size_t bytes)
{
    ptrdiff_t row_step = (ptrdiff_t)block->row_stride * (ptrdiff_t)bytes;
    ptrdiff_t step = (ptrdiff_t)block->column_stride * (ptrdiff_t)bytes;
    size_t columns = block->columns;
    for (size_t row = 0; row < block->rows; row++, from += row_step, to += columns * bytes) {
        const unsigned char *source = from;
        if (block->column_stride == 1 && columns >= COPY_MIN) {
            memcpy(to, from, columns * bytes);
        } else if (block->column_stride == 0) {
            unsigned char element[16];
            memcpy(element, from, bytes);
            for (size_t i = 0; i < columns; i++)
                memcpy(to + i * bytes, element, bytes);
        } else {
            for (size_t i = 0; i < columns; i++, source += step)
                memcpy(to + i * bytes, source, bytes);
        }
    }
}

static inline __attribute__((always_inline)) void scatter(unsigned char *to, const struct block *block,
                                                          const unsigned char *from, size_t bytes)
{
    ptrdiff_t row_step = (ptrdiff_t)block->row_stride * (ptrdiff_t)bytes;
    ptrdiff_t step = (ptrdiff_t)block->column_stride * (ptrdiff_t)bytes;
    size_t columns = block->columns;
    for (size_t row = 0; row < block->rows; row++, to += row_step, from += columns * bytes) {
        unsigned char *target = to;
        if (block->column_stride == 1 && columns >= COPY_MIN) {
            memcpy(to, from, columns * bytes);
        } else {
            for (size_t i = 0; i < columns; i++, target += step)
                memcpy(target, from + i * bytes, bytes);
        }
    }
}

void gather_block(void *to, const void *from, const struct block *block, uint32_t bytes)
{
    unsigned char *target = (unsigned char *)to;
    const unsigned char *source = (const unsigned char *)from;
    switch (bytes) {
    case 1:
        gather(target, source, block, 1);
        break;
    case 2:
        gather(target, source, block, 2);
        break;
    case 4:
        gather(target, source, block, 4);
        break;
    case 8:
        gather(target, source, block, 8);
        break;
    default:
        gather(target, source, block, 16);
        break;
    }
}

void scatter_block(void *to, const struct block *block, const void *from, uint32_t bytes)
{
    unsigned char *target = (unsigned char *)to;
    const unsigned char *source = (const unsigned char *)from;
    switch (bytes) {
    case 1:
        scatter(target, block, source, 1);
        break;
    case 2:
        scatter(target, block, source, 2);
        break;
    case 4:
        scatter(target, block, source, 4);
        break;
    case 8:
        scatter(target, block, source, 8);
        break;
    default:
        scatter(target, block, source, 16);
        break;
    }
}
