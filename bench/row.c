/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Figures of a row.
 */
#include "row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rows_add(struct rows *rows, const struct row *row)
{
    if (rows->count == rows->room) {
        rows->room = rows->room > 0 ? 2 * rows->room : 1024;
        rows->row = realloc(rows->row, (size_t)rows->room * sizeof *rows->row);
        if (!rows->row) {
            fputs("bench: there is no memory for so many rows\n", stderr);
            exit(2);
        }
    }
    rows->row[rows->count++] = *row;
}

const struct figure *row_figure(const struct row *row, const char *name)
{
    for (int i = 0; i < row->figures; i++)
        if (strcmp(row->figure[i].name, name) == 0)
            return &row->figure[i];
    return NULL;
}

void row_add(struct row *row, const char *name, struct quartiles value)
{
    if (row->figures == FIGURES_MAX)
        return;
    struct figure *figure = &row->figure[row->figures++];
    snprintf(figure->name, sizeof figure->name, "%s", name);
    figure->value = value;
}

const char *count_text(int64_t count, char *text)
{
    if (count >= 1 << 20 && count % (1 << 20) == 0)
        snprintf(text, 24, "%" PRId64 "M", count >> 20);
    else if (count >= 1 << 10 && count % (1 << 10) == 0)
        snprintf(text, 24, "%" PRId64 "K", count >> 10);
    else
        snprintf(text, 24, "%" PRId64, count);
    return text;
}

int64_t count_of_text(const char *text)
{
    char *end;
    long long count = strtoll(text, &end, 10);
    int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
    if (end == text || count < 0 || count > 1 << 30 || (shift ? end[1] : end[0]) != '\0')
        return -1;
    return (int64_t)count << shift;
}
