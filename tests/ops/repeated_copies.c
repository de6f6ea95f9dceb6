/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies that are queued behind the same copy, which need not be made again: what lies between them, and what
 * sets them apart, is seen all the same. In a process whose work is held back, so that all copies are queued
 * before one begins, and in one whose copies begin while others are being queued.
 */
#include "aclnnop/aclnn_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/open_device.h"

enum { SMALL = 1 << 16, LARGE = 1 << 22, MORE = 4 };

static float *memory[3];
static aclrtStream stream;
static bool is_held_back; /* by BELAY_SCHEDULE */

static int open_stream(void **state)
{
    for (int i = 0; i < 3; i++)
        if (open_device(state) != 0 ||
            aclrtMalloc((void **)&memory[i], LARGE * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
            return -1;
    return aclrtCreateStream(&stream);
}

static int close_stream(void **state)
{
    aclrtDestroyStream(stream);
    for (int i = 0; i < 3; i++)
        aclrtFree(memory[i]);
    return close_device(state);
}

static aclTensor *tensor(float *data, int64_t count)
{
    const int64_t step = 1;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &step, 0, ACL_FORMAT_ND, &count, 1, data);
}

/* Queues a copy, whose tensors are new every time. */
static void copy(float *to, float *from, int64_t count)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    aclTensor *const target = tensor(to, count), *const source = tensor(from, count);
    assert_int_equal(aclnnInplaceCopyGetWorkspaceSize(target, source, &bytes, &executor), 0);
    assert_int_equal(aclnnInplaceCopy(NULL, bytes, executor, stream), 0);
    assert_int_equal(aclDestroyTensor(target), 0);
    assert_int_equal(aclDestroyTensor(source), 0);
}

static void fill(float *first, int64_t count, float value)
{
    for (int64_t i = 0; i < count; i++)
        first[i] = value;
}

static void fill_all(void)
{
    for (int i = 0; i < 3; i++)
        fill(memory[i], SMALL + MORE, (float)i + 1);
}

static void assert_all(const float *first, int64_t count, float value)
{
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int64_t i = 0; i < count; i++)
        if (first[i] != value)
            fail_msg("element %lld is %g; %g is expected", (long long)i, (double)first[i], (double)value);
}

static void copies_in_a_row_leave_what_one_does(void **state)
{
    (void)state;
    fill_all();
    for (int i = 0; i < 5; i++)
        copy(memory[0], memory[1], SMALL);
    assert_all(memory[0], SMALL, 2);
    assert_all(memory[0] + SMALL, MORE, 1);
}

/* What the process takes of processors for so many copies. */
static clock_t time_of(int copies)
{
    const clock_t begin = clock();
    for (int i = 0; i < copies; i++)
        copy(memory[0], memory[1], LARGE);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    return clock() - begin;
}

/* Of that which queues them all before one begins. */
static void a_hundred_copies_take_the_time_of_few(void **state)
{
    clock_t one = time_of(1);
    (void)state;
    if (!is_held_back || getenv("BELAY_CHECK") != NULL)
        skip(); /* where somebody watches, each is made */
    for (int i = 0; i < 3; i++) {
        const clock_t again = time_of(1);
        one = again < one ? again : one;
    }
    assert_true(time_of(100) < 30 * one);
}

static void what_lies_between_is_seen(void **state)
{
    (void)state;
    fill_all();
    copy(memory[0], memory[1], SMALL);
    copy(memory[0], memory[2], SMALL); /* into the target */
    copy(memory[0], memory[1], SMALL);
    assert_all(memory[0], SMALL, 2);
    copy(memory[0], memory[1], SMALL);
    copy(memory[1], memory[2], SMALL); /* into the source */
    copy(memory[0], memory[1], SMALL);
    assert_all(memory[0], SMALL, 3);
    fill(memory[2], SMALL, 7);
    copy(memory[0], memory[2], SMALL);
    copy(memory[0], memory[2], SMALL);
    aclrtMemsetAsync(memory[0], SMALL * sizeof(float), 0, SMALL * sizeof(float), stream);
    copy(memory[0], memory[2], SMALL);
    assert_all(memory[0], SMALL, 7);
}

static void what_sets_copies_apart_is_seen(void **state)
{
    (void)state;
    fill_all();
    copy(memory[0], memory[1], SMALL);
    copy(memory[0], memory[1], SMALL + MORE); /* more of it */
    assert_all(memory[0], SMALL + MORE, 2);
    fill_all();
    copy(memory[0], memory[1], SMALL);
    copy(memory[0] + MORE, memory[1], SMALL); /* to another place */
    assert_all(memory[0], SMALL + MORE, 2);
    fill_all();
    memory[1][SMALL] = 9;
    copy(memory[0], memory[1], SMALL);
    copy(memory[0], memory[1] + 1, SMALL); /* from another place */
    assert_all(memory[0], SMALL - 1, 2);
    assert_true(memory[0][SMALL - 1] == 9);
    fill_all();
    memory[1][1] = 5;
    copy(memory[1] + 1, memory[1], SMALL); /* in its own memory: each time one further */
    copy(memory[1] + 1, memory[1], SMALL);
    assert_all(memory[1] + 4, SMALL - 4, 2);
    assert_true(memory[1][1] == 2 && memory[1][2] == 2 && memory[1][3] == 5);
}

/* A copy that begins before the next one is queued does not see what the program writes between them. */
static void what_is_written_before_a_copy_is_queued_is_seen(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* to write what a copy may be reading is a race */
#endif
    fill(memory[0], LARGE, 0);
    fill(memory[1], LARGE, 0);
    for (int round = 1; round < 200; round += 2) {
        memory[1][0] = memory[1][LARGE - 1] = (float)round;
        copy(memory[0], memory[1], LARGE);
        for (int i = 0; i < 3000000 && *(volatile float *)memory[0] != (float)round; i++)
            continue; /* until it has begun, most often */
        memory[1][0] = memory[1][LARGE - 1] = (float)(round + 1);
        copy(memory[0], memory[1], LARGE);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        assert_true(memory[0][0] == (float)(round + 1) && memory[0][LARGE - 1] == (float)(round + 1));
    }
}

static int run_all(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_a_row_leave_what_one_does),
        cmocka_unit_test(a_hundred_copies_take_the_time_of_few),
        cmocka_unit_test(what_lies_between_is_seen),
        cmocka_unit_test(what_sets_copies_apart_is_seen),
        cmocka_unit_test(what_is_written_before_a_copy_is_queued_is_seen),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}

int main(void)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        is_held_back = setenv("BELAY_SCHEDULE", "lazy", 1) == 0;
        return run_all();
    }
    const int failed = run_all();
    return child < 0 || waitpid(child, &status, 0) != child || status != 0 ? 1 : failed;
}
