/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Graphs that run on several streams and threads at once, and wait for each other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "support/blocked_stream.h"
#include "support/captured.h"
#include "support/failure.h"

static const aclmdlRICaptureMode GLOBAL = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;

static _Atomic int inside, most_inside, calls;

/* Two runs of one graph would meet here. */
static void count(void *unused)
{
    (void)unused;
    int now = atomic_fetch_add(&inside, 1) + 1;
    if (now > atomic_load(&most_inside))
        atomic_store(&most_inside, now);
    sleep_ms(1);
    atomic_fetch_add(&calls, 1);
    atomic_fetch_sub(&inside, 1);
}

static void runs_of_one_graph_wait_for_each_other(void **state)
{
    (void)state;
    aclrtStream all[] = {stream, other, third, NULL};
    begin(GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(stream, count, NULL), 0);
    copy(1, 0, stream);
    aclmdlRI graph = end();
    atomic_store(&calls, 0);
    for (int i = 0; i < 40; i++)
        assert_int_equal(aclmdlRIExecuteAsync(graph, all[i % 4]), 0);
    assert_int_equal(aclmdlRIDestroy(graph), 0); /* waits for them */
    assert_int_equal(atomic_load(&calls), 40);
    assert_int_equal(atomic_load(&most_inside), 1);

    /* In the order of the calls: the first one's stream is held up. */
    begin(GLOBAL);
    copy(1, 0, stream);
    graph = end();
    memset(cells, 0, 2);
    assert_int_equal(block_stream(stream), 0);
    set(0, 1, stream);
    assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
    assert_int_equal(aclmdlRIExecuteAsync(graph, other), 0);
    assert_failure(aclrtSynchronizeStreamWithTimeout(other, 20), 507046, "time was over");
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(cells[1], 1);
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static _Atomic int may_go;
static pthread_t thread_of_function;

static void wait_inside(void *unused)
{
    thread_of_function = pthread_self();
    count(unused);
    atomic_fetch_add(&inside, 1);
    while (!atomic_load(&may_go))
        sleep_ms(1);
    atomic_fetch_sub(&inside, 1);
}

/* The second of three runs is dropped, which leaves the third to wait for the first alone. */
static void a_dropped_run_keeps_the_others_apart(void **state)
{
    (void)state;
    begin(GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(stream, wait_inside, NULL), 0);
    aclmdlRI graph = end();
    atomic_store(&calls, 0);
    atomic_store(&most_inside, 0);
    atomic_store(&may_go, 0);
    assert_int_equal(aclmdlRIExecuteAsync(graph, stream), 0);
    assert_failure(aclrtSynchronizeStreamWithTimeout(stream, 20), 507046, "time was over");
    assert_int_equal(aclmdlRIExecuteAsync(graph, other), 0);
    assert_int_equal(aclmdlRIExecuteAsync(graph, third), 0);
    assert_int_equal(aclrtStreamAbort(other), 0);
    assert_failure(aclrtSynchronizeStream(other), 107023, "aborted");
    assert_failure(aclrtSynchronizeStreamWithTimeout(third, 20), 507046, "time was over");
    assert_int_equal(atomic_load(&calls), 1);
    atomic_store(&may_go, 1);
    assert_int_equal(aclrtSynchronizeStream(third), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(atomic_load(&calls), 2);
    assert_int_equal(atomic_load(&most_inside), 1);
    assert_false(pthread_equal(thread_of_function, pthread_self())); /* it ran on a thread of the library */
    assert_int_equal(aclmdlRIDestroy(graph), 0);
}

static aclmdlRI graph_of_callback;
static _Atomic int status_of_callback, status_of_run;

static void destroy_from_within(void *unused)
{
    (void)unused;
    atomic_store(&status_of_run, aclmdlRIExecute(graph_of_callback, -1));
    atomic_store(&status_of_callback, aclmdlRIDestroy(graph_of_callback));
}

static void a_run_does_not_wait_for_itself(void **state)
{
    (void)state;
    begin(GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(stream, destroy_from_within, NULL), 0);
    graph_of_callback = end();
    run(graph_of_callback, NULL);
    assert_int_equal(atomic_load(&status_of_callback), 107000);
    assert_int_equal(atomic_load(&status_of_run), 107002); /* the thread has no context */
    assert_int_equal(aclmdlRIDestroy(graph_of_callback), 0);
}

enum { RACERS = 4, RACES = 300 };

struct racer {
    aclrtContext context;
    aclmdlRI shared;
    int failures;
};

/* Runs a graph that others run too, and records, runs and destroys its own. */
static void *race(void *argument)
{
    struct racer *racer = argument;
    aclrtStream own;
    racer->failures = aclrtSetCurrentContext(racer->context) != 0 || aclrtCreateStream(&own) != 0;
    for (int i = 0; i < RACES && racer->failures == 0; i++) {
        aclmdlRI graph;
        racer->failures += aclmdlRIExecuteAsync(racer->shared, own) != 0;
        racer->failures += aclmdlRICaptureBegin(own, ACL_MODEL_RI_CAPTURE_MODE_RELAXED) != 0;
        racer->failures += aclrtMemsetAsync(cells + 512, 64, i, 64, NULL) != 0;
        racer->failures += aclrtValueWrite(cells + 768, 1, 0, own) != 0;
        racer->failures += aclmdlRICaptureEnd(own, &graph) != 0;
        racer->failures += aclmdlRIExecuteAsync(graph, i % 2 ? own : NULL) != 0;
        racer->failures += aclmdlRIDestroy(graph) != 0;
    }
    racer->failures += aclrtDestroyStream(own) != 0;
    return NULL;
}

static void threads_share_graphs(void **state)
{
    (void)state;
    pthread_t thread[RACERS];
    struct racer racer[RACERS];
    begin(ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    set(0, 1, stream);
    copy(1, 0, stream);
    aclmdlRI shared = end();
    for (int i = 0; i < RACERS; i++) {
        racer[i].shared = shared;
        assert_int_equal(aclrtGetCurrentContext(&racer[i].context), 0);
        assert_int_equal(pthread_create(&thread[i], NULL, race, &racer[i]), 0);
    }
    for (int i = 0; i < RACERS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(racer[i].failures, 0);
    }
    assert_int_equal(aclrtSynchronizeDevice(), 0);
    assert_int_equal(aclmdlRIDestroy(shared), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_one_graph_wait_for_each_other),
        cmocka_unit_test(a_dropped_run_keeps_the_others_apart),
        cmocka_unit_test(a_run_does_not_wait_for_itself),
        cmocka_unit_test(threads_share_graphs),
    };
    setenv("BELAY_THREADS", "3", 1);
    setenv("BELAY_DEVICES", "2", 1);
    return cmocka_run_group_tests(tests, captured_set_up, captured_tear_down);
}
