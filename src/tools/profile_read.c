/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes a profile of the timeline in its folder: what ran on the devices between its begin and its end, and
 * which call launched it.
 */
#include "tools/profile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl_base.h"
#include "runtime/tasks/access.h"
#include "runtime/profiling/profile_folder.h"
#include "tensor/dtype.h"

uint64_t profile_time(const struct profile *profile, uint64_t monotonic_ns)
{
    const struct trace_clocks *begin = &profile->head->profile_begin, *end = &profile->head->profile_end;
    int64_t since = (int64_t)(monotonic_ns - begin->monotonic_ns);
    /* Programs take their own times by the raw clock, from which the monotonic one is moved away bit by bit.
     */
    int64_t monotonic = (int64_t)(end->monotonic_ns - begin->monotonic_ns);
    int64_t drift = (int64_t)(end->raw_ns - begin->raw_ns) - monotonic;
    if (monotonic > 0)
        since += (int64_t)((double)drift / (double)monotonic * (double)since);
    return begin->real_ns + (uint64_t)since;
}

bool profile_has(const struct profile *profile, uint64_t begin_ns, uint64_t end_ns)
{
    const struct trace_head *head = profile->head;
    return begin_ns >= head->profile_begin.monotonic_ns &&
           (head->profile_end.monotonic_ns == head->profile_begin.monotonic_ns || /* it never ended */
            end_ns <= head->profile_end.monotonic_ns);
}

const char *profile_task_type(enum task_kind kind)
{
    static const char *const types[] = {[TASK_COMPUTES] = "AI_CORE",    [TASK_COMMUNICATES] = "COMMUNICATION",
                                        [TASK_COPIES] = "MEMCPY_ASYNC", [TASK_RUNS_FUNCTION] = "CALLBACK",
                                        [TASK_WAITS] = "EVENT",         [TASK_RUNS_GRAPH] = "MODEL_EXECUTE",
                                        [TASK_MARKS] = "MSTX"};
    return types[kind];
}

static enum task_kind kind_of(const struct slice *slice)
{
    switch (slice->kind) {
    case SLICE_OPERATOR:
        return strncmp(slice->name, "Hccl", 4) == 0 ? TASK_COMMUNICATES : TASK_COMPUTES;
    case SLICE_COPY:
    case SLICE_SET:
        return TASK_COPIES;
    case SLICE_CALLBACK:
        return TASK_RUNS_FUNCTION;
    case SLICE_GRAPH:
        return TASK_RUNS_GRAPH;
    default:
        return strncmp(slice->name, "mstx", 4) == 0 || strncmp(slice->name, "aclprof", 7) == 0 ? TASK_MARKS
                                                                                               : TASK_WAITS;
    }
}

/* The name that devices have for a collective. */
static const char *collective_type(const char *api)
{
    static const struct {
        const char *api, *type;
    } types[] = {{"HcclAllReduce", "hcom_allReduce_"},
                 {"HcclBroadcast", "hcom_broadcast_"},
                 {"HcclAllGather", "hcom_allGather_"},
                 {"HcclAllGatherV", "hcom_allGatherV_"},
                 {"HcclReduceScatter", "hcom_reduceScatter_"},
                 {"HcclReduceScatterV", "hcom_reduceScatterV_"},
                 {"HcclReduce", "hcom_reduce_"},
                 {"HcclScatter", "hcom_scatter_"},
                 {"HcclAlltoAll", "hcom_alltoall_"},
                 {"HcclAlltoAllV", "hcom_alltoallv_"},
                 {"HcclAlltoAllVC", "hcom_alltoallvc_"},
                 {"HcclSend", "hcom_send_"},
                 {"HcclRecv", "hcom_receive_"},
                 {"HcclBatchSendRecv", "hcom_batchSendRecv_"},
                 {"HcclBarrier", "hcom_barrier_"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(api, types[i].api) == 0)
            return types[i].type;
    return api;
}

static void name_task(struct profile_task *task, uint32_t collectives)
{
    const char *api = task->slice->name, *type = api;
    switch (task->kind) {
    case TASK_COMPUTES:
        type = strncmp(api, "aclnn", 5) == 0 ? api + 5 : api;
        type = strncmp(type, "Inplace", 7) == 0 && type[7] != '\0' ? type + 7 : type;
        break;
    case TASK_COMMUNICATES:
        type = collective_type(api);
        break;
    case TASK_COPIES:
        type = task->slice->kind == SLICE_SET ? "MEMSET_ASYNC" : "MEMCPY_ASYNC";
        break;
    case TASK_WAITS:
        type = strstr(api, "Record") ? "EVENT_RECORD" : strstr(api, "Wait") ? "EVENT_WAIT" : "EVENT_RESET";
        break;
    default:
        break;
    }
    snprintf(task->type, sizeof task->type, "%.80s", type);
    if (task->kind == TASK_COMMUNICATES)
        snprintf(task->name, sizeof task->name, "%.70s_%" PRIu32 "_1", type, collectives);
    else
        snprintf(task->name, sizeof task->name, "%.80s", task->kind == TASK_COMPUTES ? api : type);
}

/* The call on the thread that submitted it, which lies around that time; it is found among those of its name.
 */
static void find_launch(const struct profile *profile, struct profile_task *task,
                        const struct submission *submission)
{
    const struct timeline *timeline = &profile->timeline;
    enum { CALLS_LOOKED_AT = 256 };
    task->host_track = submission->name ? submission->track : UINT32_MAX;
    task->host_ns = submission->name ? submission->time_ns : 0;
    if (!submission->name)
        return;
    size_t low = 0, high = timeline->slice_count;
    while (low < high) { /* the first slice that begins behind the submission */
        size_t middle = low + (high - low) / 2;
        if (timeline->slice[middle].begin_ns <= submission->time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, looked_at = 0; i-- > 0 && looked_at < CALLS_LOOKED_AT; looked_at++) {
        const struct slice *slice = &timeline->slice[i];
        if (slice->kind == SLICE_CALL && slice->track == submission->track && !slice->is_phase_1 &&
            slice->end_ns >= submission->time_ns && strcmp(slice->name, submission->name) == 0 &&
            profile_has(profile, slice->begin_ns, slice->end_ns)) {
            task->host_ns = slice->begin_ns;
            return;
        }
    }
}

static int compare_tasks(const void *first, const void *second)
{
    const struct profile_task *a = first, *b = second;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->slice == b->slice ? 0 : a->slice < b->slice ? -1 : 1; /* slices are in the order of time */
}

static bool has_tasks(const struct profile *profile)
{
    const uint64_t bits =
        UINT64_C(0x2) | UINT64_C(0x4) | UINT64_C(0x800); /* ACL_PROF_ TASK_TIME, AICORE_METRICS, _L0 */
    return (profile->head->profile_data & bits) != 0;
}

static bool is_wanted(const struct profile *profile, const struct slice *slice)
{
    const struct track *track = &profile->timeline.track[slice->track];
    return track->device >= 0 && track->device < 64 && slice->number != 0 && strcmp(slice->name, "?") != 0 &&
           (profile->head->profile_devices >> track->device & 1) != 0 &&
           (slice->flags & TRACE_RUN_DROPPED) == 0 && !slice->has_not_ended &&
           profile_has(profile, slice->begin_ns, slice->end_ns) &&
           (has_tasks(profile) || kind_of(slice) == TASK_MARKS);
}

static bool take_tasks(struct profile *profile)
{
    const struct timeline *timeline = &profile->timeline;
    profile->task = calloc(timeline->slice_count + 1, sizeof *profile->task);
    const struct submission **graph = calloc(timeline->track_count + 1, sizeof *graph);
    for (size_t i = 0; profile->task && graph && i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        const struct submission *submission = timeline_submission(timeline, slice->number);
        if (slice->kind == SLICE_GRAPH)
            graph[slice->track] = submission; /* the steps of the run follow */
        if (!is_wanted(profile, slice))
            continue;
        struct profile_task *task = &profile->task[profile->task_count++];
        task->slice = slice;
        task->submission = submission;
        task->device = timeline->track[slice->track].device;
        task->stream = timeline->track[slice->track].id;
        task->kind = kind_of(slice);
        task->begin_ns = profile_time(profile, slice->begin_ns);
        task->end_ns = profile_time(profile, slice->end_ns);
        bool is_step = (slice->flags & TRACE_RUN_STEP) != 0;
        if (!is_step || graph[slice->track])
            find_launch(profile, task, is_step ? graph[slice->track] : submission);
        else
            task->host_track = UINT32_MAX;
        if (task->host_track != UINT32_MAX)
            task->host_ns = profile_time(profile, task->host_ns);
    }
    bool is_good = profile->task && graph;
    free(graph);
    return is_good;
}

static void put_in_order(struct profile *profile)
{
    uint32_t collectives = 0;
    if (profile->task_count > 0)
        qsort(profile->task, profile->task_count, sizeof *profile->task, compare_tasks);
    for (size_t i = 0; i < profile->task_count; i++) {
        struct profile_task *task = &profile->task[i];
        const struct profile_task *before = i > 0 ? task - 1 : NULL;
        name_task(task, collectives);
        collectives += task->kind == TASK_COMMUNICATES;
        if (before && before->device == task->device && before->stream == task->stream &&
            task->begin_ns > before->end_ns)
            task->wait_ns = task->begin_ns - before->end_ns;
    }
}

bool profile_read(const char *folder, struct profile *profile, const char **why)
{
    char path[PATH_MAX];
    *profile = (struct profile){0};
    int length = snprintf(path, sizeof path, "%s/host/data/" PROFILE_TIMELINE, folder);
    *why = "its name is too long";
    if (length < 0 || (size_t)length >= sizeof path || !timeline_read(path, &profile->timeline, why))
        return false;
    profile->head = profile->timeline.head;
    *why = "it is no profile that aclprofStart has begun";
    bool is_good = profile->head->profile_begin.monotonic_ns != 0;
    if (is_good && !take_tasks(profile)) {
        *why = "there is not enough memory";
        is_good = false;
    }
    if (!is_good) {
        profile_destroy(profile);
        return false;
    }
    put_in_order(profile);
    time_t seconds = (time_t)(profile->head->profile_begin.real_ns / 1000000000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    strftime(profile->stamp, sizeof profile->stamp, "%Y%m%d%H%M%S", &parts);
    return true;
}

void profile_destroy(struct profile *profile)
{
    timeline_destroy(&profile->timeline);
    free(profile->task);
    *profile = (struct profile){0};
}

static int write_operand(const struct trace_operand *operand, enum operand_text what, char *text,
                         size_t bytes)
{
    bool has_dtype = operand->dtype != ACL_DT_UNDEFINED;
    if (what == OPERAND_FORMATS)
        return snprintf(text, bytes, "ND");
    if (what == OPERAND_DTYPES) {
        const char *name = has_dtype ? dtype_name((aclDataType)operand->dtype) : NULL;
        return snprintf(text, bytes, "%s", name ? name : has_dtype ? "?" : "UINT8");
    }
    int length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < operand->rank && i < TRACE_RANK_MAX && (size_t)length < bytes; i++)
        length += snprintf(text + length, bytes - (size_t)length, "%s%" PRId64, i > 0 ? "," : "",
                           operand->shape[i]);
    return length;
}

void profile_operands(const struct profile *profile, const struct profile_task *task, uint32_t mode,
                      enum operand_text what, char *text, size_t bytes)
{
    size_t length = 0;
    bool is_first = true;
    text[0] = '\0';
    for (uint32_t i = 0; i < task->submission->operand_count && length + 1 < bytes; i++) {
        const struct trace_operand *operand = profile->timeline.operand[task->submission->first_operand + i];
        if ((operand->mode & mode) == 0)
            continue;
        if (!is_first) {
            text[length++] = ';';
            text[length] = '\0';
        }
        is_first = false;
        if (length + 1 < bytes) {
            int more = write_operand(operand, what, text + length, bytes - length);
            length += more > 0 ? (size_t)more : 0;
        }
    }
}

void profile_write_us(FILE *file, uint64_t ns)
{
    fprintf(file, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}
