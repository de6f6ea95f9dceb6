/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that bears what can fail: it moves ten numbers to a device and back, and tries again what fails. On a
 * machine nothing fails; with faults that are asked for it shows that it goes on:
 *
 *   belay run --fault alloc=1:fail --fault copy=5:507054 ./recovery
 */
#include <stdio.h>

#include "acl/acl.h"

enum { NUMBERS = 10, TRIES_MOST = 50 };

static int tries;

/* Whether to try again; says why. */
static int fails(const char *what, int status)
{
    if (status == 0)
        return 0;
    const char *message = aclGetRecentErrMsg();
    printf("%s: status %d, tried again: %s", what, status, message != NULL ? message : "\n");
    return ++tries <= TRIES_MOST;
}

/* There, on the device, and back. */
static int move(int *memory, int number, int *found, aclrtStream stream)
{
    const size_t bytes = sizeof number;
    int status = aclrtMemcpy(memory, bytes, &number, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    if (status == 0)
        status = aclrtMemcpyAsync(memory + 16, bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
    if (status == 0)
        status = aclrtSynchronizeStream(stream);
    return status != 0 ? status : aclrtMemcpy(found, bytes, memory + 16, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
}

int main(void)
{
    aclrtStream stream;
    int *memory = NULL, wrong = 0;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return 1;
    while (fails("memory", aclrtMalloc((void **)&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST)))
        continue;
    for (int i = 0; memory != NULL && i < NUMBERS; i++) {
        int found = -1;
        while (fails("copy", move(memory, i, &found, stream)))
            continue;
        wrong += found != i;
    }
    printf("%d of %d numbers arrived, after %d failures\n", NUMBERS - wrong, NUMBERS, tries);
    aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return memory == NULL || wrong != 0 || tries > TRIES_MOST;
}
