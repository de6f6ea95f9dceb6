/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies between the tensors of a program of a kernel. What a program stores in a large tensor goes past the
 * caches: nobody reads it before they have held other things, and belay_program_run has put a fence behind it.
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

/* The bytes of the tensors that the sides belong to; 0 for what is the program's own. Nobody asks for those of a copy
 * in short pieces, in which nothing is to be gained. */
struct rooms {
    uint64_t from, to;
};

enum { ASKED = 4, ASKED_LINE = 64, LONG_RUN = 1024 };

/* What the program has read of large tensors since it has stored last: the bytes behind are mostly those that the
 * thread's next program reads. Asked for beside stores, they come while memory would wait for the processor. */
struct asked {
    const char *behind[ASKED];
    unsigned count;
};

static __thread struct asked asked;

/* At least LONG_RUN bytes. */
static void copy_out(char *restrict to, const char *restrict from, uint64_t bytes)
{
    const struct asked next = asked;
    /* A short program ends before what it asks for has come: it asks for what the programs behind the next one read. */
    const uint64_t ahead = bytes < 2 * STREAM_AHEAD ? STREAM_AHEAD : 0;
    uint64_t done = -(uintptr_t)to % ASKED_LINE;
    memcpy(to, from, done);
    for (; done + ASKED_LINE <= bytes; done += ASKED_LINE) {
        for (unsigned i = 0; i < next.count; i++)
            ask_for(next.behind[i], done + ahead, ASKED_LINE, SIZE_MAX);
        for (unsigned part = 0; part < ASKED_LINE; part += STREAM_STEP)
            put(to + done + part, from + done + part, STREAM_STEP, true);
    }
    memcpy(to + done, from + done, bytes - done);
    asked.count = 0;
}

static void note_read(const void *from, uint64_t bytes, uint64_t room)
{
    if (bytes >= LONG_RUN && room >= STREAM_BYTES && asked.count < ASKED)
        asked.behind[asked.count++] = (const char *)from + bytes;
}

const void *belay_program_read(const void *base, const unsigned char *first, int64_t bytes,
                               int32_t element_bytes, void *own, int64_t room, const char *place)
{
    const uint64_t has = program_reads(base, first, bytes, element_bytes, place);
    if (bytes <= 0)
        return own;
    note_read(first, (uint64_t)bytes, has);
    if (has > 0 && bytes == room && (uintptr_t)first % (uint32_t)element_bytes == 0)
        return first;
    memcpy(own, first, (size_t)bytes);
    return own;
}

static void copy_run(void *to, const void *from, uint64_t bytes, struct rooms room)
{
    if (room.to >= STREAM_BYTES && room.from == 0) {
        copy_out(to, from, bytes);
        return;
    }
    if (room.to == 0)
        note_read(from, bytes, room.from);
    memmove(to, from, bytes);
}

static void copy_dim(int64_t rank, const struct side *from, const struct side *to, int64_t bytes,
                     struct rooms room)
{
    const int64_t count = from->size[0];
    if (rank == 1 && from->stride[0] == 1 && to->stride[0] == 1) {
        copy_run(to->first, from->first, (uint64_t)(count * bytes), room);
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
    struct rooms room = {0, 0};
    if (source.size[from->rank - 1] * element_bytes >= LONG_RUN)
        room = (struct rooms){program_room(source.base), program_room(target.base)};
    copy_dim(from->rank, &source, &target, element_bytes, room);
}
