/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A task that a fault strikes ends as one that fails by itself does: the stream keeps the code and the sentence.
 */
#include "runtime/streams/struck.h"

#include <string.h>

#include "runtime/faults/strike.h"
#include "runtime/streams/fault.h"

static bool begins_with(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* By the function that queued it, or the kernel's name; false for what is neither, such as events. */
static bool find_event(const char *api, enum fault_event *event)
{
    static const char *const copies[] = {"aclrtMemcpy", "aclrtMemset"}, *const operators[] = {"aclrtLaunch"},
                             *const others[] = {"aclrt", "aclmdl", "acltdt", "aclprof", "mstx", "Hccl"};
    for (size_t i = 0; i < sizeof copies / sizeof copies[0]; i++)
        if (begins_with(api, copies[i])) {
            *event = FAULT_AT_COPY;
            return true;
        }
    *event = FAULT_AT_OPERATOR;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (begins_with(api, operators[i]))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (begins_with(api, others[i]))
            return false;
    return true;
}

/* Bytes that a task writes. */
struct written {
    struct access_visitor visitor;
    uint64_t bytes;
};

static void add_written(struct access_visitor *visitor, const struct access *access)
{
    struct written *written = (struct written *)(void *)visitor;
    uint64_t bytes = access->element_bytes;
    if ((access->mode & ACCESS_WRITTEN) == 0 || access->shape == NULL)
        return;
    for (uint32_t i = 0; i < access->rank; i++)
        bytes *= (uint64_t)access->shape[i];
    written->bytes += bytes;
}

int task_struck(const struct task *task, int32_t device)
{
    struct fault_occasion occasion = {.is_in_stream = true, .name = task->api, .device = device, .rank = -1};
    struct fault_blow blow;
    if (task->is_compound || task->api == NULL || !find_event(task->api, &occasion.event))
        return 0;
    if (occasion.event == FAULT_AT_COPY && task->describe != NULL) {
        struct written written = {.visitor = {add_written}};
        task->describe(task, &written.visitor);
        occasion.bytes = written.bytes;
    }
    if (!fault_strikes(&occasion, &blow))
        return 0;
    operation_fail(blow.code, "%s", blow.sentence);
    operation_failed(task->api, blow.code);
    return blow.code;
}
