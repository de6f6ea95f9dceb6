/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * When a worker leaves its processor, and that it does.
 */
#include "runtime/streams/crowding.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MILLISECOND = 1000000, TRIES = 20 };

static const cpu_set_t *all; /* of which the program chooses others while the thread moves; or NULL */

/* Sets that are only said to be those of the first thread and of the calling one; or NULL. */
static cpu_set_t *set_of_first, *set_of_caller;

/* What the library calls, instead of the C library's. */
__attribute__((visibility("default"))) int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t *set)
{
    if (set_of_caller != NULL) {
        *set = thread == getpid() ? *set_of_first : *set_of_caller;
        return 0;
    }
    CPU_ZERO(set);
    return syscall(SYS_sched_getaffinity, thread, bytes, set) < 0 ? -1 : 0;
}

__attribute__((visibility("default"))) int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t *set)
{
    if (set_of_caller != NULL) {
        *set_of_caller = *set;
        return 0;
    }
    const int status = (int)syscall(SYS_sched_setaffinity, thread, bytes, set);
    cpu_set_t chosen;
    if (all != NULL) {
        CPU_XOR(&chosen, all, set);
        (void)syscall(SYS_sched_setaffinity, thread, sizeof chosen, &chosen);
    }
    return status;
}

static struct crowding mover; /* of the calling thread */

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
        crowding_leave(&mover);
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
    crowding_leave(&mover);
    all = NULL;
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_int_equal(CPU_COUNT(&after), 1); /* where it was */
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

static void *wait_for_end(void *gate)
{
    _Atomic pid_t *thread = gate;
    *thread = gettid();
    while (*thread != 0)
        usleep(100);
    return NULL;
}

static void a_thread_that_is_sent_away_may_come_back_when_it_says_so(void **state)
{
    (void)state;
    cpu_set_t before, during, after;
    if (sched_getaffinity(0, sizeof before, &before) != 0 || CPU_COUNT(&before) < 2)
        skip();
    pthread_t other;
    _Atomic pid_t thread = 0;
    assert_int_equal(pthread_create(&other, NULL, wait_for_end, &thread), 0);
    while (thread == 0)
        usleep(100);
    struct crowding crowding = {.thread = thread};
    const int here = sched_getcpu();
    crowding_return(&crowding); /* nobody has sent it away */
    for (int i = 0; i < 2; i++) {
        crowding_send_away(&crowding, here);
        crowding_send_away(&crowding, here == 0 ? 1 : 0); /* it has to come back first */
        crowding_leave(&crowding);
        assert_int_equal(sched_getaffinity(thread, sizeof during, &during), 0);
        assert_int_equal(CPU_COUNT(&during), CPU_COUNT(&before) - 1);
        assert_false(CPU_ISSET((size_t)here, &during));
        crowding_return(&crowding);
        assert_int_equal(sched_getaffinity(thread, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
    thread = 0;
    pthread_join(other, NULL);
}

/* The set of so many processors from a first one. */
static cpu_set_t processors(unsigned from, unsigned count)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned i = from; i < from + count; i++)
        CPU_SET(i, &set);
    return set;
}

static void assert_set(const cpu_set_t *set, unsigned from, unsigned count)
{
    const cpu_set_t expected = processors(from, count);
    assert_true(CPU_EQUAL(set, &expected));
}

static void more_processors_of_the_program_reach_a_worker_that_moved(void **state)
{
    (void)state;
    cpu_set_t first = processors(0, 4), caller = first;
    set_of_first = &first;
    set_of_caller = &caller;
    crowding_leave(&mover);
    assert_set(&caller, 0, 4);
    first = processors(0, 8);
    crowding_leave(&mover);
    assert_set(&caller, 0, 8);
    first = processors(0, 2); /* fewer are the first thread's own affair: the system tells the others */
    crowding_leave(&mover);
    assert_set(&caller, 0, 8);
    first = processors(0, 16); /* the last move was of a thread that had others than the first one */
    crowding_leave(&mover);
    assert_set(&caller, 0, 8);
    caller = processors(2, 3); /* what the program has chosen for the thread stays */
    crowding_leave(&mover);
    crowding_leave(&mover);
    assert_set(&caller, 2, 3);
    set_of_first = set_of_caller = NULL;
}

/* Makes sched_setaffinity() fail in this process, as containers' filters of system calls do. */
static bool refuse_affinity(unsigned error)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

static void a_filter_that_refuses_moves_leaves_a_worker_where_it_is(void **state)
{
    (void)state;
    static const unsigned errors[] = {EPERM, ENOSYS};
    enum { STAYS, HAS_OTHERS, CANNOT_FILTER };
    for (unsigned i = 0; i < 2; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            cpu_set_t before, after;
            if (sched_getaffinity(0, sizeof before, &before) != 0 || !refuse_affinity(errors[i]))
                _exit(CANNOT_FILTER);
            crowding_leave(&mover);
            crowding_leave(&mover);
            const bool is_same =
                sched_getaffinity(0, sizeof after, &after) == 0 && CPU_EQUAL(&before, &after);
            _exit(is_same ? STAYS : HAS_OTHERS);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == CANNOT_FILTER)
            skip();
        assert_int_equal(WEXITSTATUS(status), STAYS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_interruptions_in_a_short_time_are_crowding),
        cmocka_unit_test(a_move_that_was_of_no_use_is_not_repeated_soon),
        cmocka_unit_test(leaving_changes_the_processor_and_not_those_that_are_allowed),
        cmocka_unit_test(a_thread_that_is_sent_away_may_come_back_when_it_says_so),
        cmocka_unit_test(processors_that_a_program_chooses_meanwhile_stay),
        cmocka_unit_test(more_processors_of_the_program_reach_a_worker_that_moved),
        cmocka_unit_test(a_filter_that_refuses_moves_leaves_a_worker_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
