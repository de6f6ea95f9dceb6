/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Temporary memory of work: a little is its own from its submission to its end, much only while it runs. Large
 * blocks are kept for work that follows: each new page costs a fault, which takes as long as a kernel with it.
 */
#ifndef BELAY_TENSOR_SCRATCH_H
#define BELAY_TENSOR_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

/* Up to the next multiple of 64: what several kinds of memory in one scratch begin at. */
static inline size_t whole_lines(uint64_t bytes)
{
    return ((size_t)bytes + 63) & ~(size_t)63;
}

/* More bytes than any memory has, and so few that sums with them can be counted: no scratch is so long. */
#define SCRATCH_MOST ((size_t)1 << 48)

/* Whole lines of count pieces of so many bytes, or SCRATCH_MOST. */
static inline size_t lines_of(uint64_t count, uint64_t bytes)
{
    return bytes == 0 || count < SCRATCH_MOST / bytes ? whole_lines(count * bytes) : SCRATCH_MOST;
}

/* lines_of() of the elements of rows, also where their number cannot be counted, as of views that repeat one. */
static inline size_t lines_of_rows(uint64_t rows, uint64_t elements, uint64_t bytes)
{
    return rows == 0 ? 0 : elements < SCRATCH_MOST ? lines_of(rows, elements * bytes) : SCRATCH_MOST;
}

/* Memory in a scratch, handed out a piece after the other. */
static inline void *take_room(void *scratch, size_t *used, size_t bytes)
{
    void *room = (unsigned char *)scratch + *used;
    *used += whole_lines(bytes);
    return room;
}

/* So many bytes are much: such a block is kept. */
enum { SCRATCH_KEPT_MIN = 1 << 17 };

/* Memory of that many bytes or more, on a line of memory; NULL if there is none. */
void *scratch_create(size_t bytes);

/* Any thread; NULL is nothing. */
void scratch_destroy(void *scratch);

#endif
