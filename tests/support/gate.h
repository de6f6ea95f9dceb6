/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A gate holds a stream up until the test opens it: launch_gate queues a host function that waits for it.
 */
#ifndef BELAY_TESTS_SUPPORT_GATE_H
#define BELAY_TESTS_SUPPORT_GATE_H

#include <stdatomic.h>
#include <time.h>

#include "acl/acl_rt.h"

struct gate {
    _Atomic int is_reached, is_open;
};

static inline void pause_us(long duration_us)
{
    nanosleep(&(struct timespec){duration_us / 1000000, duration_us % 1000000 * 1000}, NULL);
}

static inline void wait_at_gate(void *gate)
{
    atomic_store(&((struct gate *)gate)->is_reached, 1);
    while (!atomic_load(&((struct gate *)gate)->is_open))
        pause_us(100);
}

static inline aclError launch_gate(aclrtStream stream, struct gate *gate)
{
    atomic_store(&gate->is_reached, 0);
    atomic_store(&gate->is_open, 0);
    return aclrtLaunchHostFunc(stream, wait_at_gate, gate);
}

static inline void open_gate(struct gate *gate)
{
    atomic_store(&gate->is_open, 1);
}

/* Returns when the stream stands at the gate. */
static inline void reach_gate(struct gate *gate)
{
    while (!atomic_load(&gate->is_reached))
        pause_us(50);
}

#endif
