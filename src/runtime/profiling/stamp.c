/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Stamps and steps of aclprof: marks and ranges that the program names, which come into the timeline
 * (mark.h). They may be used whether one is recorded or not.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_prof.h"
#include "base/thread_id.h"
#include "base/error.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "runtime/profiling/mark.h"
#include "base/settings.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

static const char domain[] = "aclprof", step_domain[] = "step";

enum { STAMPS_MAX = 1 << 20, STEPS_MAX = 1 << 16 };

struct stamp {
    struct handle_slot slot;
    char message[TRACE_MESSAGE_MAX];
};

struct step {
    struct handle_slot slot;
    uint64_t range; /* of its begin; 0: it has not begun */
};

/*
 * What a program has of a step is this memory, not the handle: MindSpore writes the number of the step into it,
 * by a declaration of its own. A step of slot i is shown_step[i].
 */
struct shown_step {
    bool has_begun, has_ended;
    uint64_t number; /* 0: the program gives none */
};

static struct handle_table stamps = HANDLE_TABLE(HANDLE_STAMP, struct stamp, STAMPS_MAX);
static struct handle_table steps = HANDLE_TABLE(HANDLE_STEP_INFO, struct step, STEPS_MAX);

static struct shown_step shown_step[STEPS_MAX];
static _Atomic uint64_t shown_handle[STEPS_MAX]; /* of the step that has the memory, or had it last */

/* Guards the members of stamps and steps, and the number of steps. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t step_count;

/* The handle of the step that is shown there; for anything else what was passed, if that is no handle of a step:
 * no program has one. */
static const void *step_of(const aclprofStepInfo *shown)
{
    uintptr_t distance = (uintptr_t)shown - (uintptr_t)shown_step;
    size_t index = distance / sizeof *shown_step;
    uint64_t handle = index < STEPS_MAX && distance % sizeof *shown_step == 0
                          ? atomic_load_explicit(&shown_handle[index], memory_order_acquire)
                          : 0;
    if (handle != 0)
        return (const void *)(uintptr_t)handle;
    return handle_find(&steps, (uintptr_t)shown) == NULL ? (const void *)shown : (const void *)shown_step;
}

static int refuse_stamp(const char *api, const void *handle)
{
    return handle_refuse(api, "stamp", "one of aclprofCreateStamp is", &stamps, handle);
}

static int refuse_step(const char *api, const char *argument, const aclprofStepInfo *handle)
{
    return handle_refuse(api, argument, "one of aclprofCreateStepInfo is", &steps, step_of(handle));
}

/* What the stamp says. */
static int read_stamp(const char *api, const void *handle, char message[TRACE_MESSAGE_MAX])
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    const struct stamp *stamp = (const struct stamp *)handle_find(&stamps, (uintptr_t)handle);
    if (stamp != NULL)
        memcpy(message, stamp->message, TRACE_MESSAGE_MAX);
    pthread_mutex_unlock(&lock);
    return stamp != NULL ? 0 : refuse_stamp(api, handle);
}

/* A copy of a text of so many bytes, which need not end with 0. */
static int read_text(const char *api, const char *text, size_t bytes, char message[TRACE_MESSAGE_MAX])
{
    if (text == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: msg is NULL; a text is expected", api);
    if (bytes == 0 || bytes >= TRACE_MESSAGE_MAX)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: the length of msg is %zu; from 1 to %d bytes are expected",
                    api, bytes, TRACE_MESSAGE_MAX - 1);
    memset(message, 0, TRACE_MESSAGE_MAX);
    memcpy(message, text, strnlen(text, bytes));
    return 0;
}

void *aclprofCreateStamp(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct stamp *stamp = (struct stamp *)handle_acquire(&stamps);
    if (stamp == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another stamp", __func__);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    stamp->message[0] = '\0';
    uint64_t handle = handle_publish(&stamps, stamp);
    pthread_mutex_unlock(&lock);
    return (void *)(uintptr_t)handle;
}

void aclprofDestroyStamp(void *stamp)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return;
    pthread_mutex_lock(&lock);
    struct stamp *found = (struct stamp *)handle_find(&stamps, (uintptr_t)stamp);
    bool is_retired = found != NULL && handle_retire(found, (uintptr_t)stamp);
    pthread_mutex_unlock(&lock);
    if (is_retired)
        handle_release(&stamps, found);
    else
        refuse_stamp(__func__, stamp);
}

aclError aclprofSetStampTraceMessage(void *stamp, const char *msg, uint32_t msgLen)
{
    char message[TRACE_MESSAGE_MAX];
    TRY(read_stamp(__func__, stamp, message));
    TRY(read_text(__func__, msg, msgLen, message));
    pthread_mutex_lock(&lock);
    struct stamp *found = (struct stamp *)handle_find(&stamps, (uintptr_t)stamp);
    if (found != NULL)
        memcpy(found->message, message, sizeof message);
    pthread_mutex_unlock(&lock);
    return found != NULL ? 0 : refuse_stamp(__func__, stamp);
}

aclError aclprofMark(void *stamp)
{
    char message[TRACE_MESSAGE_MAX];
    TRY(read_stamp(__func__, stamp, message));
    return mark_now(__func__, domain, message, NULL);
}

aclError aclprofMarkEx(const char *msg, size_t msgLen, aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    char message[TRACE_MESSAGE_MAX];
    TRY(settings_get(&settings));
    TRY(read_text(__func__, msg, msgLen, message));
    return mark_now(__func__, domain, message, stream);
}

aclError aclprofPush(void *stamp)
{
    char message[TRACE_MESSAGE_MAX];
    int status;
    TRY(read_stamp(__func__, stamp, message));
    mark_begin(__func__, domain, message, thread_id(), NULL, &status);
    return status;
}

aclError aclprofPop(void)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return mark_end(__func__, 0, thread_id())
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: this thread has no range open; as many aclprofPush as aclprofPop are expected",
                      __func__);
}

aclError aclprofRangeStart(void *stamp, uint32_t *rangeId)
{
    char message[TRACE_MESSAGE_MAX];
    int status;
    TRY(read_stamp(__func__, stamp, message));
    TRY(check_result(__func__, "rangeId", rangeId));
    *rangeId = (uint32_t)mark_begin(__func__, domain, message, 0, NULL, &status);
    return status;
}

aclError aclprofRangeStop(uint32_t rangeId)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    return rangeId != 0 && mark_end(__func__, rangeId, 0)
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: rangeId is %" PRIu32
                      "; that of a range of aclprofRangeStart that is open is expected",
                      __func__, rangeId);
}

aclprofStepInfo *aclprofCreateStepInfo(void)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return NULL;
    struct step *step = (struct step *)handle_acquire(&steps);
    if (step == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another step", __func__);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    step->range = 0;
    struct shown_step *shown = &shown_step[step->slot.index];
    *shown = (struct shown_step){0};
    atomic_store_explicit(&shown_handle[step->slot.index], handle_publish(&steps, step),
                          memory_order_release);
    pthread_mutex_unlock(&lock);
    return (aclprofStepInfo *)(void *)shown;
}

void aclprofDestroyStepInfo(aclprofStepInfo *stepinfo)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0)
        return;
    pthread_mutex_lock(&lock);
    const uint64_t handle = (uintptr_t)step_of(stepinfo);
    struct step *found = (struct step *)handle_find(&steps, handle);
    bool is_retired = found != NULL && handle_retire(found, handle);
    uint64_t range = is_retired ? found->range : 0;
    pthread_mutex_unlock(&lock);
    if (!is_retired) {
        refuse_step(__func__, "stepinfo", stepinfo);
        return;
    }
    handle_release(&steps, found);
    if (range != 0)
        mark_end(__func__, range, 0);
}

/* Begins or ends the step; *range is what it was, or is now. */
static bool change_range(const aclprofStepInfo *shown, uint64_t *range)
{
    pthread_mutex_lock(&lock);
    struct step *step = (struct step *)handle_find(&steps, (uintptr_t)step_of(shown));
    if (step != NULL) {
        uint64_t before = step->range;
        step->range = *range;
        *range = before;
    }
    pthread_mutex_unlock(&lock);
    return step != NULL;
}

aclError aclprofGetStepTimestamp(aclprofStepInfo *stepInfo, aclprofStepTag tag, aclrtStream stream)
{
    TRACE_THIS_CALL;
    const struct settings *settings;
    char message[48];
    uint64_t range = 0;
    int status = 0;
    TRY(settings_get(&settings));
    if (handle_find(&steps, (uintptr_t)step_of(stepInfo)) == NULL)
        return refuse_step(__func__, "stepInfo", stepInfo);
    if (tag != ACL_STEP_START && tag != ACL_STEP_END)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: tag is %d; ACL_STEP_START or ACL_STEP_END is expected",
                    __func__, (int)tag);
    if (tag == ACL_STEP_START) {
        uint64_t number = ((const struct shown_step *)(const void *)stepInfo)->number;
        if (number == 0) {
            pthread_mutex_lock(&lock);
            number = ++step_count;
            pthread_mutex_unlock(&lock);
        }
        snprintf(message, sizeof message, "step %" PRIu64, number);
        range = mark_begin(__func__, step_domain, message, 0, stream, &status);
        TRY(status);
    }
    if (!change_range(stepInfo, &range)) {
        mark_end(__func__, range, 0);
        return refuse_step(__func__, "stepInfo", stepInfo);
    }
    if (range != 0)
        mark_end(__func__, range, 0);
    return range != 0 || tag == ACL_STEP_START
               ? 0
               : fail(ACL_ERROR_INVALID_PARAM,
                      "%s: the step has not begun; ACL_STEP_START is expected before", __func__);
}
