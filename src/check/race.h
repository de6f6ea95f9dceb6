/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The check race: two accesses to the same bytes, one of them a write, that nothing orders (DC-011, DC-012),
 * and memory that is freed under queued work (DC-008, DC-013). Decided when work is submitted, from what the
 * calls say. The lock of watch.c is held in all functions.
 */
#ifndef BELAY_CHECK_RACE_H
#define BELAY_CHECK_RACE_H

#include "check/live_access.h"
#include "check/clocks.h"
#include "runtime/addresses/memory.h"
#include "runtime/streams/stream.h"

/* Streams that may be ordered by one another: all that queue, or those of one capture. */
struct race_world {
    struct clocks clocks;
    struct live_table live;
    struct suspect *suspects; /* owned */
    uint32_t suspect_count;
};

/* A task is submitted to the stream that key stands for, at place. */
void race_submit(struct race_world *world, uint64_t key, const struct task *task,
                 const struct call_place *place);

/*
 * The host itself reads or writes, at place: a blocking copy or set. Inside a function of the program for
 * which a stream waits, inside is that stream: its later work, and what waits for that, cannot have begun. 0:
 * none.
 */
void race_host_access(struct race_world *world, const struct access *access, const struct call_place *place,
                      uint64_t inside);

/* A block is freed, at place; nothing is remembered of its bytes then. */
void race_free(struct race_world *world, const struct memory_block *block, const struct call_place *place);

/* The host has waited for something. */
void race_settle(struct race_world *world);

/* Whether it can tell for all work if the host has waited for it. */
bool race_knows_waits(const struct race_world *world);

/* A queued access that the host has not waited for and that a read, or a write, of these bytes by the host
 * would meet; NULL where there is none. What a stream has behind a function of the program that has not ended
 * is left out for the program itself: it cannot have begun. */
const struct live_access *race_find_unfinished(struct race_world *world, const void *address, uint64_t bytes,
                                               bool writes, bool by_program, uint64_t inside);

void race_clear(struct race_world *world);

#endif
