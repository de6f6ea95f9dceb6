/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Holds a stream up until the test lets it go, so that work behind it stays queued meanwhile. One at a time.
 */
#ifndef BELAY_TESTS_SUPPORT_BLOCKED_STREAM_H
#define BELAY_TESTS_SUPPORT_BLOCKED_STREAM_H

#include <stdatomic.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "runtime/streams/stream.h"

static _Atomic int blocked_stream_may_go;

static inline void sleep_ms(long duration_ms)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = duration_ms * 1000000};
    nanosleep(&pause, NULL);
}

static inline int blocked_stream_wait(struct task *task)
{
    (void)task;
    while (!atomic_load(&blocked_stream_may_go))
        sleep_ms(1);
    return 0;
}

static inline int block_stream(aclrtStream stream)
{
    struct task task = {.run = blocked_stream_wait, .cost_ns = TASK_NEVER_INLINE};
    atomic_store(&blocked_stream_may_go, 0);
    return stream_submit("test", stream, &task);
}

static inline void unblock_stream(void)
{
    atomic_store(&blocked_stream_may_go, 1);
}

#endif
