/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mistakes of programs that the rules of the checker are about, named by the rule's id and what is
 * special, for `belay check` to find: one each. Exits with 0 whatever the calls return. Those in calls of
 * operators are in misuse_operators.c.
 */
#include "check/misuse.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "aclnnop/aclnn_hardswish_backward.h"

aclrtStream stream;
void *block;

static void forged_handle(void)
{
    aclrtSynchronizeStream(forged());
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

/* Whether write() is interrupted first, and then takes a few bytes at a time. */
static bool writes_are_short;

__attribute__((visibility("default"))) ssize_t write(int file, const void *bytes, size_t count)
{
    static unsigned calls;
    if (writes_are_short && calls++ == 0) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, file, bytes, writes_are_short && count > 7 ? 7 : count);
}

static void destroyed_twice_while_writes_are_short(void)
{
    writes_are_short = true;
    destroyed_twice();
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

static void wrong_kind_of_copy(void)
{
    void *other;
    aclrtMalloc(&other, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpyAsync(other, 64, block, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void free_of_null_often(void)
{
    for (int i = 0; i < 100000; i++)
        aclrtFree(NULL);
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

static void mode_of_no_stream(void)
{
    aclrtResetDevice(0);
    aclrtSetStreamFailureMode(NULL, ACL_STOP_ON_FAILURE);
}

static void device_that_is_not_there(void)
{
    aclrtSetDevice(1000);
}

static void memory_of_no_bytes(void)
{
    void *memory;
    aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST);
}

static void more_memory_than_there_is(void)
{
    void *memory;
    aclrtMalloc(&memory, SIZE_MAX / 4, ACL_MEM_MALLOC_HUGE_FIRST);
}

static void binary_that_cannot_be_loaded(void)
{
    aclrtBinHandle binary;
    aclrtBinaryLoadFromFile("kernel.o", NULL, &binary);
}

static void stream_that_was_aborted(void)
{
    aclrtStreamAbort(stream);
    aclrtSynchronizeStream(stream);
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

static const struct mistake mistakes[] = {
    {"none", nothing},
    {"none-ask", ask},
    {"exit", fail_otherwise},
    {"abort", crash},
    {"DC-001", forged_handle},
    {"DC-001-event", stream_as_event},
    {"DC-001-context", forged_context},
    {"DC-001-list", forged_list},
    {"DC-002", destroyed_twice},
    {"DC-002-short", destroyed_twice_while_writes_are_short},
    {"DC-002-scalar", scalar_that_was_destroyed},
    {"DC-002-stream", stream_that_was_destroyed},
    {"DC-002-event", event_that_was_destroyed},
    {"DC-002-context", context_that_was_destroyed},
    {"DC-006-kind", wrong_kind_of_copy},
    {"DC-008", free_inside_a_block},
    {"DC-008-twice", free_twice},
    {"DC-008-host", free_of_the_host_s},
    {"DC-008-null", free_of_null},
    {"DC-008-copy", copy_of_what_was_freed},
    {"DC-009", copy_past_the_end},
    {"DC-009-most", copy_of_more_than_there_is_room_for},
    {"loop", free_of_null_often},
    {"DC-009-set", set_past_the_end},
    {"DC-009-rows", rows_past_the_end},
    {"DC-015", stream_of_another_context},
    {"DC-015-event", event_of_another_context},
    {"DC-015-stream", destroy_the_default_stream},
    {"DC-015-context", destroy_the_primary_context},
    {"DC-016", time_of_an_event_never_recorded},
    {"DC-016-time", time_of_an_event_without_times},
    {"DC-016-reusable", question_to_a_reusable_event},
    {"DC-021", call_without_a_context},
    {"DC-021-fork", call_in_a_forked_child},
    {"DC-021-callback", callback_that_waits_for_itself},
    {"DC-021-device", callback_that_waits_for_its_device},
    {"DC-021-own", wait_for_an_own_callback},
    {"DC-021-mode", mode_of_no_stream},
    {"DC-023", device_that_is_not_there},
    {"DC-023-bytes", memory_of_no_bytes},
    {"DC-023-memory", more_memory_than_there_is},
    {"DC-023-binary", binary_that_cannot_be_loaded},
    {"DC-023-aborted", stream_that_was_aborted},
};

static const struct mistake *find(const struct mistake *of, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(of[i].name, name) == 0)
            return &of[i];
    return NULL;
}

int main(int argc, char **argv)
{
    setenv("BELAY_DEVICES", "2", 1);
    if (argc == 2 && strcmp(argv[1], "DC-004-less") == 0)
        setenv("BELAY_WORKSPACE", "64", 1);
    if (argc != 2 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc(&block, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return 3;
    const struct mistake *mistake = find(mistakes, sizeof mistakes / sizeof mistakes[0], argv[1]);
    if (mistake == NULL)
        mistake = find(operator_mistakes, operator_mistake_count, argv[1]);
    if (mistake != NULL) {
        mistake->commit();
        return 0;
    }
    fprintf(stderr, "there is no mistake %s\n", argv[1]);
    return 3;
}
