/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Vector clocks of streams, events and the host.
 */
#include "check/clocks.h"

#include <stdlib.h>
#include <string.h>

struct recorded {
    struct recorded *next;
    uint64_t key;
    struct clock clock;
};

static bool reach(struct clock *clock, uint32_t count)
{
    if (clock->count >= count)
        return true;
    uint32_t wanted = 8;
    while (wanted < count)
        wanted *= 2;
    uint64_t *task = (uint64_t *)realloc(clock->task, wanted * sizeof *task);
    if (task == NULL)
        return false;
    memset(task + clock->count, 0, (wanted - clock->count) * sizeof *task);
    clock->task = task;
    clock->count = wanted;
    return true;
}

static void join(struct clocks *clocks, struct clock *clock, const struct clock *with)
{
    if (!reach(clock, with->count)) {
        clocks->is_blind = true;
        return;
    }
    for (uint32_t i = 0; i < with->count; i++)
        if (clock->task[i] < with->task[i])
            clock->task[i] = with->task[i];
}

uint32_t clocks_find_lane(const struct clocks *clocks, uint64_t key)
{
    for (uint32_t i = 0; i < clocks->lanes; i++)
        if (clocks->lane[i].key == key)
            return i;
    return NO_LANE;
}

/* A lane of no stream, whose tasks the host has waited for; or a new one. */
static uint32_t take_lane(struct clocks *clocks)
{
    uint32_t free_lane = clocks_find_lane(clocks, 0);
    if (free_lane != NO_LANE)
        return free_lane;
    if (clocks->lanes == clocks->capacity) {
        uint32_t wanted = clocks->capacity == 0 ? 8 : clocks->capacity * 2;
        struct lane *lane = (struct lane *)realloc(clocks->lane, wanted * sizeof *lane);
        if (lane == NULL)
            return NO_LANE;
        clocks->lane = lane;
        clocks->capacity = wanted;
    }
    clocks->lane[clocks->lanes] = (struct lane){0};
    return clocks->lanes++;
}

uint32_t clocks_lane(struct clocks *clocks, uint64_t key)
{
    uint32_t lane = clocks_find_lane(clocks, key);
    if (lane == NO_LANE)
        lane = take_lane(clocks);
    if (lane == NO_LANE || !reach(&clocks->lane[lane].clock, lane + 1)) {
        clocks->is_blind = true;
        return NO_LANE;
    }
    clocks->lane[lane].key = key;
    return lane;
}

uint64_t clocks_submit(struct clocks *clocks, uint32_t lane)
{
    struct lane *own = &clocks->lane[lane];
    return own->clock.task[lane] = ++own->now;
}

bool clocks_is_before(const struct clocks *clocks, uint32_t lane, uint64_t task, uint32_t other)
{
    const struct lane *own = &clocks->lane[other];
    return lane == other || clocks_has_host_waited(clocks, lane, task) ||
           (lane < own->clock.count && own->clock.task[lane] >= task) || own->is_loose ||
           clocks->lane[lane].is_loose;
}

/* The lane's clock joins another one; those of all loose lanes with that of one. */
static void join_lane(struct clocks *clocks, struct clock *into, uint32_t lane)
{
    join(clocks, into, &clocks->lane[lane].clock);
    for (uint32_t i = 0; i < clocks->lanes && clocks->lane[lane].is_loose; i++)
        if (clocks->lane[i].is_loose)
            join(clocks, into, &clocks->lane[i].clock);
}

void clocks_wait_for_lane(struct clocks *clocks, uint32_t lane)
{
    join_lane(clocks, &clocks->host, lane);
    clocks->lane[lane].functions_ended = clocks->lane[lane].functions;
}

void clocks_end_function(struct clocks *clocks, uint32_t lane)
{
    struct lane *own = &clocks->lane[lane];
    own->functions_ended += own->functions_ended < own->functions;
}

void clocks_wait_for_all(struct clocks *clocks)
{
    for (uint32_t i = 0; i < clocks->lanes; i++)
        clocks_wait_for_lane(clocks, i);
}

static struct recorded **find_event(struct clocks *clocks, uint64_t event)
{
    struct recorded **link = &clocks->event[event * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    while (*link != NULL && (*link)->key != event)
        link = &(*link)->next;
    return link;
}

bool clocks_wait_for_event(struct clocks *clocks, uint64_t event)
{
    const struct recorded *recorded = *find_event(clocks, event);
    if (recorded != NULL)
        join(clocks, &clocks->host, &recorded->clock);
    return recorded != NULL;
}

/* The event, made where there is none; NULL: no memory. */
static struct recorded *open_event(struct clocks *clocks, uint64_t event)
{
    struct recorded **link = find_event(clocks, event);
    if (*link == NULL) {
        *link = (struct recorded *)calloc(1, sizeof **link);
        if (*link == NULL)
            clocks->is_blind = true;
        else
            (*link)->key = event;
    }
    return *link;
}

void clocks_record_more(struct clocks *clocks, uint32_t lane, uint64_t event)
{
    struct recorded *recorded = open_event(clocks, event);
    if (recorded != NULL)
        join_lane(clocks, &recorded->clock, lane);
}

void clocks_record(struct clocks *clocks, uint32_t lane, uint64_t event)
{
    /* An event stands for what it was last recorded as. */
    struct recorded *recorded = open_event(clocks, event);
    if (recorded != NULL && recorded->clock.count > 0)
        memset(recorded->clock.task, 0, recorded->clock.count * sizeof *recorded->clock.task);
    clocks_record_more(clocks, lane, event);
}

/* Whether a clock has an exchange before it that is marked as pending. */
static bool has_pending(const struct clocks *clocks, const struct clock *clock, uint32_t pending)
{
    const struct lane *exchange = &clocks->lane[pending];
    return exchange->is_exchange && pending < clock->count && clock->task[pending] >= exchange->now;
}

/* The lane's work behind that task will be behind what the clock has, too, which is joined next. */
static void put_behind(struct clocks *clocks, uint32_t lane, const struct clock *with, uint64_t task)
{
    struct lane *own = &clocks->lane[lane];
    if (clocks->exchanges == 0)
        return;
    if (!reach(&own->behind, clocks->lanes)) {
        clocks->is_blind = true;
        return;
    }
    for (uint32_t i = 0; i < clocks->lanes; i++)
        if (has_pending(clocks, with, i) &&
            (!has_pending(clocks, &own->clock, i) || task < own->behind.task[i]))
            own->behind.task[i] = task;
}

void clocks_await(struct clocks *clocks, uint32_t lane, uint64_t event)
{
    const struct recorded *recorded = *find_event(clocks, event);
    struct lane *own = &clocks->lane[lane];
    if (recorded == NULL)
        return;
    put_behind(clocks, lane, &recorded->clock, own->now);
    join(clocks, &own->clock, &recorded->clock);
}

bool clocks_next_is_pending(const struct clocks *clocks, uint32_t lane)
{
    for (uint32_t i = 0; i < clocks->lanes && clocks->exchanges > 0; i++)
        if (has_pending(clocks, &clocks->lane[lane].clock, i))
            return true;
    return false;
}

/* Whether the lane's task is behind that exchange. */
static bool is_behind(const struct clocks *clocks, const struct lane *lane, uint64_t task, uint32_t pending)
{
    return has_pending(clocks, &lane->clock, pending) && pending < lane->behind.count &&
           task > lane->behind.task[pending];
}

bool clocks_is_pending(const struct clocks *clocks, uint32_t lane, uint64_t task)
{
    for (uint32_t i = 0; i < clocks->lanes && clocks->exchanges > 0; i++)
        if (is_behind(clocks, &clocks->lane[lane], task, i))
            return true;
    return false;
}

void clocks_record_pending(struct clocks *clocks, uint32_t lane, uint64_t task, uint64_t event)
{
    const struct clock *clock = &clocks->lane[lane].clock;
    struct recorded *recorded = open_event(clocks, event);
    if (recorded == NULL || !reach(&recorded->clock, clocks->lanes)) {
        clocks->is_blind = true;
        return;
    }
    for (uint32_t i = 0; i < clocks->lanes; i++)
        if (is_behind(clocks, &clocks->lane[lane], task, i))
            recorded->clock.task[i] = clock->task[i];
}

bool clocks_is_before_event(struct clocks *clocks, uint32_t lane, uint64_t task, uint64_t event)
{
    const struct recorded *recorded = *find_event(clocks, event);
    return recorded != NULL && lane < recorded->clock.count && recorded->clock.task[lane] >= task;
}

bool clocks_event_is_pending(struct clocks *clocks, uint64_t event)
{
    const struct recorded *recorded = *find_event(clocks, event);
    for (uint32_t i = 0; recorded != NULL && i < clocks->lanes; i++)
        if (has_pending(clocks, &recorded->clock, i))
            return true;
    return false;
}

uint32_t clocks_expect_parts(struct clocks *clocks)
{
    uint32_t pending = take_lane(clocks);
    if (pending == NO_LANE) {
        clocks->is_blind = true;
        return NO_LANE;
    }
    struct lane *exchange = &clocks->lane[pending];
    exchange->key = UINT64_MAX; /* no stream's */
    exchange->is_exchange = true;
    exchange->now++;
    clocks->exchanges++;
    return pending;
}

void clocks_mark_pending(struct clocks *clocks, uint32_t lane, uint32_t pending)
{
    struct lane *own = &clocks->lane[lane];
    if (!reach(&own->clock, pending + 1) || !reach(&own->behind, pending + 1)) {
        clocks->is_blind = true;
        return;
    }
    if (!has_pending(clocks, &own->clock, pending))
        own->behind.task[pending] = own->now;
    own->clock.task[pending] = clocks->lane[pending].now;
}

/* Lanes that have waited for the exchange have waited for no more than its parts: the lane is free again. */
void clocks_have_parts(struct clocks *clocks, uint32_t pending)
{
    struct lane *exchange = &clocks->lane[pending];
    exchange->key = 0;
    exchange->is_exchange = false;
    clocks->exchanges--;
    if (reach(&clocks->host, pending + 1))
        clocks->host.task[pending] = exchange->now;
    else
        clocks->is_blind = true;
}

void clocks_give(struct clocks *clocks, uint32_t lane, uint64_t until, uint64_t event, uint32_t pending)
{
    struct recorded *recorded = open_event(clocks, event);
    struct clock given = {0};
    join_lane(clocks, &given, lane);
    if (recorded == NULL || given.count <= lane)
        return;
    if (given.task[lane] > until)
        given.task[lane] = until;
    join(clocks, &recorded->clock, &given);
    /* Whatever is behind the exchange already is behind this, too. */
    if (pending != NO_LANE) {
        for (uint32_t i = 0; i < clocks->lanes; i++)
            if (has_pending(clocks, &clocks->lane[i].clock, pending)) {
                put_behind(clocks, i, &given, clocks->lane[i].behind.task[pending]);
                join(clocks, &clocks->lane[i].clock, &given);
            }
        for (uint32_t i = 0; i < CLOCKS_EVENTS; i++)
            for (struct recorded *other = clocks->event[i]; other != NULL; other = other->next)
                if (has_pending(clocks, &other->clock, pending))
                    join(clocks, &other->clock, &given);
        if (has_pending(clocks, &clocks->host, pending))
            join(clocks, &clocks->host, &given);
    }
    free(given.task);
}

void clocks_forget_event(struct clocks *clocks, uint64_t event)
{
    struct recorded **link = find_event(clocks, event), *recorded = *link;
    if (recorded == NULL)
        return;
    *link = recorded->next;
    free(recorded->clock.task);
    free(recorded);
}

/* Whoever has the lane next goes on with its numbers: what is known of the old ones stays true. */
void clocks_end_lane(struct clocks *clocks, uint32_t lane)
{
    clocks_wait_for_lane(clocks, lane);
    clocks->lane[lane].key = 0;
    clocks->lane[lane].is_loose = false;
}

void clocks_clear(struct clocks *clocks)
{
    for (uint32_t i = 0; i < clocks->lanes; i++) {
        free(clocks->lane[i].clock.task);
        free(clocks->lane[i].behind.task);
    }
    free(clocks->lane);
    free(clocks->host.task);
    for (uint32_t i = 0; i < CLOCKS_EVENTS; i++)
        while (clocks->event[i] != NULL) {
            struct recorded *recorded = clocks->event[i];
            clocks->event[i] = recorded->next;
            free(recorded->clock.task);
            free(recorded);
        }
    memset(clocks, 0, sizeof *clocks);
}
