/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the sanitizers are told of fibres; nothing in other builds. Always inlined: a call that ends on another
 * fibre than it began on would be no call to them.
 */
#ifndef BELAY_KERNEL_BLOCKS_SANITIZER_H
#define BELAY_KERNEL_BLOCKS_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBRES_TELL_ADDRESS
#endif
#if __has_feature(thread_sanitizer)
#define FIBRES_TELL_THREAD
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define FIBRES_TELL_ADDRESS
#endif
#ifdef __SANITIZE_THREAD__
#define FIBRES_TELL_THREAD
#endif

#ifdef FIBRES_TELL_ADDRESS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBRES_TELL_THREAD
#include <sanitizer/tsan_interface.h>
#endif

struct fibre_notes {
    bool is_idle; /* a core has ended on it, and it is in its loop */
    const void *stack, *outer_stack;
    size_t bytes, outer_bytes;
    void *fake_here, *fake_back;
    void *thread, *outer_thread;
};

static inline __attribute__((always_inline)) void fibre_notes_begin(struct fibre_notes *notes,
                                                                    const void *stack, size_t bytes)
{
    notes->stack = stack;
    notes->bytes = bytes;
#ifdef FIBRES_TELL_THREAD
    notes->thread = __tsan_create_fiber(0);
#endif
}

static inline __attribute__((always_inline)) void fibre_notes_end(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_THREAD
    __tsan_destroy_fiber(notes->thread);
#endif
    (void)notes;
}

/* What was on the stack is gone, without its functions having returned. */
static inline __attribute__((always_inline)) void fibre_stack_is_anew(const struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __asan_unpoison_memory_region(notes->stack, notes->bytes);
#endif
    (void)notes;
}

/* Before the switch to it, and after the switch back, on the thread that steps it. */
static inline __attribute__((always_inline)) void fibre_enters(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __sanitizer_start_switch_fiber(&notes->fake_back, notes->stack, notes->bytes);
#endif
#ifdef FIBRES_TELL_THREAD
    notes->outer_thread = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(notes->thread, 0);
#endif
    (void)notes;
}

static inline __attribute__((always_inline)) void fibre_has_left(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __sanitizer_finish_switch_fiber(notes->fake_back, NULL, NULL);
#endif
    (void)notes;
}

/* At its begin, before the switch back, and after the switch to it, on the fibre. */
static inline __attribute__((always_inline)) void fibre_has_begun(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __sanitizer_finish_switch_fiber(NULL, &notes->outer_stack, &notes->outer_bytes);
#endif
    (void)notes;
}

static inline __attribute__((always_inline)) void fibre_leaves(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __sanitizer_start_switch_fiber(&notes->fake_here, notes->outer_stack, notes->outer_bytes);
#endif
#ifdef FIBRES_TELL_THREAD
    __tsan_switch_to_fiber(notes->outer_thread, 0);
#endif
    (void)notes;
}

static inline __attribute__((always_inline)) void fibre_has_entered(struct fibre_notes *notes)
{
#ifdef FIBRES_TELL_ADDRESS
    __sanitizer_finish_switch_fiber(notes->fake_here, &notes->outer_stack, &notes->outer_bytes);
#endif
    (void)notes;
}

#endif
