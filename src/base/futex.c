/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The system call behind futex.h.
 */
#include "base/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t NS_PER_S = 1000000000;

uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_after_ns(uint64_t duration_ns)
{
    uint64_t deadline;
    return __builtin_add_overflow(clock_now_ns(), duration_ns, &deadline) ? FUTEX_FOREVER : deadline;
}

void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
    struct timespec until = {(time_t)(deadline_ns / NS_PER_S), (long)(deadline_ns % NS_PER_S)};
    /* FUTEX_WAIT_BITSET takes an absolute time of CLOCK_MONOTONIC. */
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
            deadline_ns == FUTEX_FOREVER ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_one(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void futex_wait_shared(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns)
{
    struct timespec until = {(time_t)(deadline_ns / NS_PER_S), (long)(deadline_ns % NS_PER_S)};
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, deadline_ns == FUTEX_FOREVER ? NULL : &until, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

void futex_wake_shared(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
