/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * One mistake of a program per rule of the checker, named by its id, for `belay check` to find. Exits with 0
 * whatever the calls return.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_silu_backward.h"

static aclrtStream stream;
static void *block;

enum { BLOCK_BYTES = 4096 };

static aclTensor *tensor(int64_t count, int64_t stride, int64_t offset, void *data)
{
    int64_t storage = 1024;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, &storage, 1, data);
}

static aclOpExecutor *prepare(aclTensor *gradient, aclTensor *self, aclTensor *out)
{
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    aclnnHardswishBackwardGetWorkspaceSize(gradient, self, out, &workspace, &executor);
    return executor;
}

static void launch_on(void *data, int64_t count, int64_t offset)
{
    aclOpExecutor *executor =
        prepare(tensor(count, 1, offset, data), tensor(count, 1, offset, data), tensor(count, 1, 0, block));
    aclnnHardswishBackward(NULL, 0, executor, stream);
}

static void forged_handle(void)
{
    aclrtSynchronizeStream((aclrtStream)(uintptr_t)0x1234);
}

static void destroyed_twice(void)
{
    aclTensor *once = tensor(4, 1, 0, block);
    aclDestroyTensor(once);
    aclDestroyTensor(once);
}

static void executor_of_another_operator(void)
{
    aclOpExecutor *executor = prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
    aclnnSiluBackward(NULL, 0, executor, stream);
}

static void workspace_on_the_host(void)
{
    static char host[64];
    aclOpExecutor *executor = prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
    aclnnHardswishBackward(host, sizeof host, executor, stream);
}

static void view_beyond_the_block(void)
{
    launch_on(block, 4, 1 << 20);
}

static void host_memory_as_operand(void)
{
    static float host[1024];
    launch_on(host, 4, 0);
}

static void free_inside_a_block(void)
{
    aclrtFree((char *)block + 64);
}

static void copy_past_the_end(void)
{
    static char host[1 << 20];
    aclrtMemcpy(block, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void output_with_stride_0(void)
{
    prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 0, 0, block));
}

static void stream_of_another_context(void)
{
    aclrtContext other;
    aclrtEvent event;
    aclrtCreateContext(&other, 0);
    aclrtCreateEvent(&event);
    aclrtRecordEvent(event, stream);
}

static void time_of_an_event_never_recorded(void)
{
    aclrtEvent start, end;
    float milliseconds;
    aclrtCreateEvent(&start);
    aclrtCreateEvent(&end);
    aclrtEventElapsedTime(&milliseconds, start, end);
}

static void misaligned_address(void)
{
    launch_on((char *)block + 2, 4, 0);
}

static void wait_in_callback(void *context)
{
    aclrtSetCurrentContext(context);
    aclrtSynchronizeStream(stream);
}

static void callback_that_waits_for_itself(void)
{
    aclrtContext context = NULL;
    aclrtGetCurrentContext(&context);
    aclrtLaunchHostFunc(stream, wait_in_callback, context);
    aclrtSynchronizeStream(stream);
}

static void call_in_a_forked_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        aclrtSynchronizeStream(stream);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void call_without_a_context(void)
{
    aclrtResetDevice(0);
    aclrtSynchronizeDevice();
}

static void fail_otherwise(void)
{
    exit(7);
}

static void crash(void)
{
    destroyed_twice();
    abort();
}

static void nothing(void)
{
    launch_on(block, 4, 0);
    aclrtSynchronizeStream(stream);
}

static const struct {
    const char *name;
    void (*commit)(void);
} mistakes[] = {
    {"none", nothing},
    {"exit", fail_otherwise},
    {"abort", crash},
    {"DC-001", forged_handle},
    {"DC-002", destroyed_twice},
    {"DC-003", executor_of_another_operator},
    {"DC-004", workspace_on_the_host},
    {"DC-005", view_beyond_the_block},
    {"DC-006", host_memory_as_operand},
    {"DC-008", free_inside_a_block},
    {"DC-009", copy_past_the_end},
    {"DC-014", output_with_stride_0},
    {"DC-015", stream_of_another_context},
    {"DC-016", time_of_an_event_never_recorded},
    {"DC-019", misaligned_address},
    {"DC-021", call_without_a_context},
    {"DC-021-fork", call_in_a_forked_child},
    {"DC-021-callback", callback_that_waits_for_itself},
};

int main(int argc, char **argv)
{
    if (argc != 2 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc(&block, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return 3;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        if (strcmp(mistakes[i].name, argv[1]) == 0) {
            mistakes[i].commit();
            return 0;
        }
    }
    fprintf(stderr, "there is no mistake %s\n", argv[1]);
    return 3;
}
