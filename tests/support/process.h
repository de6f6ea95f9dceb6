/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cases that have a process of their own, with a stream, three tensors and an operator in it. Include
 * cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_PROCESS_H
#define BELAY_TESTS_SUPPORT_PROCESS_H

#include <time.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "support/child.h"

enum { COUNT = 64, SECONDS_MOST = 200, EXIT_STATUS = 77 };

static aclrtStream stream;
static float *memory[3];
static aclTensor *tensor[3];
static aclScalar *slope;

static inline int open_library(void)
{
    const float value = 0.5F;
    int64_t dims = COUNT;
    CHILD_CHECK(aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
    for (int i = 0; i < 3; i++) {
        CHILD_CHECK(aclrtMalloc((void **)&memory[i], COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) == 0);
        tensor[i] = aclCreateTensor(&dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &dims, 1, memory[i]);
        CHILD_CHECK(tensor[i] != NULL);
    }
    slope = aclCreateScalar((void *)(uintptr_t)&value, ACL_FLOAT);
    return slope != NULL ? 0 : 1;
}

/* For work that runs beside other work: two streams that write one tensor would be a race of the program. */
static inline aclTensor *create_output(void)
{
    void *block;
    int64_t dims = COUNT;
    if (aclrtMalloc(&block, COUNT * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return NULL;
    return aclCreateTensor(&dims, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &dims, 1, block);
}

static inline aclnnStatus run_operator_to(aclTensor *output, aclrtStream on)
{
    uint64_t size;
    aclOpExecutor *executor;
    aclnnStatus status =
        aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], slope, false, output, &size, &executor);
    return status != 0 ? status : aclnnLeakyReluBackward(NULL, 0, executor, on);
}

static inline aclnnStatus run_operator(aclrtStream on)
{
    return run_operator_to(tensor[2], on);
}

/* The library does its work still: values in, values out. */
static inline int use_library(void)
{
    float in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(i - 32);
    for (int i = 0; i < 2; i++)
        CHILD_CHECK(aclrtMemcpy(memory[i], sizeof in, in, sizeof in, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
    CHILD_CHECK(run_operator(stream) == 0 && aclrtSynchronizeStream(stream) == 0);
    CHILD_CHECK(aclrtMemcpy(out, sizeof out, memory[2], sizeof out, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
    for (int i = 0; i < COUNT; i++)
        CHILD_CHECK(out[i] == (i > 32 ? in[i] : in[i] * 0.5F));
    return 0;
}

static inline void sleep_us(long us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static inline void sleep_briefly(void *unused)
{
    (void)unused;
    sleep_us(20000);
}

static inline int queue_work(void)
{
    CHILD_CHECK(open_library() == 0);
    for (int i = 0; i < 20; i++)
        CHILD_CHECK(aclrtLaunchHostFunc(stream, sleep_briefly, NULL) == 0 && run_operator(stream) == 0);
    return 0;
}

/* How the body ends decides; whatever it returns ends the process without exit. */
static inline void assert_child(int (*body)(void), const char *variable, const char *value, int expected)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MOST);
        if (variable != NULL)
            setenv(variable, value, 1);
        _exit(body());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != expected)
        fail_msg("ended with %d (a line, modulo 256), %d expected", WEXITSTATUS(status), expected);
}

#define CASE(name)                                \
    static int name##_body(void);                 \
    static void name(void **state)                \
    {                                             \
        (void)state;                              \
        assert_child(name##_body, NULL, NULL, 0); \
    }                                             \
    static int name##_body(void)

#define CASE_WITH(name, variable, value)               \
    static int name##_body(void);                      \
    static void name(void **state)                     \
    {                                                  \
        (void)state;                                   \
        assert_child(name##_body, variable, value, 0); \
    }                                                  \
    static int name##_body(void)

#define CASE_ENDING(name, status)                      \
    static int name##_body(void);                      \
    static void name(void **state)                     \
    {                                                  \
        (void)state;                                   \
        assert_child(name##_body, NULL, NULL, status); \
    }                                                  \
    static int name##_body(void)

#endif
