/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Merges the axes of views, and finds out whether two have a byte in common.
 */
#include "check/extent.h"

#include <string.h>

/* Runs of the one that are held against the other. */
enum { RUNS_COMPARED = 65536 };

/* Takes the axis in where its stride has its place; false where there is no room for it. */
static bool insert_axis(struct extent *extent, uint64_t count, uint64_t stride)
{
    if (extent->axes == EXTENT_AXES)
        return false;
    uint64_t at = extent->axes++;
    for (; at > 0 && extent->axis[at - 1].stride < stride; at--)
        extent->axis[at] = extent->axis[at - 1];
    extent->axis[at].count = count;
    extent->axis[at].stride = stride;
    return true;
}

static void remove_axis(struct extent *extent, uint64_t at)
{
    for (extent->axes--; at < extent->axes; at++)
        extent->axis[at] = extent->axis[at + 1];
    memset(&extent->axis[extent->axes], 0, sizeof extent->axis[0]);
}

/* Makes one of neighbouring axes that go on where the inner one ends, and longer runs of the innermost. */
static void merge_axes(struct extent *extent)
{
    while (extent->axes > 0 && extent->axis[extent->axes - 1].stride == extent->run) {
        extent->run *= extent->axis[extent->axes - 1].count;
        remove_axis(extent, extent->axes - 1);
    }
    for (uint64_t i = extent->axes; i-- > 1;) {
        if (extent->axis[i - 1].stride != extent->axis[i].stride * extent->axis[i].count)
            continue;
        extent->axis[i - 1].count *= extent->axis[i].count;
        extent->axis[i - 1].stride = extent->axis[i].stride;
        remove_axis(extent, i);
    }
}

const struct access *access_in_bytes(const struct access *access, struct halved_access *room)
{
    int64_t reach = 0;
    bool is_even = true, is_empty = false;
    room->access = *access;
    room->access.dtype = ACL_DT_UNDEFINED;
    room->access.shape = room->shape;
    room->access.stride = room->stride;
    for (uint32_t i = 0; i < access->rank; i++) {
        int64_t count = access->shape[i], stride = access->stride[i];
        is_empty |= count == 0;
        is_even &= count < 2 || stride == 1 || stride % 2 == 0;
        reach += (count - 1) * stride;
        room->shape[i] = stride == 1 ? (count + 1) / 2 : count;
        room->stride[i] = stride == 1 ? 1 : stride / 2;
    }
    if (is_even || is_empty)
        return &room->access;
    room->access.mode |= ACCESS_PARTLY;
    room->access.rank = 1;
    room->shape[0] = reach / 2 + 1;
    room->stride[0] = 1;
    return &room->access;
}

static __attribute__((noinline)) bool extent_of_halves(const struct access *access, struct extent *extent)
{
    struct halved_access room;
    return extent_of_access(access_in_bytes(access, &room), extent);
}

bool extent_of_access(const struct access *access, struct extent *extent)
{
    if (access_is_halved(access))
        return extent_of_halves(access, extent);
    if ((access->mode & ACCESS_EXCHANGES) != 0)
        return false;
    memset(extent, 0, sizeof *extent);
    extent->first = (uintptr_t)access->address;
    extent->run = access->element_bytes;
    uint64_t reach = 0;
    bool fits = access->address != NULL;
    for (uint32_t i = 0; i < access->rank && fits; i++) {
        uint64_t count = (uint64_t)access->shape[i];
        uint64_t stride = (uint64_t)access->stride[i] * access->element_bytes;
        if (count == 0)
            return false;
        if (count > 1 && stride > 0) {
            fits = insert_axis(extent, count, stride);
            reach += (count - 1) * stride;
        }
    }
    extent->end = extent->first + reach + access->element_bytes;
    merge_axes(extent);
    return fits;
}

void extent_of_bytes(const void *address, uint64_t bytes, struct extent *extent)
{
    memset(extent, 0, sizeof *extent);
    extent->first = (uintptr_t)address;
    extent->end = extent->first + bytes;
    extent->run = bytes;
}

bool extent_walk_next(struct extent_walk *walk)
{
    const struct extent *extent = walk->extent;
    for (uint64_t i = extent->axes; i-- > 0;) {
        walk->run += extent->axis[i].stride;
        if (++walk->index[i] < extent->axis[i].count)
            return true;
        walk->run -= extent->axis[i].stride * extent->axis[i].count;
        walk->index[i] = 0;
    }
    return false;
}

/* What the axes from this one on reach beyond their first byte, and 1. */
static uint64_t span_from(const struct extent *extent, uint64_t axis)
{
    uint64_t span = extent->run;
    for (; axis < extent->axes; axis++)
        span += (extent->axis[axis].count - 1) * extent->axis[axis].stride;
    return span;
}

/* Whether the part of the extent that begins at base and has the axes from this one on has a byte in [low,
 * high). */
static bool meets(const struct extent *extent, uint64_t axis, uintptr_t base, uintptr_t low, uintptr_t high)
{
    uint64_t span = span_from(extent, axis);
    if (base >= high || base + span <= low)
        return false;
    /* The first byte lies in the range, or the whole of a run does. */
    if (base >= low || axis == extent->axes)
        return true;
    uint64_t stride = extent->axis[axis].stride, count = extent->axis[axis].count;
    uint64_t inner = span_from(extent, axis + 1);
    /* The parts in front of it end before the range; from high on they begin behind it. */
    uint64_t i = base + inner > low ? 0 : (low - (base + inner)) / stride + 1;
    for (; i < count && base + i * stride < high; i++)
        if (meets(extent, axis + 1, base + i * stride, low, high))
            return true;
    return false;
}

static uint64_t runs_of(const struct extent *extent)
{
    uint64_t runs = 1;
    for (uint64_t i = 0; i < extent->axes; i++)
        runs *= extent->axis[i].count;
    return runs;
}

bool extents_overlap(const struct extent *one, const struct extent *other)
{
    if (one->first >= other->end || other->first >= one->end)
        return false;
    if (runs_of(other) < runs_of(one)) {
        const struct extent *swapped = one;
        one = other;
        other = swapped;
    }
    struct extent_walk walk = extent_walk(one);
    uint32_t compared = 0;
    do {
        if (meets(other, 0, other->first, walk.run, walk.run + one->run))
            return true;
    } while (++compared < RUNS_COMPARED && extent_walk_next(&walk));
    return false;
}
