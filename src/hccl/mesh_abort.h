/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Exchanges that are under way, and how their waits are ended: by who exchanges (mesh.c) and by who watches
 * the peers (mesh_watch.c).
 */
#ifndef BELAY_HCCL_MESH_ABORT_H
#define BELAY_HCCL_MESH_ABORT_H

#include "hccl/mesh.h"
#include "hccl/mesh_state.h"

/* A message under way. Its slot of Gloo is the tag, where whatever goes from one rank to another keeps its
 * order: the messages of an exchange, and behind them the answers. */
struct transfer {
    struct gloo_message *message, *answer;
    unsigned char *staged; /* the buffer of one with a head, or of the address and the answer */
};

struct exchange {
    struct exchange *next;
    struct mesh *mesh;
    const struct mesh_message *messages;
    size_t count;
    uint64_t tag;
    int64_t deadline;
    struct transfer *transfers;
    bool has_failed; /* this one itself: it goes on until its deadline, which is near then */
};

/* Ends the waits of an exchange, for one peer or, where that is ALL_PEERS, for all. Under the mesh's lock. */
#define ALL_PEERS UINT32_MAX
void mesh_abort_exchange(const struct exchange *exchange, uint32_t peer);

/* Ends them in all exchanges of the mesh, for one peer or for all. */
void mesh_abort_peer(const struct mesh *mesh, uint32_t peer);

#endif
