/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the timeline's places (trace.c) tell the checker besides: which calls threads are in and which work
 * streams are at, so that it can be said where a program hangs.
 */
#ifndef BELAY_RUNTIME_TIMELINE_WHEREABOUTS_H
#define BELAY_RUNTIME_TIMELINE_WHEREABOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/timeline/trace.h"

/* Each is told on the thread that it is about; times are those of clock_now_ns. */
struct whereabouts {
    /* A public function is entered, and left; calls that longjmp has left are left with it. */
    void (*call_begins)(const char *name, uint64_t begin_ns);
    void (*call_ends)(uint64_t begin_ns);

    /* The thread is about to sleep in the call that it is in. No lock is held. */
    void (*sleeps)(void);

    /* A task of the stream begins to run; and does not run any longer, having ended or being parked. */
    void (*run_begins)(struct trace_lane lane, const struct task *task, uint64_t begin_ns);
    void (*run_ends)(struct trace_lane lane, const struct task *task, bool is_parked);

    /* What the task that the thread runs is going to wait for, parked. */
    void (*waits_for)(const char *text);
};

/* From here on; NULL: nobody is told any more. */
void whereabouts_tell(const struct whereabouts *told);

#endif
