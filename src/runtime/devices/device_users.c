/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Looks below /proc for the processes that have devices: see device_use.h. What other processes have written
 * is read, checked and believed as far as it can be true.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "runtime/devices/device_use.h"
#include "base/futex.h"

/* Up to bytes - 1 characters of a file, with a zero behind; false when there are none. */
static bool read_text(int folder, const char *name, char *text, size_t bytes)
{
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, bytes - 1) : -1;
    if (file >= 0)
        close(file);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/*
 * The number that the process has for itself, in the innermost of the namespaces of processes: a container's
 * numbers begin at 1. -1 where the system does not say.
 */
static int32_t own_number(int folder)
{
    char text[4096];
    const char *line = read_text(folder, "status", text, sizeof text) ? strstr(text, "\nNSpid:") : NULL;
    if (line == NULL)
        return -1;
    line += strlen("\nNSpid:");
    long number = -1;
    for (const char *end = line + strcspn(line, "\n"); line < end;) {
        char *behind;
        long found = strtol(line, &behind, 10);
        if (behind == line || behind > end)
            break;
        number = found;
        line = behind;
    }
    return (int32_t)number;
}

/* Processors' time of the process and its threads; 0 where the system does not say. */
static uint64_t ticks_of(int32_t process)
{
    char path[32], text[1024];
    unsigned long long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    const char *name_end = read_text(AT_FDCWD, path, text, sizeof text) ? strrchr(text, ')') : NULL;
    if (name_end == NULL ||
        sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
        return 0;
    return user + system;
}

/* Takes what the page says; false when it is not one of this process and release. */
static bool take_page(const struct device_use_page *page, int32_t own, struct device_user *user)
{
    if (page->magic != DEVICE_USE_MAGIC || page->process != own)
        return false;
    user->devices = 0;
    for (int i = 0; i < DEVICES_MAX; i++) {
        const struct device_use *use = &page->device[i];
        uint64_t live = atomic_load_explicit(&use->live_bytes, memory_order_relaxed);
        bool is_used = live != 0 || atomic_load_explicit(&use->contexts, memory_order_relaxed) != 0;
        user->devices |= is_used ? UINT64_C(1) << i : 0;
        user->live_bytes[i] = live;
        user->memory_bytes[i] = atomic_load_explicit(&use->memory_bytes, memory_order_relaxed);
    }
    return user->devices != 0;
}

/* A forked child has its parent's descriptor too; the page says whose it is. */
static bool read_descriptor(int descriptors, const char *name, int32_t own, struct device_user *user)
{
    static const char wanted[] = "/memfd:" DEVICE_USE_NAME;
    char target[64];
    ssize_t length = readlinkat(descriptors, name, target, sizeof target - 1);
    if (length < (ssize_t)sizeof wanted - 1 || memcmp(target, wanted, sizeof wanted - 1) != 0)
        return false;
    int file = openat(descriptors, name, O_RDONLY | O_CLOEXEC);
    struct device_use_page page;
    bool is_whole = file >= 0 && pread(file, &page, sizeof page, 0) == (ssize_t)sizeof page;
    if (file >= 0)
        close(file);
    return is_whole && take_page(&page, own, user);
}

/* Closes the folder. */
static bool read_process(int folder, struct device_user *user)
{
    int opened = openat(folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *descriptors = opened >= 0 ? fdopendir(opened) : NULL;
    bool is_found = false;
    int32_t own = descriptors != NULL ? own_number(folder) : -1;
    const struct dirent *entry;
    while (descriptors != NULL && !is_found && (entry = readdir(descriptors)) != NULL)
        if (entry->d_name[0] != '.')
            is_found = read_descriptor(opened, entry->d_name, own, user);
    if (descriptors != NULL)
        closedir(descriptors);
    else if (opened >= 0)
        close(opened);
    if (is_found) {
        user->busy = 0;
        read_text(folder, "comm", user->name, sizeof user->name);
        user->name[strcspn(user->name, "\n")] = '\0';
    }
    close(folder);
    return is_found;
}

static int by_number(const void *one, const void *other)
{
    int32_t first = ((const struct device_user *)one)->process;
    int32_t second = ((const struct device_user *)other)->process;
    return first < second ? -1 : first > second;
}

size_t device_users_read(struct device_user *users, size_t capacity)
{
    int cancellation = cancellation_hold();
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    size_t count = 0;
    while (processes != NULL && count < capacity && (entry = readdir(processes)) != NULL) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (*end != '\0' || end == entry->d_name || number <= 0 || number > INT32_MAX)
            continue;
        int folder = openat(dirfd(processes), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
            continue;
        users[count].process = (int32_t)number;
        count += read_process(folder, &users[count]);
    }
    if (processes != NULL)
        closedir(processes);
    qsort(users, count, sizeof *users, by_number);
    cancellation_allow(cancellation);
    return count;
}

void device_users_measure(struct device_user *users, size_t count)
{
    const struct timespec tenth = {.tv_nsec = 100000000};
    long hertz = sysconf(_SC_CLK_TCK), processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t begin_ns = clock_now_ns();
    if (count == 0 || hertz <= 0 || processors <= 0)
        return;
    for (size_t i = 0; i < count; i++)
        users[i].busy = -(double)ticks_of(users[i].process);
    nanosleep(&tenth, NULL);
    double ticks_passed = (double)(clock_now_ns() - begin_ns) / 1e9 * (double)hertz * (double)processors;
    for (size_t i = 0; i < count; i++) {
        users[i].busy = (users[i].busy + (double)ticks_of(users[i].process)) / ticks_passed;
        users[i].busy = users[i].busy > 0 ? users[i].busy : 0; /* it may have ended meanwhile */
    }
}
