/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes a timeline of the records of a process: chunk by chunk, as the threads have written them, texts
 * first, because threads use the names that others have written down.
 */
#include "tools/timeline.h"
#include "tools/timeline_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl_base.h"

const char *slice_kind_name(enum slice_kind kind)
{
    static const char *const names[SLICE_KINDS] = {"call",     "operator", "copy", "set",
                                                   "callback", "event",    "graph"};
    return names[kind];
}

/* Room for one more in an array, which grows by doubling: the index of it, or SIZE_MAX. */
static size_t add(void **array, size_t *count, size_t bytes)
{
    if (*count == 0 || (*count & (*count - 1)) == 0) {
        void *larger = realloc(*array, (*count ? *count * 2 : 1) * bytes);
        if (!larger)
            return SIZE_MAX;
        *array = larger;
    }
    memset((unsigned char *)*array + *count * bytes, 0, bytes);
    return (*count)++;
}

#define ADD(timeline, member) \
    add((void **)&(timeline)->member, &(timeline)->member##_count, sizeof *(timeline)->member)

/* The submission with that number, made where it is missing; NULL without memory. */
static struct submission *submission_at(struct timeline *timeline, uint32_t number)
{
    while (timeline->submission_count <= number)
        if (ADD(timeline, submission) == SIZE_MAX)
            return NULL;
    return &timeline->submission[number];
}

const struct submission *timeline_submission(const struct timeline *timeline, uint32_t number)
{
    static const struct submission none;
    return number < timeline->submission_count ? &timeline->submission[number] : &none;
}

/* UINT32_MAX without memory. There are few tracks, and they are met in runs. */
static uint32_t find_track(struct timeline *timeline, const struct track *wanted)
{
    for (size_t i = timeline->track_count; i-- > 0;)
        if (timeline->track[i].device == wanted->device && timeline->track[i].id == wanted->id)
            return (uint32_t)i;
    size_t index = ADD(timeline, track);
    if (index != SIZE_MAX)
        timeline->track[index] = *wanted;
    return (uint32_t)index;
}

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* What a task is, by the function that submitted it. */
static enum slice_kind kind_of_task(const char *name)
{
    static const struct {
        const char *beginning;
        enum slice_kind kind;
    } kinds[] = {{"aclrtMemcpy", SLICE_COPY}, {"aclrtMemset", SLICE_SET}, {"aclrtLaunch", SLICE_CALLBACK},
                 {"aclmdlRI", SLICE_GRAPH},   {"aclnn", SLICE_OPERATOR},  {"aclop", SLICE_OPERATOR},
                 {"Hccl", SLICE_OPERATOR}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (begins(name, kinds[i].beginning))
            return kinds[i].kind;
    /* A kernel of the program's own bears its own name; what is left are events and marks of the interface. */
    return begins(name, "acl") || begins(name, "mstx") ? SLICE_EVENT : SLICE_OPERATOR;
}

/* What the walk over the records knows at each. */
struct walk {
    struct timeline *timeline;
    uint32_t thread; /* the track of the records' thread; UINT32_MAX: not known yet */
    bool is_first;   /* the walk for texts alone */
};

static bool take_call(struct walk *walk, const struct trace_call *call)
{
    struct timeline *timeline = walk->timeline;
    size_t index = ADD(timeline, slice);
    if (index == SIZE_MAX)
        return false;
    struct slice *slice = &timeline->slice[index];
    *slice = (struct slice){.name = timeline_text(timeline, call->name),
                            .track = walk->thread,
                            .number = call->record.number,
                            .begin_ns = call->begin_ns,
                            .end_ns = call->end_ns,
                            .is_phase_1 = call->kind == TRACE_CALL_PHASE_1};
    if (call->kind == TRACE_CALL_BACK) {
        slice->name = "callback";
        slice->kind = SLICE_CALLBACK;
    } else if (call->kind == TRACE_CALL_BLOCKING) {
        slice->kind = begins(slice->name, "aclrtMemset") ? SLICE_SET : SLICE_COPY;
    }
    return submission_at(timeline, call->record.number);
}

static bool take_submit(struct walk *walk, const struct trace_submit *submit)
{
    struct submission *submission = submission_at(walk->timeline, submit->record.number);
    if (!submission)
        return false;
    submission->name = timeline_text(walk->timeline, submit->name);
    submission->time_ns = submit->time_ns;
    submission->track = walk->thread;
    return true;
}

/* The parts of a task that had to wait are brought together later. */
static bool take_run(struct walk *walk, const struct trace_run *run)
{
    struct timeline *timeline = walk->timeline;
    if (run->device < 0)
        return true;
    size_t index = ADD(timeline, slice);
    if (index == SIZE_MAX)
        return false;
    const struct track track = {.device = run->device, .id = run->stream, .is_default = run->is_default != 0};
    timeline->slice[index] = (struct slice){.kind = SLICE_OPERATOR,
                                            .track = find_track(timeline, &track),
                                            .number = run->record.number,
                                            .begin_ns = run->begin_ns,
                                            .end_ns = run->end_ns,
                                            .flags = run->flags,
                                            .status = run->status,
                                            .thread = walk->thread};
    return timeline->slice[index].track != UINT32_MAX;
}

static bool take_operand(struct walk *walk, const struct trace_operand *operand)
{
    struct timeline *timeline = walk->timeline;
    uint32_t rank = operand->rank < TRACE_RANK_MAX ? operand->rank : TRACE_RANK_MAX;
    if (operand->record.bytes < sizeof *operand + rank * sizeof operand->shape[0])
        return true;
    size_t index = submission_at(timeline, operand->record.number) ? ADD(timeline, operand) : SIZE_MAX;
    if (index != SIZE_MAX)
        timeline->operand[index] = operand;
    return index != SIZE_MAX;
}

static bool take_exchange(struct walk *walk, const struct trace_exchange *exchange)
{
    size_t index = ADD(walk->timeline, exchange);
    if (index != SIZE_MAX)
        walk->timeline->exchange[index] = exchange;
    return index != SIZE_MAX;
}

static bool take_wait(struct walk *walk, const struct trace_wait *wait)
{
    struct submission *submission = submission_at(walk->timeline, wait->record.number);
    if (submission)
        submission->waits_for = wait->recorded;
    return submission;
}

static bool take_memory(struct walk *walk, const struct trace_memory *memory)
{
    size_t index = ADD(walk->timeline, level);
    if (index == SIZE_MAX)
        return false;
    walk->timeline->level[index] = (struct level){memory->time_ns, memory->bytes, memory->device};
    return true;
}

/* Whether the process can have given the number: each has a record, whole or lost. Others would ask for any
 * amount of memory. */
static bool is_number(const struct timeline *timeline, uint32_t number)
{
    return number <= timeline->bytes + atomic_load(&timeline->head->lost);
}

/* Both texts end within the record. */
static bool take_mark(struct walk *walk, const struct trace_mark *mark)
{
    size_t bytes = mark->record.bytes - sizeof *mark, domain = mark->domain_bytes;
    if (domain == 0 || domain >= bytes || mark->text[domain - 1] != '\0' ||
        memchr(mark->text + domain, 0, bytes - domain) == NULL || mark->end_ns < mark->begin_ns ||
        !is_number(walk->timeline, mark->end_number))
        return true;
    size_t index = ADD(walk->timeline, mark);
    if (index == SIZE_MAX)
        return false;
    walk->timeline->mark[index] = (struct mark){.domain = mark->text,
                                                .message = mark->text + domain,
                                                .track = walk->thread,
                                                .begin_ns = mark->begin_ns,
                                                .end_ns = mark->end_ns,
                                                .number = mark->record.number,
                                                .end_number = mark->end_number};
    return submission_at(walk->timeline, mark->record.number) &&
           submission_at(walk->timeline, mark->end_number);
}

static bool take_thread(struct walk *walk, const struct trace_thread *thread)
{
    const struct track track = {.device = -1, .id = thread->id, .name = thread->name};
    walk->thread = find_track(walk->timeline, &track);
    return walk->thread != UINT32_MAX;
}

/* True, too, for what is too short for its kind, or has no number that can be: it is left out. */
static bool take(struct walk *walk, const struct trace_record *record)
{
    static const size_t least[] = {
        [TRACE_TEXT] = sizeof(struct trace_text) + 1,   [TRACE_THREAD] = sizeof(struct trace_thread),
        [TRACE_CALL] = sizeof(struct trace_call),       [TRACE_SUBMIT] = sizeof(struct trace_submit),
        [TRACE_OPERAND] = sizeof(struct trace_operand), [TRACE_RUN] = sizeof(struct trace_run),
        [TRACE_WAIT] = sizeof(struct trace_wait),       [TRACE_MEMORY] = sizeof(struct trace_memory),
        [TRACE_MARK] = sizeof(struct trace_mark) + 2,   [TRACE_EXCHANGE] = sizeof(struct trace_exchange)};
    if (record->kind >= sizeof least / sizeof least[0] || record->bytes < least[record->kind] ||
        walk->is_first != (record->kind == TRACE_TEXT) ||
        (walk->thread == UINT32_MAX && record->kind > TRACE_THREAD) ||
        !is_number(walk->timeline, record->number))
        return true;
    const void *whole = record;
    const struct trace_text *text = whole;
    switch ((enum trace_kind)record->kind) {
    case TRACE_TEXT:
        return memchr(text->text, 0, record->bytes - sizeof *text) == NULL ||
               timeline_add_text(walk->timeline, text->address, text->text);
    case TRACE_THREAD:
        return take_thread(walk, whole);
    case TRACE_CALL:
        return take_call(walk, whole);
    case TRACE_SUBMIT:
        return take_submit(walk, whole);
    case TRACE_OPERAND:
        return take_operand(walk, whole);
    case TRACE_RUN:
        return take_run(walk, whole);
    case TRACE_WAIT:
        return take_wait(walk, whole);
    case TRACE_MEMORY:
        return take_memory(walk, whole);
    case TRACE_MARK:
        return take_mark(walk, whole);
    case TRACE_EXCHANGE:
        return take_exchange(walk, whole);
    }
    return true;
}

/* What the chunk's last thread has not come out of. */
static bool take_open(struct walk *walk, const struct trace_open *open)
{
    if (open->device < 0) {
        const struct trace_call call = {
            .name = open->name, .begin_ns = open->begin_ns, .end_ns = open->begin_ns, .kind = open->kind};
        if (!take_call(walk, &call))
            return false;
    } else {
        const struct trace_run run = {.record = {.number = open->number},
                                      .begin_ns = open->begin_ns,
                                      .end_ns = open->begin_ns,
                                      .device = open->device,
                                      .stream = open->stream,
                                      .is_default = open->is_default};
        if (!take_run(walk, &run))
            return false;
    }
    walk->timeline->slice[walk->timeline->slice_count - 1].flags = TRACE_RUN_OPEN;
    return true;
}

static bool walk_chunk(struct walk *walk, const struct trace_chunk *chunk)
{
    uint32_t used = atomic_load(&chunk->used);
    if (chunk->magic != TRACE_CHUNK_MAGIC || used > TRACE_CHUNK_BYTES - sizeof *chunk)
        return true;
    for (uint32_t at = 0; used - at >= sizeof(struct trace_record);) {
        const struct trace_record *record = (const struct trace_record *)(const void *)(chunk->records + at);
        if (record->bytes < sizeof *record || record->bytes > used - at || record->bytes % 8 != 0)
            return true;
        if (!take(walk, record))
            return false;
        at += record->bytes;
    }
    uint32_t open_count = atomic_load(&chunk->open_count);
    for (uint32_t i = 0; walk->thread != UINT32_MAX && i < open_count && i < TRACE_OPEN_MAX; i++)
        if (!take_open(walk, &chunk->open[i]))
            return false;
    return true;
}

static bool walk_file(struct timeline *timeline, bool is_first)
{
    struct walk walk = {.timeline = timeline, .thread = UINT32_MAX, .is_first = is_first};
    const unsigned char *file = (const unsigned char *)timeline->head;
    for (size_t at = TRACE_HEAD_BYTES; timeline->bytes - at >= TRACE_CHUNK_BYTES; at += TRACE_CHUNK_BYTES)
        if (!walk_chunk(&walk, (const struct trace_chunk *)(const void *)(file + at)))
            return false;
    return true;
}

/* By their begin; of those that begin together the longer ones, which are around the others, first. */
static int compare_slices(const void *first, const void *second)
{
    const struct slice *a = first, *b = second;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->end_ns == b->end_ns ? 0 : a->end_ns > b->end_ns ? -1 : 1;
}

static int compare_exchanges(const void *first, const void *second)
{
    const struct trace_exchange *a = *(const struct trace_exchange *const *)first,
                                *b = *(const struct trace_exchange *const *)second;
    if (a->record.number != b->record.number)
        return a->record.number < b->record.number ? -1 : 1;
    return a == b ? 0 : a < b ? -1 : 1;
}

static int compare_marks(const void *first, const void *second)
{
    const struct mark *a = first, *b = second;
    return a->begin_ns == b->begin_ns ? 0 : a->begin_ns < b->begin_ns ? -1 : 1;
}

static int compare_levels(const void *first, const void *second)
{
    const struct level *a = first, *b = second;
    return a->time_ns == b->time_ns ? 0 : a->time_ns < b->time_ns ? -1 : 1;
}

/* By their task, and in the order of its thread: that takes its chunks one behind the other. */
static int compare_operands(const void *first, const void *second)
{
    const struct trace_operand *a = *(const struct trace_operand *const *)first,
                               *b = *(const struct trace_operand *const *)second;
    if (a->record.number != b->record.number)
        return a->record.number < b->record.number ? -1 : 1;
    return a == b ? 0 : a < b ? -1 : 1;
}

static void hand_out_operands(struct timeline *timeline)
{
    if (timeline->operand_count > 0)
        qsort(timeline->operand, timeline->operand_count, sizeof(struct trace_operand *), compare_operands);
    for (size_t i = 0; i < timeline->operand_count; i++) {
        struct submission *submission = &timeline->submission[timeline->operand[i]->record.number];
        if (submission->operand_count++ == 0)
            submission->first_operand = i;
    }
}

/*
 * Brings the parts of tasks together that had to wait in between, names tasks by their submissions, and
 * leads the submissions to them. What has not ended reaches to the end of the timeline.
 */
static void join_parts(struct timeline *timeline, uint64_t end_ns)
{
    size_t count = 0;
    for (size_t i = 0; i < timeline->slice_count; i++) {
        struct slice slice = timeline->slice[i];
        bool is_task = timeline->track[slice.track].device >= 0;
        struct submission *submission =
            slice.number < timeline->submission_count ? &timeline->submission[slice.number] : NULL;
        if (is_task && submission && submission->slice != 0) {
            struct slice *before = &timeline->slice[submission->slice - 1];
            if ((before->flags & TRACE_RUN_PARKED) != 0 && before->track == slice.track) {
                before->end_ns = slice.end_ns;
                before->flags = slice.flags;
                before->status = slice.status;
                continue;
            }
        }
        if (is_task) {
            slice.name = submission && submission->name ? submission->name : "?";
            slice.kind = kind_of_task(slice.name);
            if (submission)
                submission->slice = (uint32_t)count + 1;
        } else if (slice.kind == SLICE_CALLBACK && submission) {
            submission->called = (uint32_t)count + 1;
        }
        timeline->slice[count++] = slice;
    }
    timeline->slice_count = count;
    for (size_t i = 0; i < count; i++)
        if ((timeline->slice[i].flags & (TRACE_RUN_PARKED | TRACE_RUN_OPEN)) != 0) {
            timeline->slice[i].end_ns = end_ns;
            timeline->slice[i].has_not_ended = true;
        }
}

static void put_in_order(struct timeline *timeline)
{
    uint64_t begin_ns = timeline->head->begin_ns, end_ns = begin_ns;
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        begin_ns = slice->begin_ns < begin_ns ? slice->begin_ns : begin_ns;
        end_ns = slice->end_ns > end_ns ? slice->end_ns : end_ns;
    }
    for (size_t i = 0; i < timeline->mark_count; i++)
        begin_ns = timeline->mark[i].begin_ns < begin_ns ? timeline->mark[i].begin_ns : begin_ns;
    timeline->begin_ns = begin_ns;
    if (timeline->slice_count > 0)
        qsort(timeline->slice, timeline->slice_count, sizeof *timeline->slice, compare_slices);
    if (timeline->level_count > 0)
        qsort(timeline->level, timeline->level_count, sizeof *timeline->level, compare_levels);
    if (timeline->exchange_count > 0)
        qsort(timeline->exchange, timeline->exchange_count, sizeof *timeline->exchange, compare_exchanges);
    if (timeline->mark_count > 0)
        qsort(timeline->mark, timeline->mark_count, sizeof *timeline->mark, compare_marks);
    hand_out_operands(timeline);
    join_parts(timeline, end_ns);
    if (timeline->slice_count > 0) /* the ends of what never went on have changed */
        qsort(timeline->slice, timeline->slice_count, sizeof *timeline->slice, compare_slices);
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct slice *slice = &timeline->slice[i];
        if (slice->number == 0 || slice->number >= timeline->submission_count)
            continue;
        struct submission *submission = &timeline->submission[slice->number];
        if (timeline->track[slice->track].device >= 0)
            submission->slice = (uint32_t)i + 1;
        else if (slice->kind == SLICE_CALLBACK)
            submission->called = (uint32_t)i + 1;
    }
}

bool timeline_read(const char *path, struct timeline *timeline, const char **why)
{
    *timeline = (struct timeline){0};
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    void *mapped = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size >= TRACE_HEAD_BYTES)
        mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
    *why = file < 0 || mapped != MAP_FAILED ? strerror(errno) : "it is no file of a timeline";
    if (file >= 0)
        close(file);
    if (mapped == MAP_FAILED)
        return false;
    timeline->head = mapped;
    timeline->bytes = (size_t)status.st_size;
    if (memcmp(timeline->head->magic, TRACE_MAGIC, sizeof TRACE_MAGIC) != 0 ||
        timeline->head->chunk_bytes != TRACE_CHUNK_BYTES) {
        *why = "it is no file of a timeline, or one of another release";
    } else if (!walk_file(timeline, true) || !walk_file(timeline, false)) {
        *why = "there is not enough memory";
    } else {
        put_in_order(timeline);
        return true;
    }
    timeline_destroy(timeline);
    return false;
}

void timeline_destroy(struct timeline *timeline)
{
    if (timeline->head)
        munmap((void *)timeline->head, timeline->bytes);
    free(timeline->track);
    free(timeline->slice);
    free(timeline->level);
    free(timeline->mark);
    free(timeline->exchange);
    free(timeline->submission);
    free(timeline->operand);
    free(timeline->texts);
    *timeline = (struct timeline){0};
}

uint64_t operand_bytes(const struct trace_operand *operand)
{
    uint64_t bytes = operand->element_bytes;
    for (uint32_t i = 0; i < operand->rank && i < TRACE_RANK_MAX; i++)
        bytes *= (uint64_t)operand->shape[i];
    return bytes;
}

const char *copy_direction(const struct timeline *timeline, const struct submission *submission)
{
    static const char *const directions[2][2] = {{"host to host", "host to device"},
                                                 {"device to host", "device to device"}};
    if (submission->operand_count != 2)
        return NULL;
    const struct trace_operand *from = timeline->operand[submission->first_operand],
                               *to = timeline->operand[submission->first_operand + 1];
    return directions[from->place == TRACE_PLACE_DEVICE][to->place == TRACE_PLACE_DEVICE];
}
