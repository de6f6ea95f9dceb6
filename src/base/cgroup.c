/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads the limits of control groups. A limit of any group above ours binds us too. Inside a container the
 * path that the kernel reports may be the host's, of which only the last group is mounted, as the root: all
 * folders from the reported one up to the root are therefore tried, and those that are missing are skipped.
 */
#include "base/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_BYTES = 4096, LIST_BYTES = 8192, VALUE_BYTES = 128 };

/* A kind of limit: reads it in one folder, and gives back the smaller of it and the one known so far. */
typedef uint64_t read_limit(const char *folder, uint64_t known);

static bool read_text(const char *path, char *text, size_t bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return false;
    size_t length = 0;
    while (length < bytes - 1) {
        ssize_t count = read(file, text + length, bytes - 1 - length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        length += (size_t)count;
    }
    close(file);
    text[length] = '\0';
    return length > 0;
}

static bool read_value(const char *folder, const char *name, char value[VALUE_BYTES])
{
    char path[FOLDER_BYTES + 64];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    return (size_t)length < sizeof path && read_text(path, value, VALUE_BYTES);
}

/* False for anything but digits in front, such as max or -1. */
static bool parse(const char *text, uint64_t *number, const char **end)
{
    if (*text < '0' || *text > '9')
        return false;
    char *behind = NULL;
    *number = strtoull(text, &behind, 10);
    *end = behind;
    return true;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t processors_for(uint64_t quota, uint64_t period)
{
    if (period == 0)
        return UINT64_MAX;
    uint64_t count = quota / period + (quota % period != 0);
    return count > 0 ? count : 1;
}

static uint64_t processors_v2(const char *folder, uint64_t known)
{
    char value[VALUE_BYTES];
    uint64_t quota, period;
    const char *end;
    if (!read_value(folder, "cpu.max", value) || !parse(value, &quota, &end) || *end != ' ' ||
        !parse(end + 1, &period, &end))
        return known;
    return smaller(known, processors_for(quota, period));
}

static uint64_t processors_v1(const char *folder, uint64_t known)
{
    char value[VALUE_BYTES];
    uint64_t quota, period;
    const char *end;
    if (!read_value(folder, "cpu.cfs_quota_us", value) || !parse(value, &quota, &end) ||
        !read_value(folder, "cpu.cfs_period_us", value) || !parse(value, &period, &end))
        return known;
    return smaller(known, processors_for(quota, period));
}

static uint64_t memory_v2(const char *folder, uint64_t known)
{
    char value[VALUE_BYTES];
    uint64_t bytes;
    const char *end;
    return read_value(folder, "memory.max", value) && parse(value, &bytes, &end) ? smaller(known, bytes)
                                                                                 : known;
}

static uint64_t memory_v1(const char *folder, uint64_t known)
{
    char value[VALUE_BYTES];
    uint64_t bytes;
    const char *end;
    return read_value(folder, "memory.limit_in_bytes", value) && parse(value, &bytes, &end)
               ? smaller(known, bytes)
               : known;
}

/* The number behind a name at the start of a line of the folder's memory.stat; 0 without it. */
static uint64_t statistic(const char *folder, const char *name)
{
    char path[FOLDER_BYTES + 64], text[LIST_BYTES];
    int length = snprintf(path, sizeof path, "%s/memory.stat", folder);
    if ((size_t)length >= sizeof path || !read_text(path, text, sizeof text))
        return 0;
    size_t name_length = strlen(name);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        uint64_t number;
        const char *end;
        if (*line == '\n')
            line++;
        if (strncmp(line, name, name_length) == 0 && line[name_length] == ' ' &&
            parse(line + name_length + 1, &number, &end))
            return number;
    }
    return 0;
}

static uint64_t left(const char *folder, const char *limit_name, const char *usage_name,
                     const char *cache_name, uint64_t known)
{
    char value[VALUE_BYTES];
    uint64_t most, usage;
    const char *end;
    if (!read_value(folder, limit_name, value) || !parse(value, &most, &end) ||
        !read_value(folder, usage_name, value) || !parse(value, &usage, &end))
        return known;
    uint64_t cache = statistic(folder, cache_name);
    usage -= smaller(usage, cache);
    return smaller(known, most > usage ? most - usage : 0);
}

static uint64_t memory_left_v2(const char *folder, uint64_t known)
{
    return left(folder, "memory.max", "memory.current", "inactive_file", known);
}

static uint64_t memory_left_v1(const char *folder, uint64_t known)
{
    return left(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", known);
}

/* From mount/path up to mount itself. */
static uint64_t walk_up(const char *root, const char *mount, const char *path, read_limit *read_one,
                        uint64_t known)
{
    char folder[FOLDER_BYTES];
    int base = snprintf(folder, sizeof folder, "%s%s", root, mount);
    if ((size_t)base + strlen(path) >= sizeof folder || strstr(path, "..") != NULL)
        return known;
    memcpy(folder + base, path, strlen(path) + 1);
    for (;;) {
        known = read_one(folder, known);
        char *slash = strrchr(folder + base, '/');
        if (slash == NULL)
            return known;
        *slash = '\0';
    }
}

/* True when the comma-separated list of controllers has this one. */
static bool has_controller(const char *list, const char *controller)
{
    size_t length = strlen(controller);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',')
            at++;
        if (strncmp(at, controller, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static uint64_t limit(const char *root, const char *controller, read_limit *version1, read_limit *version2)
{
    char list[LIST_BYTES], name[FOLDER_BYTES];
    uint64_t known = UINT64_MAX;
    int length = snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    if ((size_t)length >= sizeof name || !read_text(name, list, sizeof list))
        return known;

    /* Each line is number:controllers:path; version 2 has the number 0 and no controllers. */
    char *rest = NULL;
    for (char *line = strtok_r(list, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        controllers++;
        if (*controllers == '\0') {
            known = walk_up(root, "/sys/fs/cgroup", path, version2, known);
            known = walk_up(root, "/sys/fs/cgroup/unified", path, version2, known);
        } else if (has_controller(controllers, controller)) {
            snprintf(name, sizeof name, "/sys/fs/cgroup/%s", controller);
            known = walk_up(root, name, path, version1, known);
        }
    }
    return known;
}

uint32_t cgroup_processors(const char *root)
{
    uint64_t count = limit(root, "cpu", processors_v1, processors_v2);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

uint64_t cgroup_memory(const char *root)
{
    return limit(root, "memory", memory_v1, memory_v2);
}

uint64_t cgroup_memory_left(const char *root)
{
    return limit(root, "memory", memory_left_v1, memory_left_v2);
}
