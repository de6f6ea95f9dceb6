/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mistakes of programs that the rules of the checker are about, named by the rule's id and what is
 * special, for `belay check` to find: one each. Exits with 0 whatever the calls return.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pthread.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu.h"
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

/* An executor for a call in which nothing is wrong. */
static aclOpExecutor *prepare_well(void)
{
    return prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

static void *forged(void)
{
    return (void *)(uintptr_t)0x1234;
}

static void forged_handle(void)
{
    aclrtSynchronizeStream(forged());
}

static void null_as_operand(void)
{
    prepare(NULL, tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

static void forged_operand(void)
{
    prepare((aclTensor *)forged(), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

static void scalar_as_operand(void)
{
    float value = 1;
    aclTensor *scalar = (aclTensor *)(void *)aclCreateScalar(&value, ACL_FLOAT);
    prepare(tensor(4, 1, 0, block), scalar, tensor(4, 1, 0, block));
}

static void tensor_as_scalar(void)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclnnLeakyReluGetWorkspaceSize(tensor(4, 1, 0, block), (aclScalar *)(void *)tensor(4, 1, 0, block),
                                   tensor(4, 1, 0, block), &workspace, &executor);
}

static void null_as_executor(void)
{
    aclnnHardswishBackward(NULL, 0, NULL, stream);
}

static void stream_as_event(void)
{
    aclrtRecordEvent((aclrtEvent)stream, stream);
}

static void forged_context(void)
{
    aclrtSetCurrentContext((aclrtContext)forged());
}

static void forged_list(void)
{
    aclDestroyTensorList((aclTensorList *)forged());
}

static void destroyed_twice(void)
{
    aclTensor *once = tensor(4, 1, 0, block);
    aclDestroyTensor(once);
    aclDestroyTensor(once);
}

static void operand_that_was_destroyed(void)
{
    aclTensor *once = tensor(4, 1, 0, block);
    aclDestroyTensor(once);
    prepare(tensor(4, 1, 0, block), once, tensor(4, 1, 0, block));
}

static void scalar_that_was_destroyed(void)
{
    float value = 1;
    aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
    aclDestroyScalar(scalar);
    aclDestroyScalar(scalar);
}

static void stream_that_was_destroyed(void)
{
    aclrtDestroyStream(stream);
    aclnnHardswishBackward(NULL, 0, prepare_well(), stream);
}

static void event_that_was_destroyed(void)
{
    aclrtEvent event;
    aclrtCreateEvent(&event);
    aclrtDestroyEvent(event);
    aclrtStreamWaitEvent(stream, event);
}

static void context_that_was_destroyed(void)
{
    aclrtContext context;
    aclrtCreateContext(&context, 0);
    aclrtDestroyContext(context);
    aclrtSetCurrentContext(context);
}

static void executor_of_another_operator(void)
{
    aclOpExecutor *executor = prepare_well();
    aclnnSiluBackward(NULL, 0, executor, stream);
}

static void forged_executor(void)
{
    aclnnHardswishBackward(NULL, 0, (aclOpExecutor *)forged(), stream);
}

static void executor_that_has_run(void)
{
    aclOpExecutor *executor = prepare_well();
    aclnnHardswishBackward(NULL, 0, executor, stream);
    aclnnHardswishBackward(NULL, 0, executor, stream);
}

static void workspace_on_the_host(void)
{
    static char host[64];
    aclOpExecutor *executor = prepare_well();
    aclnnHardswishBackward(host, sizeof host, executor, stream);
}

static void no_workspace(void)
{
    aclnnHardswishBackward(NULL, 64, prepare_well(), stream);
}

/* BELAY_WORKSPACE makes phase 1 ask for some. */
static void less_workspace(void)
{
    aclnnHardswishBackward(NULL, 0, prepare_well(), stream);
}

static void workspace_past_the_block(void)
{
    aclnnHardswishBackward((char *)block + BLOCK_BYTES - 64, 128, prepare_well(), stream);
}

static void workspace_over_an_operand(void)
{
    aclnnHardswishBackward(block, 64, prepare_well(), stream);
}

static void workspace_that_was_freed(void)
{
    void *workspace;
    aclrtMalloc(&workspace, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(workspace);
    aclnnHardswishBackward(workspace, 64, prepare_well(), stream);
}

/* A block on the other device; the current one stays. */
static void *block_elsewhere(void)
{
    void *elsewhere = NULL;
    aclrtSetDevice(1);
    aclrtMalloc(&elsewhere, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtSetDevice(0);
    return elsewhere;
}

static void workspace_of_another_device(void)
{
    aclnnHardswishBackward(block_elsewhere(), 64, prepare_well(), stream);
}

static void view_beyond_the_block(void)
{
    launch_on(block, 4, 1 << 20);
}

static void view_that_cannot_be(void)
{
    prepare(tensor(4, -1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

/* 2^61 elements further, in bytes beyond 2^63. */
static void view_that_wraps(void)
{
    launch_on(block, 4, INT64_C(1) << 61);
}

static void host_memory_as_operand(void)
{
    static float host[1024];
    launch_on(host, 4, 0);
}

static void operand_without_an_address(void)
{
    launch_on(NULL, 4, 0);
}

static void operand_that_was_freed(void)
{
    void *freed;
    aclrtMalloc(&freed, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(freed);
    launch_on(freed, 4, 0);
}

static void operand_on_another_device(void)
{
    launch_on(block_elsewhere(), 4, 0);
}

static void wrong_kind_of_copy(void)
{
    void *other;
    aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpyAsync(other, 64, block, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void free_inside_a_block(void)
{
    aclrtFree((char *)block + 64);
}

static void free_twice(void)
{
    aclrtFree(block);
    aclrtFree(block);
}

static void free_of_the_host_s(void)
{
    static char host[64];
    aclrtFree(host);
}

static void free_of_null(void)
{
    aclrtFree(NULL);
}

static void copy_of_what_was_freed(void)
{
    static char host[64];
    aclrtFree(block);
    aclrtMemcpy(host, sizeof host, block, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
}

static void copy_past_the_end(void)
{
    static char host[1 << 20];
    aclrtMemcpy(block, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void copy_of_more_than_there_is_room_for(void)
{
    static char host[64];
    aclrtMemcpy(block, sizeof host - 1, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void set_past_the_end(void)
{
    aclrtMemset((char *)block + 64, BLOCK_BYTES, 0, BLOCK_BYTES);
}

static void rows_past_the_end(void)
{
    static char host[2 * BLOCK_BYTES];
    aclrtMemcpy2d(block, BLOCK_BYTES / 2, host, 64, 64, 3, ACL_MEMCPY_HOST_TO_DEVICE);
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

static void event_of_another_context(void)
{
    aclrtContext other, own;
    aclrtEvent event;
    aclrtGetCurrentContext(&own);
    aclrtCreateContext(&other, 0);
    aclrtCreateEvent(&event);
    aclrtSetCurrentContext(own);
    aclrtRecordEvent(event, stream);
}

static void destroy_the_default_stream(void)
{
    aclrtStream own;
    aclrtCtxGetCurrentDefaultStream(&own);
    aclrtDestroyStream(own);
}

static void destroy_the_primary_context(void)
{
    aclrtContext own;
    aclrtGetCurrentContext(&own);
    aclrtDestroyContext(own);
}

static void time_of_an_event_never_recorded(void)
{
    aclrtEvent start, end;
    float milliseconds;
    aclrtCreateEvent(&start);
    aclrtCreateEvent(&end);
    aclrtEventElapsedTime(&milliseconds, start, end);
}

static void time_of_an_event_without_times(void)
{
    aclrtEvent event;
    uint64_t timestamp;
    aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC);
    aclrtRecordEvent(event, stream);
    aclrtSynchronizeStream(stream);
    aclrtEventGetTimestamp(event, &timestamp);
}

static void question_to_a_reusable_event(void)
{
    aclrtEvent event;
    aclrtEventStatus status;
    aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC);
    aclrtQueryEvent(event, &status);
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

static void wait_for_device_in_callback(void *context)
{
    aclrtSetCurrentContext(context);
    aclrtSynchronizeDevice();
}

static void callback_that_waits_for_its_device(void)
{
    aclrtContext context = NULL;
    aclrtGetCurrentContext(&context);
    aclrtLaunchHostFunc(stream, wait_for_device_in_callback, context);
    aclrtSynchronizeStream(stream);
}

static void do_nothing(void *unused)
{
    (void)unused;
}

/* The stream waits for a callback, and what waits for the stream is the thread that is to process it. */
static void wait_for_an_own_callback(void)
{
    aclrtStream behind;
    aclrtEvent event;
    aclrtCreateStream(&behind);
    aclrtCreateEvent(&event);
    aclrtSubscribeReport((uint64_t)pthread_self(), stream);
    aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, stream);
    aclrtRecordEvent(event, stream);
    aclrtStreamWaitEvent(behind, event);
    aclrtSynchronizeStream(behind);
    aclrtProcessReport(1000);
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
    {"DC-001-null", null_as_operand},
    {"DC-001-operand", forged_operand},
    {"DC-001-kind", scalar_as_operand},
    {"DC-001-scalar", tensor_as_scalar},
    {"DC-001-executor", null_as_executor},
    {"DC-001-event", stream_as_event},
    {"DC-001-context", forged_context},
    {"DC-001-list", forged_list},
    {"DC-002", destroyed_twice},
    {"DC-002-operand", operand_that_was_destroyed},
    {"DC-002-scalar", scalar_that_was_destroyed},
    {"DC-002-stream", stream_that_was_destroyed},
    {"DC-002-event", event_that_was_destroyed},
    {"DC-002-context", context_that_was_destroyed},
    {"DC-003", executor_of_another_operator},
    {"DC-003-forged", forged_executor},
    {"DC-003-twice", executor_that_has_run},
    {"DC-004", workspace_on_the_host},
    {"DC-004-null", no_workspace},
    {"DC-004-less", less_workspace},
    {"DC-004-past", workspace_past_the_block},
    {"DC-004-over", workspace_over_an_operand},
    {"DC-004-freed", workspace_that_was_freed},
    {"DC-004-device", workspace_of_another_device},
    {"DC-005", view_beyond_the_block},
    {"DC-005-never", view_that_cannot_be},
    {"DC-005-wraps", view_that_wraps},
    {"DC-006", host_memory_as_operand},
    {"DC-006-null", operand_without_an_address},
    {"DC-006-freed", operand_that_was_freed},
    {"DC-006-device", operand_on_another_device},
    {"DC-006-kind", wrong_kind_of_copy},
    {"DC-008", free_inside_a_block},
    {"DC-008-twice", free_twice},
    {"DC-008-host", free_of_the_host_s},
    {"DC-008-null", free_of_null},
    {"DC-008-copy", copy_of_what_was_freed},
    {"DC-009", copy_past_the_end},
    {"DC-009-most", copy_of_more_than_there_is_room_for},
    {"DC-009-set", set_past_the_end},
    {"DC-009-rows", rows_past_the_end},
    {"DC-014", output_with_stride_0},
    {"DC-015", stream_of_another_context},
    {"DC-015-event", event_of_another_context},
    {"DC-015-stream", destroy_the_default_stream},
    {"DC-015-context", destroy_the_primary_context},
    {"DC-016", time_of_an_event_never_recorded},
    {"DC-016-time", time_of_an_event_without_times},
    {"DC-016-reusable", question_to_a_reusable_event},
    {"DC-019", misaligned_address},
    {"DC-021", call_without_a_context},
    {"DC-021-fork", call_in_a_forked_child},
    {"DC-021-callback", callback_that_waits_for_itself},
    {"DC-021-device", callback_that_waits_for_its_device},
    {"DC-021-own", wait_for_an_own_callback},
};

int main(int argc, char **argv)
{
    setenv("BELAY_DEVICES", "2", 1);
    if (argc == 2 && strcmp(argv[1], "DC-004-less") == 0)
        setenv("BELAY_WORKSPACE", "64", 1);
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
