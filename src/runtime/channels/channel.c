/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Channels: bounded queues of messages. Calls wait for one with their threads; work in stream order waits with
 * its stream parked.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_tdt.h"
#include "base/error.h"
#include "base/futex.h"
#include "base/handle.h"
#include "base/handle_refusal.h"
#include "base/settings.h"
#include "runtime/channels/message.h"
#include "runtime/devices/device.h"
#include "runtime/streams/ceasing.h"
#include "runtime/streams/stream_queue.h"
#include "runtime/timeline/trace.h"

enum { NAME_BYTES = 128, USUAL_CAPACITY = 128 };

/* A stream whose task waits for a message. */
struct waiting {
    struct waiting *next;
    struct stream_point point;
};

struct channel {
    struct handle_slot slot;
    char name[NAME_BYTES];
    int32_t device;
    bool is_stopped;
    size_t capacity, count;
    struct message *first, **end;
    struct waiting *waiting;
    struct channel *next_live;
    _Atomic uint32_t changes; /* futex word: messages came or went, or the channel ended */
};

static struct handle_table channels = HANDLE_TABLE(HANDLE_CHANNEL, struct channel, 1u << 20);

/* Guards all of the above but for the word; whether a channel is live is looked at with it held. No other lock
 * is taken while it is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct channel *live; /* the newest first */
static uint64_t device_runs[DEVICES_MAX];

/* With the lock held where it succeeds. */
static int lock_channel(const char *api, const acltdtChannelHandle *handle, struct channel **channel)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    pthread_mutex_lock(&lock);
    *channel = (struct channel *)handle_find(&channels, (uintptr_t)handle);
    if (*channel != NULL)
        return 0;
    pthread_mutex_unlock(&lock);
    return handle_refuse(api, "argument handle", "a live channel is", &channels, handle);
}

static acltdtChannelHandle *create(const char *api, uint32_t device, const char *name, size_t capacity)
{
    const struct settings *settings;
    if (settings_get(&settings) != 0 || device_check(api, device) != 0)
        return NULL;
    if (name == NULL) {
        fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: argument name is NULL; a name is expected",
             api);
        return NULL;
    }
    const size_t length = strnlen(name, NAME_BYTES);
    if (length == 0 || length == NAME_BYTES) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: argument name has %s; 1 to %d bytes are expected", api,
             length == 0 ? "0 bytes" : "more than 127 bytes", NAME_BYTES - 1);
        return NULL;
    }
    if (capacity == 0) {
        fail(ACL_ERROR_INVALID_PARAM, "%s: argument capacity is 0; at least 1 is expected", api);
        return NULL;
    }
    struct channel *channel = (struct channel *)handle_acquire(&channels);
    if (channel == NULL) {
        fail(ACL_ERROR_BAD_ALLOC, "%s: there is no memory for another channel", api);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    memcpy(channel->name, name, length + 1);
    channel->device = (int32_t)device;
    channel->is_stopped = false;
    channel->capacity = capacity;
    channel->count = 0;
    channel->first = NULL;
    channel->end = &channel->first;
    channel->waiting = NULL;
    channel->next_live = live;
    live = channel;
    const uint64_t handle = handle_publish(&channels, channel);
    pthread_mutex_unlock(&lock);
    return (acltdtChannelHandle *)(uintptr_t)handle;
}

acltdtChannelHandle *acltdtCreateChannel(uint32_t deviceId, const char *name)
{
    return create(__func__, deviceId, name, USUAL_CAPACITY);
}

acltdtChannelHandle *acltdtCreateChannelWithCapacity(uint32_t deviceId, const char *name, size_t capacity)
{
    return create(__func__, deviceId, name, capacity);
}

/* Has who waits at the channel look again; the lock is held. What it returns is resumed without it. */
static struct waiting *wake(struct channel *channel)
{
    struct waiting *waiting = channel->waiting;
    channel->waiting = NULL;
    atomic_fetch_add_explicit(&channel->changes, 1, memory_order_relaxed);
    futex_wake_all(&channel->changes);
    return waiting;
}

/* The lock is not held. */
static void resume(struct waiting *waiting)
{
    while (waiting != NULL) {
        struct waiting *first = waiting;
        waiting = first->next;
        stream_resume(&first->point, false);
        free(first);
    }
}

/* The lock is held; what it returns is freed without it. */
static struct message *take_all(struct channel *channel)
{
    struct message *all = channel->first;
    channel->first = NULL;
    channel->end = &channel->first;
    channel->count = 0;
    return all;
}

static void free_all(struct message *message)
{
    while (message != NULL) {
        struct message *first = message;
        message = first->next;
        message_free(first);
    }
}

aclError acltdtDestroyChannel(acltdtChannelHandle *handle)
{
    struct channel *channel;
    TRY(lock_channel("acltdtDestroyChannel", handle, &channel));
    struct channel **link = &live;
    while (*link != channel)
        link = &(*link)->next_live;
    *link = channel->next_live;
    handle_retire(channel, (uintptr_t)handle);
    struct message *dropped = take_all(channel);
    struct waiting *waiting = wake(channel);
    handle_release(&channels, channel);
    pthread_mutex_unlock(&lock);
    resume(waiting);
    free_all(dropped);
    return 0;
}

static int drop(const char *api, acltdtChannelHandle *handle, bool stops)
{
    struct channel *channel;
    TRY(lock_channel(api, handle, &channel));
    channel->is_stopped |= stops;
    struct message *dropped = take_all(channel);
    struct waiting *waiting = wake(channel);
    pthread_mutex_unlock(&lock);
    resume(waiting);
    free_all(dropped);
    return 0;
}

aclError acltdtStopChannel(acltdtChannelHandle *handle)
{
    return drop("acltdtStopChannel", handle, true);
}

aclError acltdtCleanChannel(acltdtChannelHandle *handle)
{
    return drop("acltdtCleanChannel", handle, false);
}

aclError acltdtQueryChannelSize(const acltdtChannelHandle *handle, size_t *size)
{
    struct channel *channel;
    TRY(lock_channel("acltdtQueryChannelSize", handle, &channel));
    const size_t count = channel->count;
    pthread_mutex_unlock(&lock);
    TRY(check_result("acltdtQueryChannelSize", "size", size));
    *size = count;
    return 0;
}

static int check_timeout(const char *api, int32_t timeout)
{
    return timeout >= -1 ? 0
                         : fail(ACL_ERROR_INVALID_PARAM,
                                "%s: argument timeout is %d; milliseconds, or -1 for no limit, are expected",
                                api, (int)timeout);
}

/*
 * Waits until the channel has a message, or room for one. The lock is held where it succeeds, and *channel is
 * live. At the end of the time timeout_code, which is an answer to who polls, and leaves no sentence.
 */
static int wait_for(const char *api, const acltdtChannelHandle *handle, bool for_message, int32_t timeout,
                    int timeout_code, struct channel **channel)
{
    const uint64_t deadline_ns = timeout < 0 ? FUTEX_FOREVER : clock_after_ns((uint64_t)timeout * 1000000);
    for (;;) {
        TRY(lock_channel(api, handle, channel));
        struct channel *found = *channel;
        if (found->is_stopped) {
            pthread_mutex_unlock(&lock);
            return fail_unreported(ACL_ERROR_FAILURE,
                                   "%s: the channel %s was stopped; one that was not is expected", api,
                                   found->name);
        }
        if (for_message ? found->count > 0 : found->count < found->capacity)
            return 0;
        const uint32_t seen = atomic_load_explicit(&found->changes, memory_order_relaxed);
        pthread_mutex_unlock(&lock);
        if (deadline_ns != FUTEX_FOREVER && clock_now_ns() >= deadline_ns)
            return timeout_code;
        streams_start_queued(); /* this is a wait, and who takes or gives may be held back */
        trace_sleep();
        futex_wait(&found->changes, seen, deadline_ns);
    }
}

/* The lock is held, and the channel has room. */
static void append(struct channel *channel, struct message *message)
{
    message->next = NULL;
    *channel->end = message;
    channel->end = &message->next;
    channel->count++;
}

/* The lock is held, and the channel has one. */
static struct message *take_first(struct channel *channel)
{
    struct message *message = channel->first;
    channel->first = message->next;
    if (channel->first == NULL)
        channel->end = &channel->first;
    channel->count--;
    return message;
}

aclError acltdtSendTensor(const acltdtChannelHandle *handle, const acltdtDataset *dataset, int32_t timeout)
{
    TRACE_THIS_CALL;
    static const char api[] = "acltdtSendTensor";
    struct message *message;
    struct channel *channel;
    TRY(lock_channel(api, handle, &channel));
    pthread_mutex_unlock(&lock);
    TRY(check_timeout(api, timeout));
    TRY(dataset_copy(api, dataset, &message));
    const int status = wait_for(api, handle, false, timeout, ACL_ERROR_RT_QUEUE_FULL, &channel);
    if (status != 0) {
        message_free(message);
        return status;
    }
    append(channel, message);
    struct waiting *waiting = wake(channel);
    pthread_mutex_unlock(&lock);
    resume(waiting);
    return 0;
}

aclError acltdtReceiveTensor(const acltdtChannelHandle *handle, acltdtDataset *dataset, int32_t timeout)
{
    static const char api[] = "acltdtReceiveTensor";
    struct channel *channel;
    TRY(lock_channel(api, handle, &channel));
    pthread_mutex_unlock(&lock);
    TRY(check_timeout(api, timeout));
    TRY(dataset_check_receiving(api, dataset));
    TRY(wait_for(api, handle, true, timeout, ACL_ERROR_RT_QUEUE_EMPTY, &channel));
    struct message *message = take_first(channel);
    struct waiting *waiting = wake(channel);
    pthread_mutex_unlock(&lock);
    resume(waiting);
    const int status = dataset_receive(api, dataset, message);
    if (status != 0)
        message_free(message);
    return status;
}

uint64_t channel_device_run(int32_t device)
{
    pthread_mutex_lock(&lock);
    const uint64_t run = device_runs[device];
    pthread_mutex_unlock(&lock);
    return run;
}

/* Who waits in stream order for what nobody sends would hold up the end of its device. */
static void cease(int32_t device)
{
    struct waiting *waiting = NULL;
    pthread_mutex_lock(&lock);
    for (int32_t i = 0; i < DEVICES_MAX; i++)
        device_runs[i] += device < 0 || device == i;
    for (struct channel *channel = live; channel != NULL; channel = channel->next_live) {
        struct waiting **end = &waiting;
        if (device >= 0 && channel->device != device)
            continue;
        while (*end != NULL)
            end = &(*end)->next;
        *end = wake(channel);
    }
    pthread_mutex_unlock(&lock);
    resume(waiting);
}

__attribute__((constructor)) static void offer(void)
{
    device_before_end(cease);
}

bool channel_take(int32_t device, uint64_t device_run, const char *name, struct message **message,
                  bool *is_over)
{
    struct waiting *mine = malloc(sizeof *mine);
    pthread_mutex_lock(&lock);
    struct channel *channel = live;
    while (channel != NULL && (channel->device != device || strcmp(channel->name, name) != 0))
        channel = channel->next_live;
    *message = NULL;
    *is_over = device_runs[device] != device_run;
    if (channel != NULL && !channel->is_stopped && channel->count == 0 && !*is_over && mine != NULL) {
        *mine = (struct waiting){channel->waiting, stream_point_of_task()};
        channel->waiting = mine;
        pthread_mutex_unlock(&lock);
        return false;
    }
    struct waiting *waiting = NULL;
    if (channel != NULL && channel->count > 0) {
        *message = take_first(channel);
        waiting = wake(channel);
    }
    pthread_mutex_unlock(&lock);
    resume(waiting);
    free(mine);
    return true;
}
