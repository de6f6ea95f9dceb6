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
    PATIENCE_MAX_NS = 512000000
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

/*
 * What the thread had when it last moved, if the first thread of the program had the same; or nothing. For
 * Linux a thread that has moved and got back what it had before has chosen it: if the program is given more
 * processors later, that thread does not get them. The first thread, which never moves here, does.
 */
static _Thread_local cpu_set_t shared_set;

/* The processors that the thread may have, or what the first thread has got beside them since the last move. */
static bool find_allowed(cpu_set_t *allowed)
{
    cpu_set_t first, both;
    CPU_ZERO(&first);
    if (sched_getaffinity(0, sizeof *allowed, allowed) != 0)
        return false; /* more processors than a set has room for: the system has enough to choose from */
    bool is_shared = sched_getaffinity(getpid(), sizeof first, &first) == 0;
    CPU_OR(&both, &first, allowed);
    if (is_shared && CPU_EQUAL(allowed, &shared_set) && CPU_EQUAL(&both, &first))
        *allowed = first;
    CPU_ZERO(&shared_set);
    if (is_shared && CPU_EQUAL(allowed, &first))
        shared_set = first;
    return true;
}

void crowding_leave(void)
{
    cpu_set_t allowed, now;
    int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE || !find_allowed(&allowed))
        return;
    cpu_set_t others = allowed;
    CPU_CLR((size_t)here, &others);
    if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0)
        return; /* nowhere to go, or a filter of system calls refuses it: the thread stays */
    /* What the program has chosen for its threads while this one moved stays. */
    if (sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &others))
        sched_setaffinity(0, sizeof allowed, &allowed);
}

void crowding_look(struct crowding *crowding)
{
    uint64_t now_ns = clock_now_ns();
    struct rusage usage;
    if (crowding_is_due(crowding, now_ns) && getrusage(RUSAGE_THREAD, &usage) == 0 &&
        crowding_is_seen(crowding, now_ns, (uint64_t)usage.ru_nivcsw))
        crowding_leave();
}
