/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What happens when another thread comes to a biased stream in the middle of its thread's entering, step by
 * step. Where streams have no bias there is nothing to test, and the tests say that they were skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "acl/acl_rt.h"
#include "runtime/device.h"
#include "runtime/stream_claim.h"
#include "support/blocked_stream.h"

static _Atomic int tasks_run;

static int count_task(struct task *task)
{
    (void)task;
    atomic_fetch_add(&tasks_run, 1);
    return 0;
}

static int submit(aclrtStream handle)
{
    struct task task = {.run = count_task, .cost_ns = TASK_NEVER_INLINE};
    return stream_submit("test", handle, &task);
}

/* A stream biased to the calling thread, as every new one is; NULL where streams have no bias. */
static struct stream *create_biased(aclrtStream *handle)
{
    assert_int_equal(aclrtCreateStream(handle), 0);
    struct stream *stream = (struct stream *)handle_find(&stream_table, (uint64_t)(uintptr_t)*handle);
    assert_non_null(stream);
    if (stream_first_bias() == STREAM_SHARED) {
        assert_int_equal(aclrtDestroyStream(*handle), 0);
        return NULL;
    }
    assert_true(atomic_load(&stream->bias) == stream_bias_of_thread());
    return stream;
}

static void *submit_elsewhere(void *handle)
{
    int status = aclrtSetDevice(0);
    return (void *)(uintptr_t)(status != 0 ? status : submit((aclrtStream)handle));
}

static void *destroy_elsewhere(void *handle)
{
    int status = aclrtSetDevice(0);
    return (void *)(uintptr_t)(status != 0 ? status : aclrtDestroyStreamForce((aclrtStream)handle));
}

static void do_elsewhere(void *(*body)(void *), aclrtStream handle)
{
    pthread_t other;
    void *status;
    assert_int_equal(pthread_create(&other, NULL, body, handle), 0);
    assert_int_equal(pthread_join(other, &status), 0);
    assert_null(status);
    assert_int_equal(aclrtResetDevice(0), 0); /* the other thread's setting */
}

/* Memory that a task uses must not go before the task has run: the stream counts as unfinished till then. */
static void work_queued_during_entering_is_seen_by_frees(void **state)
{
    (void)state;
    aclrtStream handle;
    struct stream *stream = create_biased(&handle);
    if (stream == NULL)
        skip();
    assert_int_equal(submit(handle), 0);
    assert_int_equal(aclrtSynchronizeStream(handle), 0);
    assert_true(atomic_load(&stream->bias) == stream_bias_of_thread());
    assert_true(device_oldest_unfinished(0) == UINT64_MAX);
    /* From here on nothing of the ring runs, as under the lazy schedule. */
    pthread_mutex_lock(&stream->lock);
    stream->released = 0;
    pthread_mutex_unlock(&stream->lock);

    uint64_t mark;
    assert_true(stream_enter(stream, &mark));
    assert_true(device_oldest_unfinished(0) != UINT64_MAX);
    do_elsewhere(submit_elsewhere, handle);
    assert_false(stream_has_entered(stream, mark));
    stream_leave_entered(stream);
    assert_true(device_oldest_unfinished(0) != UINT64_MAX);
    assert_int_equal(tasks_run, 1);

    pthread_mutex_lock(&stream->lock);
    stream->released = UINT64_MAX;
    pthread_mutex_unlock(&stream->lock);
    assert_int_equal(aclrtSynchronizeStream(handle), 0);
    assert_int_equal(tasks_run, 2);
    assert_true(device_oldest_unfinished(0) == UINT64_MAX);
    assert_int_equal(aclrtDestroyStream(handle), 0);
}

/* One of the two who leave a stream that is being destroyed takes it down, and only the last of them. */
static void thread_that_backs_out_leaves_a_closed_stream_to_its_worker(void **state)
{
    (void)state;
    aclrtStream handle, waiting;
    aclrtEvent event;
    struct stream *stream = create_biased(&handle);
    if (stream == NULL)
        skip();
    assert_int_equal(aclrtCreateStream(&waiting), 0);
    struct stream *waiter = (struct stream *)handle_find(&stream_table, (uint64_t)(uintptr_t)waiting);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(block_stream(handle), 0);
    assert_int_equal(aclrtRecordEvent(event, handle), 0);
    assert_int_equal(aclrtStreamWaitEvent(waiting, event), 0);
    while ((atomic_load(&waiter->state) & STREAM_PARKED) == 0)
        sleep_ms(1);

    /* The worker has run all tasks and now wants to tell the other stream, whose lock is taken. */
    pthread_mutex_lock(&waiter->lock);
    unblock_stream();
    for (uint32_t count = 1; count != 0;) {
        sleep_ms(1);
        pthread_mutex_lock(&stream->lock);
        count = stream->count;
        pthread_mutex_unlock(&stream->lock);
    }
    uint64_t mark;
    assert_true(stream_enter(stream, &mark));
    do_elsewhere(destroy_elsewhere, handle);
    assert_false(stream_has_entered(stream, mark));
    stream_leave_entered(stream);
    pthread_mutex_lock(&stream->lock);
    bool is_there = stream->identity == (uint64_t)(uintptr_t)handle;
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_unlock(&waiter->lock);
    assert_true(is_there);
    assert_int_equal(aclrtSynchronizeStream(waiting), 0);
    assert_int_equal(aclrtDestroyStream(waiting), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

/* A slot in which a bias has ended is left alone, but not without end. */
static void new_stream_is_biased_whatever_became_of_those_before(void **state)
{
    (void)state;
    enum { SHARED_STREAMS = 200 };
    for (int i = 0; i < SHARED_STREAMS; i++) {
        aclrtStream handle;
        struct stream *stream = create_biased(&handle);
        if (stream == NULL)
            skip();
        if (i == 0)
            do_elsewhere(submit_elsewhere, handle);
        else
            stream_share(stream);
        assert_true(stream_has_ended_bias(stream));
        assert_int_equal(aclrtDestroyStream(handle), 0);
    }
}

static void slots_of_shared_streams_are_used_again_in_the_end(void **state)
{
    (void)state;
    bool was_biased = true;
    for (int i = 0; i < 2 * STREAM_SLOTS_FRESH; i++) {
        aclrtStream handle;
        assert_int_equal(aclrtCreateStream(&handle), 0);
        struct stream *stream = (struct stream *)handle_find(&stream_table, (uint64_t)(uintptr_t)handle);
        assert_non_null(stream);
        was_biased = atomic_load(&stream->bias) == stream_bias_of_thread();
        assert_int_equal(submit(handle), 0);
        stream_share(stream);
        assert_int_equal(aclrtSynchronizeStream(handle), 0);
        assert_int_equal(aclrtDestroyStream(handle), 0);
    }
    assert_false(was_biased);
    assert_true(atomic_load(&stream_table.slot_count) <= STREAM_SLOTS_FRESH);
}

static int open_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static int close_device(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_queued_during_entering_is_seen_by_frees),
        cmocka_unit_test(thread_that_backs_out_leaves_a_closed_stream_to_its_worker),
        cmocka_unit_test(new_stream_is_biased_whatever_became_of_those_before),
        cmocka_unit_test(slots_of_shared_streams_are_used_again_in_the_end),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
