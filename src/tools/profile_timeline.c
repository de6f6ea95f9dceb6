/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The timeline of a profile in the trace event format, as a list of events. The analysis of PyTorch for
 * Ascend takes it over into its own, and finds by the arrows HostToDevice which of its operators launched
 * what.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tasks/access.h"
#include "tools/json_text.h"
#include "tools/profile.h"

/* Processes: the program's number, a kind, and the device. PyTorch's own have the kinds 0 and 1. */
enum { KIND_SHIFT = 6, PROCESS_SHIFT = 12, TEXT = 4096 };
enum process_kind {
    KIND_CALLS = 5,
    KIND_MARKS = 6,
    KIND_HARDWARE = 13,
    KIND_COMMUNICATION = 15,
    KIND_OVERLAP = 29
};

struct writer {
    const struct profile *profile;
    FILE *file;
    const char *separator;
};

static uint64_t process_of(const struct writer *writer, enum process_kind kind, int32_t device)
{
    return (uint64_t)writer->profile->head->process << PROCESS_SHIFT | (uint64_t)kind << KIND_SHIFT |
           (uint64_t)device;
}

static void begin_event(struct writer *writer, const char *phase, uint64_t process, uint32_t thread)
{
    fprintf(writer->file, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32, writer->separator, phase,
            process, thread);
    writer->separator = ",\n";
}

static void name(struct writer *writer, const char *what, uint64_t process, uint32_t thread, const char *text)
{
    begin_event(writer, "M", process, thread);
    fprintf(writer->file, ",\"name\":\"%s\",\"args\":{\"%s\":", what,
            strcmp(what, "process_labels") == 0 ? "labels" : "name");
    json_write_text(writer->file, text);
    fputs("}}", writer->file);
}

static void sort(struct writer *writer, const char *what, uint64_t process, uint32_t thread, uint32_t index)
{
    begin_event(writer, "M", process, thread);
    fprintf(writer->file, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRIu32 "}}", what, index);
}

static void name_process(struct writer *writer, enum process_kind kind, int32_t device, const char *text)
{
    char label[16] = "CPU";
    uint64_t process = process_of(writer, kind, device);
    if (kind >= KIND_HARDWARE)
        snprintf(label, sizeof label, "NPU %" PRId32, device);
    name(writer, "process_name", process, 0, text);
    name(writer, "process_labels", process, 0, label);
    sort(writer, "process_sort_index", process, 0, (uint32_t)kind);
}

static void name_thread(struct writer *writer, enum process_kind kind, int32_t device, uint32_t thread,
                        const char *text)
{
    uint64_t process = process_of(writer, kind, device);
    name(writer, "thread_name", process, thread, text);
    sort(writer, "thread_sort_index", process, thread, thread);
}

/* A slice, up to its arguments; times are texts, because numbers of this size lose their last digits. */
static void begin_slice(struct writer *writer, uint64_t process, uint32_t thread, const char *text,
                        const char *more, uint64_t begin_ns, uint64_t end_ns)
{
    begin_event(writer, "X", process, thread);
    fputs(",\"ts\":\"", writer->file);
    profile_write_us(writer->file, begin_ns);
    fputs("\",\"dur\":", writer->file);
    profile_write_us(writer->file, end_ns - begin_ns);
    fputs(",\"name\":", writer->file);
    char whole[TRACE_MESSAGE_MAX + 32];
    snprintf(whole, sizeof whole, "%s%.1023s", more, text);
    json_write_text(writer->file, whole);
    fputs(",\"args\":{", writer->file);
}

static void write_arrow_end(struct writer *writer, const char *phase, uint64_t process, uint32_t thread,
                            uint32_t number, uint64_t time_ns)
{
    begin_event(writer, phase, process, thread);
    fprintf(writer->file,
            ",\"bp\":\"e\",\"cat\":\"HostToDevice\",\"name\":\"HostToDevice%" PRIu32 "\",\"id\":\"%" PRIu32
            "\",\"ts\":\"",
            number, number);
    profile_write_us(writer->file, time_ns);
    fputs("\"}", writer->file);
}

static void write_calls(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    const struct timeline *timeline = &profile->timeline;
    uint64_t process = process_of(writer, KIND_CALLS, 0);
    name_process(writer, KIND_CALLS, 0, "CANN");
    for (size_t i = 0; i < timeline->track_count; i++) {
        char text[32];
        if (timeline->track[i].device >= 0)
            continue;
        snprintf(text, sizeof text, "Thread %" PRIu32, timeline->track[i].id);
        name_thread(writer, KIND_CALLS, 0, timeline->track[i].id, text);
    }
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        const struct track *track = &timeline->track[slice->track];
        char text[TRACE_TEXT_MAX + 32];
        if (slice->kind != SLICE_CALL || slice->has_not_ended || track->device >= 0 ||
            !profile_has(profile, slice->begin_ns, slice->end_ns))
            continue;
        snprintf(text, sizeof text, "%s%s", slice->name, slice->is_phase_1 ? "GetWorkspaceSize" : "");
        begin_slice(writer, process, track->id, text, "AscendCL@", profile_time(profile, slice->begin_ns),
                    profile_time(profile, slice->end_ns));
        fprintf(writer->file, "\"Level\":\"acl\",\"Thread Id\":%" PRIu32 "}}", track->id);
    }
}

static void write_operands(struct writer *writer, const struct profile_task *task, uint32_t mode,
                           const char *heading)
{
    static const char *const words[] = {"Shapes", "Data Types", "Formats"};
    char text[TEXT];
    for (enum operand_text what = OPERAND_SHAPES; what <= OPERAND_FORMATS; what++) {
        profile_operands(writer->profile, task, mode, what, text, sizeof text);
        if (text[0] == '\0')
            continue;
        fprintf(writer->file, ",\"%s %s\":", heading, words[what]);
        json_write_text(writer->file, text);
    }
}

static void write_task(struct writer *writer, const struct profile_task *task)
{
    const struct timeline *timeline = &writer->profile->timeline;
    uint64_t process = process_of(writer, KIND_HARDWARE, task->device);
    begin_slice(writer, process, task->stream, task->name, "", task->begin_ns, task->end_ns);
    fprintf(writer->file,
            "\"Model Id\":4294967295,\"Task Type\":\"%s\",\"Stream Id\":%" PRIu32 ",\"Task Id\":%" PRIu32
            ",\"connection_id\":%" PRIu32,
            profile_task_type(task->kind), task->stream, task->slice->number, task->slice->number);
    if (task->kind == TASK_COMPUTES || task->kind == TASK_COMMUNICATES) {
        write_operands(writer, task, ACCESS_READ, "Input");
        write_operands(writer, task, ACCESS_WRITTEN, "Output");
    }
    fputs("}}", writer->file);
    if (task->kind == TASK_COMMUNICATES) {
        begin_slice(writer, process_of(writer, KIND_COMMUNICATION, task->device), task->stream, task->name,
                    "", task->begin_ns, task->end_ns);
        fprintf(writer->file, "\"connection_id\":%" PRIu32 ",\"model id\":4294967295}}", task->slice->number);
    }
    if (task->host_track == UINT32_MAX)
        return;
    /* A step of a graph has no number in the arrows of its own launch: those of one run would be one. */
    uint32_t number = (uint32_t)(task - writer->profile->task) + 1;
    write_arrow_end(writer, "s", process_of(writer, KIND_CALLS, 0), timeline->track[task->host_track].id,
                    number, task->host_ns);
    write_arrow_end(writer, "f", process, task->stream, number, task->begin_ns);
}

static void write_overlap(struct writer *writer, int32_t device)
{
    struct overlap overlap;
    if (!profile_overlap(writer->profile, device, &overlap))
        return;
    const struct {
        const char *name;
        const struct interval *interval;
        size_t count;
    } rows[] = {{"Computing", overlap.computing, overlap.computing_count},
                {"Communication", overlap.communicating, overlap.communicating_count},
                {"Communication(Not Overlapped)", overlap.not_overlapped, overlap.not_overlapped_count},
                {"Free", overlap.free, overlap.free_count}};
    name_process(writer, KIND_OVERLAP, device, "Overlap Analysis");
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name_thread(writer, KIND_OVERLAP, device, i, rows[i].name);
        for (size_t k = 0; k < rows[i].count; k++) {
            begin_slice(writer, process_of(writer, KIND_OVERLAP, device), i, rows[i].name, "",
                        rows[i].interval[k].begin_ns, rows[i].interval[k].end_ns);
            fputs("}}", writer->file);
        }
    }
    profile_overlap_destroy(&overlap);
}

/* The streams of a device, named; its tasks lie together. */
static void write_device(struct writer *writer, size_t first, size_t count)
{
    const struct profile_task *task = &writer->profile->task[first];
    bool communicates = false;
    char text[48];
    name_process(writer, KIND_HARDWARE, task->device, "Ascend Hardware");
    for (size_t i = 0; i < count; i++) {
        communicates = communicates || task[i].kind == TASK_COMMUNICATES;
        if (i > 0 && task[i].stream == task[i - 1].stream)
            continue;
        snprintf(text, sizeof text, "Stream %" PRIu32, task[i].stream);
        name_thread(writer, KIND_HARDWARE, task->device, task[i].stream, text);
    }
    if (communicates)
        name_process(writer, KIND_COMMUNICATION, task->device, "Communication");
    for (size_t i = 0; i < count; i++)
        if (task[i].kind != TASK_MARKS)
            write_task(writer, &task[i]);
    write_overlap(writer, task->device);
}

/* The task of a mark; NULL where it has none, or none that was collected. */
static const struct slice *slice_of(const struct timeline *timeline, uint32_t number)
{
    const struct submission *submission = timeline_submission(timeline, number);
    return number != 0 && submission->slice != 0 ? &timeline->slice[submission->slice - 1] : NULL;
}

static void write_mark(struct writer *writer, const struct mark *mark)
{
    const struct profile *profile = writer->profile;
    const struct timeline *timeline = &profile->timeline;
    uint32_t thread = timeline->track[mark->track].id;
    begin_slice(writer, process_of(writer, KIND_MARKS, 0), thread, mark->message, "",
                profile_time(profile, mark->begin_ns), profile_time(profile, mark->end_ns));
    fputs("\"domain\":", writer->file);
    json_write_text(writer->file, mark->domain);
    fprintf(writer->file, ",\"event_type\":\"%s\"}}", mark->end_ns > mark->begin_ns ? "start/end" : "marker");
    const struct slice *from = slice_of(timeline, mark->number);
    const struct slice *to = mark->end_ns > mark->begin_ns ? slice_of(timeline, mark->end_number) : from;
    if (!from || !to || timeline->track[from->track].device < 0 ||
        !profile_has(profile, from->begin_ns, to->end_ns))
        return;
    uint64_t end_ns = to == from ? from->end_ns : to->begin_ns > from->end_ns ? to->begin_ns : from->end_ns;
    begin_slice(writer, process_of(writer, KIND_HARDWARE, timeline->track[from->track].device),
                timeline->track[from->track].id, mark->message, "", profile_time(profile, from->begin_ns),
                profile_time(profile, end_ns));
    fputs("\"domain\":", writer->file);
    json_write_text(writer->file, mark->domain);
    fprintf(writer->file, ",\"Task Type\":\"%s\"}}", profile_task_type(TASK_MARKS));
}

void profile_write_timeline(const struct profile *profile, FILE *file)
{
    struct writer writer = {profile, file, ""};
    fputs("[", file);
    write_calls(&writer);
    for (size_t first = 0, i = 1; i <= profile->task_count; i++)
        if (i == profile->task_count || profile->task[i].device != profile->task[first].device) {
            write_device(&writer, first, i - first);
            first = i;
        }
    bool has_marks = false;
    for (size_t i = 0; i < profile->timeline.mark_count; i++) {
        const struct mark *mark = &profile->timeline.mark[i];
        if (!profile_has(profile, mark->begin_ns, mark->end_ns))
            continue;
        if (!has_marks)
            name_process(&writer, KIND_MARKS, 0, "MSTX");
        has_marks = true;
        write_mark(&writer, mark);
    }
    fputs("]\n", file);
}
