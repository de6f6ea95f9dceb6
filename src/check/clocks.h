/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What is ordered before what, as the program's calls say, however the work happens to run: vector clocks.
 *
 * A lane is a stream. Its tasks are numbered from 1 on, and its clock says for each lane up to which task
 * everything is ordered before the lane's next one. The host is one clock, whatever thread calls: threads
 * order themselves by means that nobody sees here, so that what one has waited for counts for all.
 *
 * Nothing here locks. Where memory runs out the order is blind from then on, and nobody is to trust it.
 */
#ifndef BELAY_CHECK_CLOCKS_H
#define BELAY_CHECK_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    uint32_t count; /* lanes behind it: 0 */
    uint64_t *task;
};

struct lane {
    uint64_t key; /* the stream; 0: none, to be used again */
    uint64_t now; /* the number of its last task */
    struct clock clock;
    bool is_exchange;    /* stands for an exchange to which parts are missing; its last task for those */
    struct clock behind; /* for each exchange that its clock has pending: its last task in front of it */
    bool is_loose;       /* waits for numbers in memory, or writes them: its order with others is unknown */
    uint64_t functions, functions_ended; /* of the program, for which the lane waits */
};

enum { CLOCKS_EVENTS = 1024 };

struct clocks {
    struct lane *lane;
    uint32_t lanes, capacity;
    uint32_t exchanges; /* lanes that stand for one */
    struct clock host;
    struct recorded *event[CLOCKS_EVENTS]; /* chains by the event's key */
    bool is_blind;
};

static const uint32_t NO_LANE = UINT32_MAX;

/* The stream's lane, made where there is none; NO_LANE where there is no memory. */
uint32_t clocks_lane(struct clocks *clocks, uint64_t key);

/* The lane of a key, without making one. */
uint32_t clocks_find_lane(const struct clocks *clocks, uint64_t key);

/* The lane's next task: its number. */
uint64_t clocks_submit(struct clocks *clocks, uint32_t lane);

/* Whether a task is ordered before the next one of another lane, or before what the host does now. */
bool clocks_is_before(const struct clocks *clocks, uint32_t lane, uint64_t task, uint32_t other);
static inline bool clocks_has_host_waited(const struct clocks *clocks, uint32_t lane, uint64_t task)
{
    return lane < clocks->host.count && clocks->host.task[lane] >= task;
}

/* The host has waited for all of the lane's work, or for that up to a task of it; for all work; for an event.
 */
void clocks_wait_for_lane(struct clocks *clocks, uint32_t lane);
void clocks_wait_for_all(struct clocks *clocks);
bool clocks_wait_for_event(struct clocks *clocks, uint64_t event); /* false: it has not been recorded */

/* The lane was given a function of the program, which has ended now. */
void clocks_end_function(struct clocks *clocks, uint32_t lane);

/* A stream has recorded an event, or waits for one; the event is gone. */
void clocks_record(struct clocks *clocks, uint32_t lane, uint64_t event);
void clocks_await(struct clocks *clocks, uint32_t lane, uint64_t event);
void clocks_forget_event(struct clocks *clocks, uint64_t event);

/*
 * An exchange between lanes, for which an event stands. One who gives has the lane's work up to that task be
 * before everything behind the exchange. Behind it is who awaits the event; while parts are missing he has
 * pending mark it, which clocks_expect_parts has made once, and which ends when all parts have come.
 */
void clocks_give(struct clocks *clocks, uint32_t lane, uint64_t until, uint64_t event, uint32_t pending);
uint32_t clocks_expect_parts(struct clocks *clocks); /* NO_LANE: no memory */
void clocks_mark_pending(struct clocks *clocks, uint32_t lane, uint32_t pending);
void clocks_have_parts(struct clocks *clocks, uint32_t pending);

/* Whether parts that are missing may turn out to be in front of the task; of the lane's next one. */
bool clocks_is_pending(const struct clocks *clocks, uint32_t lane, uint64_t task);
bool clocks_next_is_pending(const struct clocks *clocks, uint32_t lane);

/* An event stands for the exchanges in front of the task that are pending, and for nothing else. */
void clocks_record_pending(struct clocks *clocks, uint32_t lane, uint64_t task, uint64_t event);

/* Whether a task is in front of what an event stands for; and whether that may still change. */
bool clocks_is_before_event(struct clocks *clocks, uint32_t lane, uint64_t task, uint64_t event);
bool clocks_event_is_pending(struct clocks *clocks, uint64_t event);

/* An event stands for this, too, beside what it was recorded as. */
void clocks_record_more(struct clocks *clocks, uint32_t lane, uint64_t event);

/* The stream is gone, and the host has waited for it. */
void clocks_end_lane(struct clocks *clocks, uint32_t lane);

/* Frees everything; the order is as at the beginning, all zero. */
void clocks_clear(struct clocks *clocks);

#endif
