/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Communicators by handle, their references, their first failure and their end.
 */
#include "hccl/communicator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/made.h"
#include "base/order.h"
#include "runtime/streams/ceasing.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

/* Where a device ends, or a communicator that has failed, work that is queued may take so long from one end
 * to the next; elsewhere it has the time of a collective. */
enum { SECOND_NS = 1000000000 };
static const int64_t SHORT_GRACE_NS = INT64_C(5) * SECOND_NS;

struct handle_table communicator_table =
    HANDLE_TABLE(HANDLE_COMMUNICATOR, struct communicator, COMMUNICATORS_MAX);

HcclResult communicator_check_process(void)
{
    const struct settings *settings;
    int status = settings_get(&settings); /* which records the sentence */
    return status == 0 ? HCCL_SUCCESS : status == ACL_ERROR_RT_CONTEXT_NULL ? HCCL_E_UNAVAIL : HCCL_E_RUNTIME;
}

/* What a slot needs once. */
static void prepare(struct communicator *communicator)
{
    pthread_condattr_t attributes;
    if (atomic_load_explicit(&communicator->is_prepared, memory_order_relaxed))
        return;
    pthread_mutex_init(&communicator->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&communicator->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    atomic_store_explicit(&communicator->is_prepared, true, memory_order_release);
}

/* What the checker is to know of a new communicator. */
static void keep_place(uint64_t handle, const char *api)
{
    made(HANDLE_COMMUNICATOR, handle, 0, -1, api);
}

HcclResult communicator_create(const char *api, const struct communicator_shape *shape, struct link link,
                               HcclComm *handle)
{
    static _Atomic uint32_t names;
    static _Atomic uint64_t count;
    struct peer *peer = (struct peer *)calloc(shape->rank_count, sizeof *peer);
    struct communicator *made =
        peer != NULL ? (struct communicator *)handle_acquire(&communicator_table) : NULL;
    if (made == NULL) {
        free(peer);
        link_close(&link);
        if (peer == NULL)
            return (HcclResult)fail(HCCL_E_MEMORY, "%s: there is no memory for %u ranks", api,
                                    (unsigned)shape->rank_count);
        return (HcclResult)fail(HCCL_E_UNAVAIL,
                                "%s: there are %d communicators, or no memory for one more; at most as many "
                                "are expected at a time",
                                api, (int)COMMUNICATORS_MAX);
    }
    prepare(made);
    pthread_mutex_lock(&made->lock);
    atomic_store_explicit(&made->error, HCCL_SUCCESS, memory_order_relaxed);
    atomic_store_explicit(&made->determinism, 0, memory_order_relaxed);
    made->rank = shape->rank;
    made->rank_count = shape->rank_count;
    made->identity = link_identity(&link);
    made->device = shape->device;
    made->made = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    made->timeout_ns = shape->timeout_ns;
    if (shape->name != NULL && shape->name[0] != '\0')
        snprintf(made->name, sizeof made->name, "%s", shape->name);
    else
        snprintf(made->name, sizeof made->name, "belay_communicator_%u",
                 (unsigned)atomic_fetch_add_explicit(&names, 1, memory_order_relaxed));
    made->references = 1;
    made->queued = made->running = made->ended = made->numbered = 0;
    made->is_cancelled = false;
    made->link = link;
    made->peer = peer;
    made->spare = NULL;
    made->spare_bytes = 0;
    made->sentence[0] = '\0';
    pthread_mutex_unlock(&made->lock);
    device_before_end(communicators_cease);
    uint64_t published = handle_publish(&communicator_table, made);
    memcpy(handle, &published, sizeof *handle);
    keep_place(published, api);
    return HCCL_SUCCESS;
}

/* The object with a reference; NULL where the handle names none. */
static struct communicator *take(uint64_t handle)
{
    struct communicator *found = (struct communicator *)handle_find(&communicator_table, handle);
    if (found == NULL)
        return NULL;
    pthread_mutex_lock(&found->lock);
    bool is_live = handle_is_live(found, handle);
    if (is_live)
        found->references++;
    pthread_mutex_unlock(&found->lock);
    return is_live ? found : NULL;
}

HcclResult communicator_find(const char *api, HcclComm comm, struct communicator **communicator)
{
    HcclResult usable = communicator_check_process();
    if (usable != HCCL_SUCCESS)
        return usable;
    uint64_t handle = (uint64_t)(uintptr_t)comm;
    *communicator = take(handle);
    if (*communicator != NULL)
        return HCCL_SUCCESS;
    if (handle == 0)
        return (HcclResult)fail(HCCL_E_PTR, "%s: argument comm is NULL; a communicator is expected", api);
    return (HcclResult)report_misuse(handle_rule(&communicator_table, handle), HCCL_E_PARA,
                                     "%s: argument comm %s; a live communicator is expected", api,
                                     handle_fault(&communicator_table, handle));
}

struct communicator *communicator_named(const char *name, int32_t device)
{
    struct communicator *found = NULL;
    const uint32_t count = atomic_load_explicit(&communicator_table.slot_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct communicator *own = (struct communicator *)handle_slot_at(&communicator_table, i);
        const uint64_t handle = atomic_load_explicit(&own->slot.handle, memory_order_acquire);
        if (!atomic_load_explicit(&own->is_prepared, memory_order_acquire) || take(handle) == NULL)
            continue;
        const bool fits = own->device == device && strcmp(own->name, name) == 0 &&
                          (found == NULL || found->made < own->made);
        struct communicator *dropped = fits ? found : own;
        found = fits ? own : found;
        if (dropped != NULL)
            communicator_drop(dropped);
    }
    return found;
}

HcclResult communicator_find_working(const char *api, HcclComm comm, struct communicator **communicator)
{
    HcclResult found = communicator_find(api, comm, communicator);
    if (found != HCCL_SUCCESS)
        return found;
    struct communicator *own = *communicator;
    HcclResult error = (HcclResult)atomic_load_explicit(&own->error, memory_order_acquire);
    if (error == HCCL_SUCCESS)
        return HCCL_SUCCESS;
    fail_unreported((int)error, "%s: the communicator has failed before: %s", api, own->sentence);
    communicator_drop(own);
    return error;
}

/* What the last reference leaves behind. Lock held, given up. */
static void take_down(struct communicator *communicator)
{
    struct link link = communicator->link;
    void *peer = communicator->peer, *spare = communicator->spare;
    communicator->link = (struct link){.mesh = NULL};
    communicator->peer = NULL;
    communicator->spare = NULL;
    pthread_mutex_unlock(&communicator->lock);
    link_close(&link);
    free(peer);
    free(spare);
    handle_release(&communicator_table, communicator);
}

void communicator_drop(struct communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    if (--communicator->references == 0)
        take_down(communicator);
    else
        pthread_mutex_unlock(&communicator->lock);
}

void communicator_work_queued(struct communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    communicator->references++;
    communicator->queued++;
    pthread_mutex_unlock(&communicator->lock);
}

void communicator_work_released(struct communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    communicator->queued--;
    communicator->ended++;
    pthread_cond_broadcast(&communicator->changed);
    if (--communicator->references == 0)
        take_down(communicator);
    else
        pthread_mutex_unlock(&communicator->lock);
}

bool communicator_begin(struct communicator *communicator, HcclResult *result, char *sentence, size_t bytes)
{
    pthread_mutex_lock(&communicator->lock);
    uint32_t error = atomic_load_explicit(&communicator->error, memory_order_relaxed);
    bool may_begin = error == HCCL_SUCCESS && !communicator->is_cancelled;
    if (may_begin) {
        communicator->running++;
    } else if (error != HCCL_SUCCESS) {
        *result = (HcclResult)error;
        snprintf(sentence, bytes, "the communicator has failed before: %s", communicator->sentence);
    } else {
        *result = HCCL_E_SUSPENDING;
        snprintf(sentence, bytes,
                 "the communicator was destroyed, or its device reset, before this work had begun");
    }
    pthread_mutex_unlock(&communicator->lock);
    return may_begin;
}

void communicator_end(struct communicator *communicator)
{
    pthread_mutex_lock(&communicator->lock);
    communicator->running--;
    pthread_cond_broadcast(&communicator->changed);
    pthread_mutex_unlock(&communicator->lock);
}

void communicator_fail(struct communicator *communicator, HcclResult result, const char *sentence)
{
    pthread_mutex_lock(&communicator->lock);
    if (atomic_load_explicit(&communicator->error, memory_order_relaxed) == HCCL_SUCCESS) {
        snprintf(communicator->sentence, sizeof communicator->sentence, "%s", sentence);
        atomic_store_explicit(&communicator->error, (uint32_t)result, memory_order_release);
    }
    pthread_mutex_unlock(&communicator->lock);
}

/*
 * Waits for queued work as long as some of it ends within the grace, then has the rest fail. Nothing uses the
 * link afterwards. Where two threads do it, the shorter grace counts.
 */
static void cease(struct communicator *communicator, int64_t longest_ns)
{
    pthread_mutex_lock(&communicator->lock);
    while (communicator->queued > 0 && !communicator->is_cancelled) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        bool has_failed = atomic_load_explicit(&communicator->error, memory_order_relaxed) != HCCL_SUCCESS;
        int64_t grace = communicator->timeout_ns < longest_ns ? communicator->timeout_ns : longest_ns;
        if (has_failed && grace > SHORT_GRACE_NS)
            grace = SHORT_GRACE_NS;
        int64_t nanoseconds = until.tv_nsec + grace % SECOND_NS;
        until.tv_sec += (time_t)(grace / SECOND_NS + nanoseconds / SECOND_NS);
        until.tv_nsec = (long)(nanoseconds % SECOND_NS);
        uint64_t ended = communicator->ended;
        int status = 0;
        while (status == 0 && communicator->ended == ended && !communicator->is_cancelled)
            status = pthread_cond_timedwait(&communicator->changed, &communicator->lock, &until);
        if (status != 0)
            break;
    }
    if (!communicator->is_cancelled) {
        communicator->is_cancelled = true;
        pthread_cond_broadcast(&communicator->changed);
        if (communicator->running > 0)
            link_cancel(&communicator->link);
    }
    while (communicator->running > 0)
        pthread_cond_wait(&communicator->changed, &communicator->lock);
    struct link link = communicator->link;
    communicator->link = (struct link){.mesh = NULL};
    pthread_mutex_unlock(&communicator->lock);
    link_close(&link);
}

HcclResult HcclCommDestroy(HcclComm comm)
{
    TRACE_THIS_CALL;
    struct communicator *communicator;
    HcclResult found = communicator_find(__func__, comm, &communicator);
    if (found != HCCL_SUCCESS)
        return found;
    if (!handle_retire(communicator, (uint64_t)(uintptr_t)comm)) {
        communicator_drop(communicator);
        return (HcclResult)report_misuse(RULE_DESTROYED, HCCL_E_PARA,
                                         "%s: argument comm is being destroyed by another thread; a live "
                                         "communicator is expected",
                                         __func__);
    }
    made_end((uint64_t)(uintptr_t)comm);
    communicator_drop(communicator); /* the handle's */
    streams_start_queued();
    cease(communicator, INT64_MAX);
    order_waited();
    communicator_drop(communicator);
    return HCCL_SUCCESS;
}

void communicators_cease(int32_t device)
{
    uint32_t count = atomic_load_explicit(&communicator_table.slot_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct communicator *communicator = (struct communicator *)handle_slot_at(&communicator_table, i);
        if (!atomic_load_explicit(&communicator->is_prepared, memory_order_acquire))
            continue;
        /* A communicator without a handle, whose destroy waits, ends too. One without work lives on: a device
         * may be set again. */
        pthread_mutex_lock(&communicator->lock);
        bool ends = communicator->references > 0 && communicator->queued > 0 &&
                    (device < 0 || communicator->device == device);
        if (ends)
            communicator->references++;
        pthread_mutex_unlock(&communicator->lock);
        if (!ends)
            continue;
        cease(communicator, SHORT_GRACE_NS);
        communicator_drop(communicator);
    }
}

void communicators_cut(int32_t device)
{
    uint32_t count = atomic_load_explicit(&communicator_table.slot_count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        struct communicator *communicator = (struct communicator *)handle_slot_at(&communicator_table, i);
        if (!atomic_load_explicit(&communicator->is_prepared, memory_order_acquire))
            continue;
        /* The lock keeps the link open meanwhile. */
        pthread_mutex_lock(&communicator->lock);
        const struct link *link = &communicator->link;
        if (communicator->references > 0 && communicator->device == device && communicator->rank_count > 1 &&
            (link->mesh != NULL || link->neighbours != NULL))
            link_cut(link, communicator->rank);
        pthread_mutex_unlock(&communicator->lock);
    }
}
