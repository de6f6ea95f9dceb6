/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One pass over the extents in the order of their beginnings. An extent overlaps one before it where it
 * begins before the furthest end so far: of those that are written, or, where it is written itself, of all.
 */
#include "hccl/overlap.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct extent *x = (const struct extent *)a, *y = (const struct extent *)b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

bool overlap_find(struct extent *extents, size_t count, uint32_t *first, uint32_t *second)
{
    bool is_sorted = true;
    for (size_t i = 1; i < count && is_sorted; i++)
        is_sorted = extents[i - 1].begin <= extents[i].begin;
    if (!is_sorted)
        qsort(extents, count, sizeof *extents, compare);
    const struct extent *furthest = NULL, *furthest_written = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct extent *own = &extents[i];
        const struct extent *before = own->is_written ? furthest : furthest_written;
        const uint64_t end = own->begin + own->bytes;
        if (own->bytes == 0)
            continue;
        if (before != NULL && own->begin < before->begin + before->bytes) {
            *first = before->index;
            *second = own->index;
            return true;
        }
        if (furthest == NULL || end > furthest->begin + furthest->bytes)
            furthest = own;
        if (own->is_written &&
            (furthest_written == NULL || end > furthest_written->begin + furthest_written->bytes))
            furthest_written = own;
    }
    return false;
}
