/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies between the tensors of a program of a kernel. What a program stores in a large tensor goes past the
 * caches: nobody reads it before they have held other things.
 */
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/run.h"
#include "kernel/streaming.h"
#include "kernel/view.h"

/* One side of a copy. */
struct side {
    unsigned char *first;
    const void *base;
    const int64_t *size, *stride; /* in elements */
};

static struct side side_of(const struct memref *memref, int64_t element_bytes)
{
    struct view_head head;
    memcpy(&head, memref->descriptor, sizeof head);
    const int64_t *size = (const int64_t *)((const unsigned char *)memref->descriptor + sizeof head);
    return (struct side){head.aligned + head.offset * element_bytes, head.base, size, size + memref->rank};
}

/* room: of the tensor that what is the program's own is copied to; 0 for all other copies. */
static void copy_dim(int64_t rank, const struct side *from, const struct side *to, int64_t bytes,
                     uint64_t room)
{
    const int64_t count = from->size[0];
    if (rank == 1 && from->stride[0] == 1 && to->stride[0] == 1) {
        if (room > 0)
            copy_streaming(to->first, from->first, (uint64_t)(count * bytes), room);
        else
            memmove(to->first, from->first, (size_t)(count * bytes));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        const struct side next_from = {from->first + i * from->stride[0] * bytes, from->base, from->size + 1,
                                       from->stride + 1},
                          next_to = {to->first + i * to->stride[0] * bytes, to->base, to->size + 1,
                                     to->stride + 1};
        if (rank == 1)
            memcpy(next_to.first, next_from.first, (size_t)bytes);
        else
            copy_dim(rank - 1, &next_from, &next_to, bytes, room);
    }
}

void memrefCopy(int64_t element_bytes, struct memref *from, struct memref *to)
{
    const struct side source = side_of(from, element_bytes), target = side_of(to, element_bytes);
    for (int64_t i = 0; i < from->rank; i++)
        if (source.size[i] <= 0)
            return;
    if (from->rank == 0) {
        memcpy(target.first, source.first, (size_t)element_bytes);
        return;
    }
    const uint64_t room = program_room(source.base) == 0 ? program_room(target.base) : 0;
    copy_dim(from->rank, &source, &target, element_bytes, room);
    if (room > 0)
        put_fence();
}
