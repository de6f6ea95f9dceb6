/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups of recorded tasks that get other arguments: what a run does behind an update, the order of updates
 * and runs, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/blocked_stream.h"
#include "support/captured.h"
#include "support/failure.h"

static const aclmdlRICaptureMode GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

static void open_group(aclrtStream where)
{
    assert_int_equal(aclmdlRICaptureTaskGrpBegin(where), 0);
}

static aclrtTaskGrp close_group(aclrtStream where)
{
    aclrtTaskGrp group = NULL;
    assert_int_equal(aclmdlRICaptureTaskGrpEnd(where, &group), 0);
    assert_non_null(group);
    return group;
}

static void begin_update(aclrtStream where, aclrtTaskGrp group)
{
    assert_int_equal(aclmdlRICaptureTaskUpdateBegin(where, group), 0);
}

static void end_update(aclrtStream where)
{
    assert_int_equal(aclmdlRICaptureTaskUpdateEnd(where), 0);
}

/* A graph that sets cell 0 to 1 and copies it to 1, both in a group, and then copies cell 1 to 2. */
static aclmdlRI two_in_a_group(aclrtTaskGrp *group)
{
    begin(GLOBAL);
    open_group(stream);
    set(0, 1, stream);
    copy(1, 0, stream);
    *group = close_group(stream);
    copy(2, 1, stream);
    return end();
}

static void runs_behind_an_update_do_what_it_says(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    memset(cells, 0, 16);
    run(graph, stream);
    assert_memory_equal(cells, "\1\1\1\0\0\0", 6);
    for (unsigned char i = 2; i < 6; i++) {
        aclrtStream by = i == 2 ? other : i == 3 ? NULL : stream;
        memset(cells, 0, 16);
        begin_update(by, group);
        set(4, i, by);
        copy(1, 4, by);
        end_update(by);
        assert_int_equal(aclrtSynchronizeStream(by), 0);
        assert_memory_equal(cells, "\0\0\0\0\0\0", 6); /* the update itself ran nothing */
        for (int again = 0; again < 2; again++) {
            memset(cells, 0, 16);
            run(graph, stream);
            assert_memory_equal(cells, ((unsigned char[]){0, i, i, 0, i, 0}), 6);
        }
        set(5, i, by); /* the stream queues as before */
        assert_int_equal(aclrtSynchronizeStream(by), 0);
        assert_int_equal(cells[5], i);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void groups_of_several_streams_lie_among_other_tasks(void **state)
{
    (void)state;
    begin(GLOBAL);
    join(stream, event, other);
    open_group(stream);
    open_group(other);
    set(0, 1, stream);
    set(1, 1, other);
    assert_int_equal(aclrtRecordEvent(back, other), 0);
    set(2, 1, stream);
    set(3, 1, other);
    aclrtTaskGrp second = close_group(other), first;
    set(4, 1, stream);
    assert_int_equal(aclrtStreamWaitEvent(stream, back), 0);
    first = close_group(stream);
    open_group(stream);
    aclrtTaskGrp empty = close_group(stream);
    set(5, 1, stream);
    assert_int_equal(aclrtRecordEvent(back, other), 0);
    assert_int_equal(aclrtStreamWaitEvent(stream, back), 0);
    aclmdlRI graph = end();

    begin_update(stream, first);
    begin_update(third, second);
    set(1, 9, third);
    set(0, 7, stream);
    set(3, 8, third);
    set(2, 6, stream);
    set(4, 5, stream);
    end_update(third);
    end_update(stream);
    begin_update(stream, empty);
    end_update(stream);
    assert_int_equal(aclrtSynchronizeStream(third), 0);
    memset(cells, 0, 6);
    run(graph, stream);
    assert_memory_equal(cells, "\7\11\6\10\5\1", 6);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* As frameworks do it: each run waits for a number, which the stream of the updates writes behind its own. */
static void a_run_that_waits_takes_the_update_that_lets_it_go(void **state)
{
    (void)state;
    uint64_t *number = (uint64_t *)(void *)(cells + 64);
    begin(GLOBAL);
    assert_int_equal(aclrtValueWait(number, 1, ACL_STREAM_WAIT_VALUE_EQ, stream), 0);
    assert_int_equal(aclrtValueWrite(number, 0, 0, stream), 0);
    open_group(stream);
    set(0, 1, stream);
    aclrtTaskGrp group = close_group(stream);
    copy(1, 0, stream);
    aclmdlRI graph = end();
    memset(cells, 0, 128);
    for (unsigned i = 1; i < 200; i++) {
        assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
        copy(128 + i, 1, stream);
        if (i % 8 == 0)
            assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 1), 507046, "time was over");
        begin_update(other, group);
        set(0, (unsigned char)i, other);
        end_update(other);
        assert_int_equal(aclrtValueWrite(number, 1, 0, other), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_int_equal(cells[128 + i], (unsigned char)i);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void an_update_comes_in_the_order_of_its_stream(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    memset(cells, 0, 8);
    assert_int_equal(block_stream(other), 0);
    begin_update(other, group);
    set(0, 9, other);
    copy(1, 0, other);
    end_update(other);
    run(graph, stream); /* another stream does not wait for it */
    assert_int_equal(cells[2], 1);
    for (unsigned char i = 5; i < 8; i++) {
        assert_int_equal(aclmdlRIExecuteAsync(graph, other), 0);
        copy(i, 0, other);
        begin_update(other, group);
        set(0, i, other);
        copy(1, 0, other);
        end_update(other);
    }
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_memory_equal(cells + 5, "\11\5\6", 3);
    run(graph, stream);
    assert_int_equal(cells[2], 7);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static _Atomic int in_function, may_return;

static void wait_to_return(void *data)
{
    atomic_store(&in_function, 1);
    while (!atomic_load(&may_return))
        sleep_ms(1);
    (*(_Atomic int *)data)++;
}

static void no_task_is_exchanged_while_it_runs(void **state)
{
    (void)state;
    _Atomic int first = 0, second = 0;
    begin(GLOBAL);
    open_group(stream);
    assert_int_equal(aclrtLaunchHostFunc(stream, wait_to_return, &first), 0);
    aclrtTaskGrp group = close_group(stream);
    aclmdlRI graph = end();
    atomic_store(&in_function, 0);
    atomic_store(&may_return, 0);
    assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
    while (!atomic_load(&in_function))
        assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 1), 507046);
    begin_update(other, group);
    assert_int_equal(aclrtLaunchHostFunc(other, wait_to_return, &second), 0);
    end_update(other);
    assert_failure(aclrtSynchronizeStreamWithTimeout(other, 20), 507046, "time was over");
    atomic_store(&may_return, 1);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    run(graph, stream);
    run(graph, stream);
    assert_int_equal(atomic_load(&first), 1);
    assert_int_equal(atomic_load(&second), 2);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void *run_often(void *data)
{
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < 300; i++)
        assert_int_equal(aclmdlRIExecuteAsync(*(aclmdlRI *)data, stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    return NULL;
}

static void updates_and_runs_may_meet(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, run_often, &graph), 0);
    for (int i = 0; i < 300; i++) {
        begin_update(other, group);
        set(0, (unsigned char)(i % 100), other);
        copy(1, 0, other);
        end_update(other);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    run(graph, stream);
    assert_int_equal(cells[2], 99);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void what_does_not_fit_leaves_the_group_as_it_is(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    begin_update(other, group);
    set(0, 2, other);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107000, "1 tasks came for a group of 2");
    begin_update(other, group);
    for (int i = 0; i < 9; i++)
        set(0, 2, other);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107000, "9 tasks came for a group of 2");
    begin_update(other, group);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107000, "0 tasks came for a group of 2");
    begin_update(other, group);
    set(0, 2, other);
    set(1, 2, other);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107000,
                   "task 1 of the group is of aclrtMemcpyAsync, and aclrtMemsetAsync came for it");
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107033, "updates no group");
    run(graph, stream);
    assert_memory_equal(cells, "\1\1\1", 3);

    /* What cannot be a task is refused and changes nothing; the update goes on. */
    unsigned char value = 3;
    begin_update(other, group);
    assert_failure(aclrtMemcpyAsync(cells, 1, &value, 1, ACL_MEMCPY_HOST_TO_DEVICE, other), 107041,
                   "updates a group");
    assert_failure(aclrtRecordEvent(event, other), 107030, "updates a group");
    assert_failure(aclrtResetEvent(event, other), 107030, "updates a group");
    assert_failure(aclmdlRIExecuteAsync(graph, other), 107030, "updates a group");
    assert_failure(aclmdlRICaptureBegin(other, GLOBAL), 107033, "updates a group");
    set(0, 4, other);
    copy(1, 0, other);
    end_update(other);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    run(graph, stream);
    assert_memory_equal(cells, "\4\4\4", 3);

    /* A capture that such a stream would join is lost. */
    begin_update(other, group);
    begin(GLOBAL);
    assert_int_equal(aclrtRecordEvent(event, stream), 0);
    assert_failure(aclrtStreamWaitEvent(other, event), 107033, "updates a group");
    end_without(507903);
    set(0, 5, other);
    copy(1, 0, other);
    end_update(other);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    run(graph, stream);
    assert_int_equal(cells[2], 5);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void groups_begin_and_end_within_captures(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    int unused;
    assert_failure(aclmdlRICaptureTaskGrpBegin(NULL), 100000, "stream is NULL");
    assert_failure(aclmdlRICaptureTaskGrpBegin(&unused), 107017, "stream is not a handle");
    assert_failure(aclmdlRICaptureTaskGrpBegin(stream), 107029, "not being recorded");
    assert_failure(aclmdlRICaptureTaskGrpEnd(NULL, &group), 100000, "stream is NULL");
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, NULL), 100000, "handle is NULL");
    assert_failure(aclmdlRICaptureTaskGrpEnd(event, &group), 107017, "stream is an event");
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, &group), 107029, "not being recorded");
    begin(GLOBAL);
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, &group), 107033, "in no group");
    open_group(stream);
    assert_failure(aclmdlRICaptureTaskGrpBegin(stream), 107033, "already");
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, NULL), 100000, "handle is NULL");
    group = close_group(stream);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, group), 107026, "still being recorded");
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, &group), 107033, "in no group");
    open_group(stream);
    aclmdlRI graph = &graph;
    assert_failure(aclmdlRICaptureEnd(stream, &graph), 107034, "still in a group");
    assert_null(graph);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, group), 107017, "was destroyed");

    begin(GLOBAL);
    open_group(stream);
    assert_int_equal(aclrtResetEvent(event, stream), 107030);
    assert_failure(aclmdlRICaptureTaskGrpEnd(stream, &group), 507903, "lost");
    assert_failure(aclmdlRICaptureTaskGrpBegin(stream), 507903, "lost");
    end_without(507903);
}

static void updates_begin_and_end_on_live_objects(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    int unused;
    aclmdlRI graph = two_in_a_group(&group);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, NULL), 100000, "handle is NULL");
    assert_failure(aclmdlRICaptureTaskUpdateBegin(&unused, group), 107017, "stream is not a handle");
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, &unused), 107017, "handle is not a handle");
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, graph), 107017, "handle is a graph");
    assert_failure(aclmdlRICaptureTaskUpdateEnd(&unused), 107017, "stream is not a handle");
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107033, "updates no group");
    begin(GLOBAL);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(stream, group), 107027, "being recorded itself");
    assert_int_equal(aclmdlRIDestroy(end()), 0);
    begin_update(other, group);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, group), 107033, "already");
    set(0, 2, other);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    copy(1, 0, other);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107017, "graph that was destroyed");
    assert_failure(aclmdlRICaptureTaskUpdateBegin(other, group), 107017, "was destroyed");

    aclrtContext home;
    graph = two_in_a_group(&group);
    assert_int_equal(aclrtGetCurrentContext(&home), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(NULL, group), 107004, "another device");
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_failure(aclmdlRICaptureTaskUpdateBegin(NULL, group), 107002, "current context");
    assert_int_equal(aclrtSetCurrentContext(home), 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* The default stream has the mark of captures in its context, too. */
static void the_default_stream_updates_beside_captures(void **state)
{
    (void)state;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    for (int first = 0; first < 2; first++) {
        begin_update(NULL, group);
        begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
        set(0, (unsigned char)(first + 2), NULL);
        if (first == 0)
            assert_int_equal(aclmdlRIDestroy(end()), 0);
        copy(1, 0, NULL);
        end_update(NULL);
        if (first == 1)
            assert_int_equal(aclmdlRIDestroy(end()), 0);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        run(graph, NULL);
        assert_int_equal(cells[2], first + 2);
    }
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static void memory_of_updates_lives_as_long_as_runs(void **state)
{
    (void)state;
    unsigned char *lost;
    aclrtTaskGrp group;
    aclmdlRI graph = two_in_a_group(&group);
    assert_int_equal(aclrtMalloc((void **)&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(block_stream(other), 0);
    begin_update(other, group);
    assert_int_equal(aclrtMemsetAsync(lost, 1, 3, 1, other), 0);
    copy(1, 0, other);
    end_update(other);
    run(graph, stream);
    assert_int_equal(aclrtFree(lost), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "update of the graph");
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "step 0 of the graph, aclrtMemsetAsync");
    begin_update(other, group);
    assert_failure(aclrtMemsetAsync(lost, 1, 3, 1, other), 107000, "freed");
    set(0, 6, other);
    copy(1, 0, other);
    end_update(other);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    run(graph, stream);
    assert_int_equal(cells[2], 6);

    /* Freed within the update, and before a run that does not know of it yet. */
    assert_int_equal(aclrtMalloc((void **)&lost, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(block_stream(other), 0);
    begin_update(other, group);
    assert_int_equal(aclrtMemsetAsync(lost, 1, 3, 1, other), 0);
    copy(1, 0, other);
    assert_int_equal(aclrtFree(lost), 0);
    run(graph, stream);
    end_update(other);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "update of the graph");
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_failure(aclmdlRIExecuteAsync(graph, stream), 107000, "step 0 of the graph, aclrtMemsetAsync");
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

/* Tasks with temporary memory, which they fill; and how many of them were released. */
static _Atomic int released;

struct scratch_user {
    unsigned char *scratch;
    size_t bytes;
    unsigned char value;
};

static int run_in_scratch(struct task *task)
{
    struct scratch_user own;
    memcpy(&own, task->payload, sizeof own);
    memset(own.scratch, own.value, own.bytes);
    cells[0] = own.scratch[own.bytes - 1];
    return 0;
}

static size_t take_scratch(struct task *task, void *scratch)
{
    struct scratch_user own;
    memcpy(&own, task->payload, sizeof own);
    own.scratch = (unsigned char *)scratch;
    memcpy(task->payload, &own, sizeof own);
    return own.bytes;
}

static void count_release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&released, 1);
}

static void submit_user(unsigned char value, size_t bytes, uint64_t cost_ns, aclrtStream where)
{
    struct task task = {
        .run = run_in_scratch, .release = count_release, .use_scratch = take_scratch, .cost_ns = cost_ns};
    const struct scratch_user own = {.bytes = bytes, .value = value};
    memcpy(task.payload, &own, sizeof own);
    assert_int_equal(stream_submit("aTask", where, &task), 0);
}

static void tasks_have_the_scratch_that_they_need(void **state)
{
    (void)state;
    atomic_store(&released, 0);
    begin(GLOBAL);
    open_group(stream);
    submit_user(1, 100, 10, stream);
    aclrtTaskGrp group = close_group(stream);
    aclmdlRI graph = end();
    for (unsigned char i = 2; i < 10; i++) {
        begin_update(other, group);
        submit_user(i, i % 3 == 0 ? 50 : i * 100000u, i % 2 == 0 ? 10 : TASK_NEVER_INLINE, other);
        end_update(other);
        assert_int_equal(aclrtSynchronizeStream(other), 0);
        assert_int_equal(atomic_load(&released), i - 1);
        run(graph, stream);
        assert_int_equal(cells[0], i);
    }
    begin_update(other, group);
    submit_user(10, 1, 10, other);
    submit_user(11, 1, 10, other);
    assert_failure(aclmdlRICaptureTaskUpdateEnd(other), 107000, "2 tasks came");
    assert_int_equal(atomic_load(&released), 10);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    assert_int_equal(atomic_load(&released), 11);
}

static void an_update_that_never_runs_is_released(void **state)
{
    (void)state;
    aclrtStream gone;
    atomic_store(&released, 0);
    begin(GLOBAL);
    open_group(stream);
    submit_user(1, 100, 10, stream);
    aclrtTaskGrp group = close_group(stream);
    aclmdlRI graph = end();

    /* The stream ends within the update, or before the update has been run, or drops it. */
    assert_int_equal(aclrtCreateStream(&gone), 0);
    begin_update(gone, group);
    submit_user(2, 1000, 10, gone);
    assert_int_equal(aclrtDestroyStream(gone), 0);
    assert_int_equal(atomic_load(&released), 1);
    assert_int_equal(block_stream(other), 0);
    begin_update(other, group);
    submit_user(3, 1000, 10, other);
    end_update(other);
    assert_int_equal(aclrtStreamAbort(other), 0);
    unblock_stream();
    assert_failure(aclrtSynchronizeStream(other), 107023, "aborted");
    assert_int_equal(atomic_load(&released), 2);
    run(graph, stream);
    assert_int_equal(cells[0], 1);

    /* A graph that is destroyed meanwhile. */
    assert_int_equal(block_stream(other), 0);
    begin_update(other, group);
    submit_user(4, 1000, 10, other);
    end_update(other);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(atomic_load(&released), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_behind_an_update_do_what_it_says),
        cmocka_unit_test(groups_of_several_streams_lie_among_other_tasks),
        cmocka_unit_test(a_run_that_waits_takes_the_update_that_lets_it_go),
        cmocka_unit_test(an_update_comes_in_the_order_of_its_stream),
        cmocka_unit_test(no_task_is_exchanged_while_it_runs),
        cmocka_unit_test(updates_and_runs_may_meet),
        cmocka_unit_test(what_does_not_fit_leaves_the_group_as_it_is),
        cmocka_unit_test(groups_begin_and_end_within_captures),
        cmocka_unit_test(updates_begin_and_end_on_live_objects),
        cmocka_unit_test(the_default_stream_updates_beside_captures),
        cmocka_unit_test(memory_of_updates_lives_as_long_as_runs),
        cmocka_unit_test(tasks_have_the_scratch_that_they_need),
        cmocka_unit_test(an_update_that_never_runs_is_released),
    };
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
