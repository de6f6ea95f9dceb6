/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the records of a timeline go: files whose chunks threads map, one chunk for each thread at a time.
 */
#include "runtime/timeline/trace_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/futex.h"
#include "base/saboteur.h"

/* One process may become several programs, by exec, and each wants a file. */
enum { PROGRAMS_MAX = 100 };

/*
 * Mapped once. A later file's head takes the place of the one before, so that the few threads that are still
 * on their way to a chunk of that one find a head: they take a number of the new file, which then has a hole.
 */
static struct trace_head *head;

struct trace_head *trace_target_head(void)
{
    return head;
}

/*
 * Makes sure that the file has bytes from offset on: one with holes would be a signal where the disk is full,
 * and so is one that grows beyond the limit of the process. 0, or errno.
 */
static int take_room(int file, const char *path, off_t offset, off_t bytes)
{
    struct rlimit most;
    if (disk_is_full(path))
        return ENOSPC;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && (rlim_t)(offset + bytes) > most.rlim_cur)
        return EFBIG;
    return posix_fallocate(file, offset, bytes);
}

/* The file is opened anew each time, and looked at: programs close what they have not opened. */
struct trace_chunk *trace_target_chunk(struct trace_target *target)
{
    int cancellation = cancellation_hold();
    int error = errno;
    struct stat status;
    void *chunk = MAP_FAILED;
    int file = atomic_load_explicit(&target->is_full, memory_order_relaxed)
                   ? -1
                   : open(target->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == target->device &&
        status.st_ino == target->inode) {
        uint64_t number = atomic_fetch_add_explicit(&head->chunks, 1, memory_order_relaxed);
        off_t offset = (off_t)(TRACE_HEAD_BYTES + number * TRACE_CHUNK_BYTES);
        if (take_room(file, target->path, offset, TRACE_CHUNK_BYTES) == 0)
            chunk = mmap(NULL, TRACE_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
                         offset);
    }
    if (file >= 0)
        close(file);
    errno = error;
    cancellation_allow(cancellation);
    if (chunk == MAP_FAILED) {
        atomic_store_explicit(&target->is_full, true, memory_order_relaxed);
        return NULL;
    }
    struct trace_chunk *mapped = (struct trace_chunk *)chunk;
    mapped->magic = TRACE_CHUNK_MAGIC;
    mapped->owner = (uint64_t)(uintptr_t)target;
    return mapped;
}

/* Makes the file, FILE.PID.raw, and FILE.PID-2.raw and so on for the later programs of the process. */
static int create_file(const char *path, bool is_exact, char file_path[PATH_MAX])
{
    char folder[PATH_MAX] = "";
    if (path[0] != '/' && getcwd(folder, sizeof folder) == NULL)
        return -1;
    for (int program = 1; program <= PROGRAMS_MAX; program++) {
        char number[16] = "", end[48] = "";
        if (program > 1)
            snprintf(number, sizeof number, "-%d", program);
        if (!is_exact)
            snprintf(end, sizeof end, ".%ld%s.raw", (long)getpid(), number);
        int length =
            snprintf(file_path, PATH_MAX, "%s%s%s%s", folder, folder[0] != '\0' ? "/" : "", path, end);
        if (length < 0 || length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST || is_exact)
            return file;
    }
    return -1;
}

static bool map_head(int file, const char *path, struct stat *status)
{
    int error = take_room(file, path, 0, TRACE_HEAD_BYTES);
    if (error != 0) {
        errno = error;
        return false;
    }
    void *mapped = fstat(file, status) == 0 ? mmap(head, TRACE_HEAD_BYTES, PROT_READ | PROT_WRITE,
                                                   MAP_SHARED | (head != NULL ? MAP_FIXED : 0), file, 0)
                                            : MAP_FAILED;
    if (mapped == MAP_FAILED)
        return false;
    head = (struct trace_head *)mapped;
    memcpy(head->magic, TRACE_MAGIC, sizeof TRACE_MAGIC);
    head->process = (uint32_t)getpid();
    head->chunk_bytes = TRACE_CHUNK_BYTES;
    head->begin_ns = clock_now_ns();
    snprintf(head->program, sizeof head->program, "%s", program_invocation_short_name);
    return true;
}

struct trace_target *trace_target_create(const char *path, bool is_exact)
{
    char file_path[PATH_MAX];
    struct stat status;
    int file = create_file(path, is_exact, file_path);
    if (file < 0)
        return NULL;
    size_t length = strlen(file_path) + 1;
    struct trace_target *target = (struct trace_target *)malloc(sizeof *target + length);
    if (target == NULL || !map_head(file, file_path, &status)) {
        int error = target == NULL ? ENOMEM : errno;
        free(target);
        close(file);
        unlink(file_path); /* it is no timeline */
        errno = error;
        return NULL;
    }
    close(file);
    target->device = status.st_dev;
    target->inode = status.st_ino;
    atomic_init(&target->is_full, false);
    memcpy(target->path, file_path, length);
    return target;
}

bool trace_target_copy(const struct trace_target *target, const char *path)
{
    int from = open(target->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    int to = from >= 0 ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
    bool is_good = to >= 0 && !disk_is_full(path);
    char piece[16 << 10];
    while (is_good) {
        ssize_t bytes = read(from, piece, sizeof piece);
        if (bytes == 0)
            break;
        is_good = bytes > 0 && write(to, piece, (size_t)bytes) == bytes;
    }
    int error = errno;
    if (from >= 0)
        close(from);
    if (to >= 0 && close(to) != 0)
        is_good = false;
    errno = error;
    return is_good;
}
