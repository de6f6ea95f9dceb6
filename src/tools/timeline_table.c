/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of a timeline: what took how long in all, the most first. Runs of graphs are left out, as the
 * operators in them are counted, and so are records of events and waits.
 */
#include "tools/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *name, *direction;
    uint64_t count, total_ns, longest_ns;
};

static const char *direction_of(const struct timeline *timeline, const struct slice *slice)
{
    const char *direction = slice->kind == SLICE_COPY
                                ? copy_direction(timeline, timeline_submission(timeline, slice->number))
                                : NULL;
    return direction ? direction : "";
}

/* By name, so that equal ones lie together. */
static int compare_names(const void *first, const void *second)
{
    const struct row *a = first, *b = second;
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->direction, b->direction);
}

static int compare_totals(const void *first, const void *second)
{
    const struct row *a = first, *b = second;
    return a->total_ns == b->total_ns ? compare_names(a, b) : a->total_ns < b->total_ns ? 1 : -1;
}

/* A stream that hands a function to a thread of the program has not run it itself. */
static bool is_counted(const struct timeline *timeline, const struct slice *slice)
{
    bool is_handed_over = timeline->track[slice->track].device >= 0 &&
                          timeline_submission(timeline, slice->number)->called != 0;
    return slice->kind != SLICE_CALL && slice->kind != SLICE_EVENT && slice->kind != SLICE_GRAPH &&
           !is_handed_over && (slice->flags & TRACE_RUN_DROPPED) == 0;
}

void timeline_tabulate(const struct timeline *timeline, FILE *file)
{
    struct row *row = malloc((timeline->slice_count + 1) * sizeof *row);
    size_t count = 0, rows = 0;
    uint64_t total_ns = 0;
    if (!row)
        return;
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        if (!is_counted(timeline, slice))
            continue;
        uint64_t ns = slice->end_ns - slice->begin_ns;
        row[count++] = (struct row){slice->name, direction_of(timeline, slice), 1, ns, ns};
        total_ns += ns;
    }
    qsort(row, count, sizeof *row, compare_names);
    for (size_t i = 0; i < count; i++) {
        if (rows > 0 && compare_names(&row[rows - 1], &row[i]) == 0) {
            row[rows - 1].count++;
            row[rows - 1].total_ns += row[i].total_ns;
            if (row[i].longest_ns > row[rows - 1].longest_ns)
                row[rows - 1].longest_ns = row[i].longest_ns;
        } else {
            row[rows++] = row[i];
        }
    }
    qsort(row, rows, sizeof *row, compare_totals);
    fprintf(file, "%10s %12s %12s %12s %7s  %s\n", "count", "total ms", "mean us", "longest us", "share",
            "name");
    for (size_t i = 0; i < rows; i++)
        fprintf(file, "%10" PRIu64 " %12.3f %12.3f %12.3f %6.1f%%  %s%s%s\n", row[i].count,
                (double)row[i].total_ns / 1e6, (double)row[i].total_ns / (double)row[i].count / 1e3,
                (double)row[i].longest_ns / 1e3,
                total_ns ? 100 * (double)row[i].total_ns / (double)total_ns : 0, row[i].name,
                row[i].direction[0] ? ", " : "", row[i].direction);
    free(row);
}
