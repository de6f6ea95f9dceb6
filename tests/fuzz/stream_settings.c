/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: what there is to streams and events beside the usual calls.
 */
#include <string.h>

#include "fuzz/verdict.h"
#include "support/release.h"

/* Sets one attribute and tells the same to expected. */
static void set_option(struct world *world, aclrtStreamConfigHandle *own, aclrtStreamConfigHandle *expected)
{
    static const int attributes[] = {0, 1, 2, 3, 2, 3, 4, -1};
    static const size_t right_bytes[] = {sizeof(void *), sizeof(size_t), sizeof(size_t), sizeof(uint32_t)};
    static const size_t wrong_bytes[] = {0, 1, 4, 8, SIZE_MAX};
    aclrtStreamConfigHandle *handle = (aclrtStreamConfigHandle *)draw_object(world, own);
    const int attribute = attributes[draw(world, 8)];
    const bool exists = attribute >= 0 && attribute <= 3, is_given = draw(world, 16) != 0;
    const uint64_t value = draw(world, 8) == 0 ? draw_word(world) : draw(world, 256) % 80;
    size_t bytes = exists ? right_bytes[attribute] : 8;
    if (draw(world, 8) == 0)
        bytes = wrong_bytes[draw(world, 5)];
    const bool fits = exists && bytes == right_bytes[attribute];
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle != own || !is_given || !fits, 100000);
    const int status =
        aclrtSetStreamConfigOpt(handle, (aclrtStreamConfigAttr)attribute, is_given ? &value : NULL, bytes);
    judge_reasons(&reasons, status, "aclrtSetStreamConfigOpt");
    if (status == 0)
        memcpy(attribute == 0   ? (void *)&expected->workptr
               : attribute == 1 ? (void *)&expected->workSize
               : attribute == 2 ? (void *)&expected->flag
                                : (void *)&expected->priority,
               &value, bytes);
    DEMAND(own->workptr == expected->workptr && own->workSize == expected->workSize &&
               own->flag == expected->flag && own->priority == expected->priority,
           "the configuration after attribute %d", attribute);
}

/* A stream becomes one of the world's where there is room and a synchronise waits for it. */
static void take_stream(struct world *world, aclrtStream made, const aclrtStreamConfigHandle *wanted)
{
    const size_t not_waited_for =
        ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    struct stream *stream = &world->stream[draw(world, STREAMS)];
    uint32_t priority = 99, flags = 99;
    DEMAND(aclrtStreamGetPriority(made, &priority) == 0 && aclrtStreamGetFlags(made, &flags) == 0,
           "questions");
    DEMAND(priority == (wanted->priority > 7 ? 7 : wanted->priority) && flags == wanted->flag,
           "priority %u, flags %u", priority, flags);
    if (stream->is_live || (wanted->flag & not_waited_for) != 0)
        DEMAND(aclrtDestroyStream(made) == 0, "a stream without work");
    else
        *stream = (struct stream){.handle = made, .is_live = true, .context = world->current};
}

static void configure_stream(struct world *world)
{
    const size_t known = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_PERSISTENT |
                         ACL_STREAM_HUGE | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    aclrtStreamConfigHandle expected = {0};
    aclrtStreamConfigHandle *const own = aclrtCreateStreamConfigHandle();
    DEMAND(own != NULL, "configuration");
    for (uint32_t calls = draw(world, 6); calls > 0; calls--)
        set_option(world, own, &expected);
    aclrtStreamConfigHandle *handle = (aclrtStreamConfigHandle *)draw_object(world, own);
    const bool has_place = draw(world, 16) != 0, is_late = draw(world, 16) == 0;
    if (is_late)
        DEMAND(aclrtDestroyStreamConfigHandle(own) == 0, "configuration");
    aclrtStream made = NULL;
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle != own || is_late || !has_place, 100000);
    reason(&reasons, world->current < 0, 107002);
    reason(&reasons, handle == own && !is_late && (expected.flag & ~known) != 0, 107000);
    const int status = aclrtCreateStreamV2(has_place ? &made : NULL, handle);
    judge_reasons(&reasons, status, "aclrtCreateStreamV2");
    if (handle != own)
        DEMAND(aclrtDestroyStreamConfigHandle(handle) == 100000, "no configuration");
    DEMAND(aclrtDestroyStreamConfigHandle(own) == (is_late ? 100000 : 0), "the end");
    if (status == 0)
        take_stream(world, made, &expected);
    else
        DEMAND(made == NULL, "a result was written");
}

/* Without work, so that nothing is discarded that the shadows have. */
static void end_by_force(struct world *world, aclrtStream handle)
{
    settle(world);
    struct stream *stream = find_stream(world, handle);
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL, 100000);
    reason(&reasons, handle != NULL && stream == NULL, 107017);
    reason(&reasons, stream != NULL && stream->context != world->current, 107003);
    const int status = aclrtDestroyStreamForce(handle);
    judge_reasons(&reasons, status, "aclrtDestroyStreamForce");
    if (status == 0) {
        stream->is_live = false;
        DEMAND(aclrtDestroyStreamForce(handle) == 107017, "destroyed twice");
    }
}

static void stop_stream(struct world *world, aclrtStream handle)
{
    settle(world);
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL, 100000);
    stream_reasons(world, &reasons, handle);
    const int status = aclrtStreamStop(handle);
    judge_reasons(&reasons, status, "aclrtStreamStop");
    if (status == 0)
        DEMAND(aclrtSynchronizeStream(handle) == 107023 && aclrtSynchronizeStream(handle) == 0, "stopped");
}

static uint64_t failure_mode(aclrtStream handle)
{
    aclrtStreamAttrValue value;
    memset(&value, 0xFF, sizeof value);
    DEMAND(aclrtGetStreamAttribute(handle, ACL_STREAM_ATTR_FAILURE_MODE, &value) == 0, "mode");
    return value.failureMode;
}

static void set_failure_mode(struct world *world, aclrtStream handle)
{
    static const uint64_t modes[] = {0, 0, 0, 1, 2, UINT64_MAX, UINT64_C(1) << 32, UINT64_C(1) << 32 | 1};
    const uint64_t mode = modes[draw(world, 8)];
    aclrtStreamAttrValue value = {.failureMode = mode};
    struct reasons reasons = {.count = 0};
    stream_reasons(world, &reasons, handle);
    const bool is_there = reasons.count == 0;
    const uint64_t before = is_there ? failure_mode(handle) : 0;
    uint64_t others[STREAMS];
    for (int i = 0; is_there && i < STREAMS; i++)
        others[i] = world->stream[i].is_live ? failure_mode(world->stream[i].handle) : 0;
    reason(&reasons, mode > 1 || (handle == NULL && world->current < 0), 107000);
    reason(&reasons, mode == 0 && before == 1, 207000);
    const int status = draw(world, 2) == 0
                           ? aclrtSetStreamFailureMode(handle, mode)
                           : aclrtSetStreamAttribute(handle, ACL_STREAM_ATTR_FAILURE_MODE, &value);
    judge_reasons(&reasons, status, "failure mode");
    const uint64_t after = status == 0 ? mode : before;
    for (int i = 0; is_there && i < STREAMS; i++) {
        const struct stream *other = &world->stream[i];
        if (other->is_live && other->handle != handle)
            DEMAND(failure_mode(other->handle) == others[i], "stream %d", i);
    }
    if (is_there)
        DEMAND(failure_mode(handle) == after, "mode %llu", (unsigned long long)after);
}

static void set_overflow_switch(struct world *world, aclrtStream handle)
{
    const uint32_t flag = draw(world, 4) == 0 ? (uint32_t)draw_word(world) : draw(world, 2);
    uint32_t found = flag + 1;
    struct reasons reasons = {.count = 0};
    stream_reasons(world, &reasons, handle);
    judge_reasons(&reasons, aclrtSetStreamOverflowSwitch(handle, flag), "aclrtSetStreamOverflowSwitch");
    judge_reasons(&reasons, aclrtGetStreamOverflowSwitch(handle, &found), "aclrtGetStreamOverflowSwitch");
    DEMAND(found == (reasons.count == 0 ? flag : flag + 1), "switch %u", found);
    reason(&reasons, true, 100000);
    judge_reasons(&reasons, aclrtGetStreamOverflowSwitch(handle, NULL),
                  "aclrtGetStreamOverflowSwitch without a place");
}

static void ask_for_task(struct world *world, aclrtStream handle)
{
    uint32_t before = 0, after = 0;
    aclrtEvent event = NULL;
    const struct stream *stream = find_stream(world, handle);
    DEMAND(aclrtGetThreadLastTaskId(NULL) == 100000, "no place");
    if (world->current < 0 || (handle != NULL && (stream == NULL || stream->context != world->current)))
        return;
    DEMAND(aclrtCreateEvent(&event) == 0 && aclrtGetThreadLastTaskId(&before) == 0, "last task");
    DEMAND(aclrtRecordEvent(event, handle) == 0 && aclrtGetThreadLastTaskId(&after) == 0, "next task");
    DEMAND(after == before + 1, "task %u after task %u", after, before);
    DEMAND(aclrtDestroyEvent(event) == 0, "event");
}

static void ask_for_default_stream(struct world *world)
{
    aclrtStream found = NULL;
    int32_t id = -1, same_id = -2;
    struct reasons reasons = {.count = 0};
    stream_reasons(world, &reasons, NULL);
    const int status = aclrtCtxGetCurrentDefaultStream(&found);
    judge_reasons(&reasons, status, "aclrtCtxGetCurrentDefaultStream");
    reason(&reasons, true, 100000);
    judge_reasons(&reasons, aclrtCtxGetCurrentDefaultStream(NULL),
                  "aclrtCtxGetCurrentDefaultStream without a place");
    DEMAND((found != NULL) == (status == 0), "a result");
    if (status != 0)
        return;
    DEMAND(aclrtStreamGetId(NULL, &id) == 0 && aclrtStreamGetId(found, &same_id) == 0 && id == same_id,
           "%d and %d", id, same_id);
    DEMAND(aclrtDestroyStream(found) == 100000 && aclrtDestroyStreamForce(found) == 100000, "end");
    DEMAND(aclrtSynchronizeStream(found) == 0, "wait");
}

/* Without work, and every stream of the device hears of it once. */
static void abort_device(struct world *world)
{
    static const int32_t devices[] = {0, 1, 0, 1, -1, 2, INT32_MAX, INT32_MIN};
    static const uint32_t timeouts[] = {0, 1, 2, UINT32_MAX};
    const int32_t device = devices[draw(world, 8)];
    const uint32_t timeout = timeouts[draw(world, 4)];
    settle(world);
    const int status = aclrtDeviceTaskAbort(device, timeout);
    DEMAND(status == (device == 0 || device == 1 ? 0 : 107001), "abort of device %d gave %d", device, status);
    for (int i = 0; i < STREAMS && status == 0; i++) {
        const struct stream *stream = &world->stream[i];
        if (!stream->is_live || world->context[stream->context].device != device)
            continue;
        DEMAND(aclrtSynchronizeStream(stream->handle) == 107022, "stream %d", i);
    }
    for (int i = 0; i < CONTEXTS && status == 0; i++) {
        const struct context *context = &world->context[i];
        if (!context->is_live || context->device != device)
            continue;
        DEMAND(aclrtSetCurrentContext(context->handle) == 0, "context %d", i);
        DEMAND(aclrtSynchronizeStream(NULL) == 107022, "default stream %d", i);
    }
    DEMAND(aclrtSetCurrentContext(world->context[world->current].handle) == 0, "the context before");
    settle(world);
}

void step_stream_rest(struct world *world)
{
    const uint32_t choice = draw(world, 12);
    const aclrtStream handle = draw_stream(world);
    if (choice < 3)
        configure_stream(world);
    else if (choice < 5)
        end_by_force(world, handle);
    else if (choice == 5)
        stop_stream(world, handle);
    else if (choice == 6)
        set_failure_mode(world, handle);
    else if (choice < 9)
        set_overflow_switch(world, handle);
    else if (choice == 9)
        ask_for_task(world, handle);
    else if (choice == 10)
        ask_for_default_stream(world);
    else
        abort_device(world);
}

/* Some are right, some not. */
static uint32_t draw_event_flag(struct world *world)
{
    static const uint32_t flags[] = {ACL_EVENT_SYNC,
                                     ACL_EVENT_TIME_LINE,
                                     ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE,
                                     ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                                     ACL_EVENT_DEVICE_USE_ONLY,
                                     ACL_EVENT_EXTERNAL,
                                     ACL_EVENT_IPC | ACL_EVENT_TIME_LINE,
                                     0x7B,
                                     0,
                                     4,
                                     0x80,
                                     UINT32_MAX};
    return flags[draw(world, sizeof flags / sizeof flags[0])];
}

static aclrtEvent create_event(struct world *world, uint32_t flag, bool is_reusable)
{
    const bool has_place = draw(world, 16) != 0;
    aclrtEvent made = NULL;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !has_place, 100000);
    reason(&reasons, world->current < 0, 107002);
    reason(&reasons, flag == 0 || (flag & ~UINT32_C(0x7B)) != 0, 107000);
    const int status =
        (is_reusable ? aclrtCreateEventExWithFlag : aclrtCreateEventWithFlag)(has_place ? &made : NULL, flag);
    judge_reasons(&reasons, status, "an event with flags");
    DEMAND((made != NULL) == (status == 0), "a result");
    return made;
}

static void keep_event(struct world *world)
{
    struct event *event = &world->event[draw(world, EVENTS)];
    if (event->is_live)
        return;
    aclrtEvent made = create_event(world, draw_event_flag(world), draw(world, 4) == 0);
    if (made != NULL)
        *event = (struct event){.handle = made, .is_live = true, .context = world->current};
}

/* What is waited for goes on by itself and takes no seconds. */
static void wait_in_stream(struct world *world, aclrtEvent handle)
{
    static const int32_t timeouts[] = {0, 600, INT32_MAX, -1, INT32_MIN, 0, 1000, 0};
    const aclrtStream stream = draw_stream(world);
    const int32_t timeout = timeouts[draw(world, 8)];
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL, 100000);
    reason(&reasons, timeout < 0, 107000);
    reason(&reasons, handle != NULL && find_event(world, handle) == NULL, 107017);
    stream_reasons(world, &reasons, stream);
    judge_reasons(&reasons, aclrtStreamWaitEventWithTimeout(stream, handle, timeout),
                  "aclrtStreamWaitEventWithTimeout");
}

static void wait_for_event(struct world *world, aclrtEvent handle)
{
    static const int32_t timeouts[] = {-1, 1, 2, 1, 0, -2, INT32_MIN, -1};
    const int32_t timeout = timeouts[draw(world, 8)];
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL, 100000);
    reason(&reasons, timeout == 0 || timeout < -1, 107000);
    reason(&reasons, handle != NULL && find_event(world, handle) == NULL, 107017);
    reason(&reasons, world->current < 0, 107002);
    const int status = aclrtSynchronizeEventWithTimeout(handle, timeout);
    if (reasons.count > 0 || status != 507047 || timeout < 0)
        judge_reasons(&reasons, status, "aclrtSynchronizeEventWithTimeout");
}

/* An event of the second kind is refused; the world does not know the kind, but all functions must agree. */
static void ask_for_event(struct world *world, aclrtEvent handle)
{
    const bool is_settled = draw(world, 2) == 0, has_place = draw(world, 16) != 0;
    if (is_settled)
        settle(world);
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    aclrtEventWaitStatus wait_status = ACL_EVENT_WAIT_STATUS_RESERVED;
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL || !has_place, 100000);
    reason(&reasons, handle != NULL && find_event(world, handle) == NULL, 107017);
    const int code = aclrtQueryEvent(handle, has_place ? &status : NULL);
    const int wait_code = aclrtQueryEventWaitStatus(handle, has_place ? &wait_status : NULL);
    if (reasons.count == 0 && code == 207000)
        reason(&reasons, true, 207000);
    judge_reasons(&reasons, code, "aclrtQueryEvent");
    judge_reasons(&reasons, wait_code, "aclrtQueryEventWaitStatus");
    if (wait_code != 0)
        DEMAND(wait_status == ACL_EVENT_WAIT_STATUS_RESERVED, "a result was written");
    else
        DEMAND(wait_status == ACL_EVENT_WAIT_STATUS_COMPLETE ||
                   (!is_settled && wait_status == ACL_EVENT_WAIT_STATUS_NOT_READY),
               "status %d", (int)wait_status);
}

static void ask_for_time(struct world *world, aclrtEvent handle)
{
    const bool has_place = draw(world, 16) != 0;
    uint64_t time = 77;
    struct reasons reasons = {.count = 0};
    reason(&reasons, handle == NULL || !has_place, 100000);
    reason(&reasons, handle != NULL && find_event(world, handle) == NULL, 107017);
    const int status = aclrtEventGetTimestamp(handle, has_place ? &time : NULL);
    /* Whether it was recorded and has a timestamp, the world does not know. */
    if (reasons.count > 0 || (status != 507000 && status != 107006))
        judge_reasons(&reasons, status, "aclrtEventGetTimestamp");
    DEMAND((time == 77) == (status != 0), "a result");
}

/* An event that nobody else has, and what must be true of it. */
struct own_event {
    aclrtEvent handle;
    aclrtStream stream; /* of the current context */
    bool is_reusable, has_time, is_recorded;
    uint64_t time; /* of the record before */
};

static void hold_event(struct own_event *event)
{
    aclrtEventStatus status = ACL_EVENT_STATUS_RESERVED;
    aclrtEventWaitStatus wait_status = ACL_EVENT_WAIT_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const int kind = event->is_reusable ? 207000 : 0;
    const bool is_complete = event->is_recorded || event->is_reusable;
    DEMAND(aclrtSynchronizeEventWithTimeout(event->handle, -1) == 0, "wait");
    DEMAND(aclrtQueryEvent(event->handle, &status) == kind, "%d expected", kind);
    DEMAND(aclrtQueryEventWaitStatus(event->handle, &wait_status) == kind, "%d expected", kind);
    DEMAND(status == (kind == 0 ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_RESERVED), "status");
    DEMAND(wait_status == (kind == 0 ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_RESERVED),
           "status of waits");
    DEMAND(aclrtQueryEventStatus(event->handle, &recorded) == 0, "status of the record");
    DEMAND(recorded ==
               (is_complete ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY),
           "status of the record");
    uint64_t time = 0;
    struct reasons reasons = {.count = 0};
    reason(&reasons, !event->is_recorded, 507000);
    reason(&reasons, !event->has_time, 107006);
    const int answer = aclrtEventGetTimestamp(event->handle, &time);
    judge_reasons(&reasons, answer, "the time of a known event");
    if (answer != 0)
        return;
    DEMAND(time > 0 && time >= event->time, "time %llu after %llu", (unsigned long long)time,
           (unsigned long long)event->time);
    event->time = time;
}

/* An event's life: never recorded, recorded twice, waited for, reset, destroyed. */
static void live_event(struct world *world)
{
    const uint32_t flag = draw_event_flag(world);
    struct own_event event = {.is_reusable = draw(world, 2) != 0, .has_time = flag & ACL_EVENT_TIME_LINE};
    event.handle = create_event(world, flag, event.is_reusable);
    if (event.handle == NULL)
        return;
    const struct stream *stream = find_stream(world, draw_stream(world));
    event.stream = stream != NULL && stream->context == world->current ? stream->handle : NULL;
    hold_event(&event);
    for (uint32_t records = draw(world, 3); records > 0; records--) {
        DEMAND(aclrtRecordEvent(event.handle, event.stream) == 0, "record");
        event.is_recorded = true;
        hold_event(&event);
    }
    DEMAND(aclrtStreamWaitEventWithTimeout(event.stream, event.handle, 1) == 0, "wait of its own stream");
    if (draw(world, 2) == 0) {
        const int status = aclrtResetEvent(event.handle, event.stream);
        DEMAND(status == (event.is_reusable ? 207000 : 0), "reset gave %d", status);
        DEMAND(aclrtSynchronizeStream(event.stream) == 0, "stream");
        event.is_recorded = event.is_recorded && status != 0;
        hold_event(&event);
    }
    uint64_t time;
    aclrtEventWaitStatus wait_status;
    DEMAND(aclrtDestroyEvent(event.handle) == 0, "event");
    DEMAND(aclrtSynchronizeEventWithTimeout(event.handle, 1) == 107017 &&
               aclrtEventGetTimestamp(event.handle, &time) == 107017 &&
               aclrtQueryEventWaitStatus(event.handle, &wait_status) == 107017 &&
               aclrtStreamWaitEventWithTimeout(event.stream, event.handle, 0) == 107017,
           "a destroyed event");
}

void step_event_rest(struct world *world)
{
    const uint32_t choice = draw(world, 10);
    const aclrtEvent handle = draw_event(world);
    if (choice < 2)
        keep_event(world);
    else if (choice < 4)
        wait_in_stream(world, handle);
    else if (choice == 4)
        wait_for_event(world, handle);
    else if (choice < 7)
        ask_for_event(world, handle);
    else if (choice == 7)
        ask_for_time(world, handle);
    else
        live_event(world);
}
