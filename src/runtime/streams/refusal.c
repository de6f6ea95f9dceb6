/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Refused calls that fail as work of their stream.
 */
#include "runtime/streams/refusal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "runtime/streams/fault.h"
#include "runtime/streams/stream.h"

/* What a task of refused work holds. */
struct refused {
    const char *api;
    char *sentence; /* owned */
};

static int run_refused(struct task *task)
{
    struct refused refused;
    memcpy(&refused, task->payload, sizeof refused);
    operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "%s", refused.sentence);
    operation_failed(refused.api, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION;
}

static void release_refused(struct task *task)
{
    struct refused refused;
    memcpy(&refused, task->payload, sizeof refused);
    free(refused.sentence);
}

/* The work has been reported when it failed. */
static int run_told(struct task *task)
{
    struct refused refused;
    memcpy(&refused, task->payload, sizeof refused);
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "%s", refused.sentence);
}

void refusal_tell_again(aclrtStream stream)
{
    static const char told_by[] = "aclrtSynchronizeStream: ";
    const char *sentence = error_last_sentence();
    if (strncmp(sentence, told_by, strlen(told_by)) == 0)
        sentence += strlen(told_by);
    const struct refused refused = {told_by, strdup(sentence)};
    struct task task = {.run = run_told, .release = release_refused, .cost_ns = TASK_NEVER_INLINE};
    memcpy(task.payload, &refused, sizeof refused);
    if (refused.sentence != NULL && stream_submit(told_by, stream, &task) != 0)
        free(refused.sentence);
}

int refusal_queue(const char *api, aclrtStream stream, const char *sentence)
{
    const size_t length = strlen(api);
    if (strncmp(sentence, api, length) == 0 && strncmp(sentence + length, ": ", 2) == 0)
        sentence += length + 2;
    const struct refused refused = {api, strdup(sentence)};
    if (refused.sentence == NULL)
        return fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for a sentence", api);
    struct task task = {.run = run_refused, .release = release_refused, .cost_ns = TASK_NEVER_INLINE};
    memcpy(task.payload, &refused, sizeof refused);
    const int status = stream_submit(api, stream, &task);
    if (status != 0)
        free(refused.sentence);
    return status;
}

bool refusal_is_for_stream(void)
{
    char name[32] = "";
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "acl_thread") == 0;
}

int refusal_of_call(const char *api, aclrtStream stream, int status)
{
    if (!refusal_is_for_stream())
        return status;
    return refusal_queue(api, stream, error_last_sentence()) == 0 ? 0 : status;
}

void refusal_of_launch(const char *api, aclrtStream stream)
{
    refusal_queue(api, stream,
                  "a kernel was launched that nobody could load: there is no code for the device here");
}
