/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tasks and pieces of elements are shared out to threads.
 */
#include "ops/loops/tasks.h"

#include "runtime/streams/workers.h"

/* A thread comes back for more tasks so many times, so that none waits long for the last one. */
enum { TIMES = 32 };

struct work {
    union {
        task_function *task;
        piece_function *piece;
        roomy_task_function *roomy;
    } function;
    void *context;
    uint64_t count, piece;
    const struct task_memory *memory;
    uint64_t at_once;
    _Atomic uint64_t next; /* task that nobody has taken */
};

static void do_tasks(void *context, uint64_t begin, uint64_t end)
{
    const struct work *work = context;
    for (uint64_t task = begin; task < end; task++)
        work->function.task(work->context, task);
}

void tasks_run(task_function *function, void *context, uint64_t count, uint64_t most, uint64_t cost_ns)
{
    struct work work = {.function.task = function, .context = context};
    if (count > 0)
        workers_share(do_tasks, &work, count, most, cost_ns);
}

static void do_pieces(void *context, uint64_t begin, uint64_t end)
{
    const struct work *work = context;
    for (uint64_t number = begin; number < end; number++) {
        const uint64_t at = number * work->piece, left = work->count - at;
        work->function.piece(work->context, at, left < work->piece ? left : work->piece);
    }
}

void pieces_run(piece_function *function, void *context, uint64_t count, uint64_t piece, uint64_t most,
                uint64_t cost_ns)
{
    struct work work = {.function.piece = function, .context = context, .count = count, .piece = piece};
    if (count > 0 && count <= piece)
        function(context, 0, count);
    else if (count > 0)
        workers_share(do_pieces, &work, (count - 1) / piece + 1, most, cost_ns);
}

/* Each index stands for a thread's memory. */
static void do_in_memory(void *context, uint64_t begin, uint64_t end)
{
    struct work *work = context;
    for (uint64_t slot = begin; slot < end; slot++) {
        unsigned char *const memory = work->memory->first + slot * work->memory->bytes;
        uint64_t task;
        while ((task = atomic_fetch_add_explicit(&work->next, work->at_once, memory_order_relaxed)) <
               work->count)
            for (uint64_t i = task; i < task + work->at_once && i < work->count; i++)
                work->function.roomy(work->context, i, memory);
    }
}

void tasks_run_in_memory(roomy_task_function *function, void *context, uint64_t count,
                         const struct task_memory *memory, uint64_t cost_ns)
{
    struct work work = {.function.roomy = function,
                        .context = context,
                        .count = count,
                        .memory = memory,
                        .at_once = count / (memory->slots * TIMES + 1) + 1};
    if (count > 0)
        workers_share(do_in_memory, &work, memory->slots, 1, cost_ns);
}
