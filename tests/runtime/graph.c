/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Running what was recorded: what a run does, in which order, how it fails, and what is told of graphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/streams/fault.h"
#include "support/blocked_stream.h"
#include "support/captured.h"
#include "support/failure.h"

static const aclmdlRICaptureMode GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

static void nothing_runs_before_the_graph_does(void **state)
{
    (void)state;
    memset(cells, 0, 8);
    pinned[0] = 9;
    begin(GLOBAL);
    assert_int_equal(aclrtMemcpyAsync(cells, 1, pinned, 1, ACL_MEMCPY_HOST_TO_DEVICE, stream), 0);
    copy(1, 0, stream);
    assert_int_equal(aclrtMemcpy2dAsync(cells + 2, 1, cells, 1, 1, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream),
                     0);
    void *to[2] = {cells + 4, pinned + 1}, *from[2] = {cells, cells + 1};
    size_t bytes[2] = {1, 1}, failed;
    assert_int_equal(aclrtMemcpyBatchAsync(to, bytes, from, bytes, 2, NULL, NULL, 0, &failed, stream), 0);
    set(0, 1, stream);
    aclmdlRI graph = end();
    assert_int_equal(aclrtSynchronizeDevice(), 0);
    assert_memory_equal(cells, "\0\0\0\0\0", 5);
    run(graph, stream);
    assert_memory_equal(cells, "\1\11\11\11\11", 5);
    assert_int_equal(pinned[1], 9);

    /* Again, with other data, on other streams. */
    pinned[0] = 3;
    run(graph, other);
    assert_memory_equal(cells, "\1\3\3\3\3", 5);
    pinned[0] = 4;
    run(graph, NULL);
    assert_memory_equal(cells, "\1\4\4\4\4", 5);
    pinned[0] = 5;
    assert_int_equal(aclmdlRIExecute(graph, -1), 0);
    assert_memory_equal(cells, "\1\5\5\5\5", 5);
    pinned[0] = 6;
    assert_int_equal(aclmdlRIExecute(graph, 10000), 0);
    assert_memory_equal(cells, "\1\6\6\6\6", 5);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void handles_of_graphs_are_checked(void **state)
{
    (void)state;
    uint32_t id, next;
    int32_t unused;
    begin(GLOBAL);
    aclmdlRI graph = end(), stale;
    assert_int_equal(aclmdlRIGetId(graph, &id), 0);
    assert_failure(aclmdlRIGetId(graph, NULL), 100000, "id is NULL");
    assert_failure(aclmdlRIExecute(graph, 0), 107000, "timeout is 0");
    assert_failure(aclmdlRIExecute(graph, -2), 107000, "timeout is -2");
    assert_failure(aclmdlRIExecuteAsync(graph, &unused), 107017, "stream is not a handle");
    assert_failure(aclmdlRIExecuteAsync(graph, graph), 107017, "stream is a graph");
    run(graph, stream); /* without steps */
    stale = graph;
    assert_int_equal(aclmdlRIDestroy(graph), 0);

    const aclmdlRI bad[] = {NULL, stale, &unused, stream};
    static const char *const words[] = {"is NULL", "was destroyed", "is not a handle", "is a stream"};
    for (int i = 0; i < 4; i++) {
        int status = i == 0 ? 100000 : 107017;
        assert_failure(aclmdlRIGetId(bad[i], &next), status, words[i]);
        assert_failure(aclmdlRIExecuteAsync(bad[i], stream), status, words[i]);
        assert_failure(aclmdlRIExecute(bad[i], -1), status, words[i]);
        assert_failure(aclmdlRIDestroy(bad[i]), status, words[i]);
        assert_failure(aclmdlRIDebugPrint(bad[i]), status, words[i]);
        assert_failure(aclmdlRIDebugJsonPrint(bad[i], "unused", 0), status, words[i]);
    }
    begin(GLOBAL);
    graph = end();
    assert_int_equal(aclmdlRIGetId(graph, &next), 0);
    assert_int_not_equal(id, next);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void a_graph_stays_on_its_device(void **state)
{
    (void)state;
    aclrtContext home;
    begin(GLOBAL);
    set(0, 1, stream);
    aclmdlRI graph = end();
    assert_int_equal(aclrtGetCurrentContext(&home), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, NULL), 107004, "device 0");
    assert_failure(aclmdlRIExecute(graph, -1), 107004, "device 0");
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_failure(aclmdlRIExecute(graph, -1), 107002, "current context");
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107002, "current context");
    assert_int_equal(aclmdlRIDestroy(graph), 0); /* without a context, too */
    assert_int_equal(aclrtSetCurrentContext(home), 0);
}

static void freed_memory_is_not_used(void **state)
{
    (void)state;
    unsigned char *lost;
    assert_int_equal(aclrtMalloc((void **)&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    begin(GLOBAL);
    set(0, 1, stream);
    assert_int_equal(aclrtMemsetAsync(lost, 64, 1, 64, stream), 0);
    assert_int_equal(aclrtFree(lost), 0);
    assert_failure(aclrtMemcpyAsync(cells, 1, lost, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, stream), 107000, "freed");
    assert_int_equal(status_of(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    aclmdlRI graph = end();
    memset(cells, 0, 1);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "step 1 of the graph, aclrtMemsetAsync");
    assert_failure(aclmdlRIExecute(graph, -1), 107000, "step 1 of the graph, aclrtMemsetAsync");
    assert_int_equal(block_stream(stream), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "freed");
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(cells[0], 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void a_run_comes_in_stream_order(void **state)
{
    (void)state;
    begin(GLOBAL);
    copy(1, 0, stream);
    aclmdlRI graph = end();
    memset(cells, 0, 4);
    assert_int_equal(block_stream(stream), 0);
    for (unsigned char i = 1; i < 4; i++) {
        set(0, i, stream);
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        copy(1u + i, 1, stream);
    }
    assert_int_equal(cells[1], 0);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_memory_equal(cells, "\3\3\1\2\3", 5);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void what_was_queued_before_a_capture_goes_on(void **state)
{
    (void)state;
    memset(cells, 0, 2);
    assert_int_equal(block_stream(stream), 0);
    set(0, 1, stream);
    begin(GLOBAL);
    set(1, 1, stream);
    unblock_stream();
    aclmdlRI graph = end();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_memory_equal(cells, "\1\0", 2);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* other and third each read what the stream before them wrote, whatever wrote the cell before the run. */
static void events_order_the_streams_of_a_graph(void **state)
{
    (void)state;
    begin(GLOBAL);
    copy(1, 0, stream);
    join(stream, event, other);
    assert_int_equal(status_of(other), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    copy(2, 1, other);
    set(1, 99, stream); /* not waited for by other, but behind it where tasks run in the order of the calls */
    join(other, back, third);
    copy(3, 2, third);
    assert_int_equal(aclrtRecordEvent(event, third), 0);
    assert_int_equal(aclrtStreamWaitEvent(stream, event), 0);
    assert_int_equal(aclrtStreamWaitEvent(stream, back), 0);
    copy(4, 3, stream);
    aclmdlRI graph = end();
    for (unsigned char i = 1; i < 5; i++) {
        cells[0] = i;
        run(graph, i % 2 ? stream : NULL);
        assert_int_equal(cells[4], i);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* A stream of the graph waits for a number that another one of it writes behind, or that the host does. */
static void a_wait_for_a_number_holds_only_its_own_stream_up(void **state)
{
    (void)state;
    _Atomic uint64_t *number = (_Atomic uint64_t *)(void *)(cells + 64);
    begin(GLOBAL);
    join(stream, event, other);
    join(stream, event, third);
    assert_int_equal(aclrtValueWait(cells + 64, 1, ACL_STREAM_WAIT_VALUE_EQ, stream), 0);
    set(0, 1, stream);
    join(stream, event, third);
    copy(2, 0, third); /* waits for the waiting stream */
    assert_int_equal(aclrtValueWait(cells + 72, 1, ACL_STREAM_WAIT_VALUE_EQ, other), 0);
    set(1, 1, other);
    assert_int_equal(aclrtValueWrite(cells + 64, 1, 0, other), 0);
    join(other, back, stream);
    join(third, event, stream);
    set(3, 1, stream);
    aclmdlRI graph = end();
    for (int i = 0; i < 3; i++) {
        memset(cells, 0, 128);
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046, "time was over");
        assert_memory_equal(cells, "\0\0\0\0", 4);
        atomic_store(number + 1, 1);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_memory_equal(cells, "\1\1\1\1", 4);
    }

    /* The time of the blocking form; the graph goes on. */
    memset(cells, 0, 128);
    assert_failure(aclmdlRIExecute(graph, 20), 507046, "time was over");
    atomic_store(number + 1, 1);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(cells[3], 1);

    /* A run that waits can be aborted, and the next one begins anew. */
    memset(cells, 0, 128);
    assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046, "time was over");
    assert_int_equal(aclrtStreamAbort(stream), 0);
    assert_failure(aclrtSynchronizeStream(stream), 107023, "aborted");
    atomic_store(number + 1, 1);
    run(graph, other);
    assert_memory_equal(cells, "\1\1\1\1", 4);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static int fail_once(struct task *task)
{
    (void)task;
    int status =
        operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "cell 0 holds %d; 0 is expected", cells[0]);
    return cells[0] != 0 ? status : 0;
}

static void a_run_fails_as_its_tasks_would(void **state)
{
    (void)state;
    const struct task failing = {.run = fail_once, .cost_ns = 10};
    struct task task = failing;
    begin(GLOBAL);
    assert_int_equal(stream_submit("aTask", stream, &task), 0);
    task = failing;
    assert_int_equal(stream_submit("anotherTask", stream, &task), 0);
    set(1, 1, stream);
    aclmdlRI graph = end();
    memset(cells, 0, 3);
    run(graph, stream);
    assert_int_equal(cells[1], 1);
    for (int stops = 0; stops < 2; stops++) {
        memset(cells, 0, 3);
        cells[0] = 4;
        if (stops)
            assert_int_equal(aclrtSetStreamFailureMode(third, ACL_STOP_ON_FAILURE), 0);
        assert_int_equal(aclmdlRIExecuteAsync(graph, third), 0);
        set(2, 1, third);
        assert_failure(aclrtSynchronizeStream(third), 507035, stops ? "holds 4" : "1 more failure");
        assert_int_equal(cells[1], !stops);
        assert_int_equal(cells[2], !stops);
        assert_int_equal(aclrtSynchronizeStream(third), 0);
    }
    assert_failure(aclmdlRIExecute(graph, -1), 507035, "cell 0 holds 4");
    cells[0] = 0;
    assert_int_equal(aclmdlRIExecute(graph, -1), 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static _Atomic int released;

static void release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&released, 1);
}

static int run_nothing(struct task *task)
{
    (void)task;
    return 0;
}

static void submit_released(void)
{
    struct task task = {.run = run_nothing, .release = release, .cost_ns = 10};
    assert_int_equal(stream_submit("aTask", stream, &task), 0);
}

static void what_was_recorded_is_released_once(void **state)
{
    (void)state;
    atomic_store(&released, 0);
    begin(GLOBAL);
    for (int i = 0; i < 100; i++)
        submit_released();
    aclmdlRI graph = end();
    for (int i = 0; i < 5; i++)
        run(graph, stream);
    assert_int_equal(atomic_load(&released), 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(atomic_load(&released), 100);

    begin(GLOBAL);
    submit_released();
    assert_int_equal(aclrtResetEvent(event, stream), 107030);
    struct task task = {.run = run_nothing, .release = release, .cost_ns = 10};
    assert_int_equal(stream_submit("aTask", stream, &task), 507903); /* the caller keeps it */
    end_without(507903);
    assert_int_equal(atomic_load(&released), 101);
}

static void count_cells(void *counted)
{
    *(int *)counted = 10 * *(int *)counted + cells[0]; /* the order of the steps shows */
}

static void a_callback_is_recorded_as_a_host_function(void **state)
{
    (void)state;
    int counted = 0;
    memset(cells, 0, 2);
    assert_int_equal(aclrtSubscribeReport((uint64_t)pthread_self(), stream), 0);
    begin(GLOBAL);
    set(0, 1, stream);
    assert_int_equal(aclrtLaunchCallback(count_cells, &counted, ACL_CALLBACK_BLOCK, stream), 0);
    set(0, 2, stream);
    assert_int_equal(aclrtLaunchCallback(count_cells, &counted, ACL_CALLBACK_NO_BLOCK, stream), 0);
    aclmdlRI graph = end();
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream), 0);
    assert_int_equal(counted, 0);
    run(graph, stream); /* nobody subscribes any more, nor needs to */
    assert_int_equal(counted, 12);
    run(graph, other);
    assert_int_equal(counted, 1212);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void steps_are_printed(void **state)
{
    (void)state;
    char path[] = "/tmp/belay_graph_XXXXXX", text[2048] = "";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    begin(GLOBAL);
    set(0, 1, stream);
    join(stream, event, other);
    copy(1, 0, other);
    join(other, event, stream);
    aclmdlRI graph = end();
    assert_int_equal(aclmdlRIDebugPrint(graph), 0);
    assert_failure(aclmdlRIDebugJsonPrint(graph, NULL, 0), 100000, "path is NULL");
    assert_failure(aclmdlRIDebugJsonPrint(graph, "/nowhere/at/all", 0), 107009, "/nowhere/at/all");
    assert_failure(aclmdlRIDebugJsonPrint(graph, "/dev/full", 0), 107010, "/dev/full");
    assert_int_equal(aclmdlRIDebugJsonPrint(graph, path, 1), 0);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    const char *steps = strstr(text, "\"steps\"");
    assert_non_null(steps);
    const char *first = strstr(steps, "aclrtMemsetAsync"), *wait = strstr(steps, "aclrtStreamWaitEvent");
    assert_true(first != NULL && wait > first && strstr(wait, "aclrtMemcpyAsync") != NULL);
    assert_non_null(strstr(text, "\"before_step\": 1"));
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_runs_before_the_graph_does),
        cmocka_unit_test(handles_of_graphs_are_checked),
        cmocka_unit_test(a_graph_stays_on_its_device),
        cmocka_unit_test(freed_memory_is_not_used),
        cmocka_unit_test(a_run_comes_in_stream_order),
        cmocka_unit_test(what_was_queued_before_a_capture_goes_on),
        cmocka_unit_test(events_order_the_streams_of_a_graph),
        cmocka_unit_test(a_wait_for_a_number_holds_only_its_own_stream_up),
        cmocka_unit_test(a_run_fails_as_its_tasks_would),
        cmocka_unit_test(what_was_recorded_is_released_once),
        cmocka_unit_test(a_callback_is_recorded_as_a_host_function),
        cmocka_unit_test(steps_are_printed),
    };
    setenv("BELAY_THREADS", "3", 1);
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
