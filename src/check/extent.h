/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The bytes of a strided view as a set: as few and as long runs as it has, whatever the order of its axes.
 */
#ifndef BELAY_CHECK_EXTENT_H
#define BELAY_CHECK_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/tasks/access.h"

enum { EXTENT_AXES = 8 };

/*
 * Runs of run bytes, that begin at first and at every sum of multiples of the axes' strides below their
 * counts. The axes are ordered by stride, the longest first, and no two could be one. Unused ones are 0, so
 * that equal extents are equal bytes.
 */
struct extent {
    uintptr_t first, end; /* the first byte, and the one behind the last */
    uint64_t run;
    uint64_t axes;
    struct {
        uint64_t count, stride; /* in bytes */
    } axis[EXTENT_AXES];
};

enum { HALVED_RANK_MAX = 25 };
struct halved_access {
    struct access access;
    int64_t shape[HALVED_RANK_MAX], stride[HALVED_RANK_MAX];
};

/* Whether the elements are of half a byte, two to each. */
static inline bool access_is_halved(const struct access *access)
{
    const bool is_halved =
        access->dtype == ACL_INT4 || access->dtype == ACL_FLOAT4_E2M1 || access->dtype == ACL_FLOAT4_E1M2;
    return is_halved && access->rank <= HALVED_RANK_MAX;
}

/* Such an access as one of bytes: room's, which may be of more than the elements, partly then. */
const struct access *access_in_bytes(const struct access *access, struct halved_access *room);

/* False where there is not a byte, for what is no memory, or where the view has more axes than any operator
 * takes. */
bool extent_of_access(const struct access *access, struct extent *extent);

void extent_of_bytes(const void *address, uint64_t bytes, struct extent *extent);

/*
 * Whether the two share a byte. False where that would take too long to tell, which takes two views with tens
 * of thousands of interleaved runs.
 */
bool extents_overlap(const struct extent *one, const struct extent *other);

/* The runs of an extent, one after the other. */
struct extent_walk {
    const struct extent *extent;
    uintptr_t run;
    uint64_t index[EXTENT_AXES];
};

static inline struct extent_walk extent_walk(const struct extent *extent)
{
    return (struct extent_walk){.extent = extent, .run = extent->first};
}

/* Goes to the next run; false behind the last one. */
bool extent_walk_next(struct extent_walk *walk);

#endif
