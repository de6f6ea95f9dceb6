/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reads what the log has written. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_LOG_TEXT_H
#define BELAY_TESTS_SUPPORT_LOG_TEXT_H

#include <dirent.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "acl/acl.h"

/* What was read last. */
static char text[1 << 16];

static inline bool matches(const char *pattern)
{
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    bool does = regexec(&expression, text, 0, NULL, 0) == 0;
    regfree(&expression);
    if (!does)
        print_error("\"%s\" does not match %s\n", text, pattern);
    return does;
}

static inline void read_file(const char *path)
{
    size_t length = 0;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[length] = '\0';
}

/* The number of files in the folder; the last one's path. */
static inline int list(const char *folder, char *path, size_t bytes)
{
    int count = 0;
    DIR *open_folder = opendir(folder);
    if (open_folder == NULL)
        return -1;
    for (struct dirent *entry = readdir(open_folder); entry != NULL; entry = readdir(open_folder)) {
        if (entry->d_name[0] != '.') {
            snprintf(path, bytes, "%s/%s", folder, entry->d_name);
            count++;
        }
    }
    closedir(open_folder);
    return count;
}

/* Leaves a line of the level ERROR. */
static inline void fail_once(void)
{
    aclDestroyDataBuffer(NULL);
}

#endif
