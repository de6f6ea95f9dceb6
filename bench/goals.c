/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads goals and looks for the rows that each of them is about.
 */
#include "goals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 9, LINE_MAX_BYTES = 512 };

/* The fields of a line, in this order. */
enum field { SECTION, OPERATION, DTYPE, LAYOUT, DATA, COUNT, THREADS, FIGURE, MINIMUM };

static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    if (strcmp(list, "*") == 0)
        return true;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* N, N-M or *. */
static bool range_has(const char *range, int64_t value)
{
    char low[64];
    if (strcmp(range, "*") == 0)
        return true;
    snprintf(low, sizeof low, "%.*s", (int)strcspn(range, "-"), range);
    const char *high = strchr(range, '-') ? strchr(range, '-') + 1 : low;
    return value >= count_of_text(low) && value <= count_of_text(high);
}

static bool is_about(char *const *field, const struct row *row)
{
    return list_has(field[SECTION], row->section) && list_has(field[OPERATION], row->operation) &&
           list_has(field[DTYPE], row->dtype) && list_has(field[LAYOUT], row->layout) &&
           list_has(field[DATA], row->data) && range_has(field[COUNT], row->count) &&
           range_has(field[THREADS], row->threads);
}

static void judge(char *const *field, double minimum, const char *source, const struct rows *rows, FILE *out,
                  struct verdict *verdict)
{
    int matched = 0;
    for (int i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        if (!is_about(field, row))
            continue;
        const struct figure *figure = row_figure(row, field[FIGURE]);
        if (!figure)
            continue;
        matched++;
        if (figure->value.median >= minimum) {
            verdict->met++;
            continue;
        }
        if (verdict->missed++ == 0)
            fprintf(out, "| missed | figure | at least | measured | quartiles | source "
                         "|\n|---|---|---:|---:|---|---|\n");
        char count[24];
        fprintf(out, "| %s %s %s %s %s %s, %d threads | %s | %.2f | %.2f | %.2f to %.2f | %s |\n",
                row->section, row->operation, row->dtype, row->layout, row->data,
                count_text(row->count, count), row->threads, field[FIGURE], minimum, figure->value.median,
                figure->value.lower, figure->value.upper, source);
    }
    verdict->unknown += matched == 0;
}

int goals_judge(const char *path, const struct rows *rows, FILE *out, struct verdict *verdict)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        fprintf(stderr, "bench: %s: cannot be read\n", path);
        return -1;
    }
    *verdict = (struct verdict){0};
    char line[LINE_MAX_BYTES];
    int number = 0, status = 0;
    while (fgets(line, sizeof line, file)) {
        number++;
        char *source = strchr(line, '#');
        if (source)
            *source++ = '\0';
        char *field[FIELDS + 1], *rest = NULL;
        int fields = 0;
        for (char *word = strtok_r(line, " \t\n", &rest); word && fields <= FIELDS;
             word = strtok_r(NULL, " \t\n", &rest))
            field[fields++] = word;
        if (fields == 0)
            continue;
        char *end = NULL;
        double minimum = fields == FIELDS ? strtod(field[MINIMUM], &end) : 0;
        if (!end || *end != '\0') {
            fprintf(stderr, "bench: %s:%d: %d fields are expected, of which the last is a number\n", path,
                    number, FIELDS);
            status = -1;
            break;
        }
        if (source)
            source[strcspn(source, "\n")] = '\0';
        judge(field, minimum, source ? source + strspn(source, " ") : "", rows, out, verdict);
    }
    fclose(file);
    return status;
}
