/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How threads divide the indices of a loop.
 */
#include "runtime/streams/job.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

enum { COUNT = 1000 };

static struct job job;
static _Atomic unsigned char seen[COUNT];

static _Atomic uint64_t longest;

static void mark(void *context, uint64_t begin, uint64_t end)
{
    if (end - begin > atomic_load(&longest))
        atomic_store(&longest, end - begin);
    for (uint64_t i = begin; i < end; i++)
        atomic_fetch_add(&((_Atomic unsigned char *)context)[i], 1);
}

static void assert_seen_once(uint64_t count)
{
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(atomic_load(&seen[i]), i < count);
}

static void clear(void)
{
    for (uint64_t i = 0; i < COUNT; i++)
        atomic_store(&seen[i], 0);
}

static void one_thread_runs_the_parts_of_all(void **state)
{
    (void)state;
    for (uint64_t count = 1; count < 140; count++)
        for (uint32_t threads = 0; threads < 70; threads += 3) {
            clear();
            job_open(&job, mark, seen, count, count % 7, threads);
            assert_true(job.part_count >= 1 && job.part_count <= count && job.part_count <= JOB_PARTS_MAX);
            assert_true(job_has_work(&job));
            job_run(&job);
            assert_false(job_has_work(&job));
            assert_seen_once(count);
            assert_in_range(atomic_load(&longest), 1, 6);
        }
}

static void parts_follow_one_another_and_differ_by_one_at_most(void **state)
{
    (void)state;
    job_open(&job, mark, seen, 103, 1, 4);
    assert_int_equal(job.part_count, 4);
    uint64_t begin = 0;
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(atomic_load(&job.part[i].next) == begin);
        assert_in_range(job.part[i].end - begin, 25, 26);
        begin = job.part[i].end;
    }
    assert_int_equal(begin, 103);
}

static void *run(void *unused)
{
    job_run(&job);
    return unused;
}

static uint64_t left_of_the_part;
static bool has_looked, had_work;

/* While 6 of a part of 100 are left, after calls of 75 and 19, another thread runs what it finds. */
static void mark_and_look(void *context, uint64_t begin, uint64_t end)
{
    pthread_t thread;
    mark(context, begin, end);
    if (end - begin != 19 || has_looked)
        return;
    has_looked = true;
    assert_int_equal(pthread_create(&thread, NULL, run, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    had_work = job_has_work(&job);
    for (uint32_t i = 0; i < 2; i++)
        left_of_the_part += job.part[i].end - atomic_load(&job.part[i].next);
}

static void a_thread_is_left_alone_with_the_end_of_its_part(void **state)
{
    (void)state;
    clear();
    job_open(&job, mark_and_look, seen, 200, 100, 2);
    assert_int_equal(job.left_alone, 12);
    job_run(&job);
    assert_true(has_looked);
    assert_int_equal(left_of_the_part, 6);
    assert_false(had_work); /* or those that have run the loop would join it again, for nothing */
    assert_seen_once(200);
}

static void many_threads_run_each_index_once(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        pthread_t thread[5];
        clear();
        job_open(&job, mark, seen, COUNT, (uint64_t)round + 1, 3);
        for (int i = 0; i < 5; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, run, NULL), 0);
        for (int i = 0; i < 5; i++)
            pthread_join(thread[i], NULL);
        assert_false(job_has_work(&job));
        assert_seen_once(COUNT);
    }
}

/* A processor that a thread asks from, and what it is told. */
struct question {
    int processor;
    bool is_bound, is_crowded;
};

static bool bind_to(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)processor, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0;
}

static void *ask(void *context)
{
    struct question *question = context;
    question->is_bound = bind_to(question->processor);
    question->is_crowded = job_is_crowded(&job);
    return NULL;
}

/* By a thread of its own, while this one is within the loop. */
static void ask_meanwhile(void *context, uint64_t begin, uint64_t end)
{
    pthread_t thread;
    (void)begin;
    (void)end;
    assert_int_equal(pthread_create(&thread, NULL, ask, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void threads_on_one_processor_crowd(void **state)
{
    cpu_set_t allowed;
    (void)state;
    const int here = sched_getcpu();
    if (here < 0 || pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed) != 0 || !bind_to(here))
        skip(); /* more processors than a set has room for, or a filter of system calls refuses it */
    for (int other = 0; other < CPU_SETSIZE; other++) {
        if (!CPU_ISSET((size_t)other, &allowed))
            continue;
        struct question question = {.processor = other};
        job_open(&job, ask_meanwhile, &question, 2, 1, 2);
        assert_false(job_is_crowded(&job));
        job_run(&job);
        assert_true(question.is_bound);
        assert_int_equal(question.is_crowded, other == here);
    }
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_runs_the_parts_of_all),
        cmocka_unit_test(parts_follow_one_another_and_differ_by_one_at_most),
        cmocka_unit_test(a_thread_is_left_alone_with_the_end_of_its_part),
        cmocka_unit_test(many_threads_run_each_index_once),
        cmocka_unit_test(threads_on_one_processor_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
