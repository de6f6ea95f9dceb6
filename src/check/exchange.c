/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Groups, their ranks, and the exchanges to which parts are missing. The addresses of ranks and exchanges are
 * events of the clocks: of what a rank has queued, and of what an exchange has in front of it.
 */
#include "check/exchange.h"

#include <stdlib.h>

struct member {
    struct member *next;
    uint32_t rank;
};

struct exchange {
    struct exchange *next;
    uint64_t number;
    uint32_t low, high;   /* the two ranks of a message, else EXCHANGE_OF_ALL */
    uint32_t parts, gave; /* that have come; those of them that give */
    uint32_t pending;     /* the lane that stands for it, or NO_LANE */
};

static struct group {
    struct group *next;
    uint64_t group;
    uint32_t members;
    struct member *member;
    struct exchange *exchange; /* those that have begun last are first */
} * groups;

static uint64_t event_of(const void *object)
{
    return (uint64_t)(uintptr_t)object;
}

static struct group **find_group(uint64_t group)
{
    struct group **link = &groups;
    while (*link != NULL && (*link)->group != group)
        link = &(*link)->next;
    return link;
}

static struct member **find_member(struct group *group, uint32_t rank)
{
    struct member **link = &group->member;
    while (*link != NULL && (*link)->rank != rank)
        link = &(*link)->next;
    return link;
}

/* Where memory runs out the rank is one of another process. */
void exchange_join(uint64_t group, uint32_t rank, uint32_t count)
{
    struct group **link = find_group(group);
    if (*link == NULL) {
        *link = (struct group *)calloc(1, sizeof **link);
        if (*link == NULL)
            return;
        (*link)->group = group;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct member *member = (struct member *)calloc(1, sizeof *member);
        if (member == NULL)
            return;
        *member = (struct member){.next = (*link)->member, .rank = rank + i};
        (*link)->member = member;
        (*link)->members++;
    }
}

/* Takes an exchange out of its list. */
static void end_exchange(struct clocks *clocks, struct exchange **link)
{
    struct exchange *exchange = *link;
    if (exchange->pending != NO_LANE)
        clocks_have_parts(clocks, exchange->pending);
    clocks_forget_event(clocks, event_of(exchange));
    *link = exchange->next;
    free(exchange);
}

void exchange_leave(struct clocks *clocks, uint64_t group, uint32_t rank)
{
    struct group **link = find_group(group), *own = *link;
    struct member **member = own != NULL ? find_member(own, rank) : NULL, *gone = NULL;
    if (member == NULL || *member == NULL)
        return;
    gone = *member;
    clocks_wait_for_event(clocks, event_of(gone));
    clocks_forget_event(clocks, event_of(gone));
    *member = gone->next;
    free(gone);
    /* The members are counted as they began: what is called behind this is called in vain. */
    if (own->member != NULL)
        return;
    while (own->exchange != NULL)
        end_exchange(clocks, &own->exchange);
    *link = own->next;
    free(own);
}

/* The exchange that the part belongs to, begun where it is the first; NULL: no memory. */
static struct exchange **open_exchange(struct group *group, const struct exchange_part *part)
{
    uint32_t low = part->rank < part->peer ? part->rank : part->peer;
    uint32_t high = part->rank < part->peer ? part->peer : part->rank;
    if (part->peer == EXCHANGE_OF_ALL)
        low = high = EXCHANGE_OF_ALL;
    struct exchange **link = &group->exchange;
    while (*link != NULL && ((*link)->number != part->number || (*link)->low != low || (*link)->high != high))
        link = &(*link)->next;
    if (*link != NULL)
        return link;
    struct exchange *exchange = (struct exchange *)calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    *exchange = (struct exchange){
        .next = group->exchange, .number = part->number, .low = low, .high = high, .pending = NO_LANE};
    group->exchange = exchange;
    return &group->exchange;
}

static void meet(struct clocks *clocks, struct group *group, uint32_t lane, uint64_t task,
                 const struct exchange_part *part)
{
    const uint32_t parts = part->peer == EXCHANGE_OF_ALL ? group->members : 2;
    const uint32_t gifts = part->from == EXCHANGE_OF_ALL ? parts : 1;
    struct exchange **link = open_exchange(group, part), *own;
    if (link == NULL) {
        clocks->is_blind = true;
        return;
    }
    own = *link;
    if (part->from == EXCHANGE_OF_ALL || part->from == part->rank) {
        /* What the task itself does need not be over. */
        clocks_give(clocks, lane, task - 1, event_of(own), own->pending);
        if (++own->gave == gifts && own->pending != NO_LANE) {
            clocks_have_parts(clocks, own->pending);
            own->pending = NO_LANE;
        }
    }
    if (part->takes) {
        clocks_await(clocks, lane, event_of(own));
        if (own->gave < gifts && own->pending == NO_LANE)
            own->pending = clocks_expect_parts(clocks);
        if (own->gave < gifts && own->pending != NO_LANE)
            clocks_mark_pending(clocks, lane, own->pending);
    }
    if (++own->parts == parts)
        end_exchange(clocks, link);
}

uint64_t exchange_meet(struct clocks *clocks, uint32_t lane, uint64_t task, const struct exchange_part *part)
{
    struct group *group = *find_group(part->group);
    if (group == NULL)
        return task;
    const bool is_message = part->peer != EXCHANGE_OF_ALL;
    const bool is_here = (!is_message || *find_member(group, part->peer) != NULL) &&
                         (part->from == EXCHANGE_OF_ALL || *find_member(group, part->from) != NULL);
    if (is_here && group->members > 1 && part->peer != part->rank) {
        meet(clocks, group, lane, task, part);
        if (part->takes)
            task = clocks_submit(clocks, lane);
    }
    const struct member *member = *find_member(group, part->rank);
    if (member != NULL)
        clocks_record_more(clocks, lane, event_of(member));
    return task;
}
