/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The wrappers that the linker puts in front of the system's functions, and what they count.
 */
#include "injector.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/sanitizer.h"

static _Atomic bool is_armed;
static _Atomic bool is_for_ever;
static _Atomic uint64_t failing_ordinal;
static _Atomic uint64_t passed;
static _Atomic uint64_t failures;
static _Atomic(const char *) first_failed;
static _Atomic uint64_t points[POINT_CLASSES];
static _Atomic int64_t blocks, mappings, files, slots[HANDLE_KINDS];

void injector_arm(uint64_t ordinal, bool for_ever)
{
    failing_ordinal = ordinal;
    is_for_ever = for_ever;
    passed = 0;
    failures = 0;
    first_failed = NULL;
    is_armed = true;
}

uint64_t injector_disarm(void)
{
    is_armed = false;
    return passed;
}

uint64_t injector_failed(const char **call)
{
    *call = first_failed;
    return failures;
}

uint64_t injector_points(enum point_class point_class)
{
    return points[point_class];
}

struct holdings injector_holdings(void)
{
    struct holdings holdings = {.blocks = blocks, .mappings = mappings, .files = files};
    for (int kind = 0; kind < HANDLE_KINDS; kind++)
        holdings.slots[kind] = slots[kind];
    return holdings;
}

/* True when this call must fail. */
static bool fails(enum point_class point_class, const char *call)
{
    if (!is_armed)
        return false;
    uint64_t ordinal = atomic_fetch_add(&passed, 1) + 1;
    points[point_class]++;
    if (failing_ordinal == 0 || (is_for_ever ? ordinal < failing_ordinal : ordinal != failing_ordinal))
        return false;
    const char *none = NULL;
    atomic_compare_exchange_strong(&first_failed, &none, call);
    failures++;
    return true;
}

static void *count_block(void *block)
{
    blocks += block != NULL;
    return block;
}

static int refuse(int error)
{
    errno = error;
    return -1;
}

/* Declares the function behind a name and the one in front of it; the body of the latter follows. */
#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t bytes)
{
    errno = ENOMEM;
    return fails(POINT_MEMORY, "malloc") ? NULL : count_block(__real_malloc(bytes));
}

WRAP(void *, calloc, size_t count, size_t bytes)
{
    errno = ENOMEM;
    return fails(POINT_MEMORY, "calloc") ? NULL : count_block(__real_calloc(count, bytes));
}

WRAP(void *, realloc, void *block, size_t bytes)
{
    errno = ENOMEM;
    if (fails(POINT_MEMORY, "realloc"))
        return NULL;
    bool is_new = block == NULL;
    void *moved = __real_realloc(block, bytes);
    blocks += is_new && moved != NULL;
    return moved;
}

WRAP(void *, aligned_alloc, size_t alignment, size_t bytes)
{
    errno = ENOMEM;
    return fails(POINT_MEMORY, "aligned_alloc") ? NULL : count_block(__real_aligned_alloc(alignment, bytes));
}

WRAP(int, posix_memalign, void **block, size_t alignment, size_t bytes)
{
    if (fails(POINT_MEMORY, "posix_memalign"))
        return ENOMEM;
    int status = __real_posix_memalign(block, alignment, bytes);
    blocks += status == 0;
    return status;
}

WRAP(void, free, void *block)
{
    blocks -= block != NULL;
    __real_free(block);
}

WRAP(void *, mmap, void *start, size_t bytes, int protection, int flags, int file, off_t offset)
{
    errno = ENOMEM;
    if (fails(POINT_MAPPING, "mmap"))
        return MAP_FAILED;
    void *mapped = __real_mmap(start, bytes, protection, flags, file, offset);
    mappings += mapped != MAP_FAILED;
    return mapped;
}

/* A range that the system does not take back is its loss, not the library's. */
WRAP(int, munmap, void *start, size_t bytes)
{
    mappings--;
    return fails(POINT_MAPPING, "munmap") ? refuse(ENOMEM) : __real_munmap(start, bytes);
}

WRAP(int, mprotect, void *start, size_t bytes, int protection)
{
    return fails(POINT_MAPPING, "mprotect") ? refuse(ENOMEM) : __real_mprotect(start, bytes, protection);
}

WRAP(int, madvise, void *start, size_t bytes, int advice)
{
    return fails(POINT_MAPPING, "madvise") ? refuse(EINVAL) : __real_madvise(start, bytes, advice);
}

WRAP(int, mincore, void *start, size_t bytes, unsigned char *state)
{
    return fails(POINT_MAPPING, "mincore") ? refuse(ENOMEM) : __real_mincore(start, bytes, state);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
     void *argument)
{
    return fails(POINT_THREAD, "pthread_create") ? EAGAIN
                                                 : __real_pthread_create(thread, attributes, body, argument);
}

WRAP(int, pthread_mutex_init, pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return fails(POINT_THREAD, "pthread_mutex_init") ? ENOMEM : __real_pthread_mutex_init(mutex, attributes);
}

WRAP(int, pthread_cond_init, pthread_cond_t *condition, const pthread_condattr_t *attributes)
{
    return fails(POINT_THREAD, "pthread_cond_init") ? ENOMEM
                                                    : __real_pthread_cond_init(condition, attributes);
}

WRAP(int, pthread_atfork, void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    return fails(POINT_THREAD, "pthread_atfork") ? ENOMEM
                                                 : __real_pthread_atfork(before, in_parent, in_child);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list arguments;
        va_start(arguments, flags);
        mode = (mode_t)va_arg(arguments, int);
        va_end(arguments);
    }
    if (fails(POINT_FILE, "open"))
        return refuse(EMFILE);
    int file = __real_open(path, flags, mode);
    files += file >= 0;
    return file;
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list arguments;
        va_start(arguments, flags);
        mode = (mode_t)va_arg(arguments, int);
        va_end(arguments);
    }
    if (fails(POINT_FILE, "openat"))
        return refuse(EMFILE);
    int file = __real_openat(folder, path, flags, mode);
    files += file >= 0;
    return file;
}

WRAP(int, close, int file)
{
    files--;
    return __real_close(file);
}

WRAP(int, fstat, int file, struct stat *status)
{
    return fails(POINT_FILE, "fstat") ? refuse(EIO) : __real_fstat(file, status);
}

WRAP(ssize_t, read, int file, void *bytes, size_t count)
{
    return fails(POINT_FILE, "read") ? refuse(EIO) : __real_read(file, bytes, count);
}

WRAP(ssize_t, __read_chk, int file, void *bytes, size_t count, size_t room)
{
    return fails(POINT_FILE, "read") ? refuse(EIO) : __real___read_chk(file, bytes, count, room);
}

WRAP(ssize_t, write, int file, const void *bytes, size_t count)
{
    return fails(POINT_FILE, "write") ? refuse(ENOSPC) : __real_write(file, bytes, count);
}

WRAP(int, mkdir, const char *path, mode_t mode)
{
    return fails(POINT_FILE, "mkdir") ? refuse(ENOSPC) : __real_mkdir(path, mode);
}

WRAP(int, mkdirat, int folder, const char *path, mode_t mode)
{
    return fails(POINT_FILE, "mkdirat") ? refuse(ENOSPC) : __real_mkdirat(folder, path, mode);
}

WRAP(int, sched_getaffinity, pid_t thread, size_t bytes, void *set)
{
    return fails(POINT_FILE, "sched_getaffinity") ? refuse(EINVAL)
                                                  : __real_sched_getaffinity(thread, bytes, set);
}

/* A sanitizer's runtime, which is in the same program, calls these too, and does not expect failures. */
#if !UNDER_SANITIZER
WRAP(int, pthread_attr_init, pthread_attr_t *attributes)
{
    return fails(POINT_THREAD, "pthread_attr_init") ? ENOMEM : __real_pthread_attr_init(attributes);
}

WRAP(int, pthread_key_create, pthread_key_t *key, void (*at_end)(void *))
{
    return fails(POINT_THREAD, "pthread_key_create") ? EAGAIN : __real_pthread_key_create(key, at_end);
}

WRAP(int, pthread_setspecific, pthread_key_t key, const void *value)
{
    return fails(POINT_THREAD, "pthread_setspecific") ? ENOMEM : __real_pthread_setspecific(key, value);
}

/* The size of a page is known without asking the system. */
WRAP(long, sysconf, int name)
{
    return name != _SC_PAGESIZE && fails(POINT_FILE, "sysconf") ? refuse(EINVAL) : __real_sysconf(name);
}

WRAP(int, getrlimit, int resource, struct rlimit *limit)
{
    return fails(POINT_FILE, "getrlimit") ? refuse(EINVAL) : __real_getrlimit(resource, limit);
}
#endif

/* Slots of handle tables are no points: the memory behind them is. They are counted for leaks. */
WRAP(void *, belay_handle_acquire, struct handle_table *table)
{
    void *object = __real_belay_handle_acquire(table);
    slots[table->kind] += object != NULL;
    return object;
}

WRAP(void, belay_handle_release, struct handle_table *table, void *object)
{
    slots[table->kind]--;
    __real_belay_handle_release(table, object);
}
