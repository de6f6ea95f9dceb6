/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Codes that are answers to what correct programs ask: each is given, and none is to be reported.
 */
#include "check/misuse.h"

#include "acl/acl_op_compiler.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void expect(int expected, int status, const char *question)
{
    if (status == expected)
        return;
    fprintf(stderr, "%s: %d instead of %d\n", question, status, expected);
    exit(5);
}
#define EXPECT(expected, call) expect(expected, call, #call)

static atomic_bool has_begun, may_end;

static void run_until_told(void *unused)
{
    (void)unused;
    atomic_store(&has_begun, true);
    while (!atomic_load(&may_end))
        usleep(1000);
}

/* Work that has begun and does not end. */
static void begin_work(void)
{
    atomic_store(&has_begun, false);
    atomic_store(&may_end, false);
    EXPECT(0, aclrtLaunchHostFunc(stream, run_until_told, NULL));
    while (!atomic_load(&has_begun))
        usleep(1000);
}

static void ask_whether_work_is_done(void)
{
    aclrtEvent event;
    EXPECT(0, aclrtCreateEvent(&event));
    begin_work();
    EXPECT(0, aclrtRecordEvent(event, stream));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(1));
    EXPECT(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 1));
    atomic_store(&may_end, true);
    EXPECT(0, aclrtSynchronizeStream(stream));
    begin_work();
    EXPECT(ACL_ERROR_RT_TASK_TIMEOUT, aclrtDeviceTaskAbort(0, 1));
    atomic_store(&may_end, true);
}

/* Its program takes memory for itself and gives it back while its work has not begun. */
static void call_a_kind_while_work_is_queued(void)
{
    const int64_t dims[] = {4};
    const float x[] = {-4, 0, 1, 4};
    void *memory;
    aclTensorDesc *desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
    EXPECT(0, aclrtMalloc(&memory, sizeof x, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT(0, aclrtMemcpy(memory, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE));
    aclDataBuffer *buffer = aclCreateDataBuffer(memory, sizeof x);
    const aclTensorDesc *const descs[] = {desc};
    const aclDataBuffer *const from[] = {buffer};
    aclDataBuffer *const to[] = {buffer};
    begin_work();
    EXPECT(0, aclopCompileAndExecute("HardSigmoid", 1, descs, from, 1, descs, to, NULL, ACL_ENGINE_SYS,
                                     ACL_COMPILE_SYS, NULL, stream));
    atomic_store(&may_end, true);
    EXPECT(0, aclrtSynchronizeStream(stream));
    EXPECT(0, aclDestroyDataBuffer(buffer));
    aclDestroyTensorDesc(desc);
    EXPECT(0, aclrtFree(memory));
}

static void ask_for_callbacks(void)
{
    EXPECT(ACL_ERROR_RT_THREAD_SUBSCRIBE, aclrtProcessReport(1));
    EXPECT(0, aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    EXPECT(ACL_ERROR_RT_REPORT_TIMEOUT, aclrtProcessReport(1));
    EXPECT(0, aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
}

static void ask_what_is_there(void)
{
    static char missing[] = "missing";
    char version[ACL_PKG_VERSION_MAX_SIZE];
    EXPECT(ACL_ERROR_INVALID_FILE, aclsysGetVersionStr(missing, version));
    EXPECT(0, unsetenv("ASCEND_HOME_PATH"));
    EXPECT(ACL_ERROR_INVALID_FILE, aclsysGetVersionStr(missing, version));
}

static void ask_whether_a_context_is_current(void)
{
    int32_t device;
    aclrtContext context;
    EXPECT(0, aclrtResetDevice(0));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&context));
    EXPECT(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetCurrentDefaultStream(&stream));
}

void ask(void)
{
    EXPECT(ACL_ERROR_REPEAT_INITIALIZE, aclInit(NULL));
    call_a_kind_while_work_is_queued();
    ask_for_callbacks();
    ask_what_is_there();
    ask_whether_work_is_done();
    ask_whether_a_context_is_current();
    EXPECT(0, aclFinalize());
    EXPECT(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
    EXPECT(ACL_ERROR_REPEAT_FINALIZE, aclFinalizeReference(NULL));
}
