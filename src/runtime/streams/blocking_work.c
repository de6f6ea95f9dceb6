/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The table of the blocking copies and sets that are running.
 */
#include "runtime/streams/blocking_work.h"

#include <stdbool.h>

#include "runtime/devices/device.h"
#include "base/futex.h"

/* More copies at once than this are counted together, and hold back all memory that is freed meanwhile. */
enum { PLACES = 32 };

/* On a cache line of its own, as it is some thread's favourite. */
struct place {
    _Alignas(64) _Atomic uint64_t work; /* device_marks when it began, and 1; 0 when there is none */
};

static struct place places[PLACES];
static _Atomic uint64_t beyond; /* work that found no place */

/* Threads that ever did such work: only so many places are in use, and are looked at by whoever frees. */
static _Atomic uint64_t threads;
static _Thread_local uint32_t favourite; /* the number of its place, and 1; 0 when it has none yet */

static uint32_t places_in_use(void)
{
    uint64_t count = atomic_load_explicit(&threads, memory_order_seq_cst);
    return count < PLACES ? (uint32_t)count : PLACES;
}

/* Changes to an odd number where blocking work is held, and to an even one where it is not. */
static _Atomic uint32_t holds;

void blocking_work_hold(void)
{
    atomic_fetch_add_explicit(&holds, 1, memory_order_seq_cst);
}

void blocking_work_release(void)
{
    atomic_fetch_add_explicit(&holds, 1, memory_order_seq_cst);
    futex_wake_all(&holds);
}

static _Atomic uint64_t *take_place(void)
{
    if (favourite == 0)
        favourite = (uint32_t)(atomic_fetch_add_explicit(&threads, 1, memory_order_seq_cst) % PLACES) + 1;
    /* Not above that of any free that comes after the claim. */
    uint64_t mark = atomic_load_explicit(&device_marks, memory_order_acquire);
    uint32_t count = places_in_use();
    uint32_t at = favourite - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t none = 0;
        if (atomic_compare_exchange_strong_explicit(&places[at].work, &none, mark + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            return &places[at].work;
        at = at + 1 < count ? at + 1 : 0;
    }
    atomic_fetch_add_explicit(&beyond, 1, memory_order_seq_cst);
    return &beyond;
}

/* Whoever holds the work writes holds and then reads the places; one of the two sees the other. */
_Atomic uint64_t *blocking_work_begin(void)
{
    for (;;) {
        _Atomic uint64_t *work = take_place();
        const uint32_t seen = atomic_load_explicit(&holds, memory_order_seq_cst);
        if (__builtin_expect((seen & 1) == 0, 1))
            return work;
        blocking_work_end(work);
        futex_wait(&holds, seen, FUTEX_FOREVER);
    }
}

void blocking_work_end(_Atomic uint64_t *work)
{
    if (work == &beyond)
        atomic_fetch_sub_explicit(&beyond, 1, memory_order_release);
    else
        atomic_store_explicit(work, 0, memory_order_release);
}

uint64_t blocking_work_oldest(void)
{
    if (atomic_load_explicit(&beyond, memory_order_acquire) != 0)
        return 0;
    uint64_t oldest = UINT64_MAX;
    uint32_t count = places_in_use();
    for (uint32_t i = 0; i < count; i++) {
        /* Less 1: of a place that is free the greatest number. */
        uint64_t mark = atomic_load_explicit(&places[i].work, memory_order_acquire) - 1;
        oldest = mark < oldest ? mark : oldest;
    }
    return oldest;
}
