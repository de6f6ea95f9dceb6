/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sleeping on a word of memory. Whoever sleeps has read the word before it tested its condition; whoever
 * makes a condition true changes the word before it wakes, so no wake-up is lost. Nothing to initialise, so
 * nothing that can fail.
 */
#ifndef BELAY_BASE_FUTEX_H
#define BELAY_BASE_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

static const uint64_t FUTEX_FOREVER = UINT64_MAX;

/* CLOCK_MONOTONIC. */
uint64_t clock_now_ns(void);

/* now + duration, FUTEX_FOREVER where that does not fit. */
uint64_t clock_after_ns(uint64_t duration_ns);

/* Returns when woken, at the deadline (clock_now_ns), when the word is not expected, or for no reason. */
void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns);

void futex_wake_one(_Atomic uint32_t *word);
void futex_wake_all(_Atomic uint32_t *word);

/* futex_wait() and a wake of all for words that processes share. */
void futex_wait_shared(_Atomic uint32_t *word, uint32_t expected, uint64_t deadline_ns);
void futex_wake_shared(_Atomic uint32_t *word);

/* A thread that polls for some time looks at the clock, which takes longer than a pause, once in so many. */
enum { PAUSES_PER_LOOK = 16 };

/* Tells the processor that this thread is polling. */
static inline void futex_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
