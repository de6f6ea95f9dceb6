/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tables of a profile. Names of columns are those that the readers look for. Times that lie since 1970
 * end with a tabulator, as spreadsheets would round them otherwise.
 */
#include "tools/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/tasks/access.h"

enum { TEXT = 4096 };

/* A text in quotes where it has what separates or quotes. */
static void write_text(FILE *file, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void write_moment(FILE *file, uint64_t ns)
{
    profile_write_us(file, ns);
    putc('\t', file);
}

/* Shapes, which devices' tables have in quotes of their own, dtypes and formats. */
static void write_operands(const struct profile *profile, const struct profile_task *task, uint32_t mode,
                           FILE *file)
{
    char text[TEXT], quoted[TEXT + 2];
    for (enum operand_text what = OPERAND_SHAPES; what <= OPERAND_FORMATS; what++) {
        putc(',', file);
        profile_operands(profile, task, mode, what, text, sizeof text);
        if (what == OPERAND_SHAPES) {
            snprintf(quoted, sizeof quoted, "\"%s\"", text);
            write_text(file, quoted);
        } else {
            write_text(file, text);
        }
    }
}

void profile_write_op_summary(const struct profile *profile, FILE *file)
{
    fputs("Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),"
          "Task Duration(us),Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,"
          "Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats,Context ID\n",
          file);
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        if (task->kind != TASK_COMPUTES && task->kind != TASK_COMMUNICATES)
            continue;
        fprintf(file, "%" PRId32 ",4294967295,%" PRIu32 ",%" PRIu32 ",", task->device, task->slice->number,
                task->stream);
        write_text(file, task->name);
        putc(',', file);
        write_text(file, task->type);
        fprintf(file, ",dynamic,%s,", profile_task_type(task->kind));
        write_moment(file, task->begin_ns);
        putc(',', file);
        profile_write_us(file, task->end_ns - task->begin_ns);
        putc(',', file);
        profile_write_us(file, task->wait_ns);
        fputs(",1,0,NO", file);
        write_operands(profile, task, ACCESS_READ, file);
        write_operands(profile, task, ACCESS_WRITTEN, file);
        fputs(",N/A\n", file);
    }
}

/* What a table counts by name. */
struct row {
    const char *name, *kind;
    int32_t device;
    bool is_phase_1;
    uint64_t count, total_ns, least_ns, most_ns;
    double squares;
};

static int compare_rows(const void *first, const void *second)
{
    const struct row *a = first, *b = second;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    int order = strcmp(a->name, b->name);
    return order ? order : (int)a->is_phase_1 - (int)b->is_phase_1;
}

static int compare_totals(const void *first, const void *second)
{
    const struct row *a = first, *b = second;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->total_ns == b->total_ns ? compare_rows(a, b) : a->total_ns < b->total_ns ? 1 : -1;
}

/* Brings rows of one name together; how many are left. Those with the most time come first. */
static size_t merge_rows(struct row *row, size_t count)
{
    size_t left = 0;
    if (count > 0)
        qsort(row, count, sizeof *row, compare_rows);
    for (size_t i = 0; i < count; i++) {
        if (left > 0 && compare_rows(&row[left - 1], &row[i]) == 0) {
            struct row *into = &row[left - 1];
            into->count++;
            into->total_ns += row[i].total_ns;
            into->squares += row[i].squares;
            into->least_ns = row[i].least_ns < into->least_ns ? row[i].least_ns : into->least_ns;
            into->most_ns = row[i].most_ns > into->most_ns ? row[i].most_ns : into->most_ns;
        } else {
            row[left++] = row[i];
        }
    }
    if (left > 0)
        qsort(row, left, sizeof *row, compare_totals);
    return left;
}

static struct row row_of(const char *name, const char *kind, int32_t device, uint64_t ns)
{
    return (struct row){.name = name,
                        .kind = kind,
                        .device = device,
                        .count = 1,
                        .total_ns = ns,
                        .least_ns = ns,
                        .most_ns = ns,
                        .squares = (double)ns * (double)ns};
}

void profile_write_op_statistic(const struct profile *profile, FILE *file)
{
    struct row *row = malloc((profile->task_count + 1) * sizeof *row);
    size_t count = 0;
    uint64_t total_ns = 0;
    fputs(
        "Device_id,Model Name,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),"
        "Ratio(%)\n",
        file);
    for (size_t i = 0; row && i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        if (task->kind != TASK_COMPUTES && task->kind != TASK_COMMUNICATES)
            continue;
        uint64_t ns = task->end_ns - task->begin_ns;
        total_ns += ns;
        row[count++] = row_of(task->type, profile_task_type(task->kind), task->device, ns);
    }
    size_t left = row ? merge_rows(row, count) : 0;
    for (size_t i = 0; i < left; i++) {
        fprintf(file, "%" PRId32 ",N/A,", row[i].device);
        write_text(file, row[i].name);
        fprintf(file, ",%s,%" PRIu64 ",", row[i].kind, row[i].count);
        const uint64_t times[] = {row[i].total_ns, row[i].least_ns, row[i].total_ns / row[i].count,
                                  row[i].most_ns};
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            profile_write_us(file, times[k]);
            putc(',', file);
        }
        fprintf(file, "%.3f\n", total_ns > 0 ? 100 * (double)row[i].total_ns / (double)total_ns : 0.0);
    }
    free(row);
}

void profile_write_api_statistic(const struct profile *profile, FILE *file)
{
    const struct timeline *timeline = &profile->timeline;
    struct row *row = malloc((timeline->slice_count + 1) * sizeof *row);
    size_t count = 0;
    fputs("Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n", file);
    for (size_t i = 0; row && i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        if (slice->kind != SLICE_CALL || slice->has_not_ended ||
            !profile_has(profile, slice->begin_ns, slice->end_ns))
            continue;
        row[count] = row_of(slice->name, "acl", -1, slice->end_ns - slice->begin_ns);
        row[count++].is_phase_1 = slice->is_phase_1;
    }
    size_t left = row ? merge_rows(row, count) : 0;
    for (size_t i = 0; i < left; i++) {
        double mean = (double)row[i].total_ns / (double)row[i].count;
        double variance = row[i].squares / (double)row[i].count - mean * mean;
        fputs("host,acl,", file);
        write_text(file, row[i].name);
        fputs(row[i].is_phase_1 ? "GetWorkspaceSize," : ",", file);
        profile_write_us(file, row[i].total_ns);
        fprintf(file, ",%" PRIu64 ",%.3f,", row[i].count, mean / 1000);
        profile_write_us(file, row[i].least_ns);
        putc(',', file);
        profile_write_us(file, row[i].most_ns);
        fprintf(file, ",%.3f\n", (variance > 0 ? variance : 0) / 1e6);
    }
    free(row);
}

void profile_write_task_time(const struct profile *profile, FILE *file)
{
    fputs("Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n",
          file);
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        fprintf(file, "%" PRId32 ",", task->device);
        write_text(file, task->name);
        fprintf(file, ",%s,%" PRIu32 ",%" PRIu32 ",", profile_task_type(task->kind), task->stream,
                task->slice->number);
        profile_write_us(file, task->end_ns - task->begin_ns);
        putc(',', file);
        write_moment(file, task->begin_ns);
        putc(',', file);
        write_moment(file, task->end_ns);
        putc('\n', file);
    }
}

static bool has_level(const struct profile *profile, const struct level *level)
{
    return level->device >= 0 && level->device < 64 &&
           (profile->head->profile_devices >> level->device & 1) != 0 &&
           profile_has(profile, level->time_ns, level->time_ns);
}

void profile_write_module_memory(const struct profile *profile, FILE *file)
{
    const struct timeline *timeline = &profile->timeline;
    fputs("Device_id,Component,Timestamp(us),Total Reserved(KB),Device\n", file);
    for (size_t i = 0; i < timeline->level_count; i++) {
        const struct level *level = &timeline->level[i];
        if (!has_level(profile, level))
            continue;
        fprintf(file, "%" PRId32 ",APP,", level->device);
        write_moment(file, profile_time(profile, level->time_ns));
        fprintf(file, ",%.3f,NPU:%" PRId32 "\n", (double)level->bytes / 1024, level->device);
    }
}

void profile_write_memory(const struct profile *profile, FILE *file)
{
    const struct timeline *timeline = &profile->timeline;
    fputs("Device_id,event,ddr(KB),hbm(KB),memory(KB),timestamp(us)\n", file);
    for (size_t i = 0; i < timeline->level_count; i++) {
        const struct level *level = &timeline->level[i];
        if (!has_level(profile, level))
            continue;
        double kib = (double)level->bytes / 1024;
        fprintf(file, "%" PRId32 ",APP,0,%.3f,%.3f,", level->device, kib, kib);
        write_moment(file, profile_time(profile, level->time_ns));
        putc('\n', file);
    }
}

/* When the task of a mark was run, or an empty place. */
static void write_device_moment(const struct profile *profile, uint32_t number, FILE *file)
{
    const struct submission *submission = timeline_submission(&profile->timeline, number);
    if (number == 0 || submission->slice == 0) {
        fputs("N/A", file);
        return;
    }
    write_moment(file, profile_time(profile, profile->timeline.slice[submission->slice - 1].begin_ns));
}

void profile_write_marks(const struct profile *profile, FILE *file)
{
    const struct timeline *timeline = &profile->timeline;
    fputs("pid,tid,category,event_type,payload_type,payload_value,Start_time(us),End_time(us),message_type,"
          "message,domain,Device Start_time(us),Device End_time(us)\n",
          file);
    for (size_t i = 0; i < timeline->mark_count; i++) {
        const struct mark *mark = &timeline->mark[i];
        if (!profile_has(profile, mark->begin_ns, mark->end_ns))
            continue;
        bool is_range = mark->end_ns > mark->begin_ns;
        fprintf(file, "%" PRIu32 ",%" PRIu32 ",0,%s,0,0,", timeline->head->process,
                timeline->track[mark->track].id, is_range ? "start/end" : "marker");
        write_moment(file, profile_time(profile, mark->begin_ns));
        putc(',', file);
        write_moment(file, profile_time(profile, mark->end_ns));
        fputs(",0,", file);
        write_text(file, mark->message);
        putc(',', file);
        write_text(file, mark->domain);
        putc(',', file);
        write_device_moment(profile, mark->number, file);
        putc(',', file);
        write_device_moment(profile, is_range ? mark->end_number : mark->number, file);
        putc('\n', file);
    }
}
