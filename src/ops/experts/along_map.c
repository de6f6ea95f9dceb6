/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loops over rows that a map names, in pieces.
 */
#include "ops/experts/along_map.h"

#include <string.h>

#include "ops/loops/tasks.h"

enum { PIECE = EXPERTS_PIECE, ROWS_AT_ONCE = 16, SIDE_BY_SIDE = 8 };

static uint64_t piece_of(uint64_t width, uint64_t at)
{
    return width - at < PIECE ? width - at : PIECE;
}

static void copy_row(void *context, uint64_t row)
{
    const struct row_copies *copies = context;
    const uint64_t width = copies->width;
    double element[PIECE] __attribute__((uninitialized)); /* of any dtype but COMPLEX128 */
    for (uint64_t at = 0; at < width; at += PIECE) {
        const uint64_t count = piece_of(width, at);
        if (copies->source[row] >= 0)
            port_bring(copies->from, copies->address, (uint64_t)copies->source[row] * width + at, count,
                       element);
        else
            memset(element, 0, sizeof element);
        port_deliver(copies->to, copies->address, row * width + at, count, element);
    }
}

void copy_rows(const struct row_copies *copies)
{
    tasks_run(copy_row, (void *)(uintptr_t)copies, copies->rows, ROWS_AT_ONCE, copies->cost_ns);
}

static void add_term(const struct row_sums *sums, const struct term *term, uint64_t at, uint64_t count,
                     double *sum, bool is_first)
{
    double row[PIECE] __attribute__((uninitialized)), factor[PIECE] __attribute__((uninitialized));
    port_bring(&sums->source[term->source], sums->address, (uint64_t)term->row * sums->width + at, count,
               row);
    if (term->factor >= 0) {
        port_bring(&sums->source[term->factor], sums->address, (uint64_t)term->factor_row * sums->width + at,
                   count, factor);
        for (uint64_t i = 0; i < count; i++)
            row[i] *= factor[i];
    }
    for (uint64_t i = 0; i < count; i++)
        sum[i] = is_first ? row[i] * term->weight : sum[i] + row[i] * term->weight;
}

static void sum_row(void *context, uint64_t row)
{
    const struct row_sums *sums = context;
    double sum[PIECE] __attribute__((uninitialized));
    for (uint64_t at = 0; at < sums->width; at += PIECE) {
        const uint64_t count = piece_of(sums->width, at);
        memset(sum, 0, sizeof sum);
        for (uint64_t i = sums->begin[row]; i < sums->begin[row + 1]; i++)
            add_term(sums, &sums->term[i], at, count, sum, i == sums->begin[row]);
        port_deliver(sums->to, sums->address, row * sums->width + at, count, sum);
    }
}

void sum_rows(const struct row_sums *sums)
{
    tasks_run(sum_row, (void *)(uintptr_t)sums, sums->rows, ROWS_AT_ONCE, sums->cost_ns);
}

double multiply_rows(const struct port *a, uint64_t row_a, const struct port *b, uint64_t row_b,
                     void *const *address, uint64_t width)
{
    double x[PIECE] __attribute__((uninitialized)), y[PIECE] __attribute__((uninitialized));
    double sum[SIDE_BY_SIDE] = {0}, all = 0;
    for (uint64_t at = 0; at < width; at += PIECE) {
        const uint64_t count = piece_of(width, at);
        port_bring(a, address, row_a * width + at, count, x);
        port_bring(b, address, row_b * width + at, count, y);
        for (uint64_t h = 0; h < count; h++)
            sum[h % SIDE_BY_SIDE] += x[h] * y[h];
    }
    for (int k = 0; k < SIDE_BY_SIDE; k++)
        all += sum[k];
    return all;
}
