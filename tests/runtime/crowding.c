/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * When a worker leaves its processor, and that it does.
 */
#include "runtime/streams/crowding.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { MILLISECOND = 1000000, TRIES = 20 };

static const cpu_set_t *all; /* of which the program chooses others while the thread moves; or NULL */

/* What the library calls, instead of the C library's. */
__attribute__((visibility("default"))) int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
    const int status = (int)syscall(SYS_sched_setaffinity, thread, bytes, set);
    cpu_set_t chosen;
    if (all != NULL) {
        CPU_XOR(&chosen, all, set);
        (void)syscall(SYS_sched_setaffinity, thread, sizeof chosen, &chosen);
    }
    return status;
}

static void many_interruptions_in_a_short_time_are_crowding(void **state)
{
    (void)state;
    struct crowding crowding = {0};
    uint64_t now = 5000ull * MILLISECOND;
    assert_true(crowding_is_due(&crowding, now));
    assert_false(crowding_is_seen(&crowding, now, 1000)); /* what was before the first look is unknown */
    assert_false(crowding_is_due(&crowding, now + MILLISECOND / 4));
    assert_true(crowding_is_due(&crowding, now + MILLISECOND));
    assert_false(crowding_is_seen(&crowding, now + MILLISECOND, 1000));
    assert_false(crowding_is_seen(&crowding, now + 11 * MILLISECOND, 1010)); /* turns of a millisecond */
    assert_true(crowding_is_seen(&crowding, now + 12 * MILLISECOND, 1020));
}

static void a_move_that_was_of_no_use_is_not_repeated_soon(void **state)
{
    (void)state;
    struct crowding crowding = {0};
    uint64_t now = MILLISECOND, interruptions = 0, moves = 0;
    crowding_is_seen(&crowding, now, interruptions);
    for (int i = 0; i < 10000; i++) { /* ten seconds */
        now += MILLISECOND;
        interruptions += 10;
        if (crowding_is_due(&crowding, now) && crowding_is_seen(&crowding, now, interruptions))
            moves++;
    }
    assert_in_range(moves, 20, 30);
    now += 1000ull * MILLISECOND; /* calm makes it attentive again */
    assert_true(crowding_is_due(&crowding, now));
    assert_false(crowding_is_seen(&crowding, now, interruptions));
    assert_true(crowding_is_due(&crowding, now + MILLISECOND));
    assert_true(crowding_is_seen(&crowding, now + MILLISECOND, interruptions + 10));
}

static void leaving_changes_the_processor_and_not_those_that_are_allowed(void **state)
{
    (void)state;
    cpu_set_t before, after;
    if (sched_getaffinity(0, sizeof before, &before) != 0)
        skip();
    int moved = 0;
    for (int i = 0; i < TRIES; i++) {
        int here = sched_getcpu();
        crowding_leave();
        moved += sched_getcpu() != here;
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
    if (CPU_COUNT(&before) > 1)
        assert_in_range(moved, TRIES / 2, TRIES); /* the system may move it back at once */
    else
        assert_int_equal(moved, 0);
}

static void processors_that_a_program_chooses_meanwhile_stay(void **state)
{
    (void)state;
    cpu_set_t before, after;
    if (sched_getaffinity(0, sizeof before, &before) != 0 || CPU_COUNT(&before) < 2)
        skip();
    all = &before;
    crowding_leave();
    all = NULL;
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1); /* where it was */
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_interruptions_in_a_short_time_are_crowding),
        cmocka_unit_test(a_move_that_was_of_no_use_is_not_repeated_soon),
        cmocka_unit_test(leaving_changes_the_processor_and_not_those_that_are_allowed),
        cmocka_unit_test(processors_that_a_program_chooses_meanwhile_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
