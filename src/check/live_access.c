/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A hash table of pieces of the address space, each with a list of the accesses that reach into it.
 */
#include "check/live_access.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BITS = 12, BUCKETS_FIRST = 256, BLOCK_BYTES = 1 << 16, KEPT_AT_REST = 4096 };

struct live_node {
    struct live_access *access;
    struct live_node *next;
};

struct live_bucket {
    uintptr_t piece; /* and 1; 0: none */
    struct live_node *first;
};

/* What accesses and nodes are cut from. */
struct live_block {
    struct live_block *next;
    size_t used;
    _Alignas(16) unsigned char bytes[BLOCK_BYTES];
};

static void *cut(struct live_table *table, size_t bytes)
{
    struct live_block *block = table->block;
    if (block == NULL || block->used + bytes > BLOCK_BYTES) {
        block = (struct live_block *)malloc(sizeof *block);
        if (block == NULL) {
            table->is_blind = true;
            return NULL;
        }
        block->next = table->block;
        block->used = 0;
        table->block = block;
    }
    void *room = block->bytes + block->used;
    block->used += (bytes + 15) & ~(size_t)15;
    table->allocated++;
    return room;
}

static struct live_access *take_access(struct live_table *table)
{
    struct live_access *access = table->free_access;
    if (access == NULL)
        return (struct live_access *)cut(table, sizeof *access);
    table->free_access = access->next;
    return access;
}

static struct live_node *take_node(struct live_table *table)
{
    struct live_node *node = table->free_node;
    if (node == NULL)
        return (struct live_node *)cut(table, sizeof *node);
    table->free_node = node->next;
    return node;
}

/* The piece's place in the table: its own, or an empty one. */
static struct live_bucket *find_bucket(struct live_bucket *bucket, uint32_t capacity, uintptr_t piece)
{
    uint64_t at = (uint64_t)piece * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    while (bucket[at & (capacity - 1)].piece != 0 && bucket[at & (capacity - 1)].piece != piece + 1)
        at++;
    return &bucket[at & (capacity - 1)];
}

/* Makes room for one more bucket. */
static bool make_room(struct live_table *table)
{
    if (table->used < table->capacity / 2)
        return true;
    uint32_t capacity = table->capacity == 0 ? BUCKETS_FIRST : table->capacity * 2;
    struct live_bucket *bucket = (struct live_bucket *)calloc(capacity, sizeof *bucket);
    if (bucket == NULL)
        return false;
    uint32_t used = 0;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->bucket[i].first != NULL) {
            *find_bucket(bucket, capacity, table->bucket[i].piece - 1) = table->bucket[i];
            used++;
        }
    free(table->bucket);
    table->bucket = bucket;
    table->capacity = capacity;
    table->used = used;
    return true;
}

static bool is_over(const struct live_access *access, const struct clocks *clocks)
{
    return access->task == 0 || clocks_has_host_waited(clocks, access->lane, access->task);
}

/* The chain that the access is in, or belongs into. */
static struct live_access **find_chain(const struct live_table *table, const struct live_access *access)
{
    uint64_t hash =
        (access->extent.first ^ access->extent.run << 32 ^ access->lane) * UINT64_C(0x9E3779B97F4A7C15);
    return &table->same[(hash ^ access->extent.end) >> 20 & (table->chains - 1)];
}

/* Makes the chains more where they have become long. */
static bool make_chains(struct live_table *table)
{
    if (table->accesses < table->chains)
        return true;
    struct live_table old = *table;
    table->chains = old.chains == 0 ? BUCKETS_FIRST : old.chains * 2;
    table->same = (struct live_access **)calloc(table->chains, sizeof *table->same);
    if (table->same == NULL) {
        table->same = old.same;
        table->chains = old.chains;
        return false;
    }
    for (uint32_t i = 0; i < old.chains; i++)
        for (struct live_access *access = old.same[i], *next; access != NULL; access = next) {
            next = access->next;
            struct live_access **chain = find_chain(table, access);
            access->next = *chain;
            *chain = access;
        }
    free(old.same);
    return true;
}

static void drop_access(struct live_table *table, struct live_access *access)
{
    struct live_access **link = find_chain(table, access);
    while (*link != access)
        link = &(*link)->next;
    *link = access->next;
    table->accesses--;
    access->next = table->free_access;
    table->free_access = access;
}

/* Takes the node that link leads to out of its list. */
static void unlink_node(struct live_table *table, struct live_node **link)
{
    struct live_node *node = *link;
    *link = node->next;
    if (--node->access->nodes == 0)
        drop_access(table, node->access);
    node->next = table->free_node;
    table->free_node = node;
}

/* Lists the access in each of its pieces. */
static void list(struct live_table *table, struct live_access *access)
{
    uintptr_t last = (access->extent.end - 1) >> PIECE_BITS;
    for (uintptr_t piece = access->extent.first >> PIECE_BITS; piece <= last; piece++) {
        struct live_node *node = make_room(table) ? take_node(table) : NULL;
        if (node == NULL) {
            table->is_blind = true;
            return;
        }
        struct live_bucket *bucket = find_bucket(table->bucket, table->capacity, piece);
        table->used += bucket->piece == 0;
        bucket->piece = piece + 1;
        *node = (struct live_node){.access = access, .next = bucket->first};
        bucket->first = node;
        access->nodes++;
    }
}

/* Whether the access is listed in all its pieces: one that is over loses its nodes one by one. */
static bool is_whole(const struct live_access *access)
{
    uintptr_t first = access->extent.first >> PIECE_BITS, last = (access->extent.end - 1) >> PIECE_BITS;
    return access->nodes == last - first + 1;
}

/* The lane's access of this extent that the new one stands for, or one that is over. */
static struct live_access *find_same(const struct live_table *table, const struct clocks *clocks,
                                     const struct live_access *wanted)
{
    struct live_access *same = NULL;
    /* Parts of an exchange that are missing may turn out to be between the two. */
    const bool keeps = clocks_next_is_pending(clocks, wanted->lane);
    for (struct live_access *access = *find_chain(table, wanted); access != NULL; access = access->next) {
        bool over = is_over(access, clocks);
        if (access->lane != wanted->lane ||
            !(over ? is_whole(access) : !keeps && (wanted->writes || !access->writes)) ||
            memcmp(&access->extent, &wanted->extent, sizeof access->extent) != 0)
            continue;
        /* One that writes is the better one to become what writes; the new one stands for all. */
        struct live_access *other = same == NULL || access->writes ? same : access;
        if (other != NULL)
            other->task = 0;
        if (other != access)
            same = access;
    }
    return same;
}

void live_enter(struct live_table *table, const struct clocks *clocks, const struct live_access *access)
{
    if (!make_chains(table)) {
        table->is_blind = true;
        return;
    }
    struct live_access *own = find_same(table, clocks, access);
    if (own == NULL) {
        own = take_access(table);
        if (own == NULL)
            return;
        *own = *access;
        own->nodes = 0;
        own->visited = 0;
        struct live_access **chain = find_chain(table, own);
        own->next = *chain;
        *chain = own;
        table->accesses++;
        list(table, own);
        return;
    }
    own->place = access->place;
    own->parameter = access->parameter;
    own->task = access->task;
    own->functions = access->functions;
    own->writes = access->writes;
}

struct live_access *live_find(struct live_table *table, const struct clocks *clocks,
                              const struct extent *extent, live_wanted *wanted, void *own)
{
    uint64_t visit = ++table->visit;
    uintptr_t last = (extent->end - 1) >> PIECE_BITS;
    for (uintptr_t piece = extent->first >> PIECE_BITS; piece <= last && table->capacity > 0; piece++) {
        struct live_bucket *bucket = find_bucket(table->bucket, table->capacity, piece);
        for (struct live_node **link = &bucket->first; *link != NULL;) {
            struct live_access *access = (*link)->access;
            if (is_over(access, clocks)) {
                unlink_node(table, link);
                continue;
            }
            link = &(*link)->next;
            if (access->visited == visit)
                continue;
            access->visited = visit;
            if (wanted(access, own) && extents_overlap(&access->extent, extent))
                return access;
        }
    }
    return NULL;
}

void live_clear(struct live_table *table)
{
    while (table->block != NULL) {
        struct live_block *block = table->block;
        table->block = block->next;
        free(block);
    }
    free(table->bucket);
    free(table->same);
    bool is_blind = table->is_blind;
    memset(table, 0, sizeof *table);
    table->is_blind = is_blind;
}

/* Where nothing is left to wait for, what is over need not be kept; a little of it spares the next turn of a
 * loop the work. */
void live_settle(struct live_table *table, const struct clocks *clocks)
{
    if (table->allocated < KEPT_AT_REST)
        return;
    for (uint32_t i = 0; i < clocks->lanes; i++)
        if (!clocks_has_host_waited(clocks, i, clocks->lane[i].now))
            return;
    live_clear(table);
}
