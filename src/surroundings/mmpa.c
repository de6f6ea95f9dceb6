/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * libmmpa.so: the few functions of the layer over the operating system that clients' libraries are linked
 * with. No header declares them. 0 is success, -1 a failure that errno names, -2 an argument that cannot be.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(default)
int32_t mmGetPid(void);
int32_t mmGetTid(void);
int32_t mmGetErrorCode(void);
char *mmGetErrorFormatMessage(int32_t number, char *text, size_t bytes);
int32_t mmRealPath(const char *path, char *real_path, int32_t bytes);
char *mmDlerror(void);
#pragma GCC visibility pop

enum { FAILED = -1, INVALID_ARGUMENT = -2 };

int32_t mmGetPid(void)
{
    return (int32_t)getpid();
}

int32_t mmGetTid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

int32_t mmGetErrorCode(void)
{
    return errno;
}

/* What a number of errno means; text, or NULL where there is no room. */
char *mmGetErrorFormatMessage(int32_t number, char *text, size_t bytes)
{
    char own[128];
    if (text == NULL || bytes == 0)
        return NULL;
    const char *message = strerror_r(number, own, sizeof own);
    size_t length = strnlen(message, bytes - 1);
    memcpy(text, message, length);
    text[length] = '\0';
    return text;
}

/* The path without links. The room is that of a whole path at least. */
int32_t mmRealPath(const char *path, char *real_path, int32_t bytes)
{
    if (path == NULL || real_path == NULL || bytes < PATH_MAX)
        return INVALID_ARGUMENT;
    return realpath(path, real_path) != NULL ? 0 : FAILED;
}

char *mmDlerror(void)
{
    return dlerror();
}
