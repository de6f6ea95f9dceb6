/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnSleep, by which torch.npu._sleep keeps a stream busy for as many cycles of a device as the one number
 * of an array says. No header declares it, and it is no operator: it has no tensors.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "aclnn/acl_meta.h"
#include "base/error.h"
#include "base/report.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"
#include "tensor/array.h"
#include "tensor/executor.h"

#pragma GCC visibility push(default)
aclnnStatus aclnnSleepGetWorkspaceSize(const aclIntArray *cycles, uint64_t *workspaceSize,
                                       aclOpExecutor **executor);
aclnnStatus aclnnSleep(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
#pragma GCC visibility pop

/* What a device counts in a second, about: 1.65 GHz. */
static const int64_t CYCLES_PER_S = 1650000000;

/* The stream's alone: other streams have the thread's place in the pool meanwhile. */
static int run_sleep(const void *plan, void *const *address, void *scratch)
{
    (void)address, (void)scratch;
    struct timespec left;
    memcpy(&left, plan, sizeof left);
    workers_enter_program();
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
    workers_leave_program();
    return 0;
}

static const struct operation sleeping = {.name = "aclnnSleep", .run = run_sleep};

aclnnStatus aclnnSleepGetWorkspaceSize(const aclIntArray *cycles, uint64_t *workspaceSize,
                                       aclOpExecutor **executor)
{
    const void *const results[] = {cycles, workspaceSize, executor};
    static const char *const names[] = {"cycles", "workspaceSize", "executor"};
    for (int i = 0; i < 3; i++)
        if (results[i] == NULL)
            return fail(ACLNN_ERR_PARAM_NULLPTR, "aclnnSleep: argument %s is NULL", names[i]);
    int64_t number = 0;
    uint64_t count;
    if (!array_read(HANDLE_INT_ARRAY, cycles, 0, 1, &number, &count))
        return report_misuse(array_rule(HANDLE_INT_ARRAY, cycles), ACLNN_ERR_PARAM_INVALID,
                             "aclnnSleep: cycles %s; an int array is expected",
                             array_fault(HANDLE_INT_ARRAY, cycles));
    if (count != 1 || number <= 0)
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "aclnnSleep: cycles has %llu elements, of which the first is %lld; one above 0 is expected",
            (unsigned long long)count, (long long)number);
    const int64_t rest = number % CYCLES_PER_S;
    const struct timespec time = {.tv_sec = (time_t)(number / CYCLES_PER_S),
                                  .tv_nsec = (long)(rest * 100 / (CYCLES_PER_S / 10000000))};
    struct executor_content *content;
    TRY(executor_begin(&sleeping, 0, 0, sizeof time, &content));
    content->cost_ns = TASK_NEVER_INLINE;
    memcpy(content->plan, &time, sizeof time);
    executor_finish(content, workspaceSize, executor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnSleep(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    return executor_launch(&sleeping, workspace, workspaceSize, executor, stream);
}
