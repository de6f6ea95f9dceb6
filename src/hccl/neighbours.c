/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A message is posted by whoever comes first, and copied by whoever comes second.
 */
#include "hccl/neighbours.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/exchange.h"
#include "hccl/mesh_fault.h"

enum posted_state { POSTED_WAITS, POSTED_IS_COPIED, POSTED_IS_DONE };

/* One side's message until the other side has come; in the memory of its exchange. */
struct posted {
    const struct mesh_message *message;
    uint64_t tag;
    enum posted_state state;
    struct posted *other; /* for the one that copies: the side that waits */
    struct posted *next;  /* of those that wait for the same pair of ranks, in the order of their coming */
};

struct neighbour {
    pthread_cond_t changed; /* a message of this rank is done, or somebody has gone */
    bool has_gone;          /* it takes no part any more: it was cancelled or closed, or an exchange failed */
    HcclResult reason;      /* what its own exchanges return then */
    struct mesh_fault fault;
};

struct neighbours {
    pthread_mutex_t lock; /* guards everything; held for moments */
    uint32_t rank_count;
    uint32_t open; /* ranks that have not closed their part */
    struct neighbour *neighbour;
    struct posted **waiting; /* [sender * rank_count + receiver]: of one side or of the other */
};

static void destroy(struct neighbours *neighbours, uint32_t ready)
{
    for (uint32_t i = 0; i < ready; i++)
        pthread_cond_destroy(&neighbours->neighbour[i].changed);
    pthread_mutex_destroy(&neighbours->lock);
    free(neighbours->neighbour);
    free(neighbours->waiting);
    free(neighbours);
}

struct neighbours *neighbours_create(uint32_t rank_count)
{
    struct neighbours *neighbours = (struct neighbours *)calloc(1, sizeof *neighbours);
    if (neighbours == NULL)
        return NULL;
    pthread_mutex_init(&neighbours->lock, NULL);
    neighbours->rank_count = neighbours->open = rank_count;
    neighbours->neighbour = (struct neighbour *)calloc(rank_count, sizeof *neighbours->neighbour);
    neighbours->waiting = (struct posted **)calloc((size_t)rank_count * rank_count, sizeof(struct posted *));
    if (neighbours->neighbour == NULL || neighbours->waiting == NULL) {
        destroy(neighbours, 0);
        return NULL;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < rank_count; i++)
        pthread_cond_init(&neighbours->neighbour[i].changed, &attributes);
    pthread_condattr_destroy(&attributes);
    watch_ranks_join((uintptr_t)neighbours, 0, rank_count);
    return neighbours;
}

/* Where messages between these two wait, in this direction. */
static struct posted **place_of(struct neighbours *neighbours, uint32_t rank,
                                const struct mesh_message *message)
{
    uint32_t from = message->receives ? message->peer : rank;
    uint32_t to = message->receives ? rank : message->peer;
    return &neighbours->waiting[(size_t)from * neighbours->rank_count + to];
}

/* Takes the other side of a message off its list, or enters the message. Lock held. */
static void meet(struct neighbours *neighbours, uint32_t rank, struct posted *own)
{
    struct posted **link = place_of(neighbours, rank, own->message);
    while (*link != NULL) {
        struct posted *other = *link;
        if (other->tag == own->tag && other->message->receives != own->message->receives) {
            *link = other->next;
            other->state = POSTED_IS_COPIED;
            own->state = POSTED_IS_DONE;
            own->other = other;
            return;
        }
        link = &other->next;
    }
    own->next = NULL;
    *link = own;
}

/* A message that the other side has not taken is taken back. Lock held. */
static void take_back(struct neighbours *neighbours, uint32_t rank, struct posted *own)
{
    struct posted **link = place_of(neighbours, rank, own->message);
    while (*link != NULL && *link != own)
        link = &(*link)->next;
    if (*link == own)
        *link = own->next;
    own->state = POSTED_IS_DONE;
}

static void copy(const struct posted *own)
{
    const struct mesh_message *a = own->message, *b = own->other->message;
    const struct mesh_message *from = a->receives ? b : a, *to = a->receives ? a : b;
    const size_t bytes = to->bytes < from->bytes ? to->bytes : from->bytes;
    if (to->head != NULL && from->head != NULL)
        memcpy(to->head, from->head, MESH_HEAD_BYTES);
    if (bytes != 0)
        memcpy(to->data, from->data, bytes);
}

/* The rank takes no part any more. Lock held. */
static void go(struct neighbours *neighbours, uint32_t rank, HcclResult reason,
               const struct mesh_fault *fault)
{
    struct neighbour *own = &neighbours->neighbour[rank];
    if (own->has_gone)
        return;
    own->has_gone = true;
    own->reason = reason;
    own->fault = *fault;
    for (uint32_t i = 0; i < neighbours->rank_count; i++)
        pthread_cond_broadcast(&neighbours->neighbour[i].changed);
}

/* The first message that is not done: before others one for a rank that has gone, then one that waits; what
 * is being copied will be done in a moment. Lock held. */
static const struct posted *find_waiting(const struct neighbours *neighbours, const struct posted *posted,
                                         size_t count, bool *has_gone)
{
    const struct posted *found = NULL;
    *has_gone = false;
    for (size_t i = 0; i < count; i++) {
        if (posted[i].state == POSTED_IS_DONE)
            continue;
        bool waits = posted[i].state == POSTED_WAITS;
        bool gone = waits && neighbours->neighbour[posted[i].message->peer].has_gone;
        if (found == NULL || gone || (waits && found->state != POSTED_WAITS))
            found = &posted[i];
        if (gone) {
            *has_gone = true;
            break;
        }
    }
    return found;
}

/* Why an exchange has failed that waited for this rank. Lock held. */
static void tell(const struct neighbours *neighbours, HcclResult result, uint32_t peer,
                 struct mesh_fault *fault)
{
    const struct neighbour *other = &neighbours->neighbour[peer];
    if (result == HCCL_E_REMOTE && other->reason == HCCL_E_TIMEOUT)
        mesh_refuse(fault, result, peer, "rank %u has left the communicator (%.300s)", (unsigned)peer,
                    other->fault.sentence);
    else if (result == HCCL_E_REMOTE)
        mesh_refuse(fault, result, peer, "rank %u has left the communicator", (unsigned)peer);
    else if (result == HCCL_E_TIMEOUT)
        mesh_refuse(fault, result, peer, "rank %u did not come in time", (unsigned)peer);
    else
        mesh_refuse(fault, result, peer, "the communicator was destroyed while rank %u was awaited",
                    (unsigned)peer);
}

static bool is_being_copied(const struct posted *posted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (posted[i].state == POSTED_IS_COPIED)
            return true;
    return false;
}

/* Waits until all are done. Lock held, given up meanwhile. */
static HcclResult await(struct neighbours *neighbours, uint32_t rank, struct posted *posted, size_t count,
                        int64_t deadline, struct mesh_fault *fault)
{
    struct neighbour *own = &neighbours->neighbour[rank];
    const struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
                                   .tv_nsec = (long)(deadline % 1000000000)};
    HcclResult result = HCCL_SUCCESS;
    bool peer_has_gone, is_late = false;
    const struct posted *waiting;
    while ((waiting = find_waiting(neighbours, posted, count, &peer_has_gone)) != NULL) {
        if (waiting->state != POSTED_WAITS) {
            pthread_cond_wait(&own->changed, &neighbours->lock);
            continue;
        }
        if (own->has_gone)
            result = own->reason;
        else if (peer_has_gone)
            result = HCCL_E_REMOTE;
        else if (is_late)
            result = HCCL_E_TIMEOUT;
        if (result != HCCL_SUCCESS)
            break;
        if (deadline == INT64_MAX)
            pthread_cond_wait(&own->changed, &neighbours->lock);
        else
            is_late = pthread_cond_timedwait(&own->changed, &neighbours->lock, &until) != 0;
    }
    if (result == HCCL_SUCCESS)
        return result;
    tell(neighbours, result, waiting->message->peer, fault);
    for (size_t i = 0; i < count; i++)
        if (posted[i].state == POSTED_WAITS)
            take_back(neighbours, rank, &posted[i]);
    while (is_being_copied(posted, count))
        pthread_cond_wait(&own->changed, &neighbours->lock);
    go(neighbours, rank, result, fault);
    return result;
}

/* Copies what the others had posted already. Lock held, given up meanwhile. */
static void serve(struct neighbours *neighbours, const struct posted *posted, size_t count)
{
    pthread_mutex_unlock(&neighbours->lock);
    for (size_t i = 0; i < count; i++)
        if (posted[i].other != NULL)
            copy(&posted[i]);
    pthread_mutex_lock(&neighbours->lock);
    for (size_t i = 0; i < count; i++)
        if (posted[i].other != NULL) {
            posted[i].other->state = POSTED_IS_DONE;
            pthread_cond_broadcast(&neighbours->neighbour[posted[i].message->peer].changed);
        }
}

HcclResult neighbours_exchange(struct neighbours *neighbours, uint32_t rank, uint64_t tag,
                               const struct mesh_message *messages, size_t message_count, int64_t deadline,
                               struct mesh_fault *fault)
{
    struct posted *posted = (struct posted *)calloc(message_count + 1, sizeof *posted);
    if (posted == NULL) {
        *fault = (struct mesh_fault){-1, "there is no memory for the messages"};
        return HCCL_E_MEMORY;
    }
    pthread_mutex_lock(&neighbours->lock);
    HcclResult result =
        neighbours->neighbour[rank].has_gone ? neighbours->neighbour[rank].reason : HCCL_SUCCESS;
    if (result == HCCL_SUCCESS) {
        size_t count = 0;
        for (size_t i = 0; i < message_count; i++) {
            if (messages[i].bytes == 0 && messages[i].head == NULL)
                continue;
            struct posted *own = &posted[count++];
            *own = (struct posted){.message = &messages[i], .tag = tag, .state = POSTED_WAITS};
            meet(neighbours, rank, own);
        }
        serve(neighbours, posted, count);
        result = await(neighbours, rank, posted, count, deadline, fault);
    } else {
        *fault = neighbours->neighbour[rank].fault;
    }
    pthread_mutex_unlock(&neighbours->lock);
    free(posted);
    return result;
}

static const struct mesh_fault destroyed = {-1, "the communicator is being destroyed"};

void neighbours_cancel(struct neighbours *neighbours, uint32_t rank)
{
    pthread_mutex_lock(&neighbours->lock);
    go(neighbours, rank, HCCL_E_SUSPENDING, &destroyed);
    pthread_mutex_unlock(&neighbours->lock);
}

void neighbours_close(struct neighbours *neighbours, uint32_t rank)
{
    watch_rank_leaves((uintptr_t)neighbours, rank);
    pthread_mutex_lock(&neighbours->lock);
    go(neighbours, rank, HCCL_E_SUSPENDING, &destroyed);
    bool is_last = --neighbours->open == 0;
    pthread_mutex_unlock(&neighbours->lock);
    if (is_last)
        destroy(neighbours, neighbours->rank_count);
}
