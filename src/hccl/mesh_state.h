/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a mesh is made of, for those who join and those who exchange.
 */
#ifndef BELAY_HCCL_MESH_STATE_H
#define BELAY_HCCL_MESH_STATE_H

#include <pthread.h>

#include "hccl/gloo.h"
#include "hccl/mesh_fault.h"

struct exchange;
struct peer_memory;

struct mesh {
    uint32_t rank, rank_count;
    uint64_t identity; /* the same on all ranks */
    const struct gloo_transport *gloo;
    struct gloo_pairs *pairs;   /* NULL for one rank alone */
    struct peer_memory *memory; /* an entry for each rank; NULL until the ranks have met (peer_meeting.c) */
    /* What mesh_watch.c keeps; the first two have an entry for each rank. */
    struct gloo_message **sentinels;
    bool *has_gone; /* under the lock */
    bool is_watched;
    struct mesh *next_watched;
    pthread_mutex_t lock;
    /* Under the lock. */
    struct exchange *exchanges; /* that are under way */
    HcclResult failure;         /* the first one, with its fault */
    struct mesh_fault fault;
    bool is_cancelled;
};

#endif
