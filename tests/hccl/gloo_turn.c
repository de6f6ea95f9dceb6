/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The epoll_wait that Gloo gets (src/hccl/gloo_turn.c): what the system's would give, and a turn given away
 * where events come one behind the other.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int turns_given;

/* The linker puts it in the place of sched_yield. */
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    turns_given++;
    return 0;
}

struct watched {
    int epoll, event;
};

static int open_watched(void **state)
{
    static struct watched watched;
    watched.epoll = epoll_create1(0);
    watched.event = eventfd(0, 0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = 7};
    *state = &watched;
    turns_given = 0;
    /* Whatever came before, the thread has waited. */
    return epoll_wait(watched.epoll, &wanted, 1, 0) == 0
               ? epoll_ctl(watched.epoll, EPOLL_CTL_ADD, watched.event, &wanted)
               : -1;
}

static int close_watched(void **state)
{
    const struct watched *watched = *state;
    return close(watched->epoll) | close(watched->event);
}

static void tell(int event)
{
    assert_int_equal(write(event, &(uint64_t){1}, sizeof(uint64_t)), sizeof(uint64_t));
}

static void wait_for_one(const struct watched *watched, int timeout)
{
    struct epoll_event found[4] = {{.events = 0}};
    assert_int_equal(epoll_wait(watched->epoll, found, 4, timeout), 1);
    assert_int_equal(found[0].events, EPOLLIN);
    assert_int_equal(found[0].data.u32, 7);
}

static void events_one_behind_the_other_give_the_turn_away(void **state)
{
    const struct watched *watched = *state;
    struct epoll_event found;
    uint64_t count;
    tell(watched->event);
    wait_for_one(watched, -1);
    assert_int_equal(turns_given, 0);
    wait_for_one(watched, 0);
    wait_for_one(watched, -1);
    assert_int_equal(turns_given, 2);
    assert_int_equal(read(watched->event, &count, sizeof count), sizeof count);
    assert_int_equal(epoll_wait(watched->epoll, &found, 1, 0), 0);
    tell(watched->event);
    wait_for_one(watched, -1);
    assert_int_equal(turns_given, 2);
}

static void who_finds_nothing_waits_as_long_as_it_says(void **state)
{
    const struct watched *watched = *state;
    struct epoll_event found;
    struct timespec before, after;
    (void)clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(epoll_wait(watched->epoll, &found, 1, 30), 0);
    (void)clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 29000000);
}

static void *tell_later(void *event)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    tell(*(const int *)event);
    return NULL;
}

static void who_waits_is_woken(void **state)
{
    struct watched *watched = *state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, tell_later, &watched->event), 0);
    wait_for_one(watched, -1);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void errors_are_those_of_the_system(void **state)
{
    struct epoll_event found;
    (void)state;
    errno = 0;
    assert_int_equal(epoll_wait(-1, &found, 1, -1), -1);
    assert_int_equal(errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_one_behind_the_other_give_the_turn_away, open_watched,
                                        close_watched),
        cmocka_unit_test_setup_teardown(who_finds_nothing_waits_as_long_as_it_says, open_watched,
                                        close_watched),
        cmocka_unit_test_setup_teardown(who_waits_is_woken, open_watched, close_watched),
        cmocka_unit_test(errors_are_those_of_the_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
