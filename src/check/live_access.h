/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The accesses of tasks that the host has not waited for, by what they touch.
 *
 * Of one lane and one extent the last access that writes is kept, and the last one that reads behind it:
 * whoever comes and is ordered behind those is ordered behind all before them. So a loop keeps no more than
 * one turn of it, however long nobody waits. While a lane is behind an exchange to which parts are missing
 * all is kept: what they order comes later. Nothing here locks.
 */
#ifndef BELAY_CHECK_LIVE_ACCESS_H
#define BELAY_CHECK_LIVE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "check/extent.h"
#include "check/clocks.h"
#include "check/place.h"

struct live_access {
    struct extent extent;
    struct call_place place;
    const char *parameter; /* of the function at the place */
    uint64_t task;         /* 0: to be forgotten */
    uint64_t functions;    /* that the lane had been given before */
    uint32_t lane;
    bool writes;
    uint32_t nodes;           /* that lead here */
    uint64_t visited;         /* the last visit's number */
    struct live_access *next; /* of the same hash, or of those that are free */
};

struct live_table {
    struct live_bucket *bucket;
    uint32_t capacity, used;   /* of buckets; a power of two */
    struct live_access **same; /* chains, by extent and lane */
    uint32_t chains, accesses; /* chains: a power of two */
    struct live_block *block;
    struct live_access *free_access;
    struct live_node *free_node;
    uint64_t allocated; /* accesses and nodes */
    uint64_t visit;
    bool is_blind; /* there was no memory */
};

/* Enters an access. */
void live_enter(struct live_table *table, const struct clocks *clocks, const struct live_access *access);

/*
 * The first access that shares a byte with the extent, that the host has not waited for, and that wanted says
 * yes to; NULL where there is none.
 */
typedef bool live_wanted(const struct live_access *access, void *own);
struct live_access *live_find(struct live_table *table, const struct clocks *clocks,
                              const struct extent *extent, live_wanted *wanted, void *own);

/* The host has waited for something. */
void live_settle(struct live_table *table, const struct clocks *clocks);

void live_clear(struct live_table *table);

#endif
