/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Finds programs, as shells do.
 */
#include "tools/program/find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *path, int length, size_t bytes)
{
    return length >= 0 && (size_t)length < bytes && access(path, X_OK) == 0;
}

bool program_find(const char *name, char *path, size_t bytes)
{
    if (strchr(name, '/') != NULL)
        return is_program(path, snprintf(path, bytes, "%s", name), bytes);
    const char *folders = getenv("PATH");
    for (size_t length; folders != NULL && *folders != '\0'; folders += length + (folders[length] == ':')) {
        length = strcspn(folders, ":");
        const char *folder = length > 0 ? folders : "."; /* as PATH has it: a folder without a name */
        const int width = length > 0 ? (int)length : 1;
        if (is_program(path, snprintf(path, bytes, "%.*s/%s", width, folder, name), bytes))
            return true;
    }
    return false;
}

bool program_root(char *root, size_t bytes)
{
    const ssize_t length = readlink("/proc/self/exe", root, bytes - 1);
    if (length < 0)
        return false;
    root[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    return true;
}
