/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Makes the folder of a profile.
 */
#include "runtime/profiling/profile_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/saboteur.h"

enum { FOLDER_MODE = 0750, FILE_MODE = 0640, LETTERS = 16 };

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct trace_clocks profile_clocks(void)
{
    struct trace_clocks best = {0};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_clock(CLOCK_MONOTONIC), raw = read_clock(CLOCK_MONOTONIC_RAW),
                 real = read_clock(CLOCK_REALTIME), after = read_clock(CLOCK_MONOTONIC);
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        best = (struct trace_clocks){before + (after - before) / 2, raw, real / 1000 * 1000};
    }
    return best;
}

static bool make(const char *path)
{
    struct stat status;
    if (disk_is_full(path))
        return false;
    return mkdir(path, FOLDER_MODE) == 0 ||
           (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}

/* path and the folders above it. */
static bool make_all(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    memcpy(part, path, length + 1);
    for (size_t i = 1; i < length; i++) {
        if (part[i] != '/')
            continue;
        part[i] = '\0';
        if (!make(part))
            return false;
        part[i] = '/';
    }
    return make(part);
}

/* Letters that no other profile of the machine has, as far as its process, its time and its number tell. */
static void write_letters(char letters[LETTERS + 1], const struct timespec *now, uint32_t number)
{
    const uint64_t parts[] = {(uint64_t)getpid(), (uint64_t)now->tv_sec, (uint64_t)now->tv_nsec, number};
    uint64_t hash = hash_add(HASH_START, (const char *)parts, sizeof parts);
    for (int i = 0; i < LETTERS; i++, hash = hash / 13 ^ hash << 55)
        letters[i] = (char)('A' + hash % 26);
    letters[LETTERS] = '\0';
}

static bool join(char path[PATH_MAX], const char *folder, const char *name)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    if (length >= 0 && length < PATH_MAX)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static bool make_part(const char *folder, const char *name)
{
    char part[PATH_MAX], data[PATH_MAX];
    return join(part, folder, name) && make(part) && join(data, part, "data") && make(data);
}

bool profile_folder_make(const char *parent, uint64_t devices, char path[PATH_MAX])
{
    static _Atomic uint32_t profiles;
    uint32_t number = atomic_fetch_add(&profiles, 1) + 1;
    char name[96], letters[LETTERS + 1], calendar[24];
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(calendar, sizeof calendar, "%Y%m%d%H%M%S", &parts);
    write_letters(letters, &now, number);
    snprintf(name, sizeof name, "PROF_%06" PRIu32 "_%s%03d_%s", number % 1000000, calendar,
             (int)(now.tv_nsec / 1000000), letters);
    if (!make_all(parent) || !join(path, parent, name) || disk_is_full(path) ||
        mkdir(path, FOLDER_MODE) != 0 || !make_part(path, "host"))
        return false;
    for (int device = 0; device < 64; device++) {
        snprintf(name, sizeof name, "device_%d", device);
        if ((devices >> device & 1) != 0 && !make_part(path, name))
            return false;
    }
    return true;
}

static bool write_file(const char *folder, const char *name, const char *text, size_t length)
{
    char path[PATH_MAX];
    if (!join(path, folder, name) || disk_is_full(path))
        return false;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (descriptor < 0)
        return false;
    bool is_good = write(descriptor, text, length) == (ssize_t)length;
    return close(descriptor) == 0 && is_good;
}

static bool is_start(const char *name)
{
    return strncmp(name, "start", 5) == 0;
}

static bool write_info(const char *folder, const char *name, const struct trace_clocks *clocks)
{
    char text[256];
    int length = snprintf(text, sizeof text,
                          "{\"collectionTime%s\": \"%" PRIu64 "\", \"clockMonotonicRaw\": \"%" PRIu64
                          "\", \"clockMonotonic\": \"%" PRIu64 "\"}\n",
                          is_start(name) ? "Begin" : "End", clocks->real_ns / 1000, clocks->raw_ns,
                          clocks->monotonic_ns);
    return write_file(folder, name, text, (size_t)length);
}

/* The counter that MindSpore dates its own events by: the processor's, or where it knows none the clock. */
static uint64_t read_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t counter;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(counter));
    return counter;
#else
    return read_clock(CLOCK_MONOTONIC_RAW);
#endif
}

/* The counter and the clock that it is told by, read as near together as can be. */
static bool write_counter(const char *folder, const char *name)
{
    uint64_t shortest = UINT64_MAX, raw = 0, counter = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t before = read_clock(CLOCK_MONOTONIC_RAW), between = read_counter(),
                 after = read_clock(CLOCK_MONOTONIC_RAW);
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        raw = before + shortest / 2;
        counter = between;
    }
    char text[128];
    int length = snprintf(text, sizeof text,
                          "[Host]\nclock_monotonic_raw = %" PRIu64 "\ncntvct = %" PRIu64 "\n", raw, counter);
    return write_file(folder, name, text, (size_t)length);
}

bool profile_folder_write_info(const char *path, uint64_t devices, const char *name,
                               const struct trace_clocks *clocks)
{
    char folder[PATH_MAX], part[32], own_name[48];
    if (!join(folder, path, "host") || !write_info(folder, name, clocks) ||
        !write_counter(folder, is_start(name) ? "host_start.log" : "host_end.log"))
        return false;
    for (int device = 0; device < 64; device++) {
        snprintf(part, sizeof part, "device_%d", device);
        snprintf(own_name, sizeof own_name, "%s.%d", name, device);
        if ((devices >> device & 1) != 0 &&
            (!join(folder, path, part) || !write_info(folder, own_name, clocks)))
            return false;
    }
    return true;
}
