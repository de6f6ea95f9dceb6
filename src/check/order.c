/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Vector clocks of streams, events and the host.
 */
#include "check/order.h"

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
    uint32_t wanted = count < 8 ? 8 : count * 2;
    uint64_t *task = (uint64_t *)realloc(clock->task, wanted * sizeof *task);
    if (task == NULL)
        return false;
    memset(task + clock->count, 0, (wanted - clock->count) * sizeof *task);
    clock->task = task;
    clock->count = wanted;
    return true;
}

static void join(struct order *order, struct clock *clock, const struct clock *with)
{
    if (!reach(clock, with->count)) {
        order->is_blind = true;
        return;
    }
    for (uint32_t i = 0; i < with->count; i++)
        if (clock->task[i] < with->task[i])
            clock->task[i] = with->task[i];
}

uint32_t order_find_lane(const struct order *order, uint64_t key)
{
    for (uint32_t i = 0; i < order->lanes; i++)
        if (order->lane[i].key == key)
            return i;
    return NO_LANE;
}

/* A lane of no stream, whose tasks the host has waited for; or a new one. */
static uint32_t take_lane(struct order *order)
{
    uint32_t free_lane = order_find_lane(order, 0);
    if (free_lane != NO_LANE)
        return free_lane;
    if (order->lanes == order->capacity) {
        uint32_t wanted = order->capacity == 0 ? 8 : order->capacity * 2;
        struct lane *lane = (struct lane *)realloc(order->lane, wanted * sizeof *lane);
        if (lane == NULL)
            return NO_LANE;
        order->lane = lane;
        order->capacity = wanted;
    }
    order->lane[order->lanes] = (struct lane){0};
    return order->lanes++;
}

uint32_t order_lane(struct order *order, uint64_t key)
{
    uint32_t lane = order_find_lane(order, key);
    if (lane == NO_LANE)
        lane = take_lane(order);
    if (lane == NO_LANE || !reach(&order->lane[lane].clock, lane + 1)) {
        order->is_blind = true;
        return NO_LANE;
    }
    order->lane[lane].key = key;
    return lane;
}

uint64_t order_submit(struct order *order, uint32_t lane)
{
    struct lane *own = &order->lane[lane];
    return own->clock.task[lane] = ++own->now;
}

bool order_is_before(const struct order *order, uint32_t lane, uint64_t task, uint32_t other)
{
    const struct lane *own = &order->lane[other];
    return lane == other || order_has_host_waited(order, lane, task) ||
           (lane < own->clock.count && own->clock.task[lane] >= task) ||
           (own->is_loose && order->lane[lane].is_loose);
}

void order_wait_for_lane(struct order *order, uint32_t lane)
{
    join(order, &order->host, &order->lane[lane].clock);
}

void order_wait_for_all(struct order *order)
{
    for (uint32_t i = 0; i < order->lanes; i++)
        order_wait_for_lane(order, i);
}

static struct recorded **find_event(struct order *order, uint64_t event)
{
    struct recorded **link = &order->event[event * UINT64_C(0x9E3779B97F4A7C15) >> 54];
    while (*link != NULL && (*link)->key != event)
        link = &(*link)->next;
    return link;
}

bool order_wait_for_event(struct order *order, uint64_t event)
{
    const struct recorded *recorded = *find_event(order, event);
    if (recorded != NULL)
        join(order, &order->host, &recorded->clock);
    return recorded != NULL;
}

void order_record(struct order *order, uint32_t lane, uint64_t event)
{
    struct recorded **link = find_event(order, event);
    if (*link == NULL) {
        *link = (struct recorded *)calloc(1, sizeof **link);
        if (*link == NULL) {
            order->is_blind = true;
            return;
        }
        (*link)->key = event;
    }
    /* An event stands for what it was last recorded as. */
    struct recorded *recorded = *link;
    if (recorded->clock.count > 0)
        memset(recorded->clock.task, 0, recorded->clock.count * sizeof *recorded->clock.task);
    join(order, &recorded->clock, &order->lane[lane].clock);
}

void order_await(struct order *order, uint32_t lane, uint64_t event)
{
    const struct recorded *recorded = *find_event(order, event);
    if (recorded != NULL)
        join(order, &order->lane[lane].clock, &recorded->clock);
}

void order_forget_event(struct order *order, uint64_t event)
{
    struct recorded **link = find_event(order, event), *recorded = *link;
    if (recorded == NULL)
        return;
    *link = recorded->next;
    free(recorded->clock.task);
    free(recorded);
}

/* Whoever has the lane next goes on with its numbers: what is known of the old ones stays true. */
void order_end_lane(struct order *order, uint32_t lane)
{
    order_wait_for_lane(order, lane);
    order->lane[lane].key = 0;
    order->lane[lane].is_loose = false;
}

void order_clear(struct order *order)
{
    for (uint32_t i = 0; i < order->lanes; i++)
        free(order->lane[i].clock.task);
    free(order->lane);
    free(order->host.task);
    for (uint32_t i = 0; i < ORDER_EVENTS; i++)
        while (order->event[i] != NULL) {
            struct recorded *recorded = order->event[i];
            order->event[i] = recorded->next;
            free(recorded->clock.task);
            free(recorded);
        }
    memset(order, 0, sizeof *order);
}
