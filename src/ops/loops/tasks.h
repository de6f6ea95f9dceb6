/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work that is made of parts which do not depend on one another: rows, tiles, pieces of elements. A family
 * gives what does one part; who does which of them, and whether threads share them at all, is decided here.
 */
#ifndef BELAY_OPS_LOOPS_TASKS_H
#define BELAY_OPS_LOOPS_TASKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tensor/scratch.h"

/* Does the task with a number. */
typedef void task_function(void *context, uint64_t task);

/* Does count elements from number `at` on. */
typedef void piece_function(void *context, uint64_t at, uint64_t count);

/* Does the task with a number, in memory that is the thread's own until the next task. */
typedef void roomy_task_function(void *context, uint64_t task, unsigned char *memory);

/* Memory for so many threads: `bytes` each, which are whole lines, one behind the other. */
struct task_memory {
    unsigned char *first;
    size_t bytes;
    uint64_t slots;
};

/*
 * All tasks below count, which take about cost_ns together on one thread. A thread takes at most so many of
 * them at once. Tasks write to disjoint memory, and what they write depends on their numbers alone.
 */
void tasks_run(task_function *function, void *context, uint64_t count, uint64_t most, uint64_t cost_ns);

/* The elements below count in pieces, which begin at multiples of `piece`. */
void pieces_run(piece_function *function, void *context, uint64_t count, uint64_t piece, uint64_t most,
                uint64_t cost_ns);

/* All tasks, by as many threads at most as there is memory for. */
void tasks_run_in_memory(roomy_task_function *function, void *context, uint64_t count,
                         const struct task_memory *memory, uint64_t cost_ns);

/*
 * Units of work that are too few, or take too long, to be equal shares of some threads: the last ones, which are so
 * many, are done in as many parts as there are threads.
 */
struct task_units {
    uint64_t count, last, parts;
};

/* A unit of work, or a part of it. */
struct task_unit {
    uint64_t number, part, parts;
};

/*
 * Parted are units that are left over when each thread has as many, unless over half of the threads have one of them
 * anyway; where each has many, so are the last ones that each would have, as threads are not equally fast. Every part
 * does again what a whole unit needs once, so that no more than LAST_MOST units are parted.
 */
static inline struct task_units units_for_threads(uint64_t count, uint64_t threads)
{
    enum { LAST_MOST = 8, MANY = 4 };
    uint64_t last = count % threads;
    if (2 * last > threads)
        last = 0;
    if (count / threads >= MANY)
        last += threads;
    return threads == 1 || last > LAST_MOST ? (struct task_units){count, 0, 1}
                                            : (struct task_units){count, last, threads};
}

static inline uint64_t tasks_of_units(const struct task_units *units)
{
    return units->count - units->last + units->last * units->parts;
}

static inline struct task_unit unit_of_task(const struct task_units *units, uint64_t task)
{
    const uint64_t whole = units->count - units->last;
    if (task < whole)
        return (struct task_unit){task, 0, 1};
    return (struct task_unit){whole + (task - whole) / units->parts, (task - whole) % units->parts,
                              units->parts};
}

/* Of threads that find what is wrong in several places the one that counts is the first: notes a place in
 * what has been UINT64_MAX in the beginning. */
static inline void note_fault(_Atomic uint64_t *first, uint64_t place)
{
    uint64_t known = atomic_load_explicit(first, memory_order_relaxed);
    while (place < known && !atomic_compare_exchange_weak(first, &known, place))
        continue;
}

#endif
