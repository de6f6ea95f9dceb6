/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemcpy2d and aclrtMemcpy2dAsync: rows of equal width, each side with its own pitch.
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
#include "base/report.h"
#include "base/saboteur.h"
#include "base/settings.h"
#include "runtime/streams/stream.h"
#include "runtime/timeline/trace.h"

struct rows {
    void *to;
    const void *from;
    size_t to_pitch;
    size_t from_pitch;
    size_t width;
    size_t height;
};

/* The checks up to the context; neither width nor height is 0. */
static int check_arguments(const char *api, const struct rows *rows, aclrtMemcpyKind kind)
{
    if (rows->to == NULL || rows->from == NULL)
        return fail(ACL_ERROR_INVALID_PARAM | ARGUMENT_IS_NULL, "%s: %s is NULL; an address is expected", api,
                    rows->to == NULL ? "dst" : "src");
    if (rows->width > rows->to_pitch || rows->width > rows->from_pitch)
        return report_misuse(RULE_COPY, ACL_ERROR_INVALID_PARAM,
                             "%s: width is %zu; at most dpitch, %zu, and spitch, %zu, is expected", api,
                             rows->width, rows->to_pitch, rows->from_pitch);
    if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST &&
        kind != ACL_MEMCPY_DEVICE_TO_DEVICE && kind != ACL_MEMCPY_DEFAULT)
        return fail(ACL_ERROR_INVALID_PARAM,
                    "%s: kind is %d; host to device, device to host, device to device or default is expected",
                    api, (int)kind);
    return 0;
}

static int find_side(const char *api, const char *parameter, const void *address, size_t pitch,
                     const struct rows *rows, struct memory_side *side)
{
    size_t bytes;
    if (__builtin_mul_overflow(rows->height - 1, pitch, &bytes) ||
        __builtin_add_overflow(bytes, rows->width, &bytes))
        return report_misuse(RULE_COPY, ACL_ERROR_RT_PARAM_INVALID,
                             "%s: %zu rows with a pitch of %zu bytes exceed the address space at %s", api,
                             rows->height, pitch, parameter);
    return memory_side_find(api, parameter, address, bytes, side);
}

static int find_sides(const char *api, const struct rows *rows, struct memory_side *to,
                      struct memory_side *from)
{
    host_access_watch();
    TRY(find_side(api, "dst", rows->to, rows->to_pitch, rows, to));
    return find_side(api, "src", rows->from, rows->from_pitch, rows, from);
}

static void copy_rows(const struct rows *rows)
{
    unsigned char *to = (unsigned char *)memory_reach(rows->to);
    const unsigned char *from = (const unsigned char *)memory_reach(rows->from);
    if (rows->width == rows->to_pitch && rows->width == rows->from_pitch) {
        memmove(to, from, rows->width * rows->height);
        return;
    }
    for (size_t row = 0; row < rows->height; row++)
        memmove(to + row * rows->to_pitch, from + row * rows->from_pitch, rows->width);
}

/* Copies on the calling thread. Where the memory is, is looked up when a free sees that it is in use. */
static int copy_rows_now(const char *api, const struct rows *rows)
{
    struct memory_side to, from;
    _Atomic uint64_t *work = blocking_work_begin();
    int status = find_sides(api, rows, &to, &from);
    if (status == 0 && fault_is_awaited(1 << FAULT_AT_COPY))
        status = copy_struck(api, rows->width * rows->height);
    if (status == 0) {
        streams_start_queued();
        watch_copy_rows(api, rows->to, rows->to_pitch, rows->from, rows->from_pitch, rows->width,
                        rows->height);
        uint64_t begin_ns = trace_begin();
        copy_rows(rows);
        if (__builtin_expect(begin_ns != 0, 0))
            trace_blocking(api, begin_ns, rows->to, rows->from, rows->width * rows->height);
    }
    blocking_work_end(work);
    return status;
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemcpy2d";
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (width == 0 || height == 0)
        return 0;
    const struct rows rows = {
        .to = dst, .from = src, .to_pitch = dpitch, .from_pitch = spitch, .width = width, .height = height};
    TRY(check_arguments(api, &rows, kind));
    int32_t device;
    TRY(context_device(api, &device));
    TRY(capture_refuse_blocking(api));
    struct memory_side to, from;
    TRY(find_sides(api, &rows, &to, &from));
    /* Between host and device the direction is taken from the addresses; nothing else is supported. */
    bool to_device = to.place == MEMORY_DEVICE || to.is_mapped;
    bool from_device = from.place == MEMORY_DEVICE || from.is_mapped;
    bool crosses = (to_device && from.place != MEMORY_DEVICE) || (from_device && to.place != MEMORY_DEVICE) ||
                   (settings->host_pointers_allowed && !to_device && !from_device);
    if (kind == ACL_MEMCPY_DEVICE_TO_DEVICE || !crosses)
        return report_misuse(
            RULE_PLACE, ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "%s: kind is %d, dst is %s memory, src is %s memory; a copy between host and device is "
            "expected",
            api, (int)kind, to_device ? "device" : "host", from_device ? "device" : "host");
    return copy_rows_now(api, &rows);
}

/* What a task carries. */
struct queued_rows {
    struct rows rows;
    struct memory_side to, from;
};

/* No product overflows: find_side has looked. */
static uint64_t bytes_of(const struct rows *rows, size_t pitch)
{
    return (rows->height - 1) * pitch + rows->width;
}

static bool is_current(const struct task *task)
{
    struct queued_rows queued;
    memcpy(&queued, task->payload, sizeof queued);
    const struct rows *rows = &queued.rows;
    return memory_side_is_current(rows->to, bytes_of(rows, rows->to_pitch), &queued.to) &&
           memory_side_is_current(rows->from, bytes_of(rows, rows->from_pitch), &queued.from);
}

static int run_rows(struct task *task)
{
    struct queued_rows queued;
    memcpy(&queued, task->payload, sizeof queued);
    copy_rows(&queued.rows);
    return 0;
}

static void describe_rows(const struct task *task, struct access_visitor *visitor)
{
    struct queued_rows queued;
    memcpy(&queued, task->payload, sizeof queued);
    const struct rows *rows = &queued.rows;
    access_visit_rows(visitor, "src", ACCESS_READ | ACCESS_MOVED, rows->from, rows->width, rows->height,
                      rows->from_pitch);
    access_visit_rows(visitor, "dst", ACCESS_WRITTEN | ACCESS_MOVED, rows->to, rows->width, rows->height,
                      rows->to_pitch);
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream)
{
    TRACE_THIS_CALL;
    static const char api[] = "aclrtMemcpy2dAsync";
    const struct settings *settings;
    TRY(settings_get(&settings));
    if (width == 0 || height == 0)
        return 0;
    const struct rows rows = {
        .to = dst, .from = src, .to_pitch = dpitch, .from_pitch = spitch, .width = width, .height = height};
    TRY(check_arguments(api, &rows, kind));
    int32_t device;
    TRY(stream_device(api, stream, &device));
    struct queued_rows queued = {.rows = rows};
    struct task task = {.run = run_rows,
                        .is_current = is_current,
                        .describe = describe_rows,
                        .cost_ns = copy_cost_ns(width * height)};
    int status;
    do {
        TRY(find_sides(api, &rows, &queued.to, &queued.from));
        TRY(copy_check_kind(api, kind, &queued.to, &queued.from));
        if (queued.to.place == MEMORY_UNKNOWN || queued.from.place == MEMORY_UNKNOWN) {
            /* The program may change or free such memory as soon as this returns. */
            bool drops;
            TRY(stream_finish(api, stream, &drops));
            return drops ? 0 : copy_rows_now(api, &rows);
        }
        memcpy(task.payload, &queued, sizeof queued);
        status = stream_submit(api, stream, &task);
    } while (status == STREAM_OUTDATED);
    return status;
}
