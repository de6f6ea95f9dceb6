/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The functions of mspti/mspti.h: records are kept in one list until they are flushed.
 */
#include "mspti/mspti.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "runtime/timeline/activity.h"
#include "base/error.h"
#include "runtime/profiling/profile_folder.h"
#include "runtime/timeline/trace.h"

enum { IDS_MOST = 64, RECORD_BYTES = 56, RECORDS_MOST = 1 << 22 };
_Static_assert(sizeof(msptiActivityKernel) <= RECORD_BYTES, "a record has room");

/* What a thread has pushed; freed with it. */
struct external_ids {
    uint32_t count;
    msptiExternalCorrelationKind kind[IDS_MOST];
    uint64_t id[IDS_MOST];
};

union record {
    msptiActivityKind kind;
    msptiActivityKernel kernel;
    msptiActivityExternalCorrelation correlation;
    unsigned char bytes[RECORD_BYTES];
};

/* Guards everything up to the key. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static msptiBuffersCallbackRequestFunc request_buffer;
static msptiBuffersCallbackCompleteFunc complete_buffer;
static bool has_subscriber;
static uint32_t enabled; /* a bit for each kind */
static union record *records;
static size_t record_count, record_capacity;
static bool has_lost;
static uint64_t since_1970_ns; /* to be added to clock_now_ns */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool has_key;
static _Thread_local struct external_ids *ids_of_thread;

/* Its address is the handle of the one subscriber. */
static char subscriber_name;

static void make_key(void)
{
    has_key = pthread_key_create(&key, free) == 0;
}

static size_t bytes_of(msptiActivityKind kind)
{
    size_t bytes = kind == MSPTI_ACTIVITY_KIND_KERNEL ? sizeof(msptiActivityKernel)
                                                      : sizeof(msptiActivityExternalCorrelation);
    return (bytes + 7) & ~(size_t)7;
}

/* lock is held. */
static void add(const union record *record)
{
    if (record_count == record_capacity) {
        size_t capacity = record_capacity == 0 ? 1024 : 2 * record_capacity;
        union record *larger =
            capacity <= RECORDS_MOST ? (union record *)realloc(records, capacity * sizeof *records) : NULL;
        if (larger == NULL) {
            has_lost = true;
            return;
        }
        records = larger;
        record_capacity = capacity;
    }
    records[record_count++] = *record;
}

static bool is_enabled(msptiActivityKind kind)
{
    return (enabled >> kind & 1) != 0;
}

static void activity_submitted(uint32_t number)
{
    const struct external_ids *ids = ids_of_thread;
    if (ids == NULL || ids->count == 0)
        return;
    uint32_t last = (ids->count < IDS_MOST ? ids->count : IDS_MOST) - 1;
    union record record = {
        .correlation = {MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, ids->kind[last], ids->id[last], number}};
    pthread_mutex_lock(&lock);
    if (is_enabled(MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION))
        add(&record);
    pthread_mutex_unlock(&lock);
}

static void activity_ran(const char *api, uint32_t number, int32_t device, uint32_t stream, uint64_t begin_ns,
                         uint64_t end_ns)
{
    bool is_collective = strncmp(api, "Hccl", 4) == 0;
    if (!is_collective && strncmp(api, "aclnn", 5) != 0 && strncmp(api, "aclop", 5) != 0)
        return;
    pthread_mutex_lock(&lock);
    union record record = {.kernel = {.kind = MSPTI_ACTIVITY_KIND_KERNEL,
                                      .start = begin_ns + since_1970_ns,
                                      .end = end_ns + since_1970_ns,
                                      .ds = {(uint32_t)device, stream},
                                      .correlationId = number,
                                      .type = is_collective ? "COMMUNICATION" : "AI_CORE",
                                      .name = api}};
    if (is_enabled(MSPTI_ACTIVITY_KIND_KERNEL))
        add(&record);
    pthread_mutex_unlock(&lock);
}

static msptiResult refuse_null(const char *api, const char *argument)
{
    fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; a place or a function is expected", api,
         argument);
    return MSPTI_ERROR_INVALID_PARAMETER;
}

msptiResult msptiSubscribe(msptiSubscriberHandle *subscriber, msptiCallbackFunc callback, void *userdata)
{
    (void)callback;
    (void)userdata;
    if (subscriber == NULL)
        return refuse_null(__func__, "subscriber");
    pthread_mutex_lock(&lock);
    bool is_second = has_subscriber;
    has_subscriber = true;
    pthread_mutex_unlock(&lock);
    if (is_second) {
        fail(ACL_ERROR_PROF_REPEAT_SUBSCRIBE,
             "%s: there is a subscriber; msptiUnsubscribe is expected before", __func__);
        return MSPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    *subscriber = (msptiSubscriberHandle)(void *)&subscriber_name;
    return MSPTI_SUCCESS;
}

msptiResult msptiUnsubscribe(msptiSubscriberHandle subscriber)
{
    pthread_mutex_lock(&lock);
    bool is_it = has_subscriber && (void *)subscriber == &subscriber_name;
    has_subscriber = has_subscriber && !is_it;
    pthread_mutex_unlock(&lock);
    if (is_it)
        return MSPTI_SUCCESS;
    fail(ACL_ERROR_INVALID_PARAM, "%s: subscriber is not the one of msptiSubscribe", __func__);
    return MSPTI_ERROR_INVALID_PARAMETER;
}

msptiResult msptiActivityRegisterCallbacks(msptiBuffersCallbackRequestFunc request,
                                           msptiBuffersCallbackCompleteFunc complete)
{
    if (request == NULL || complete == NULL)
        return refuse_null(__func__, request == NULL ? "request" : "complete");
    pthread_mutex_lock(&lock);
    request_buffer = request;
    complete_buffer = complete;
    pthread_mutex_unlock(&lock);
    return MSPTI_SUCCESS;
}

static msptiResult enable(const char *api, msptiActivityKind kind, bool is_on)
{
    if ((int)kind <= MSPTI_ACTIVITY_KIND_INVALID || (int)kind >= MSPTI_ACTIVITY_KIND_COUNT) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: kind is %d; one of msptiActivityKind is expected", api, (int)kind);
        return MSPTI_ERROR_INVALID_PARAMETER;
    }
    const uint32_t told = 1u << MSPTI_ACTIVITY_KIND_KERNEL | 1u << MSPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    pthread_mutex_lock(&lock);
    bool was_on = (enabled & told) != 0;
    enabled = is_on ? enabled | 1u << kind : enabled & ~(1u << kind);
    bool will_be_on = (enabled & told) != 0;
    if (was_on != will_be_on) {
        const struct trace_clocks clocks = profile_clocks();
        since_1970_ns = clocks.real_ns - clocks.monotonic_ns;
        static const struct activity told_here = {activity_submitted, activity_ran};
        atomic_store_explicit(&activity, will_be_on ? &told_here : NULL, memory_order_release);
        trace_listen(will_be_on);
    }
    pthread_mutex_unlock(&lock);
    return MSPTI_SUCCESS;
}

msptiResult msptiActivityEnable(msptiActivityKind kind)
{
    return enable(__func__, kind, true);
}

msptiResult msptiActivityDisable(msptiActivityKind kind)
{
    return enable(__func__, kind, false);
}

int msptiActivityIsEnabled(msptiActivityKind kind)
{
    pthread_mutex_lock(&lock);
    bool is_it =
        (int)kind > MSPTI_ACTIVITY_KIND_INVALID && (int)kind < MSPTI_ACTIVITY_KIND_COUNT && is_enabled(kind);
    pthread_mutex_unlock(&lock);
    return is_it;
}

/* Fills one buffer of the program's; how many records have found room. */
static size_t hand_over(const union record *record, size_t count, msptiBuffersCallbackRequestFunc request,
                        msptiBuffersCallbackCompleteFunc complete)
{
    uint8_t *buffer = NULL;
    size_t size = 0, most = 0, used = 0, taken = 0;
    request(&buffer, &size, &most);
    if (buffer == NULL)
        return 0;
    while (taken < count && (most == 0 || taken < most) && size - used >= bytes_of(record[taken].kind)) {
        memcpy(buffer + used, record[taken].bytes, bytes_of(record[taken].kind));
        used += bytes_of(record[taken++].kind);
    }
    complete(buffer, size, used);
    return taken;
}

/* The functions of the program are called without the lock: they may call in. */
msptiResult msptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    union record *taken = records;
    size_t count = record_count, done = 0;
    const msptiBuffersCallbackRequestFunc request = request_buffer;
    const msptiBuffersCallbackCompleteFunc complete = complete_buffer;
    bool loses = has_lost;
    records = NULL;
    record_count = record_capacity = 0;
    has_lost = false;
    pthread_mutex_unlock(&lock);
    while (request != NULL && done < count) {
        size_t more = hand_over(taken + done, count - done, request, complete);
        if (more == 0)
            break;
        done += more;
    }
    free(taken);
    if (!loses && done == count)
        return MSPTI_SUCCESS;
    fail(ACL_ERROR_PROFILING_FAILURE,
         "%s: records have been lost; memory, and buffers with room, are expected", __func__);
    return MSPTI_ERROR_INNER;
}

msptiResult msptiActivityGetNextRecord(uint8_t *buffer, size_t validBufferSizeBytes, msptiActivity **record)
{
    if (buffer == NULL || record == NULL)
        return refuse_null(__func__, buffer == NULL ? "buffer" : "record");
    uint8_t *at = *record == NULL ? buffer : (uint8_t *)*record + bytes_of((*record)->kind);
    if (at < buffer || at >= buffer + validBufferSizeBytes)
        return MSPTI_ERROR_MAX_LIMIT_REACHED; /* what every reader comes to: no sentence */
    *record = (msptiActivity *)(void *)at;
    return MSPTI_SUCCESS;
}

msptiResult msptiActivityPushExternalCorrelationId(msptiExternalCorrelationKind kind, uint64_t id)
{
    pthread_once(&key_once, make_key);
    if (ids_of_thread == NULL && has_key) {
        struct external_ids *ids = (struct external_ids *)calloc(1, sizeof *ids);
        if (ids != NULL && pthread_setspecific(key, ids) != 0) {
            free(ids);
            ids = NULL;
        }
        ids_of_thread = ids;
    }
    if (ids_of_thread == NULL || ids_of_thread->count == IDS_MOST) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no room for another number; at most %d are expected",
             __func__, IDS_MOST);
        return MSPTI_ERROR_MAX_LIMIT_REACHED;
    }
    ids_of_thread->kind[ids_of_thread->count] = kind;
    ids_of_thread->id[ids_of_thread->count++] = id;
    return MSPTI_SUCCESS;
}

msptiResult msptiActivityPopExternalCorrelationId(msptiExternalCorrelationKind kind, uint64_t *lastId)
{
    struct external_ids *ids = ids_of_thread;
    if (lastId == NULL)
        return refuse_null(__func__, "lastId");
    uint32_t at = ids != NULL ? ids->count : 0;
    while (at > 0 && ids->kind[at - 1] != kind)
        at--;
    if (at == 0) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: this thread has pushed no number of kind %d", __func__, kind);
        return MSPTI_ERROR_QUEUE_EMPTY;
    }
    *lastId = ids->id[at - 1];
    for (uint32_t i = at; i < ids->count; i++) {
        ids->kind[i - 1] = ids->kind[i];
        ids->id[i - 1] = ids->id[i];
    }
    ids->count--;
    return MSPTI_SUCCESS;
}
