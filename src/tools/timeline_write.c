/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Writes a timeline in the trace event format, which Perfetto and chrome://tracing open: docs/trace.md says
 * what stands for what.
 */
#include "tools/json_text.h"
#include "tools/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "runtime/tasks/access.h"
#include "tensor/dtype.h"

/* Devices are processes of the format, beyond the numbers that processes of Linux can have. */
enum { DEVICE_PROCESS = (1 << 22) + 1 };

struct writer {
    const struct timeline *timeline;
    FILE *file;
    const char *separator;          /* before the next event */
    const char *argument_separator; /* before the next one of its arguments */
};

static uint32_t process_of(const struct timeline *timeline, int32_t device)
{
    return device < 0 ? timeline->head->process : (uint32_t)(DEVICE_PROCESS + device);
}

/* Streams are counted from 1, because viewers have their own idea of a thread 0. */
static uint32_t thread_of(const struct track *track)
{
    return track->device < 0 ? track->id : track->id + 1;
}

/* Microseconds since the beginning, with all digits there are. */
static void write_time(const struct writer *writer, const char *name, uint64_t time_ns)
{
    fprintf(writer->file, ",\"%s\":%" PRIu64 ".%03u", name, time_ns / 1000, (unsigned)(time_ns % 1000));
}

/* The members that every event has; the caller goes on and closes it. */
static void begin_event(struct writer *writer, const char *phase, uint32_t process, uint32_t thread)
{
    fprintf(writer->file, "%s{\"ph\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, writer->separator, phase,
            process, thread);
    writer->separator = ",\n";
}

static void begin_event_at(struct writer *writer, const char *phase, const struct track *track,
                           uint64_t time_ns)
{
    begin_event(writer, phase, process_of(writer->timeline, track->device), thread_of(track));
    write_time(writer, "ts", time_ns - writer->timeline->begin_ns);
}

static void write_name(struct writer *writer, const char *what, uint32_t process, uint32_t thread,
                       const char *name)
{
    begin_event(writer, "M", process, thread);
    fprintf(writer->file, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    json_write_text(writer->file, name);
    fputs("}}", writer->file);
}

static void write_order(struct writer *writer, const char *what, uint32_t process, uint32_t thread,
                        uint32_t order)
{
    begin_event(writer, "M", process, thread);
    fprintf(writer->file, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu32 "}}", what, order);
}

static void write_tracks(struct writer *writer)
{
    const struct timeline *timeline = writer->timeline;
    bool is_named[65] = {false}; /* the process, and devices */
    char text[160];
    write_name(writer, "process_name", timeline->head->process, 0, timeline->head->program);
    write_order(writer, "process_sort_index", timeline->head->process, 0, 0);
    for (size_t i = 0; i < timeline->track_count; i++) {
        const struct track *track = &timeline->track[i];
        uint32_t process = process_of(timeline, track->device);
        if (track->device >= 0 && track->device < 64 && !is_named[track->device]) {
            is_named[track->device] = true;
            snprintf(text, sizeof text, "device %" PRId32, track->device);
            write_name(writer, "process_name", process, 0, text);
            write_order(writer, "process_sort_index", process, 0, (uint32_t)track->device + 1);
        }
        if (track->device < 0)
            snprintf(text, sizeof text, "%.64s", track->name);
        else
            snprintf(text, sizeof text, "stream %" PRIu32 "%s", track->id,
                     track->is_default ? " (default)" : "");
        write_name(writer, "thread_name", process, thread_of(track), text);
        write_order(writer, "thread_sort_index", process, thread_of(track), thread_of(track));
    }
}

/* "FLOAT [2, 3]", or bytes and what memory they lie in. */
static void write_operand(FILE *file, const struct trace_operand *operand)
{
    static const char *const places[] = {"host", "pinned host", "device"};
    if (operand->dtype == ACL_DT_UNDEFINED) {
        fprintf(file, "\"%s memory 0x%" PRIx64 "\"",
                places[operand->place <= TRACE_PLACE_DEVICE ? operand->place : 0], operand->address);
        return;
    }
    const char *name = dtype_name((aclDataType)operand->dtype);
    fprintf(file, "\"%s [", name ? name : "?");
    for (uint32_t i = 0; i < operand->rank; i++)
        if (i < TRACE_RANK_MAX)
            fprintf(file, "%s%" PRId64, i > 0 ? ", " : "", operand->shape[i]);
    fputs(operand->rank > TRACE_RANK_MAX ? ", ...]\"" : "]\"", file);
}

/* The name of another argument, behind a comma where it is not the first. */
static void name_argument(struct writer *writer, const char *name)
{
    fprintf(writer->file, "%s\"%s\":", writer->argument_separator, name);
    writer->argument_separator = ",";
}

/* Whether operands i and j are parts of one parameter, of which some operators read or write several. */
static bool are_parts(const struct writer *writer, const struct submission *submission, uint32_t i,
                      uint32_t j, uint32_t mode)
{
    const struct trace_operand *const *operand = &writer->timeline->operand[submission->first_operand];
    return i < submission->operand_count && j < submission->operand_count && (operand[j]->mode & mode) != 0 &&
           operand[i]->name == operand[j]->name && operand[i]->element == 0;
}

/* The operands that are read, or written, as an object; nothing when there are none. */
static void write_operands(struct writer *writer, const struct submission *submission, const char *heading,
                           uint32_t mode)
{
    const char *separator = "{";
    uint32_t part = 0;
    for (uint32_t i = 0; i < submission->operand_count; i++) {
        const struct trace_operand *operand = writer->timeline->operand[submission->first_operand + i];
        if ((operand->mode & mode) == 0)
            continue;
        if (*separator == '{')
            name_argument(writer, heading);
        fputs(separator, writer->file);
        separator = ",";
        char name[TRACE_TEXT_MAX + 16];
        const char *parameter = timeline_text(writer->timeline, operand->name);
        bool goes_on = i > 0 && are_parts(writer, submission, i, i - 1, mode);
        part = goes_on ? part + 1 : 0;
        if (goes_on || are_parts(writer, submission, i, i + 1, mode))
            snprintf(name, sizeof name, "%s[%" PRIu32 "]", parameter, part);
        else if (operand->element > 0)
            snprintf(name, sizeof name, "%s[%" PRIu32 "]", parameter, operand->element - 1);
        else
            snprintf(name, sizeof name, "%s", parameter);
        json_write_text(writer->file, name);
        putc(':', writer->file);
        write_operand(writer->file, operand);
    }
    if (*separator == ',')
        putc('}', writer->file);
}

/* How many bytes are copied or set, and in which direction. */
static void write_amount(struct writer *writer, const struct submission *submission, enum slice_kind kind)
{
    const char *direction = kind == SLICE_COPY ? copy_direction(writer->timeline, submission) : NULL;
    name_argument(writer, "bytes");
    fprintf(writer->file, "%" PRIu64, operand_bytes(writer->timeline->operand[submission->first_operand]));
    if (direction) {
        name_argument(writer, "direction");
        fprintf(writer->file, "\"%s\"", direction);
    }
}

/* Writes of a collective, whose operands are plain bytes, how many it reads, or writes where those are
 * more. */
static void write_exchanged(struct writer *writer, const struct submission *submission)
{
    const struct trace_operand *const *operand = &writer->timeline->operand[submission->first_operand];
    uint64_t reads = 0, writes = 0;
    if (operand[0]->dtype != ACL_DT_UNDEFINED)
        return;
    for (uint32_t i = 0; i < submission->operand_count; i++)
        *((operand[i]->mode & ACCESS_WRITTEN) != 0 ? &writes : &reads) += operand_bytes(operand[i]);
    name_argument(writer, "bytes");
    fprintf(writer->file, "%" PRIu64, reads > writes ? reads : writes);
}

static void write_task(struct writer *writer, const struct slice *slice)
{
    if ((slice->flags & TRACE_RUN_DROPPED) != 0) {
        name_argument(writer, "dropped");
        fputs("true", writer->file);
    }
    if (slice->status != 0) {
        name_argument(writer, "status");
        fprintf(writer->file, "%" PRId32, slice->status);
    }
    name_argument(writer, "task");
    fprintf(writer->file, "%" PRIu32, slice->number);
    name_argument(writer, "run by thread");
    fprintf(writer->file, "%" PRIu32, writer->timeline->track[slice->thread].id);
}

static void write_arguments(struct writer *writer, const struct slice *slice)
{
    const struct submission *submission = timeline_submission(writer->timeline, slice->number);
    fputs(",\"args\":{", writer->file);
    writer->argument_separator = "";
    if (slice->number != 0 && submission->operand_count > 0) {
        if (slice->kind == SLICE_COPY || slice->kind == SLICE_SET)
            write_amount(writer, submission, slice->kind);
        if (slice->kind == SLICE_OPERATOR)
            write_exchanged(writer, submission);
        write_operands(writer, submission, "reads", ACCESS_READ);
        write_operands(writer, submission, "writes", ACCESS_WRITTEN);
    }
    if (slice->has_not_ended) {
        name_argument(writer, "never ended");
        fputs("true", writer->file);
    }
    if (writer->timeline->track[slice->track].device >= 0)
        write_task(writer, slice);
    putc('}', writer->file);
}

/* An arrow from one point to another; to lies in its slice, and in time behind from. */
static void write_arrow(struct writer *writer, const char *name, uint32_t number, const struct track *from,
                        uint64_t from_ns, const struct slice *to)
{
    uint64_t to_ns = to->begin_ns > from_ns ? to->begin_ns : from_ns;
    if (to_ns > to->end_ns)
        return;
    begin_event_at(writer, "s", from, from_ns);
    fprintf(writer->file, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu32 "}", name, name, number);
    begin_event_at(writer, "f", &writer->timeline->track[to->track], to_ns);
    fprintf(writer->file, ",\"bp\":\"e\",\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRIu32 "}", name, name,
            number);
}

/* What leads to a task: its submission, and the record of the event that it waits for; and its callback. */
static void write_arrows(struct writer *writer, const struct slice *slice)
{
    const struct timeline *timeline = writer->timeline;
    const struct submission *submission = timeline_submission(timeline, slice->number);
    const struct track *track = &timeline->track[slice->track];
    if (!submission->name || (slice->flags & TRACE_RUN_STEP) != 0)
        return;
    write_arrow(writer, "submit", slice->number, &timeline->track[submission->track], submission->time_ns,
                slice);
    const struct submission *recorded = timeline_submission(timeline, submission->waits_for);
    if (submission->waits_for != 0 && recorded->slice != 0) {
        const struct slice *record = &timeline->slice[recorded->slice - 1];
        write_arrow(writer, "event", slice->number, &timeline->track[record->track], record->begin_ns, slice);
    }
    if (submission->called != 0)
        write_arrow(writer, "callback", slice->number, track, slice->begin_ns,
                    &timeline->slice[submission->called - 1]);
}

static void write_slice(struct writer *writer, const struct slice *slice)
{
    char name[TRACE_TEXT_MAX + 32];
    snprintf(name, sizeof name, "%s%s", slice->name, slice->is_phase_1 ? "GetWorkspaceSize" : "");
    begin_event_at(writer, "X", &writer->timeline->track[slice->track], slice->begin_ns);
    write_time(writer, "dur", slice->end_ns - slice->begin_ns);
    fprintf(writer->file, ",\"cat\":\"%s\",\"name\":", slice_kind_name(slice->kind));
    json_write_text(writer->file, name);
    write_arguments(writer, slice);
    putc('}', writer->file);
}

static void write_level(struct writer *writer, const struct level *level)
{
    begin_event(writer, "C", process_of(writer->timeline, level->device), 0);
    write_time(writer, "ts",
               level->time_ns > writer->timeline->begin_ns ? level->time_ns - writer->timeline->begin_ns : 0);
    fprintf(writer->file, ",\"name\":\"%s\",\"args\":{\"bytes\":%" PRIu64 "}}",
            level->device < 0 ? "pinned memory in use" : "memory in use", level->bytes);
}

/* Ranges may overlap one another in any way, and so are events of their own kind beside the slices. */
static void write_mark(struct writer *writer, const struct mark *mark, size_t index)
{
    const struct track *track = &writer->timeline->track[mark->track];
    bool is_range = mark->end_ns > mark->begin_ns;
    for (int end = 0; end <= is_range; end++) {
        begin_event_at(writer, !is_range ? "i" : end ? "e" : "b", track, end ? mark->end_ns : mark->begin_ns);
        fputs(is_range ? ",\"cat\":\"range\",\"name\":" : ",\"cat\":\"mark\",\"s\":\"t\",\"name\":",
              writer->file);
        json_write_text(writer->file, mark->message);
        if (is_range)
            fprintf(writer->file, ",\"id\":%zu", index + 1);
        fputs(",\"args\":{\"domain\":", writer->file);
        json_write_text(writer->file, mark->domain);
        if (mark->number != 0)
            fprintf(writer->file, ",\"task\":%" PRIu32, end ? mark->end_number : mark->number);
        fputs("}}", writer->file);
    }
}

bool timeline_write(const struct timeline *timeline, FILE *file)
{
    struct writer writer = {.timeline = timeline, .file = file, .separator = ""};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":", file);
    json_write_text(file, timeline->head->program);
    fprintf(file, ",\"lost\":%" PRIu64 "},\"traceEvents\":[\n", atomic_load(&timeline->head->lost));
    write_tracks(&writer);
    size_t level = 0;
    for (size_t i = 0; i < timeline->slice_count; i++) {
        for (; level < timeline->level_count && timeline->level[level].time_ns <= timeline->slice[i].begin_ns;
             level++)
            write_level(&writer, &timeline->level[level]);
        write_slice(&writer, &timeline->slice[i]);
    }
    for (; level < timeline->level_count; level++)
        write_level(&writer, &timeline->level[level]);
    for (size_t i = 0; i < timeline->slice_count; i++)
        if (timeline->track[timeline->slice[i].track].device >= 0)
            write_arrows(&writer, &timeline->slice[i]);
    for (size_t i = 0; i < timeline->mark_count; i++)
        write_mark(&writer, &timeline->mark[i], i);
    fputs("\n]}\n", file);
    return fflush(file) == 0 && !ferror(file);
}
