/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Leaving a processor that is crowded.
 *
 * A thread that sleeps for a microsecond at a time wakes where it fell asleep; torch_npu has one, which is so
 * unless libbelay_torch.so makes its sleeps longer (src/forwarding/torch_release_thread.c). If that is a
 * worker's processor, each time costs the work there some 20 us, so that all of it takes half as long again;
 * and on two processors the system neither looks for the idle one when such a thread wakes nor moves a
 * thread that hardly runs. So the worker moves.
 *
 * Nor does it move a thread that is woken on the processor of who wakes it, or that another one pushed aside
 * while it polled: it waits there for milliseconds beside a processor that is idle. So whoever finds that a
 * worker was last on its own processor sends it away before it wakes it.
 */
#include "runtime/streams/crowding.h"

#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/futex.h"

enum {
    LOOK_NS = 500000,      /* a look costs less than a microsecond */
    INTERVAL_NS = 250000,  /* threads that share a processor by turns are interrupted less often */
    PATIENCE_NS = 2000000, /* after the first move: the others may move as well */
    PATIENCE_MAX_NS = 512000000,
    YIELDS_MAX = 100 /* while another thread moves the caller */
};

bool crowding_is_due(const struct crowding *crowding, uint64_t now_ns)
{
    uint64_t pause = crowding->patience_ns > LOOK_NS ? crowding->patience_ns : LOOK_NS;
    return now_ns - crowding->looked_ns >= pause;
}

bool crowding_is_seen(struct crowding *crowding, uint64_t now_ns, uint64_t interruptions)
{
    uint64_t passed = now_ns - crowding->looked_ns;
    uint64_t count = interruptions - crowding->interruptions;
    bool is_first = crowding->looked_ns == 0;
    crowding->looked_ns = now_ns;
    crowding->interruptions = interruptions;
    if (is_first || count == 0 || passed / count > INTERVAL_NS) {
        crowding->patience_ns = 0;
        return false;
    }
    uint64_t longer = crowding->patience_ns == 0 ? PATIENCE_NS : crowding->patience_ns * 2;
    crowding->patience_ns = longer < PATIENCE_MAX_NS ? longer : PATIENCE_MAX_NS;
    return true;
}

/* Whoever changes moves from STAYS to MOVES has the sets; after AWAY the worker has them. */
enum { STAYS, MOVES, AWAY };

/*
 * Finds the processors that the thread may have, or what the first thread has got beside them since the last
 * move. For Linux a thread that has moved and got back what it had before has chosen it: if the program is given
 * more processors later, that thread does not get them. The first thread, which never moves here, does.
 */
static bool find_allowed(struct crowding *worker)
{
    cpu_set_t first, both, *had = &worker->had;
    CPU_ZERO(&first);
    if (sched_getaffinity(worker->thread, sizeof *had, had) != 0)
        return false; /* more processors than a set has room for: the system has enough to choose from */
    bool is_shared = sched_getaffinity(getpid(), sizeof first, &first) == 0;
    CPU_OR(&both, &first, had);
    if (is_shared && CPU_EQUAL(had, &worker->shared) && CPU_EQUAL(&both, &first))
        *had = first;
    CPU_ZERO(&worker->shared);
    if (is_shared && CPU_EQUAL(had, &first))
        worker->shared = first;
    return true;
}

/* False where there is nowhere to go, or a filter of system calls refuses it: the thread stays. */
static bool keep_off(struct crowding *worker, int processor)
{
    if (processor < 0 || processor >= CPU_SETSIZE || !find_allowed(worker))
        return false;
    worker->given = worker->had;
    CPU_CLR((size_t)processor, &worker->given);
    return CPU_COUNT(&worker->given) > 0 &&
           sched_setaffinity(worker->thread, sizeof worker->given, &worker->given) == 0;
}

/* What the program has chosen for its threads while this one moved stays. */
static void give_back(const struct crowding *worker)
{
    cpu_set_t now;
    if (sched_getaffinity(worker->thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, &worker->given))
        sched_setaffinity(worker->thread, sizeof worker->had, &worker->had);
}

static bool take_sets(struct crowding *worker)
{
    uint32_t stays = STAYS;
    return atomic_compare_exchange_strong_explicit(&worker->moves, &stays, MOVES, memory_order_acquire,
                                                   memory_order_relaxed);
}

void crowding_leave(struct crowding *own)
{
    if (!take_sets(own))
        return;
    if (keep_off(own, sched_getcpu()))
        give_back(own);
    atomic_store_explicit(&own->moves, STAYS, memory_order_release);
}

void crowding_send_away(struct crowding *worker, int processor)
{
    if (take_sets(worker))
        atomic_store_explicit(&worker->moves, keep_off(worker, processor) ? AWAY : STAYS,
                              memory_order_release);
}

void crowding_return(struct crowding *own)
{
    uint32_t moves = atomic_load_explicit(&own->moves, memory_order_acquire);
    /* Whoever moves the thread is in two calls of the system; one that has no processor is not waited for. */
    for (int i = 0; moves == MOVES && i < YIELDS_MAX; i++) {
        sched_yield();
        moves = atomic_load_explicit(&own->moves, memory_order_acquire);
    }
    if (moves != AWAY)
        return;
    give_back(own);
    atomic_store_explicit(&own->moves, STAYS, memory_order_release);
}

void crowding_look(struct crowding *crowding)
{
    uint64_t now_ns = clock_now_ns();
    struct rusage usage;
    if (crowding_is_due(crowding, now_ns) && getrusage(RUSAGE_THREAD, &usage) == 0 &&
        crowding_is_seen(crowding, now_ns, (uint64_t)usage.ru_nivcsw))
        crowding_leave(crowding);
}
