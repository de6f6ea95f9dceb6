/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where a device computes, where it communicates, and where it does neither: over all its streams.
 */
#include <stdlib.h>

#include "tools/profile.h"

static int compare_begins(const void *first, const void *second)
{
    const struct interval *a = first, *b = second;
    return a->begin_ns == b->begin_ns ? 0 : a->begin_ns < b->begin_ns ? -1 : 1;
}

/* Sorted, and brought together where they touch; how many are left. */
static size_t merge(struct interval *interval, size_t count)
{
    size_t left = 0;
    if (count > 0)
        qsort(interval, count, sizeof *interval, compare_begins);
    for (size_t i = 0; i < count; i++) {
        struct interval *last = left > 0 ? &interval[left - 1] : NULL;
        if (last && interval[i].begin_ns <= last->end_ns)
            last->end_ns = interval[i].end_ns > last->end_ns ? interval[i].end_ns : last->end_ns;
        else
            interval[left++] = interval[i];
    }
    return left;
}

static size_t collect(const struct profile *profile, int32_t device, enum task_kind kind,
                      struct interval *interval)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->task[i].device == device && profile->task[i].kind == kind)
            interval[count++] = (struct interval){profile->task[i].begin_ns, profile->task[i].end_ns};
    return merge(interval, count);
}

/* What of the first ones lies in none of the others; room for both counts and one more. */
static size_t subtract(const struct interval *from, size_t count, const struct interval *other, size_t others,
                       struct interval *left)
{
    size_t found = 0, at = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t begin_ns = from[i].begin_ns;
        while (at < others && other[at].end_ns <= begin_ns)
            at++;
        for (size_t k = at; k < others && other[k].begin_ns < from[i].end_ns; k++) {
            if (other[k].begin_ns > begin_ns)
                left[found++] = (struct interval){begin_ns, other[k].begin_ns};
            begin_ns = other[k].end_ns > begin_ns ? other[k].end_ns : begin_ns;
        }
        if (begin_ns < from[i].end_ns)
            left[found++] = (struct interval){begin_ns, from[i].end_ns};
    }
    return found;
}

bool profile_overlap(const struct profile *profile, int32_t device, struct overlap *overlap)
{
    size_t room = 2 * profile->task_count + 2;
    struct interval *busy = malloc(room * sizeof *busy);
    *overlap = (struct overlap){.computing = malloc(room * sizeof *busy),
                                .communicating = malloc(room * sizeof *busy),
                                .not_overlapped = malloc(room * sizeof *busy),
                                .free = malloc(room * sizeof *busy)};
    if (!busy || !overlap->computing || !overlap->communicating || !overlap->not_overlapped ||
        !overlap->free) {
        free(busy);
        profile_overlap_destroy(overlap);
        return false;
    }
    overlap->computing_count = collect(profile, device, TASK_COMPUTES, overlap->computing);
    overlap->communicating_count = collect(profile, device, TASK_COMMUNICATES, overlap->communicating);
    overlap->not_overlapped_count =
        subtract(overlap->communicating, overlap->communicating_count, overlap->computing,
                 overlap->computing_count, overlap->not_overlapped);
    size_t count = 0;
    for (size_t i = 0; i < overlap->computing_count; i++)
        busy[count++] = overlap->computing[i];
    for (size_t i = 0; i < overlap->communicating_count; i++)
        busy[count++] = overlap->communicating[i];
    count = merge(busy, count);
    for (size_t i = 1; i < count; i++)
        overlap->free[overlap->free_count++] = (struct interval){busy[i - 1].end_ns, busy[i].begin_ns};
    free(busy);
    return true;
}

void profile_overlap_destroy(struct overlap *overlap)
{
    free(overlap->computing);
    free(overlap->communicating);
    free(overlap->not_overlapped);
    free(overlap->free);
    *overlap = (struct overlap){0};
}
