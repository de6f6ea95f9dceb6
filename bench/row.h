/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One line of the results: what was measured, and its figures. Rows are plain bytes, because processes with
 * other numbers of threads send them through a pipe.
 */
#ifndef BELAY_BENCH_ROW_H
#define BELAY_BENCH_ROW_H

#include <stdint.h>

#include "statistics.h"

enum { FIGURES_MAX = 10 };

struct figure {
    char name[24]; /* "ns", "GB/s", "roofline", "torch", ... */
    struct quartiles value;
};

struct row {
    char section[16], operation[64], dtype[8], layout[16], data[16];
    int64_t count; /* elements, 0 where that says nothing */
    int threads;
    int figures;
    struct figure figure[FIGURES_MAX];
};

/* Begins as {0}, and grows with what is added. */
struct rows {
    int count, room;
    struct row *row;
};

void rows_add(struct rows *rows, const struct row *row);

/* NULL when the row has no such figure. */
const struct figure *row_figure(const struct row *row, const char *name);
void row_add(struct row *row, const char *name, struct quartiles value);

/* 1, 64, 1K, 256K, 4M; text must have room for 24 characters. */
const char *count_text(int64_t count, char *text);

/* The inverse; -1 when it is no count. */
int64_t count_of_text(const char *text);

#endif
