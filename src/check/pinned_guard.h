/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pinned host memory that queued work uses, and that the host has not waited for: its pages are closed to the
 * program meanwhile, against reading and writing where the work writes, against writing where it reads. The
 * work itself reaches the same pages on the other side of the window (check/guarded_block.h).
 *
 * Closed are pages that lie within the bytes as a whole, also the first and the last one of a block: beside
 * these bytes there is nothing in them that the program could use. So whatever touches such a page is too
 * early, and system calls, which fail where a page is closed, fail in no right program.
 *
 * The functions lock what they need, and call nothing back under their lock.
 */
#ifndef BELAY_CHECK_PINNED_GUARD_H
#define BELAY_CHECK_PINNED_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/* Closes bytes that work uses, if they are of a guarded block of pinned host memory. */
void pinned_guard_close(uintptr_t first, uint64_t bytes, bool work_writes);

/* The pages that it would close for these bytes, none where *from is not less than *to. False: it closes
 * nothing at this address. */
bool pinned_guard_pages(uintptr_t first, uint64_t bytes, uintptr_t *from, uintptr_t *to);

/* The host has waited for something: opens what is_over says. Called with no lock of this file held. */
typedef bool pinned_is_over(uintptr_t first, uint64_t bytes, bool work_writes);
void pinned_guard_settle(pinned_is_over *is_over);

/* Opens the pages around an address. True when they were closed. */
bool pinned_guard_open(uintptr_t address);

/* A block ends: its pages are no longer watched here, and stay as they are. */
void pinned_guard_forget(uintptr_t first, uintptr_t end);

#endif
