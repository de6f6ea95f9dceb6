/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Fuzzes the variables that the library reads: the bytes choose variables and write their values. Each input
 * has a process of its own, because the variables are read once; it must get a status of the contract, the
 * same one twice, and be able to use the library if that is 0.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "fuzz/fuzz.h"

enum { VARIABLES_MOST = 8, VALUE_MOST = 300, SECONDS_MOST = 60 };

static const char *const names[] = {
    "BELAY_DEVICES",
    "BELAY_THREADS",
    "BELAY_MEMORY",
    "BELAY_WORKSPACE",
    "BELAY_SOC",
    "BELAY_ISA",
    "BELAY_ACCURACY",
    "BELAY_SCHEDULE",
    "BELAY_CHECK",
    "BELAY_HOST_POINTERS",
    "ASCEND_RT_VISIBLE_DEVICES",
    "ASCEND_GLOBAL_LOG_LEVEL",
    "ASCEND_MODULE_LOG_LEVEL",
    "ASCEND_SLOG_PRINT_TO_STDOUT",
    "ASCEND_GLOBAL_EVENT_ENABLE",
    "ASCEND_LOG_PRINT_TO_STDOUT",
};

/* Values that are understood somewhere, to be taken whole or as a beginning. */
static const char *const words[] = {"",
                                    "0",
                                    "1",
                                    "2",
                                    "64",
                                    "1024",
                                    "1M",
                                    "4G",
                                    "16777216T",
                                    "baseline",
                                    "avx2",
                                    "avx512",
                                    "avx512_bf16",
                                    "eager",
                                    "lazy",
                                    "allow",
                                    "random:7",
                                    "exact",
                                    "mem",
                                    "mem,race",
                                    "0,1",
                                    "1,0",
                                    "0,1,x",
                                    "Ascend910B3",
                                    "Ascend950PR",
                                    "ASCENDCL=1:RUNTIME=0",
                                    "3",
                                    "-1",
                                    "9"};

/* 0, 1 for a refusal, and 2 and more for what must not be. */
static int use_library(void)
{
    uint32_t count = 0, again = 0;
    int status = aclrtGetDeviceCount(&count), repeated = aclrtGetDeviceCount(&again);
    if (status != repeated || count != again)
        return 2;
    if (status == 100000)
        return aclGetRecentErrMsg() == NULL || aclrtSetDevice(0) != 100000 || aclrtGetSocName() != NULL ? 3
                                                                                                        : 1;
    if (status == 207004)
        return 1;
    if (status != 0 || count == 0 || count > 64)
        return 4;
    aclrtStream stream = NULL;
    void *memory = NULL;
    int64_t dims = 2;
    if (aclrtSetDevice((int32_t)count - 1) != 0 || aclrtCreateStream(&stream) != 0)
        return 5;
    status = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status != 0 && status != 207001) /* BELAY_MEMORY may be less */
        return 6;
    aclTensor *tensor = aclCreateTensor(&dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &dims, 1, memory);
    if (status == 0 && aclrtMemsetAsync(memory, 64, 0, 64, stream) != 0)
        return 7;
    if (aclrtSynchronizeStream(stream) != 0 || aclDestroyTensor(tensor) != 0)
        return 8;
    if (aclrtDestroyStream(stream) != 0 || aclrtResetDevice((int32_t)count - 1) != 0)
        return 9;
    return 0;
}

static void set_variables(const uint8_t *data, size_t size)
{
    const uint8_t *end = data + size;
    for (int i = 0; i < VARIABLES_MOST && end - data >= 3; i++) {
        char value[VALUE_MOST + 32];
        const char *name = names[data[0] % (sizeof names / sizeof names[0])];
        const char *word = words[data[1] % (sizeof words / sizeof words[0])];
        size_t length = strlen(word), added = data[2] < 128 ? 0 : data[2] - 127u;
        data += 3;
        memcpy(value, word, length);
        for (; added > 0 && data < end; added--)
            value[length++] = (char)*data++;
        value[length] = '\0';
        setenv(name, value, 1);
    }
}

void fuzz_begin(void)
{
    /* Log lines belong to nobody here. */
    setenv("ASCEND_PROCESS_LOG_PATH", "/tmp/belay-fuzz-log", 1);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) == NULL)
            _exit(99);
        alarm(SECONDS_MOST);
        set_variables(data, size);
        _exit(use_library());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return;
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        fprintf(stderr, "the process ended with %s %d\n", WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        abort();
    }
}
