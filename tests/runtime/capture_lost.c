/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What loses a capture: work that cannot be recorded, and what the modes of captures and threads forbid.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "support/captured.h"
#include "support/failure.h"

static const aclmdlRICaptureMode GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
static const aclmdlRICaptureMode LOCAL = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
static const aclmdlRICaptureMode RELAXED = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

static aclmdlRICaptureMode exchange(aclmdlRICaptureMode mode)
{
    assert_int_equal(aclmdlRICaptureThreadExchangeMode(&mode), 0);
    return mode;
}

static int reset_event(void)
{
    return aclrtResetEvent(event, stream);
}

static int copy_pageable(void)
{
    unsigned char value = 1;
    return aclrtMemcpyAsync(cells, 1, &value, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static int copy_pageable_rows(void)
{
    unsigned char value = 1;
    return aclrtMemcpy2dAsync(cells, 1, &value, 1, 1, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static int set_pageable(void)
{
    unsigned char value;
    return aclrtMemsetAsync(&value, 1, 1, 1, stream);
}

static int wait_for_the_outside(void)
{
    return aclrtStreamWaitEvent(stream, back);
}

static int copy_now(void)
{
    return aclrtMemcpy(cells, 1, pinned, 1, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int copy_rows_now(void)
{
    return aclrtMemcpy2d(cells, 1, pinned, 1, 1, 1, ACL_MEMCPY_HOST_TO_DEVICE);
}

static int copy_batch_now(void)
{
    void *to = cells, *from = pinned;
    size_t one = 1, zero = 0, failed;
    aclrtMemcpyBatchAttr attribute;
    memset(&attribute, 0, sizeof attribute);
    return aclrtMemcpyBatch(&to, &one, &from, &one, 1, &attribute, &zero, 1, &failed);
}

static int set_now(void)
{
    return aclrtMemset(cells, 1, 1, 1);
}

static int set_on_the_default_stream(void)
{
    return aclrtMemsetAsync(cells, 1, 1, 1, NULL);
}

static int record_on_the_default_stream(void)
{
    return aclrtRecordEvent(event, NULL);
}

static int copy_pageable_on_the_default_stream(void)
{
    unsigned char value = 1;
    return aclrtMemcpyAsync(cells, 1, &value, 1, ACL_MEMCPY_HOST_TO_DEVICE, NULL);
}

static int wait_on_the_default_stream(void)
{
    return aclrtRecordEvent(event, stream) != 0 ? -1 : aclrtStreamWaitEvent(NULL, event);
}

static int run_a_graph(void)
{
    aclmdlRI graph;
    if (aclmdlRICaptureBegin(third, RELAXED) != 0 || aclrtMemsetAsync(cells, 1, 1, 1, third) != 0 ||
        aclmdlRICaptureEnd(third, &graph) != 0)
        return -1;
    int status = aclmdlRIExecuteAsync(graph, stream);
    const char *text = aclGetRecentErrMsg();
    char sentence[256] = "";
    if (text != NULL)
        strncat(sentence, text, sizeof sentence - 1);
    assert_non_null(strstr(sentence, "aclmdlRIExecuteAsync"));
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    return status;
}

static int wait_for_another_capture(void)
{
    aclmdlRI graph = &graph;
    if (aclmdlRICaptureBegin(third, GLOBAL) != 0 || aclrtRecordEvent(event, third) != 0)
        return -1;
    int status = aclrtStreamWaitEvent(stream, event);
    assert_int_equal(status_of(third), ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(aclmdlRICaptureEnd(third, &graph), 507903);
    assert_null(graph);
    return status;
}

static int join_from_another_device(void)
{
    aclrtContext home;
    aclrtStream far;
    if (aclrtRecordEvent(event, stream) != 0 || aclrtGetCurrentContext(&home) != 0 ||
        aclrtSetDevice(1) != 0 || aclrtCreateStream(&far) != 0)
        return -1;
    int status = aclrtStreamWaitEvent(far, event);
    aclrtDestroyStream(far);
    aclrtResetDevice(1);
    return aclrtSetCurrentContext(home) != 0 ? -1 : status;
}

static void what_cannot_be_recorded_loses_the_capture(void **state)
{
    (void)state;
    static const struct {
        int (*call)(void);
        int status;
        const char *name;
        const char *cause; /* what the end of the capture says of it */
    } cases[] = {
        {reset_event, 107030, "reset", "aclrtResetEvent"},
        {run_a_graph, 107030, "graph", "aclmdlRIExecuteAsync"},
        {copy_pageable, 107041, "copy of pageable memory",
         "aclrtMemcpyAsync: the stream is being recorded, and the memory is the host"},
        {copy_pageable_rows, 107041, "copy of rows of pageable memory", "aclrtMemcpy2dAsync"},
        {set_pageable, 107041, "set of pageable memory", "aclrtMemsetAsync: the stream"},
        {wait_for_the_outside, 107024, "wait for the outside", "the event stands for work that is not"},
        {wait_for_another_capture, 107032, "wait for another capture", "streams of one capture"},
        {join_from_another_device, 107003, "join from another device", "on another device"},
        {copy_now, 107030, "blocking copy", "aclrtMemcpy: a stream"},
        {copy_rows_now, 107030, "blocking copy of rows", "aclrtMemcpy2d: a"},
        {copy_batch_now, 107030, "blocking batch", "aclrtMemcpyBatch: a"},
        {set_now, 107030, "blocking set", "aclrtMemset: a"},
        {set_on_the_default_stream, 107031, "set on the default stream",
         "aclrtMemsetAsync: the stream is the default"},
        {record_on_the_default_stream, 107031, "record on the default stream",
         "aclrtRecordEvent: the stream is the default"},
        {copy_pageable_on_the_default_stream, 107031, "pageable copy on the default stream",
         "aclrtMemcpyAsync: the stream is the default"},
        {wait_on_the_default_stream, 107031, "wait on the default stream",
         "aclrtStreamWaitEvent: the stream is the default"},
    };
    assert_int_equal(aclrtRecordEvent(back, other), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)pthread_self(), stream), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        memset(cells, 0, 2);
        begin(GLOBAL);
        set(1, 1, stream);
        int status = cases[i].call();
        if (status != cases[i].status)
            fail_msg("%s: %d instead of %d", cases[i].name, status, cases[i].status);
        if (status_of(stream) != ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED)
            fail_msg("%s: the capture is not lost", cases[i].name);
        assert_failure(aclrtMemsetAsync(cells, 1, 1, 1, stream), 507903, "lost");
        assert_failure(aclrtRecordEvent(event, stream), 507903, "lost");
        assert_failure(aclrtStreamWaitEvent(stream, event), 507903, "lost");
        (void)aclGetRecentErrMsg();
        end_without(507903);
        assert_sentence(cases[i].cause);
        assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        assert_int_equal(aclrtSynchronizeDevice(), 0);
        if (cells[0] != 0 || cells[1] != 0)
            fail_msg("%s: something ran", cases[i].name);
    }
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream), 0);
    set(0, 5, stream); /* the streams are as before */
    set(1, 6, NULL);
    assert_int_equal(aclrtSynchronizeDevice(), 0);
    assert_memory_equal(cells, "\5\6", 2);
}

static void the_relaxed_mode_forbids_nothing(void **state)
{
    (void)state;
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        memset(cells, 0, 2);
        begin(by_thread ? GLOBAL : RELAXED);
        if (by_thread)
            exchange(RELAXED);
        pinned[0] = 7;
        assert_int_equal(copy_now(), 0);
        set(1, 8, NULL);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        assert_int_equal(aclrtSynchronizeDevice(), 0);
        assert_memory_equal(cells, "\7\10", 2);
        exchange(GLOBAL);
        assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
        assert_int_equal(aclmdlRIDestroy(end()), 0);
    }
}

static void *copy_in_thread(void *context)
{
    aclrtSetCurrentContext(context);
    return (void *)(intptr_t)copy_now();
}

/* Frameworks end captures in another thread than the one that queues work, and show no more than that. */
static void the_end_names_the_first_cause_whichever_thread_met_it(void **state)
{
    (void)state;
    pthread_t thread;
    void *context, *status;
    begin(GLOBAL);
    assert_int_equal(aclrtGetCurrentContext(&context), 0);
    assert_int_equal(pthread_create(&thread, NULL, copy_in_thread, context), 0);
    assert_int_equal(pthread_join(thread, &status), 0);
    assert_int_equal((intptr_t)status, 107030);
    assert_int_equal(set_now(), 107030); /* what is met later is not the cause */
    (void)aclGetRecentErrMsg();
    end_without(507903);
    const char *sentence = aclGetRecentErrMsg();
    assert_non_null(strstr(sentence, "could not be recorded: aclrtMemcpy: a stream is being recorded"));
    assert_null(strstr(sentence, "aclrtMemset"));
}

/* What another thread meets: its mode, the codes of a copy, of work on the default stream and of the end. */
struct visitor {
    aclmdlRICaptureMode mode;
    aclrtContext context;
    int copy, work, end;
};

static void *visit(void *argument)
{
    struct visitor *visitor = argument;
    aclmdlRICaptureMode mode = visitor->mode;
    aclmdlRI graph;
    aclrtSetCurrentContext(visitor->context);
    aclmdlRICaptureThreadExchangeMode(&mode);
    visitor->copy = copy_now();
    visitor->work = set_on_the_default_stream();
    visitor->end = aclmdlRICaptureEnd(stream, &graph);
    if (visitor->end == 0)
        aclmdlRIDestroy(graph);
    return NULL;
}

static struct visitor receive(aclmdlRICaptureMode of_capture, aclmdlRICaptureMode of_thread)
{
    struct visitor visitor = {.mode = of_thread};
    pthread_t thread;
    begin(of_capture);
    assert_int_equal(aclrtGetCurrentContext(&visitor.context), 0);
    assert_int_equal(pthread_create(&thread, NULL, visit, &visitor), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(aclrtSynchronizeDevice(), of_capture == LOCAL ? 107027 : 0);
    return visitor;
}

static void other_threads_are_forbidden_what_both_modes_say(void **state)
{
    (void)state;
    struct visitor visitor = receive(GLOBAL, GLOBAL);
    assert_int_equal(visitor.copy, 107030);
    assert_int_equal(visitor.work, 107031);
    assert_int_equal(visitor.end, 507903);
    visitor = receive(GLOBAL, LOCAL);
    assert_int_equal(visitor.copy | visitor.work | visitor.end, 0);
    visitor = receive(RELAXED, GLOBAL);
    assert_int_equal(visitor.copy | visitor.work | visitor.end, 0);
    visitor = receive(LOCAL, GLOBAL);
    assert_int_equal(visitor.copy | visitor.work, 0);
    assert_int_equal(visitor.end, 107038);
    assert_int_equal(aclmdlRIDestroy(end()), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_recorded_loses_the_capture),
        cmocka_unit_test(the_end_names_the_first_cause_whichever_thread_met_it),
        cmocka_unit_test(the_relaxed_mode_forbids_nothing),
        cmocka_unit_test(other_threads_are_forbidden_what_both_modes_say),
    };
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
