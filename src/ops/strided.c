/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Moves elements between strided memory and contiguous memory, for one instruction-set level. This file is
 * compiled with -O3: the loops over a constant element size are meant to become vector code.
 */
#include "ops/strided.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ops/transfer.h"
#include "ops/element_bytes.h"
#include "ops/transpose.h"

/* Bytes from which on a row is worth a call of memcpy, and of the pieces of a shorter one. */
enum { CALL_MIN = 1024, PIECE = 64 };

/*
 * Lines of elements that lie side by side, from which element i of line j goes to place j of line i; strides
 * in bytes.
 */
struct lines {
    size_t count, length;
    ptrdiff_t from_stride, to_stride;
};

/* bytes is a constant wherever these are inlined, so that each memcpy of one element is a load and a store.
 */
static inline __attribute__((always_inline)) void turn_elements(unsigned char *to, const unsigned char *from,
                                                                const struct lines *lines, size_t line,
                                                                size_t lines_end, size_t place,
                                                                size_t length_end, size_t bytes)
{
    for (size_t i = place; i < length_end; i++)
        for (size_t j = line; j < lines_end; j++)
            memcpy(to + (ptrdiff_t)i * lines->to_stride + (ptrdiff_t)(j * bytes),
                   from + (ptrdiff_t)j * lines->from_stride + (ptrdiff_t)(i * bytes), bytes);
}

/* In blocks of few enough lines that all of them stay in the first cache even where their distance is a power
 * of two. Each line is followed to its end: the lines read when gathering, those written when scattering. */
static inline __attribute__((always_inline)) void turn(unsigned char *to, const unsigned char *from,
                                                       const struct lines *lines, size_t bytes,
                                                       bool follows_written)
{
    const size_t high = transpose_lines(bytes), vector = transpose_places(bytes);
    const size_t count = lines->count / high * high, length = lines->length / vector * vector;
    const size_t outer = follows_written ? length : count, inner = follows_written ? count : length;
    const size_t outer_step = follows_written ? vector : high, inner_step = follows_written ? high : vector;
    for (size_t o = 0; o < outer; o += outer_step)
        for (size_t n = 0; n < inner; n += inner_step) {
            const size_t j = follows_written ? n : o, i = follows_written ? o : n;
            transpose(to + (ptrdiff_t)i * lines->to_stride + (ptrdiff_t)(j * bytes), lines->to_stride,
                      from + (ptrdiff_t)j * lines->from_stride + (ptrdiff_t)(i * bytes), lines->from_stride,
                      bytes);
        }
    turn_elements(to, from, lines, count, lines->count, 0, length, bytes);
    turn_elements(to, from, lines, 0, lines->count, length, lines->length, bytes);
}

/* A row of elements that lie side by side in both memories. */
static inline __attribute__((always_inline)) void copy_row(unsigned char *to, const unsigned char *from,
                                                           size_t columns, size_t bytes)
{
    size_t length = columns * bytes, place = 0;
    if (length >= CALL_MIN) {
        memcpy(to, from, length);
        return;
    }
    for (; length - place >= PIECE; place += PIECE)
        memcpy(to + place, from + place, PIECE);
    for (; place < length; place += bytes)
        memcpy(to + place, from + place, bytes);
}

/* One element again and again, which is no part of what is written, for all that compilers know. */
static inline __attribute__((always_inline)) void fill_row(unsigned char *to, const unsigned char *from,
                                                           size_t columns, size_t bytes)
{
    unsigned char element[16];
    memcpy(element, from, bytes);
    for (size_t i = 0; i < columns; i++)
        memcpy(to + i * bytes, element, bytes);
}

static inline __attribute__((always_inline)) bool is_transposed(const struct block *block, size_t bytes)
{
    return bytes >= 2 && bytes <= 8 && block->row_stride == 1 && block->column_stride > 1 && block->rows > 1;
}

static inline __attribute__((always_inline)) void gather(unsigned char *to, const unsigned char *from,
                                                         const struct block *block, size_t bytes)
{
    ptrdiff_t row_step = (ptrdiff_t)block->row_stride * (ptrdiff_t)bytes;
    ptrdiff_t step = (ptrdiff_t)block->column_stride * (ptrdiff_t)bytes;
    size_t columns = block->columns;
    if (is_transposed(block, bytes)) {
        const struct lines lines = {columns, block->rows, step, (ptrdiff_t)(columns * bytes)};
        turn(to, from, &lines, bytes, false);
        return;
    }
    for (size_t row = 0; row < block->rows; row++, from += row_step, to += columns * bytes) {
        const unsigned char *source = from;
        if (block->column_stride == 1) {
            copy_row(to, from, columns, bytes);
        } else if (block->column_stride == 0) {
            fill_row(to, from, columns, bytes);
        } else if (block->column_stride == -1) {
            for (size_t i = 0; i < columns; i++)
                memcpy(to + i * bytes, from - i * bytes, bytes);
        } else if (block->column_stride == 2) {
            for (size_t i = 0; i < columns;
                 i++) /* apart, because vectors do it where the distance is known */
                memcpy(to + i * bytes, from + i * 2 * bytes, bytes);
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
    if (is_transposed(block, bytes)) {
        const struct lines lines = {block->rows, columns, (ptrdiff_t)(columns * bytes), step};
        turn(to, from, &lines, bytes, true);
        return;
    }
    for (size_t row = 0; row < block->rows; row++, to += row_step, from += columns * bytes) {
        unsigned char *target = to;
        if (block->column_stride == 1) {
            copy_row(to, from, columns, bytes);
        } else {
            for (size_t i = 0; i < columns; i++, target += step)
                memcpy(target, from + i * bytes, bytes);
        }
    }
}

/* Both ways: what is gathered or scattered. */
struct strided_move {
    unsigned char *to;
    const unsigned char *from;
    const struct block *block;
};

static inline __attribute__((always_inline)) void gather_by(const void *work, size_t bytes)
{
    const struct strided_move *move = work;
    gather(move->to, move->from, move->block, bytes);
}

static inline __attribute__((always_inline)) void scatter_by(const void *work, size_t bytes)
{
    const struct strided_move *move = work;
    scatter(move->to, move->block, move->from, bytes);
}

void AT_LEVEL(gather)(void *to, const void *from, const struct block *block, uint32_t bytes)
{
    by_element_bytes(gather_by, &(const struct strided_move){to, from, block}, bytes);
}

void AT_LEVEL(scatter)(void *to, const struct block *block, const void *from, uint32_t bytes)
{
    by_element_bytes(scatter_by, &(const struct strided_move){to, from, block}, bytes);
}

#endif
