/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemcpy and its relatives of one dimension: blocking, in stream order, in batches.
 */
#include "acl/acl_rt.h"

#include <string.h>

#include "base/watch.h"
#include "runtime/streams/blocking_work.h"
#include "runtime/streams/recording.h"
#include "runtime/devices/context.h"
#include "runtime/faults/strike.h"
#include "runtime/memory/copy.h"
#include "base/error.h"
#include "runtime/memory/memory_side.h"
#include "runtime/addresses/reach.h"
#include "runtime/streams/refusal.h"
#include "base/report.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

static const char *kind_name(aclrtMemcpyKind kind)
{
    static const char *const names[] = {
        [ACL_MEMCPY_HOST_TO_HOST] = "ACL_MEMCPY_HOST_TO_HOST",
        [ACL_MEMCPY_HOST_TO_DEVICE] = "ACL_MEMCPY_HOST_TO_DEVICE",
        [ACL_MEMCPY_DEVICE_TO_HOST] = "ACL_MEMCPY_DEVICE_TO_HOST",
        [ACL_MEMCPY_DEVICE_TO_DEVICE] = "ACL_MEMCPY_DEVICE_TO_DEVICE",
        [ACL_MEMCPY_DEFAULT] = "ACL_MEMCPY_DEFAULT",
        [ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE] = "ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE",
    };
    return names[kind];
}

static const char *place_name(const struct memory_side *side)
{
    static const char *const names[] = {[MEMORY_UNKNOWN] = "host memory",
                                        [MEMORY_DEVICE] = "device memory",
                                        [MEMORY_PINNED_HOST] = "pinned host memory"};
    return names[side->place];
}

/* True when a side can be what the kind says. Registered memory is both, and with BELAY_HOST_POINTERS=allow
 * all host memory. */
static bool agrees(const struct memory_side *side, bool is_device, bool host_pointers_allowed)
{
    bool lies_on_device = side->place == MEMORY_DEVICE;
    return is_device ? lies_on_device || side->is_mapped || host_pointers_allowed : !lies_on_device;
}

int copy_check_kind(const char *api, aclrtMemcpyKind kind, struct memory_side *to, struct memory_side *from)
{
    const struct settings *settings;
    TRY(settings_get(&settings));
    bool to_device = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
                     kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    if (kind == ACL_MEMCPY_DEFAULT) {
        to_device = to->place == MEMORY_DEVICE;
        from_device = from->place == MEMORY_DEVICE;
        if (!to_device &&
            !from_device) { /* registered memory stands for the device where nothing else does */
            to_device = to->is_mapped;
            from_device = !to_device && from->is_mapped;
        }
    }
    if (!to_device && !from_device)
        return report_misuse(
            RULE_PLACE, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "%s: kind is %s and dst is %s, src is %s; a copy in stream order between two places of the "
            "host is not supported",
            api, kind_name(kind), place_name(to), place_name(from));
    if (!agrees(to, to_device, settings->host_pointers_allowed) ||
        !agrees(from, from_device, settings->host_pointers_allowed))
        return report_misuse(RULE_PLACE, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: kind is %s, but dst is %s and src is %s; a kind that agrees is expected",
                             api, kind_name(kind), place_name(to), place_name(from));
    /* What stands for device memory is used in stream order like it, however it was allocated. */
    if (to_device)
        to->place = MEMORY_DEVICE;
    if (from_device)
        from->place = MEMORY_DEVICE;
    return 0;
}

/* The checks up to the context that blocking copies and those in stream order share. count is not 0. */
static int check_arguments(const char *api, const void *dst, size_t destMax, const void *src, size_t count,
                           aclrtMemcpyKind kind)
{
    if (dst == NULL || src == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; an address is expected", api,
                    dst == NULL ? "dst" : "src");
    if ((uint32_t)kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: kind is %d; 0 to %d are expected", api, (int)kind,
                    (int)ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE);
    if (count > destMax)
        return report_misuse(RULE_COPY, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: count is %zu; at most destMax, %zu, is expected", api, count, destMax);
    return 0;
}

static int find_sides(const char *api, const void *dst, const void *src, size_t count, struct memory_side *to,
                      struct memory_side *from)
{
    TRY(memory_side_find(api, "dst", dst, count, to));
    return memory_side_find(api, "src", src, count, from);
}

static __attribute__((noinline, cold)) void copy_watched(const char *api, void *dst, const void *src,
                                                         size_t count)
{
    watch_copy(api, dst, src, count);
    uint64_t begin_ns = trace_begin();
    memmove(memory_reach(dst), memory_reach(src), count);
    if (begin_ns != 0)
        trace_blocking(api, begin_ns, dst, src, count);
}

int copy_struck(const char *api, uint64_t bytes)
{
    int32_t device;
    const bool has_device = context_device(api, &device) == 0;
    const struct fault_occasion occasion = {
        .event = FAULT_AT_COPY, .name = api, .device = has_device ? device : -1, .rank = -1, .bytes = bytes};
    return fault_at_call(&occasion);
}

/* Copies on the calling thread. Where the memory is, is looked up when a free sees that it is in use. */
static int copy_now(const char *api, void *dst, const void *src, size_t count)
{
    struct memory_side to, from;
    host_access_watch();
    _Atomic uint64_t *work = blocking_work_begin();
    int status = find_sides(api, dst, src, count, &to, &from);
    if (status == 0 && fault_is_awaited(1 << FAULT_AT_COPY))
        status = copy_struck(api, count);
    if (status == 0) {
        streams_start_queued();
        if (accesses_are_watched())
            copy_watched(api, dst, src, count);
        else
            memmove(memory_reach(dst), memory_reach(src), count);
    }
    blocking_work_end(work);
    return status;
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemcpy";
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (count == 0)
        return 0;
    TRY(check_arguments(api, dst, destMax, src, count, kind));
    if (dst == src)
        return 0;
    int32_t device;
    TRY(context_device(api, &device));
    TRY(capture_refuse_blocking(api));
    return copy_now(api, dst, src, count);
}

struct copy {
    void *to;
    const void *from;
    size_t bytes;
    struct memory_side to_side, from_side;
};

static bool is_current(const struct task *task)
{
    struct copy copy;
    memcpy(&copy, task->payload, sizeof copy);
    return memory_side_is_current(copy.to, copy.bytes, &copy.to_side) &&
           memory_side_is_current(copy.from, copy.bytes, &copy.from_side);
}

static int run_copy(struct task *task)
{
    struct copy copy;
    memcpy(&copy, task->payload, sizeof copy);
    memmove(memory_reach(copy.to), memory_reach(copy.from), copy.bytes);
    return 0;
}

static void describe_copy(const struct task *task, struct access_visitor *visitor)
{
    struct copy copy;
    memcpy(&copy, task->payload, sizeof copy);
    access_visit_bytes(visitor, "src", ACCESS_READ | ACCESS_MOVED, copy.from, copy.bytes);
    access_visit_bytes(visitor, "dst", ACCESS_WRITTEN | ACCESS_MOVED, copy.to, copy.bytes);
}

uint64_t copy_cost_ns(uint64_t bytes)
{
    return 20 + bytes / 8; /* 8 bytes per nanosecond, what one core moves from memory to memory */
}

int copy_in_stream(const char *api, void *dst, size_t destMax, const void *src, size_t count,
                   aclrtMemcpyKind kind, aclrtStream stream)
{
    TRACE_CALL_AS(api, TRACE_CALL_PLAIN);
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (count == 0)
        return 0;
    TRY(check_arguments(api, dst, destMax, src, count, kind));
    if (dst == src)
        return 0;
    int32_t device;
    TRY(stream_device(api, stream, &device));
    struct copy copy = {.to = dst, .from = src, .bytes = count};
    struct task task = {
        .run = run_copy, .is_current = is_current, .describe = describe_copy, .cost_ns = copy_cost_ns(count)};
    int status;
    do {
        TRY(find_sides(api, dst, src, count, &copy.to_side, &copy.from_side));
        TRY(copy_check_kind(api, kind, &copy.to_side, &copy.from_side));
        if (copy.to_side.place == MEMORY_UNKNOWN || copy.from_side.place == MEMORY_UNKNOWN ||
            kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE) {
            /* The program may change or free such memory as soon as this returns. */
            bool drops;
            TRY(stream_finish(api, stream, &drops));
            return drops ? 0 : copy_now(api, dst, src, count);
        }
        memcpy(task.payload, &copy, sizeof copy);
        status = stream_submit(api, stream, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    static const char api[] = "aclrtMemcpyAsync";
    return refusal_or(api, stream, copy_in_stream(api, dst, destMax, src, count, kind, stream));
}

/* The condition is whether host memory is pinned; the other function looks at that too. */
aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count,
                                       aclrtMemcpyKind kind, aclrtStream stream)
{
    static const char api[] = "aclrtMemcpyAsyncWithCondition";
    return refusal_or(api, stream, copy_in_stream(api, dst, destMax, src, count, kind, stream));
}

/* The locations in attrs are hints, as the kind is elsewhere; only their form is checked. */
static int check_attributes(const char *api, const aclrtMemcpyBatchAttr *attrs, const size_t *indexes,
                            size_t attribute_count, size_t batch_count)
{
    if (attribute_count > batch_count)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: numAttrs is %zu; at most numBatches, %zu, is expected", api,
                    attribute_count, batch_count);
    for (size_t i = 0; i < attribute_count; i++) {
        if (i == 0 ? indexes[0] != 0 : indexes[i] <= indexes[i - 1] || indexes[i] >= batch_count)
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: attrsIndexes[%zu] is %zu; 0 first, then greater ones below %zu are expected",
                        api, i, indexes[i], batch_count);
        if ((uint32_t)attrs[i].dstLoc.type > ACL_MEM_LOCATION_TYPE_HOST_NUMA ||
            (uint32_t)attrs[i].srcLoc.type > ACL_MEM_LOCATION_TYPE_HOST_NUMA)
            return fail(ACL_ERROR_INVALID_PARAM,
                        "%s: attrs[%zu] has the location types %d and %d; 0 to 4 are expected", api, i,
                        (int)attrs[i].dstLoc.type, (int)attrs[i].srcLoc.type);
    }
    return 0;
}

aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                          aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                          size_t *failIndex)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemcpyBatch";
    const struct settings *settings;
    TRY(settings_get(&settings));
    const void *const arrays[] = {dsts, destMaxs, srcs, sizes, attrs, attrsIndexes, failIndex};
    static const char *const names[] = {"dsts",  "destMaxs",     "srcs",     "sizes",
                                        "attrs", "attrsIndexes", "failIndex"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        if (arrays[i] == NULL)
            return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; an array is expected",
                        api, names[i]);
    }
    *failIndex = SIZE_MAX;
    if (numBatches == 0 || numAttrs == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: %s is 0; at least 1 is expected", api,
                    numBatches == 0 ? "numBatches" : "numAttrs");
    TRY(check_attributes(api, attrs, attrsIndexes, numAttrs, numBatches));
    int32_t device;
    TRY(context_device(api, &device));
    TRY(capture_refuse_blocking(api));

    /* All are checked before the first is made, so that a failure changes nothing. */
    for (size_t i = 0; i < numBatches; i++) {
        struct memory_side to, from;
        *failIndex = i;
        if (sizes[i] == 0)
            continue;
        TRY(check_arguments(api, dsts[i], destMaxs[i], srcs[i], sizes[i], ACL_MEMCPY_DEFAULT));
        TRY(find_sides(api, dsts[i], srcs[i], sizes[i], &to, &from));
    }
    *failIndex = SIZE_MAX;
    /* Another thread may have changed the arrays since: what is copied is what is checked here. */
    for (size_t i = 0; i < numBatches; i++) {
        void *to_address = dsts[i];
        const void *from_address = srcs[i];
        size_t bytes = sizes[i];
        if (bytes == 0)
            continue;
        *failIndex = i;
        TRY(copy_now(api, to_address, from_address, bytes));
    }
    *failIndex = SIZE_MAX;
    return 0;
}

aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs, size_t *sizes, size_t numBatches,
                               aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes, size_t numAttrs,
                               size_t *failIndex, aclrtStream stream)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemcpyBatchAsync";
    const struct settings *settings;
    TRY(settings_get(&settings));
    (void)attrs, (void)attrsIndexes, (void)numAttrs; /* where the sides lie is looked up */
    const void *const arrays[] = {dsts, destMaxs, srcs, sizes, failIndex};
    static const char *const names[] = {"dsts", "destMaxs", "srcs", "sizes", "failIndex"};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        if (arrays[i] == NULL)
            return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; an array is expected",
                        api, names[i]);
    *failIndex = SIZE_MAX;
    if (numBatches == 0)
        return fail(ACL_ERROR_INVALID_PARAM, "%s: numBatches is 0; at least 1 is expected", api);
    for (size_t i = 0; i < numBatches; i++) {
        int status = copy_in_stream(api, dsts[i], destMaxs[i], srcs[i], sizes[i], ACL_MEMCPY_DEFAULT, stream);
        if (status != 0) {
            *failIndex = i;
            return status;
        }
    }
    return 0;
}
