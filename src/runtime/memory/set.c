/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemset and aclrtMemsetAsync.
 */
#include "acl/acl_rt.h"

#include <string.h>

#include "base/watch.h"
#include "runtime/streams/blocking_work.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/context.h"
#include "runtime/memory/copy.h"
#include "base/error.h"
#include "runtime/memory/memory_side.h"
#include "runtime/addresses/reach.h"
#include "runtime/streams/refusal.h"
#include "base/report.h"
#include "base/saboteur.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

static int check_address(const char *api, const void *address)
{
    return address != NULL ? 0
                           : fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL,
                                  "%s: devPtr is NULL; an address is expected", api);
}

static int check_range(const char *api, const void *address, size_t most, size_t count,
                       struct memory_side *side)
{
    if (count > most)
        return report_misuse(RULE_COPY, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: count is %zu; at most maxCount, %zu, is expected", api, count, most);
    host_access_watch();
    return memory_side_find(api, "devPtr", address, count, side);
}

static __attribute__((noinline, cold)) void set_watched(const char *api, void *devPtr, int32_t value,
                                                        size_t count)
{
    watch_set(api, devPtr, count);
    uint64_t begin_ns = trace_begin();
    memset(memory_reach(devPtr), value, count);
    if (begin_ns != 0)
        trace_blocking(api, begin_ns, devPtr, NULL, count);
}

/* Sets on the calling thread. Where the memory is, is looked up when a free sees that it is in use. */
static int set_now(const char *api, void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    struct memory_side side;
    _Atomic uint64_t *work = blocking_work_begin();
    int status = check_range(api, devPtr, maxCount, count, &side);
    if (status == 0 && fault_is_awaited(1 << FAULT_AT_COPY))
        status = copy_struck(api, count);
    if (status == 0) {
        streams_start_queued();
        if (accesses_are_watched())
            set_watched(api, devPtr, value, count);
        else
            memset(memory_reach(devPtr), value, count);
    }
    blocking_work_end(work);
    return status;
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemset";
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (count == 0)
        return 0;
    TRY(check_address(api, devPtr));
    int32_t device;
    TRY(context_device(api, &device));
    TRY(capture_refuse_blocking(api));
    return set_now(api, devPtr, maxCount, value, count);
}

struct set {
    void *address;
    size_t bytes;
    uint8_t value;
    struct memory_side side;
};

static bool is_current(const struct task *task)
{
    struct set set;
    memcpy(&set, task->payload, sizeof set);
    return memory_side_is_current(set.address, set.bytes, &set.side);
}

static int run_set(struct task *task)
{
    struct set set;
    memcpy(&set, task->payload, sizeof set);
    memset(memory_reach(set.address), set.value, set.bytes);
    return 0;
}

static void describe_set(const struct task *task, struct access_visitor *visitor)
{
    struct set set;
    memcpy(&set, task->payload, sizeof set);
    access_visit_bytes(visitor, "devPtr", ACCESS_WRITTEN, set.address, set.bytes);
}

static int set_in_stream(const char *api, void *devPtr, size_t maxCount, int32_t value, size_t count,
                         aclrtStream stream)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (count == 0)
        return 0;
    TRY(check_address(api, devPtr));
    int32_t device;
    TRY(stream_device(api, stream, &device));
    struct set set = {.address = devPtr, .bytes = count, .value = (uint8_t)value};
    struct task task = {
        .run = run_set, .is_current = is_current, .describe = describe_set, .cost_ns = copy_cost_ns(count)};
    int status;
    do {
        TRY(check_range(api, devPtr, maxCount, count, &set.side));
        if (set.side.place == MEMORY_UNKNOWN && !settings->host_pointers_allowed) {
            /* The program may free such memory as soon as this returns. */
            bool drops;
            TRY(stream_finish(api, stream, &drops));
            return drops ? 0 : set_now(api, devPtr, maxCount, value, count);
        }
        memcpy(task.payload, &set, sizeof set);
        status = stream_submit(api, stream, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemsetAsync";
    return refusal_or(api, stream, set_in_stream(api, devPtr, maxCount, value, count, stream));
}
