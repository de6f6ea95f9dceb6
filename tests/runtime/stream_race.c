/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Eight threads, sixteen streams, events between them, streams and events that come and go meanwhile. Each
 * stream owns a counter that only its tasks touch, without atomics: tasks that overlap or lose their order
 * are seen by the checks here, and by TSan.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "acl/acl.h"
#include "runtime/devices/device.h"
#include "runtime/streams/device_streams.h"
#include "runtime/streams/stream.h"
#include "runtime/streams/workers.h"

enum { THREADS = 8, STREAMS = 16, STEPS = 6000 };

static aclrtStream streams[STREAMS];
static uint64_t counters[STREAMS]; /* touched by tasks of the stream alone */
static _Atomic uint64_t submitted[STREAMS];
static _Atomic int releases, failures;

struct add {
    uint64_t *counter;
    uint64_t amount;
};

static int run_add(struct task *task)
{
    struct add add;
    memcpy(&add, task->payload, sizeof add);
    uint64_t value = *add.counter;
    if (add.amount % 64 == 5)
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL); /* lets another thread in where none may be */
    *add.counter = value + add.amount;
    return 0;
}

static void body(void *context, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        ((uint64_t *)context)[i] += i;
}

static int run_parallel(struct task *task)
{
    uint64_t parts[7] = {0};
    workers_run(body, parts, 7, 2);
    return parts[6] == 6 ? run_add(task) : 1;
}

static void release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&releases, 1);
}

static void expect(bool is_true)
{
    if (!is_true)
        atomic_fetch_add(&failures, 1);
}

/* One stream's work handed to another: the second reads what the first wrote before the event. */
static int run_compare(struct task *task)
{
    uint64_t *pair[2];
    memcpy(pair, task->payload, sizeof pair);
    expect(*pair[0] == *pair[1]);
    return 0;
}

static void pass_a_value_between_streams(aclrtStream from, aclrtStream to, unsigned *seed)
{
    uint64_t *value = (uint64_t *)calloc(2, sizeof *value);
    aclrtEvent event;
    expect(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC) == 0);
    struct add add = {value, 7};
    struct task write = {.run = run_add, .release = release, .cost_ns = (uint64_t)rand_r(seed) % 40000};
    memcpy(write.payload, &add, sizeof add);
    expect(stream_submit("test", from, &write) == 0);
    expect(aclrtRecordEvent(event, from) == 0);
    value[1] = 7;
    expect(aclrtStreamWaitEvent(to, event) == 0);
    uint64_t *pair[2] = {&value[0], &value[1]};
    struct task compare = {.run = run_compare, .release = release, .cost_ns = (uint64_t)rand_r(seed) % 40000};
    memcpy(compare.payload, pair, sizeof pair);
    expect(stream_submit("test", to, &compare) == 0);
    expect(aclrtDestroyEvent(event) == 0);
    expect(aclrtSynchronizeStream(to) == 0);
    expect(aclrtSynchronizeStream(from) == 0);
    free(value);
}

static void use_a_stream_of_its_own(unsigned *seed)
{
    aclrtStream own;
    expect(aclrtCreateStream(&own) == 0);
    uint64_t counter = 0;
    struct add add = {&counter, 1};
    for (int i = 0; i < 20; i++) {
        struct task task = {.run = run_add, .release = release, .cost_ns = (uint64_t)rand_r(seed) % 40000};
        memcpy(task.payload, &add, sizeof add);
        expect(stream_submit("test", own, &task) == 0);
    }
    expect(aclrtDestroyStream(own) == 0);
    expect(counter == 20);
    expect(aclrtSynchronizeStream(own) == ACL_ERROR_RT_INVALID_HANDLE);
}

static void *work(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument * 7919 + 1;
    expect(aclrtSetDevice(0) == 0);
    for (int step = 0; step < STEPS; step++) {
        int target = rand_r(&seed) % STREAMS;
        struct add add = {&counters[target], (uint64_t)rand_r(&seed) % 100};
        struct task task = {.run = rand_r(&seed) % 8 == 0 ? run_parallel : run_add,
                            .release = release,
                            .cost_ns = (uint64_t)rand_r(&seed) % 40000};
        memcpy(task.payload, &add, sizeof add);
        atomic_fetch_add(&submitted[target], add.amount);
        expect(stream_submit("test", streams[target], &task) == 0);
        aclrtStreamStatus status;
        switch (rand_r(&seed) % 40) {
        case 0:
            expect(aclrtSynchronizeStream(streams[rand_r(&seed) % STREAMS]) == 0);
            break;
        case 1:
        case 2:
            pass_a_value_between_streams(streams[rand_r(&seed) % STREAMS], streams[rand_r(&seed) % STREAMS],
                                         &seed);
            break;
        case 3:
            use_a_stream_of_its_own(&seed);
            break;
        case 4:
            expect(aclrtStreamQuery(streams[target], &status) == 0);
            break;
        case 5:
            (void)device_oldest_unfinished(0);
            (void)device_mark();
            break;
        case 6:
            if (step % 50 == 0)
                expect(aclrtSynchronizeDevice() == 0);
            break;
        default:
            break;
        }
    }
    expect(aclrtResetDevice(0) == 0);
    return NULL;
}

static void threads_and_streams_beside_each_other_lose_nothing(void **state)
{
    (void)state;
    assert_int_equal(aclrtSetDevice(0), 0);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(aclrtCreateStream(&streams[i]), 0);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(aclrtSynchronizeStream(streams[i]), 0);
    assert_int_equal(failures, 0);
    for (int i = 0; i < STREAMS; i++)
        assert_int_equal(counters[i], atomic_load(&submitted[i]));
    assert_true(atomic_load(&releases) >= THREADS * STEPS);
    assert_int_equal(device_oldest_unfinished(0), UINT64_MAX);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static _Atomic(aclrtStream) shared_stream;
static _Atomic(aclrtEvent) shared_event;
static _Atomic int accepted, released;
static _Atomic bool is_over;

static int run_nothing(struct task *task)
{
    (void)task;
    return 0;
}

static void count_release(struct task *task)
{
    (void)task;
    atomic_fetch_add(&released, 1);
}

static bool is_expected(int status)
{
    return status == 0 || status == ACL_ERROR_RT_INVALID_HANDLE;
}

/* Uses whatever the main thread has made last, which it may be destroying at this moment. */
static void *use_what_may_be_gone(void *argument)
{
    unsigned seed = (unsigned)(uintptr_t)argument + 99;
    expect(aclrtSetDevice(0) == 0);
    while (!atomic_load(&is_over)) {
        aclrtStream stream = atomic_load(&shared_stream);
        aclrtEvent event = atomic_load(&shared_event);
        aclrtEventRecordedStatus recorded;
        aclrtStreamStatus status;
        struct task task = {
            .run = run_nothing, .release = count_release, .cost_ns = (uint64_t)rand_r(&seed) % 40000};
        int code = stream_submit("test", stream, &task);
        expect(is_expected(code));
        atomic_fetch_add(&accepted, code == 0);
        expect(is_expected(aclrtRecordEvent(event, stream)));
        expect(is_expected(aclrtStreamWaitEvent(streams[0], event)));
        expect(is_expected(aclrtStreamWaitEvent(stream, event)));
        expect(is_expected(aclrtQueryEventStatus(event, &recorded)));
        expect(is_expected(aclrtSynchronizeEvent(event)));
        expect(is_expected(aclrtStreamQuery(stream, &status)));
        if (rand_r(&seed) % 4 == 0)
            expect(is_expected(aclrtSynchronizeStream(stream)));
    }
    expect(aclrtResetDevice(0) == 0);
    return NULL;
}

static void whoever_races_with_a_destroy_is_told_and_every_accepted_task_is_released(void **state)
{
    (void)state;
    enum { USERS = 4, ROUNDS = 400 };
    pthread_t threads[USERS];
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&streams[0]), 0);
    aclrtStream stream;
    aclrtEvent event;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    atomic_store(&shared_stream, stream);
    atomic_store(&shared_event, event);
    for (int i = 0; i < USERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_what_may_be_gone, (void *)(uintptr_t)i), 0);
    for (int i = 0; i < ROUNDS; i++) {
        aclrtStream next = NULL;
        aclrtEvent next_event = NULL;
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        expect(aclrtCreateStream(&next) == 0 && aclrtCreateEvent(&next_event) == 0);
        expect((i % 2 ? aclrtDestroyStreamForce(stream) : aclrtDestroyStream(stream)) == 0);
        expect(aclrtDestroyEvent(event) == 0);
        stream = next;
        event = next_event;
        atomic_store(&shared_stream, stream);
        atomic_store(&shared_event, event);
    }
    /* The users may not have come to anything yet; the last stream is there as long as they need it. */
    while (atomic_load(&accepted) == 0 && atomic_load(&failures) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_store(&is_over, true);
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(failures, 0);
    assert_int_equal(accepted, released);
    assert_true(accepted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_streams_beside_each_other_lose_nothing),
        cmocka_unit_test(whoever_races_with_a_destroy_is_told_and_every_accepted_task_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
