/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A profile as tables of an SQLite file, under the names and with the columns that PyTorch for Ascend reads
 * (torch_npu/profiler/analysis) and those that tools for such files know. Texts stand once, in STRING_IDS.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "runtime/tasks/access.h"
#include "tools/database.h"
#include "tools/profile.h"

enum { TEXT = 4096, TEXTS_FIRST = 256 };

/* What there is not, as these tables say it; levels of calls. */
static const int64_t NOTHING = UINT32_MAX;
enum { LEVEL_ACL = 20000, LEVEL_NODE = 10000, FIRST_TEXT = 1 };

/* Texts by their hashes: open addressing, at most half full. */
struct texts {
    char **text;
    int64_t *id;
    size_t capacity, count;
};

struct writer {
    const struct profile *profile;
    struct database *database;
    struct texts texts;
    bool is_out_of_memory;
};

static size_t find(const struct texts *texts, const char *text)
{
    size_t at = (size_t)hash_add(HASH_START, text, strlen(text)) & (texts->capacity - 1);
    while (texts->text[at] != NULL && strcmp(texts->text[at], text) != 0)
        at = (at + 1) & (texts->capacity - 1);
    return at;
}

static bool grow(struct texts *texts)
{
    struct texts larger = {.capacity = texts->capacity == 0 ? TEXTS_FIRST : texts->capacity * 2,
                           .count = texts->count};
    larger.text = (char **)calloc(larger.capacity, sizeof *larger.text);
    larger.id = (int64_t *)calloc(larger.capacity, sizeof *larger.id);
    bool is_good = larger.text != NULL && larger.id != NULL;
    for (size_t i = 0; is_good && i < texts->capacity; i++)
        if (texts->text[i] != NULL) {
            size_t at = find(&larger, texts->text[i]);
            larger.text[at] = texts->text[i];
            larger.id[at] = texts->id[i];
        }
    free((void *)(is_good ? texts->text : larger.text));
    free(is_good ? texts->id : larger.id);
    if (is_good)
        *texts = larger;
    return is_good;
}

/* The number of a text. */
static int64_t number_of(struct writer *writer, const char *text)
{
    struct texts *texts = &writer->texts;
    if (texts->count * 2 >= texts->capacity && !grow(texts)) {
        writer->is_out_of_memory = true;
        return NOTHING;
    }
    size_t at = find(texts, text);
    if (texts->text[at] == NULL) {
        texts->text[at] = strdup(text);
        if (texts->text[at] == NULL) {
            writer->is_out_of_memory = true;
            return NOTHING;
        }
        texts->id[at] = FIRST_TEXT + (int64_t)texts->count++;
    }
    return texts->id[at];
}

static void add(struct writer *writer, int64_t value)
{
    database_integer(writer->database, value);
}

static void add_text(struct writer *writer, const char *text)
{
    add(writer, number_of(writer, text));
}

static void add_times(struct writer *writer, uint64_t begin_ns, uint64_t end_ns)
{
    add(writer, (int64_t)begin_ns);
    add(writer, (int64_t)end_ns);
}

static int64_t thread_of(const struct writer *writer, uint32_t track)
{
    return (int64_t)writer->profile->head->process << 32 | writer->profile->timeline.track[track].id;
}

/* What a task and its launch have in common; its place in TASK is one less. */
static int64_t connection_of(const struct writer *writer, const struct profile_task *task)
{
    return task - writer->profile->task + 1;
}

static void write_texts(struct writer *writer)
{
    database_table(writer->database, "STRING_IDS", "id INTEGER PRIMARY KEY, value TEXT");
    for (size_t i = 0; i < writer->texts.capacity; i++)
        if (writer->texts.text[i] != NULL) {
            add(writer, writer->texts.id[i]);
            database_text(writer->database, writer->texts.text[i]);
            database_row(writer->database);
        }
}

/* The calls of the program, and the launches of tasks. */
static void write_calls(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    const struct timeline *timeline = &profile->timeline;
    database_table(writer->database, "CANN_API",
                   "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, "
                   "name INTEGER");
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        char text[TRACE_TEXT_MAX + 32];
        if (slice->kind != SLICE_CALL || slice->has_not_ended || timeline->track[slice->track].device >= 0 ||
            !profile_has(profile, slice->begin_ns, slice->end_ns))
            continue;
        snprintf(text, sizeof text, "%s%s", slice->name, slice->is_phase_1 ? "GetWorkspaceSize" : "");
        add_times(writer, profile_time(profile, slice->begin_ns), profile_time(profile, slice->end_ns));
        add(writer, LEVEL_ACL);
        add(writer, thread_of(writer, slice->track));
        add(writer, NOTHING);
        add_text(writer, text);
        database_row(writer->database);
    }
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        if (task->host_track == UINT32_MAX || task->kind == TASK_MARKS)
            continue;
        add_times(writer, task->host_ns, task->host_ns);
        add(writer, LEVEL_NODE);
        add(writer, thread_of(writer, task->host_track));
        add(writer, connection_of(writer, task));
        add_text(writer, "launch");
        database_row(writer->database);
    }
}

static void write_tasks(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    database_table(writer->database, "TASK",
                   "startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, "
                   "globalTaskId INTEGER, globalPid INTEGER, taskType INTEGER, contextId INTEGER, "
                   "streamId INTEGER, taskId INTEGER, modelId INTEGER");
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        add_times(writer, task->begin_ns, task->end_ns);
        add(writer, task->device);
        add(writer, connection_of(writer, task));
        add(writer, (int64_t)i);
        add(writer, profile->head->process);
        add_text(writer, profile_task_type(task->kind));
        add(writer, NOTHING);
        add(writer, task->stream);
        add(writer, task->slice->number);
        add(writer, NOTHING);
        database_row(writer->database);
    }
}

static void write_operators(struct writer *writer)
{
    static const enum operand_text order[] = {OPERAND_FORMATS, OPERAND_DTYPES, OPERAND_SHAPES};
    const struct profile *profile = writer->profile;
    database_table(writer->database, "COMPUTE_TASK_INFO",
                   "name INTEGER, globalTaskId INTEGER, blockNum INTEGER, mixBlockNum INTEGER, "
                   "taskType INTEGER, opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, "
                   "inputShapes INTEGER, outputFormats INTEGER, outputDataTypes INTEGER, "
                   "outputShapes INTEGER, attrInfo INTEGER");
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        char text[TEXT];
        if (task->kind != TASK_COMPUTES)
            continue;
        add_text(writer, task->name);
        add(writer, (int64_t)i);
        add(writer, 1);
        add(writer, 0);
        add_text(writer, profile_task_type(task->kind));
        add_text(writer, task->type);
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; k < 3; k++) {
                profile_operands(profile, task, side == 0 ? ACCESS_READ : ACCESS_WRITTEN, order[k], text,
                                 sizeof text);
                add_text(writer, text);
            }
        add_text(writer, "N/A");
        database_row(writer->database);
    }
}

static void write_collectives(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    if (profile_collectives(profile) == 0)
        return;
    database_table(writer->database, "COMMUNICATION_OP",
                   "opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, "
                   "groupName INTEGER, opId INTEGER, opType INTEGER, deviceId INTEGER");
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->task[i];
        struct profile_exchange exchange;
        if (task->kind != TASK_COMMUNICATES)
            continue;
        profile_find_exchange(profile, task, &exchange);
        add_text(writer, task->name);
        add_times(writer, task->begin_ns, task->end_ns);
        add(writer, connection_of(writer, task));
        add_text(writer, exchange.group);
        add(writer, (int64_t)i);
        add_text(writer, task->type);
        add(writer, task->device);
        database_row(writer->database);
    }
}

/* Marks and ranges; PyTorch's analysis takes a table without rows for a failure. */
static void write_marks(struct writer *writer)
{
    const struct profile *profile = writer->profile;
    bool is_begun = false;
    for (size_t i = 0; i < profile->timeline.mark_count; i++) {
        const struct mark *mark = &profile->timeline.mark[i];
        if (!profile_has(profile, mark->begin_ns, mark->end_ns))
            continue;
        if (!is_begun)
            database_table(writer->database, "MSTX_EVENTS",
                           "startNs INTEGER, endNs INTEGER, eventType INTEGER, rangeId INTEGER, "
                           "category INTEGER, message INTEGER, globalTid INTEGER, endGlobalTid INTEGER, "
                           "domainId INTEGER, connectionId INTEGER");
        is_begun = true;
        add_times(writer, profile_time(profile, mark->begin_ns), profile_time(profile, mark->end_ns));
        add(writer, mark->end_ns > mark->begin_ns ? 2 : 0);
        add(writer, NOTHING);
        add(writer, NOTHING);
        add_text(writer, mark->message);
        add(writer, thread_of(writer, mark->track));
        add(writer, thread_of(writer, mark->track));
        add_text(writer, mark->domain);
        const struct submission *task = timeline_submission(&profile->timeline, mark->number);
        add(writer, mark->number != 0 && task->slice != 0 ? mark->number : NOTHING);
        database_row(writer->database);
    }
}

static void write_levels(struct writer *writer)
{
    static const struct {
        int64_t id;
        const char *name;
    } levels[] = {{LEVEL_ACL, "acl"}, {LEVEL_NODE, "node"}};
    database_table(writer->database, "ENUM_API_TYPE", "id INTEGER PRIMARY KEY, name TEXT");
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        add(writer, levels[i].id);
        database_text(writer->database, levels[i].name);
        database_row(writer->database);
    }
}

bool profile_write_database(const struct profile *profile, const char *path, char why[PROFILE_WHY_BYTES])
{
    struct database database;
    struct writer writer = {.profile = profile, .database = &database};
    bool is_good = database_open(&database, path);
    if (is_good) {
        write_levels(&writer);
        write_calls(&writer);
        write_tasks(&writer);
        write_operators(&writer);
        write_collectives(&writer);
        write_marks(&writer);
        write_texts(&writer);
        is_good = database_close(&database) && !writer.is_out_of_memory;
    }
    snprintf(why, PROFILE_WHY_BYTES, "%s", writer.is_out_of_memory ? "no memory" : database.why);
    for (size_t i = 0; i < writer.texts.capacity; i++)
        free(writer.texts.text[i]);
    free((void *)writer.texts.text);
    free(writer.texts.id);
    return is_good;
}

static void write_link(void *context, uint32_t from, uint32_t to, const char *transport, double megabytes,
                       double milliseconds)
{
    const struct profile_exchange *exchange = context;
    struct database *database = exchange->context;
    char text[16];
    database_text(database, exchange->task->name);
    database_text(database, exchange->group);
    snprintf(text, sizeof text, "%" PRIu32, from);
    database_text(database, text);
    snprintf(text, sizeof text, "%" PRIu32, to);
    database_text(database, text);
    database_text(database, transport);
    database_real(database, megabytes);
    database_real(database, milliseconds);
    database_real(database, profile_bandwidth(megabytes, milliseconds));
    database_row(database);
}

/* Calls write for each collective. */
static void each(const struct profile *profile, struct database *database,
                 void (*write)(const struct profile *profile, struct profile_exchange *exchange))
{
    for (size_t i = 0; i < profile->task_count; i++) {
        struct profile_exchange exchange;
        if (profile->task[i].kind != TASK_COMMUNICATES)
            continue;
        profile_find_exchange(profile, &profile->task[i], &exchange);
        exchange.context = database;
        write(profile, &exchange);
    }
}

static void write_time(const struct profile *profile, struct profile_exchange *exchange)
{
    struct database *database = exchange->context;
    (void)profile;
    database_text(database, exchange->task->name);
    database_text(database, exchange->group);
    database_real(database, (double)exchange->task->begin_ns / 1e3);
    database_real(database, exchange->milliseconds);
    database_real(database, exchange->milliseconds);
    for (int i = 0; i < 3; i++)
        database_real(database, 0);
    database_row(database);
}

static void write_bandwidth(const struct profile *profile, struct profile_exchange *exchange)
{
    struct database *database = exchange->context;
    (void)profile;
    database_text(database, exchange->task->name);
    database_text(database, exchange->group);
    database_text(database, profile_transport);
    database_real(database, exchange->megabytes);
    database_real(database, exchange->milliseconds);
    database_real(database, profile_bandwidth(exchange->megabytes, exchange->milliseconds));
    database_real(database, 0);
    database_real(database, exchange->megabytes);
    database_integer(database, 1);
    database_real(database, exchange->milliseconds);
    database_row(database);
}

static void write_matrix(const struct profile *profile, struct profile_exchange *exchange)
{
    profile_visit_links(profile, exchange, write_link, exchange);
}

bool profile_write_communication_database(const struct profile *profile, const char *path,
                                          char why[PROFILE_WHY_BYTES])
{
    struct database database;
    bool is_good = database_open(&database, path);
    if (is_good) {
        database_table(&database, "CommAnalyzerTime",
                       "hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, "
                       "transit_time NUMERIC, wait_time NUMERIC, synchronization_time NUMERIC, "
                       "idle_time NUMERIC");
        each(profile, &database, write_time);
        database_table(&database, "CommAnalyzerBandwidth",
                       "hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, "
                       "transit_time NUMERIC, bandwidth NUMERIC, large_packet_ratio NUMERIC, "
                       "package_size NUMERIC, count NUMERIC, total_duration NUMERIC");
        each(profile, &database, write_bandwidth);
        database_table(&database, "CommAnalyzerMatrix",
                       "hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, "
                       "transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC");
        each(profile, &database, write_matrix);
        is_good = database_close(&database);
    }
    snprintf(why, PROFILE_WHY_BYTES, "%s", database.why);
    return is_good;
}
