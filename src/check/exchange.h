/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exchanges between ranks of this process as order between streams: a rank that gets something has it behind
 * all that came before on the streams of those who give. Ranks of other processes order nothing here.
 *
 * A group is the ranks of one communicator that this process has; exchanges of one rank alone order nothing.
 */
#ifndef BELAY_CHECK_EXCHANGE_H
#define BELAY_CHECK_EXCHANGE_H

#include "check/clocks.h"
#include "runtime/tasks/access.h"
#include "base/export.h"
#include "base/settings.h"

/* The lock of watch.c is held in these. Ranks take part, and a rank does no more: the host has waited for all
 * that it had queued. */
void exchange_join(uint64_t group, uint32_t rank, uint32_t count);
void exchange_leave(struct clocks *clocks, uint64_t group, uint32_t rank);

/* The lane's task comes to its part; returns the task's number behind it. */
uint64_t exchange_meet(struct clocks *clocks, uint32_t lane, uint64_t task, const struct exchange_part *part);

/*
 * What communicators tell, in watch.c: so many ranks from this one on take part in this process, before one
 * of them can have queued anything; and the rank's work is over, and was waited for.
 */
void watch_ranks_join_on(uint64_t group, uint32_t rank, uint32_t count) SHARED(watch_ranks_join_on);
void watch_rank_leaves_on(uint64_t group, uint32_t rank) SHARED(watch_rank_leaves_on);
static inline void watch_ranks_join(uint64_t group, uint32_t rank, uint32_t count)
{
    if (check_is_on(CHECK_RACE))
        watch_ranks_join_on(group, rank, count);
}
static inline void watch_rank_leaves(uint64_t group, uint32_t rank)
{
    if (check_is_on(CHECK_RACE))
        watch_rank_leaves_on(group, rank);
}

#endif
