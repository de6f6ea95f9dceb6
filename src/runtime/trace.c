/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the records of a timeline go: chunks of the process's file, one for each thread at a time.
 */
#include "runtime/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/access.h"
#include "runtime/cancellation.h"
#include "runtime/device.h"
#include "runtime/futex.h"
#include "runtime/memory.h"
#include "runtime/stream_queue.h"

/* One process may become several programs, by exec, and each wants a file. */
enum { PROGRAMS_MAX = 100, TEXTS = 8192, PROBES = 16 };

_Atomic uint32_t trace_state = TRACE_UNDECIDED;

/* Written by trace_start, before the state says that there is a timeline; constant afterwards. */
static char file_path[PATH_MAX];
static dev_t file_device;
static ino_t file_inode;
static struct trace_head *head;
static pthread_key_t key;

static _Atomic bool is_full;                    /* no chunk could be had: none is tried for again */
static _Atomic(const char *) known_text[TEXTS]; /* addresses whose text is in the file */

/* Guards the chunks that threads have left when they ended, linked by next_free. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct trace_chunk *free_chunks;

static _Thread_local struct trace_chunk *chunk_of_thread;

/* The thread ends: what its chunk has room for is for others. */
static void leave_chunk(void *chunk)
{
    struct trace_chunk *own = (struct trace_chunk *)chunk;
    chunk_of_thread = NULL;
    atomic_store_explicit(&own->open_count, 0, memory_order_release);
    pthread_mutex_lock(&lock);
    own->next_free = (uint64_t)(uintptr_t)free_chunks;
    free_chunks = own;
    pthread_mutex_unlock(&lock);
}

/*
 * Makes sure that the file has bytes from offset on: one with holes would be a signal where the disk is full,
 * and so is one that grows beyond the limit of the process. 0, or errno.
 */
static int take_room(int file, off_t offset, off_t bytes)
{
    struct rlimit most;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && (rlim_t)(offset + bytes) > most.rlim_cur)
        return EFBIG;
    return posix_fallocate(file, offset, bytes);
}

/*
 * Maps a chunk that nobody has. The file is opened anew each time, and looked at: programs close what they
 * have not opened. NULL when there is no room.
 */
static struct trace_chunk *map_chunk(void)
{
    int cancellation = cancellation_hold();
    int error = errno;
    struct stat status;
    void *chunk = MAP_FAILED;
    int file = atomic_load_explicit(&is_full, memory_order_relaxed)
                   ? -1
                   : open(file_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == file_device &&
        status.st_ino == file_inode) {
        uint64_t number = atomic_fetch_add_explicit(&head->chunks, 1, memory_order_relaxed);
        off_t offset = (off_t)(TRACE_HEAD_BYTES + number * TRACE_CHUNK_BYTES);
        if (take_room(file, offset, TRACE_CHUNK_BYTES) == 0)
            chunk = mmap(NULL, TRACE_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
                         offset);
    }
    if (file >= 0)
        close(file);
    errno = error;
    cancellation_allow(cancellation);
    if (chunk == MAP_FAILED) {
        atomic_store_explicit(&is_full, true, memory_order_relaxed);
        return NULL;
    }
    struct trace_chunk *mapped = (struct trace_chunk *)chunk;
    mapped->magic = TRACE_CHUNK_MAGIC;
    return mapped;
}

/* Room at the end of a chunk, or NULL; commit makes it a record. */
static inline void *room_in(struct trace_chunk *chunk, size_t bytes)
{
    uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    return bytes <= TRACE_CHUNK_BYTES - sizeof *chunk - used ? chunk->records + used : NULL;
}

static inline void commit(struct trace_chunk *chunk, size_t bytes)
{
    uint32_t used = atomic_load_explicit(&chunk->used, memory_order_relaxed);
    atomic_store_explicit(&chunk->used, used + (uint32_t)bytes, memory_order_release);
}

/* Says whose the records are that follow. */
static void name_thread(struct trace_chunk *chunk)
{
    struct trace_thread *thread = (struct trace_thread *)room_in(chunk, sizeof *thread);
    *thread = (struct trace_thread){.record = {TRACE_THREAD, sizeof *thread, 0}, .id = stream_thread_id()};
    prctl(PR_GET_NAME, thread->name);
    commit(chunk, sizeof *thread);
}

/* What the thread is in is told by its new chunk from now on. */
static void take_open_over(struct trace_chunk *chunk, struct trace_chunk *full)
{
    uint32_t count = atomic_load_explicit(&full->open_count, memory_order_relaxed);
    memcpy(chunk->open, full->open, sizeof full->open);
    atomic_store_explicit(&chunk->open_count, count, memory_order_release);
    atomic_store_explicit(&full->open_count, 0, memory_order_release);
}

/* Another chunk for the calling thread; NULL when there is none. */
static __attribute__((noinline)) struct trace_chunk *change_chunk(size_t bytes)
{
    struct trace_chunk *chunk = NULL, *full = chunk_of_thread;
    if (full != NULL) {
        chunk_of_thread = NULL;
        pthread_setspecific(key, NULL);
    } else {
        pthread_mutex_lock(&lock);
        chunk = free_chunks;
        if (chunk != NULL && room_in(chunk, bytes + sizeof(struct trace_thread)) != NULL)
            free_chunks = (struct trace_chunk *)(uintptr_t)chunk->next_free;
        else
            chunk = NULL;
        pthread_mutex_unlock(&lock);
    }
    if (chunk == NULL)
        chunk = map_chunk();
    if (full != NULL) {
        if (chunk != NULL)
            take_open_over(chunk, full);
        munmap(full, TRACE_CHUNK_BYTES);
    }
    if (chunk == NULL)
        return NULL;
    pthread_setspecific(key, chunk); /* where that fails the thread's chunk ends with it */
    name_thread(chunk);
    return chunk_of_thread = chunk;
}

/* Room for a record, or NULL: then the record is lost. */
static inline void *room_for(size_t bytes)
{
    struct trace_chunk *chunk = chunk_of_thread;
    void *room = chunk != NULL ? room_in(chunk, bytes) : NULL;
    if (__builtin_expect(room != NULL, 1))
        return room;
    chunk = change_chunk(bytes);
    if (chunk != NULL)
        return room_in(chunk, bytes);
    atomic_fetch_add_explicit(&head->lost, 1, memory_order_relaxed);
    return NULL;
}

static inline bool is_on(void)
{
    return atomic_load_explicit(&trace_state, memory_order_acquire) == TRACE_ON;
}

static void write_text(const char *text)
{
    size_t length = strnlen(text, TRACE_TEXT_MAX - 1);
    size_t bytes = (sizeof(struct trace_text) + length + 1 + 7) & ~(size_t)7;
    struct trace_text *record = (struct trace_text *)room_for(bytes);
    if (record == NULL)
        return;
    record->record = (struct trace_record){TRACE_TEXT, (uint16_t)bytes, 0};
    record->address = (uint64_t)(uintptr_t)text;
    memcpy(record->text, text, length);
    record->text[length] = '\0';
    commit(chunk_of_thread, bytes);
}

/* The name of a text, which is written down when it is met first, and each time where the table is full. */
static uint64_t name_text(const char *text)
{
    uint64_t address = (uint64_t)(uintptr_t)text;
    if (text == NULL)
        return 0;
    uint64_t place = address * UINT64_C(0x9E3779B97F4A7C15) >> 51; /* 13 bits */
    for (int i = 0; i < PROBES; i++, place = (place + 1) % TEXTS) {
        const char *known = atomic_load_explicit(&known_text[place], memory_order_relaxed);
        if (known == text)
            return address;
        if (known == NULL &&
            atomic_compare_exchange_strong_explicit(&known_text[place], &known, text, memory_order_relaxed,
                                                    memory_order_relaxed))
            break;
        if (known == text)
            return address;
    }
    write_text(text);
    return address;
}
_Static_assert(TEXTS == 1 << (64 - 51), "the hash has as many values as the table has places");

static void write_call(const char *name, enum trace_call_kind kind, uint32_t number, uint64_t begin_ns,
                       uint64_t end_ns)
{
    uint64_t text = name_text(name);
    struct trace_call *call = (struct trace_call *)room_for(sizeof *call);
    if (call == NULL)
        return;
    *call = (struct trace_call){.record = {TRACE_CALL, sizeof *call, number},
                                .name = text,
                                .begin_ns = begin_ns,
                                .end_ns = end_ns,
                                .kind = kind};
    commit(chunk_of_thread, sizeof *call);
}

/* What the thread enters. */
static void enter(const struct trace_open *open)
{
    struct trace_chunk *chunk = chunk_of_thread != NULL ? chunk_of_thread : change_chunk(0);
    if (chunk == NULL)
        return;
    uint32_t depth = atomic_load_explicit(&chunk->open_count, memory_order_relaxed);
    if (depth < TRACE_OPEN_MAX)
        chunk->open[depth] = *open;
    atomic_store_explicit(&chunk->open_count, depth + 1, memory_order_release);
}

/* The thread leaves what it entered last. */
static void leave(void)
{
    struct trace_chunk *chunk = chunk_of_thread;
    uint32_t depth = chunk != NULL ? atomic_load_explicit(&chunk->open_count, memory_order_relaxed) : 0;
    if (depth > 0)
        atomic_store_explicit(&chunk->open_count, depth - 1, memory_order_release);
}

/* The thread leaves the call that began then: calls that were left by longjmp, say, are left with it. */
static void leave_call(uint64_t begin_ns)
{
    struct trace_chunk *chunk = chunk_of_thread;
    uint32_t depth = chunk != NULL ? atomic_load_explicit(&chunk->open_count, memory_order_relaxed) : 0;
    if (depth > TRACE_OPEN_MAX) { /* it was not kept */
        leave();
        return;
    }
    while (depth > 0 && chunk->open[depth - 1].begin_ns != begin_ns)
        depth--;
    if (depth > 0)
        atomic_store_explicit(&chunk->open_count, depth - 1, memory_order_release);
}

uint64_t trace_call_begins(const char *name, enum trace_call_kind kind)
{
    uint64_t begin_ns = clock_now_ns();
    if (is_on()) {
        const struct trace_open open = {
            .name = name_text(name), .begin_ns = begin_ns, .kind = kind, .device = -1};
        enter(&open);
    }
    return begin_ns;
}

void trace_call_ends(const char *name, enum trace_call_kind kind, uint64_t begin_ns)
{
    if (!is_on())
        return;
    /* In this order: where the record finds no room, the call stays told as one that has begun. */
    write_call(name, kind, 0, begin_ns, clock_now_ns());
    leave_call(begin_ns);
}

void trace_called_back(uint32_t number, uint64_t begin_ns)
{
    if (is_on())
        write_call(NULL, TRACE_CALL_BACK, number, begin_ns, clock_now_ns());
}

static uint32_t place_of(const void *address)
{
    struct memory_block block;
    memory_find(address, &block);
    return block.place == MEMORY_DEVICE        ? TRACE_PLACE_DEVICE
           : block.place == MEMORY_PINNED_HOST ? TRACE_PLACE_PINNED
                                               : TRACE_PLACE_HOST;
}

/* Writes operands down as they are visited. */
struct operand_writer {
    struct access_visitor visitor; /* first */
    uint32_t number;
};

static void write_operand(struct access_visitor *visitor, const struct access *access)
{
    if ((access->mode & (ACCESS_WORKSPACE | ACCESS_EXCHANGES)) != 0)
        return;
    uint32_t rank = access->rank < TRACE_RANK_MAX ? access->rank : TRACE_RANK_MAX;
    uint64_t name = name_text(access->parameter);
    size_t bytes = sizeof(struct trace_operand) + rank * sizeof(int64_t);
    struct trace_operand *operand = (struct trace_operand *)room_for(bytes);
    if (operand == NULL)
        return;
    *operand = (struct trace_operand){
        .record = {TRACE_OPERAND, (uint16_t)bytes, ((struct operand_writer *)visitor)->number},
        .name = name,
        .address = (uint64_t)(uintptr_t)access->address,
        .dtype = (int32_t)access->dtype,
        .element_bytes = access->element_bytes,
        .mode = access->mode,
        .place = access->dtype == ACL_DT_UNDEFINED ? place_of(access->address) : TRACE_PLACE_DEVICE,
        .rank = access->rank,
        .element = access->is_of_list ? access->element + 1 : 0};
    memcpy(operand->shape, access->shape, rank * sizeof(int64_t));
    commit(chunk_of_thread, bytes);
}

void trace_blocking(const char *name, uint64_t begin_ns, const void *dst, const void *src, uint64_t bytes)
{
    if (!is_on())
        return;
    uint64_t end_ns = clock_now_ns();
    uint32_t number = access_number();
    struct operand_writer writer = {{write_operand}, number};
    if (src != NULL)
        access_visit_bytes(&writer.visitor, "src", ACCESS_READ, src, bytes);
    access_visit_bytes(&writer.visitor, "dst", ACCESS_WRITTEN, dst, bytes);
    write_call(name, TRACE_CALL_BLOCKING, number, begin_ns, end_ns);
}

/* The tasks of a graph were described when they were recorded. */
void trace_submit(const struct stream *stream, struct task *task)
{
    if (!is_on())
        return;
    if (task->number == 0)
        task->number = access_number();
    const uint32_t number = task->number;
    uint64_t name = name_text(task->api);
    struct operand_writer writer = {{write_operand}, number};
    if (task->describe != NULL && !task->is_compound)
        task->describe(task, &writer.visitor);
    struct trace_submit *submit = (struct trace_submit *)room_for(sizeof *submit);
    if (submit == NULL)
        return;
    *submit =
        (struct trace_submit){.record = {TRACE_SUBMIT, sizeof *submit, number},
                              .name = name,
                              .time_ns = clock_now_ns(),
                              .device = atomic_load_explicit(&stream->device, memory_order_relaxed),
                              .stream = atomic_load_explicit(&stream->place, memory_order_relaxed),
                              .is_default = atomic_load_explicit(&stream->is_default, memory_order_relaxed)};
    commit(chunk_of_thread, sizeof *submit);
}

uint64_t trace_run_begins(const struct stream *stream, const struct task *task)
{
    const struct trace_open open = {.name = (uint64_t)(uintptr_t)task->api,
                                    .begin_ns = clock_now_ns(),
                                    .number = task->number,
                                    .device = atomic_load_explicit(&stream->device, memory_order_relaxed),
                                    .stream = atomic_load_explicit(&stream->place, memory_order_relaxed),
                                    .is_default =
                                        atomic_load_explicit(&stream->is_default, memory_order_relaxed)};
    if (is_on())
        enter(&open);
    return open.begin_ns;
}

void trace_run(const struct stream *stream, const struct task *task, uint64_t begin_ns, uint32_t flags,
               int status)
{
    if (!is_on())
        return;
    leave(); /* what the task has called has been left already */
    struct trace_run *run = (struct trace_run *)room_for(sizeof *run);
    if (run == NULL)
        return;
    bool is_parked = status == TASK_PARKED;
    *run = (struct trace_run){.record = {TRACE_RUN, sizeof *run, task->number},
                              .begin_ns = begin_ns,
                              .end_ns = clock_now_ns(),
                              .device = atomic_load_explicit(&stream->device, memory_order_relaxed),
                              .stream = atomic_load_explicit(&stream->place, memory_order_relaxed),
                              .is_default = atomic_load_explicit(&stream->is_default, memory_order_relaxed),
                              .flags = flags | (is_parked ? TRACE_RUN_PARKED : 0),
                              .status = is_parked ? 0 : status};
    commit(chunk_of_thread, sizeof *run);
}

void trace_wait(uint32_t waiting, uint32_t recorded)
{
    struct trace_wait *wait =
        is_on() && waiting != 0 && recorded != 0 ? (struct trace_wait *)room_for(sizeof *wait) : NULL;
    if (wait == NULL)
        return;
    *wait = (struct trace_wait){.record = {TRACE_WAIT, sizeof *wait, waiting}, .recorded = recorded};
    commit(chunk_of_thread, sizeof *wait);
}

void trace_memory(int32_t device, uint64_t bytes)
{
    struct trace_memory *memory = is_on() ? (struct trace_memory *)room_for(sizeof *memory) : NULL;
    if (memory == NULL)
        return;
    *memory = (struct trace_memory){.record = {TRACE_MEMORY, sizeof *memory, 0},
                                    .time_ns = clock_now_ns(),
                                    .bytes = bytes,
                                    .device = device};
    commit(chunk_of_thread, sizeof *memory);
}

/* Makes the file, FILE.PID.raw, and FILE.PID-2.raw and so on for the later programs of the process. */
static int create_file(const char *path)
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return -1;
    for (int program = 1; program <= PROGRAMS_MAX; program++) {
        char number[16] = "";
        if (program > 1)
            snprintf(number, sizeof number, "-%d", program);
        int length = snprintf(file_path, sizeof file_path, "%s%s%s.%ld%s.raw", folder,
                              folder[0] != '\0' ? "/" : "", path, (long)getpid(), number);
        if (length < 0 || (size_t)length >= sizeof file_path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

static bool map_head(int file)
{
    struct stat status;
    int error = take_room(file, 0, TRACE_HEAD_BYTES);
    if (error != 0) {
        errno = error;
        return false;
    }
    void *mapped = mmap(NULL, TRACE_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED || fstat(file, &status) != 0 || pthread_key_create(&key, leave_chunk) != 0)
        return false;
    file_device = status.st_dev;
    file_inode = status.st_ino;
    head = (struct trace_head *)mapped;
    *head = (struct trace_head){.magic = TRACE_MAGIC,
                                .process = (uint32_t)getpid(),
                                .chunk_bytes = TRACE_CHUNK_BYTES,
                                .begin_ns = clock_now_ns()};
    snprintf(head->program, sizeof head->program, "%s", program_invocation_short_name);
    return true;
}

bool trace_start(const char *path, const char **why)
{
    int file = path != NULL ? create_file(path) : -1;
    bool is_good = file >= 0 && map_head(file);
    *why = strerror(errno);
    if (file >= 0)
        close(file);
    if (is_good)
        atomic_fetch_or_explicit(&access_watchers, WATCHER_TIMELINE, memory_order_relaxed);
    atomic_store_explicit(&trace_state, is_good ? TRACE_ON : TRACE_OFF, memory_order_release);
    return is_good || path == NULL;
}

void trace_after_fork(void)
{
    /* Otherwise the end of the child's thread would leave the chunk, which the parent's thread writes to. */
    if (chunk_of_thread != NULL)
        pthread_setspecific(key, NULL);
    chunk_of_thread = NULL;
    atomic_store_explicit(&trace_state, TRACE_OFF, memory_order_relaxed);
}
