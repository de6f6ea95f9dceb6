/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Accounts of the collectives and messages of a profile, in JSON: how long each took and how many bytes it
 * moved, and between which ranks. What a device tells apart, waiting and moving, links of several kinds, is
 * one here: all the time counts as moving, and all bytes go by one link.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/tasks/access.h"
#include "tools/json_text.h"
#include "tools/profile.h"

const char profile_transport[] = "SDMA";
static const double MEGA = 1e6;

/* The first exchange of the task; NULL where it has none. */
static const struct trace_exchange *const *find_exchange(const struct profile *profile, uint32_t number,
                                                         size_t *count)
{
    const struct timeline *timeline = &profile->timeline;
    size_t low = 0, high = timeline->exchange_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (timeline->exchange[middle]->record.number < number)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < timeline->exchange_count &&
           timeline->exchange[low + *count]->record.number == number)
        ++*count;
    return *count > 0 ? &timeline->exchange[low] : NULL;
}

/* What the task reads, or writes. */
static uint64_t bytes_of(const struct profile *profile, const struct profile_task *task, uint32_t mode)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < task->submission->operand_count; i++) {
        const struct trace_operand *operand = profile->timeline.operand[task->submission->first_operand + i];
        if ((operand->mode & mode) != 0)
            bytes += operand_bytes(operand);
    }
    return bytes;
}

size_t profile_collectives(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->task_count; i++)
        count += profile->task[i].kind == TASK_COMMUNICATES;
    return count;
}

void profile_find_exchange(const struct profile *profile, const struct profile_task *task,
                           struct profile_exchange *exchange)
{
    const uint64_t reads = bytes_of(profile, task, ACCESS_READ),
                   writes = bytes_of(profile, task, ACCESS_WRITTEN);
    *exchange = (struct profile_exchange){.task = task,
                                          .megabytes = (double)(reads > writes ? reads : writes) / MEGA,
                                          .milliseconds = (double)(task->end_ns - task->begin_ns) / 1e6};
    exchange->part = find_exchange(profile, task->slice->number, &exchange->part_count);
    snprintf(exchange->group, sizeof exchange->group, "%016" PRIx64,
             exchange->part ? exchange->part[0]->group : 0);
}

static void write_name(const struct profile_exchange *exchange, FILE *file)
{
    char text[160];
    snprintf(text, sizeof text, "%s@%s", exchange->task->name, exchange->group);
    json_write_text(file, text);
}

double profile_bandwidth(double megabytes, double milliseconds)
{
    return milliseconds > 0 ? megabytes / milliseconds : 0;
}

static void write_link(FILE *file, const char *name, double megabytes, double milliseconds)
{
    fprintf(file,
            "\"%s\":{\"Transit Size(MB)\":%.6f,\"Transit Time(ms)\":%.6f,\"Bandwidth(GB/s)\":%.4f,"
            "\"Large Packet Ratio\":0,\"Size Distribution\":{",
            name, megabytes, milliseconds, profile_bandwidth(megabytes, milliseconds));
    if (megabytes > 0)
        fprintf(file, "\"%.6f\":[1,%.6f]", megabytes, milliseconds);
    fputs("}}", file);
}

void profile_write_communication(const struct profile *profile, FILE *file)
{
    static const char *const others[] = {"RDMA", "HCCS", "PCIE", "SIO"};
    const char *separator = "";
    fputs("{", file);
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        struct profile_exchange exchange;
        if (task->kind != TASK_COMMUNICATES)
            continue;
        profile_find_exchange(profile, task, &exchange);
        fputs(separator, file);
        separator = ",\n";
        write_name(&exchange, file);
        fputs(":{\"Communication Time Info\":{\"Start Timestamp(us)\":", file);
        profile_write_us(file, task->begin_ns);
        fprintf(file,
                ",\"Elapse Time(ms)\":%.6f,\"Transit Time(ms)\":%.6f,\"Wait Time(ms)\":0,"
                "\"Synchronization Time(ms)\":0,\"Idle Time(ms)\":0,\"Wait Time Ratio\":0,"
                "\"Synchronization Time Ratio\":0},\"Communication Bandwidth Info\":{",
                exchange.milliseconds, exchange.milliseconds);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            write_link(file, others[k], 0, 0);
            putc(',', file);
        }
        write_link(file, profile_transport, exchange.megabytes, exchange.milliseconds);
        fputs("}}", file);
    }
    fputs("}\n", file);
}

/* Whether each rank gets a part of its own of what one gives. */
static bool is_divided(const char *type)
{
    return strstr(type, "catter") != NULL || strstr(type, "alltoall") != NULL;
}

static const char *transport_of(uint32_t from, uint32_t to)
{
    return from == to ? "LOCAL" : profile_transport;
}

static void visit_part(const struct profile *profile, const struct profile_exchange *whole,
                       const struct trace_exchange *exchange, profile_link *visit, void *context)
{
    double gives = (double)bytes_of(profile, whole->task, ACCESS_READ) / MEGA,
           takes = (double)bytes_of(profile, whole->task, ACCESS_WRITTEN) / MEGA;
    bool is_of_all = exchange->peer == EXCHANGE_OF_ALL;
    if (is_of_all && is_divided(whole->task->type) && exchange->count > 0)
        gives /= exchange->count;
    if (exchange->from != EXCHANGE_OF_ALL && exchange->from != exchange->rank) {
        visit(context, exchange->from, exchange->rank, transport_of(exchange->from, exchange->rank), takes,
              whole->milliseconds);
        return;
    }
    for (uint32_t rank = 0; rank < exchange->count; rank++)
        if (rank != exchange->rank && (exchange->to == EXCHANGE_OF_ALL || exchange->to == rank))
            visit(context, exchange->rank, rank, transport_of(exchange->rank, rank), gives,
                  whole->milliseconds);
}

void profile_visit_links(const struct profile *profile, const struct profile_exchange *exchange,
                         profile_link *visit, void *context)
{
    for (size_t i = 0; i < exchange->part_count && strcmp(exchange->task->type, "hcom_barrier_") != 0; i++)
        visit_part(profile, exchange, exchange->part[i], visit, context);
}

struct matrix {
    FILE *file;
    const char *separator;
};

static void write_matrix_link(void *context, uint32_t from, uint32_t to, const char *transport,
                              double megabytes, double milliseconds)
{
    struct matrix *matrix = context;
    fprintf(matrix->file,
            "%s\"%" PRIu32 "-%" PRIu32 "\":{\"Transport Type\":\"%s\",\"Transit Size(MB)\":%.6f,"
            "\"Transit Time(ms)\":%.6f,\"Bandwidth(GB/s)\":%.4f}",
            matrix->separator, from, to, transport, megabytes, milliseconds,
            profile_bandwidth(megabytes, milliseconds));
    matrix->separator = ",";
}

void profile_write_matrix(const struct profile *profile, FILE *file)
{
    const char *separator = "";
    fputs("{", file);
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        struct profile_exchange exchange;
        if (task->kind != TASK_COMMUNICATES || strcmp(task->type, "hcom_barrier_") == 0)
            continue;
        profile_find_exchange(profile, task, &exchange);
        fputs(separator, file);
        separator = ",\n";
        write_name(&exchange, file);
        fputs(":{", file);
        struct matrix matrix = {file, ""};
        profile_visit_links(profile, &exchange, write_matrix_link, &matrix);
        fputs("}", file);
    }
    fputs("}\n", file);
}
