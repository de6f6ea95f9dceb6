/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tasks that faults strike which were asked for, where streams and graphs run them.
 */
#ifndef BELAY_RUNTIME_STREAMS_STRUCK_H
#define BELAY_RUNTIME_STREAMS_STRUCK_H

#include <stdint.h>

#include "base/saboteur.h"
#include "runtime/tasks/task.h"

/* 0, or the status of the task in place of its run, with a sentence that the thread holds (fault.h). */
int task_struck(const struct task *task, int32_t device) __attribute__((cold));

/* task_run of a task of the device, unless a fault strikes it. */
static inline int task_run_on(struct task *task, int32_t device)
{
    if (fault_is_awaited(1 << FAULT_AT_OPERATOR | 1 << FAULT_AT_COPY)) {
        const int status = task_struck(task, device);
        if (status != 0)
            return status;
    }
    return task_run(task);
}

#endif
