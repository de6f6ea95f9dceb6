/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where libhccl leaves its table, and the call that a thread runs.
 */
#include "runtime/groups/groups.h"

#include "runtime/streams/fault.h"

const struct groups *groups;

static _Thread_local struct group_call *call_of_thread;

int group_run(struct group_call *call, int (*run)(void *context), void *context)
{
    int status = groups->begin(call);
    if (status != 0)
        return status;
    call_of_thread = call;
    status = run(context);
    call_of_thread = NULL;
    groups->end(call, status);
    return status;
}

int group_exchange(const struct group_exchange *exchange)
{
    if (call_of_thread == NULL)
        return operation_fail(ACL_ERROR_RT_AICPU_EXCEPTION,
                              "the work has no group whose ranks it could meet");
    return groups->exchange(call_of_thread, exchange);
}
