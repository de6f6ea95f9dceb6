/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the timeline's places (trace.c) tell the records of mspti, where somebody has enabled those.
 */
#ifndef BELAY_RUNTIME_TIMELINE_ACTIVITY_H
#define BELAY_RUNTIME_TIMELINE_ACTIVITY_H

#include <stdatomic.h>
#include <stdint.h>

struct activity {
    /* The calling thread has submitted the task with that number. */
    void (*submitted)(uint32_t number);

    /* The task of that function has run; times of clock_now_ns. */
    void (*ran)(const char *api, uint32_t number, int32_t device, uint32_t stream, uint64_t begin_ns,
                uint64_t end_ns);
};

/* NULL: nobody is told. */
extern _Atomic(const struct activity *) activity;

#endif
