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

struct mesh {
    uint32_t rank, rank_count;
    const struct gloo_transport *gloo;
    struct gloo_pairs *pairs; /* NULL for one rank alone */
    pthread_mutex_t lock;
    /* Under the lock. */
    struct exchange *exchanges; /* that are under way */
    HcclResult failure;         /* the first one, with its fault */
    struct mesh_fault fault;
    bool is_cancelled;
};

#endif
