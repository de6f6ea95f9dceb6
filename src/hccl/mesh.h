/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The mesh of one communicator: every rank's connections to every other, and bytes over them. What is called,
 * and in which order, is the business of collectives; nothing here knows elements or reductions.
 *
 * A failure is returned as an HcclResult, and its sentence is written for the caller to record: which peer,
 * what was being done, and for how long.
 */
#ifndef BELAY_HCCL_MESH_H
#define BELAY_HCCL_MESH_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mesh;

enum { RANKS_MAX = 1024 }; /* of one communicator */

struct mesh_fault {
    int64_t peer; /* the rank that the failure is about, or -1 */
    char sentence[512];
};

enum { MESH_HEAD_BYTES = 56, MESH_SHORT_BYTES = 64 << 10 };

/* One message of an exchange. Two messages between the same ranks under one tag are matched in the order of
 * the list. */
struct mesh_message {
    void *data;
    size_t bytes; /* both sides name the same length, on which they have agreed before; 0 moves nothing */
    uint32_t peer;
    bool receives;
    /* NULL, or MESH_HEAD_BYTES in front of the data, on both sides or on neither. Then mesh_short_bytes are
     * allowed, and there may be more on one side than on the other: what is in both is moved. */
    void *head;
};

/* How long a message with a head may be: those of one rank to all others are MESH_SHORT_BYTES together. */
static inline size_t mesh_short_bytes(uint32_t rank_count)
{
    return MESH_SHORT_BYTES / (rank_count > 1 ? rank_count - 1 : 1);
}

/* HcclGetRootInfo: opens the place where the ranks of one communicator meet, and describes it. */
HcclResult mesh_describe_root(HcclRootInfo *root, struct mesh_fault *fault);

/* Joins the others; returns when all have come, or fails after HCCL_CONNECT_TIMEOUT. One rank alone opens
 * nothing. */
HcclResult mesh_join(const HcclRootInfo *root, uint32_t rank_count, uint32_t rank, struct mesh **mesh,
                     struct mesh_fault *fault);

/*
 * Joins ranks that know beforehand where they meet: at an address of rank 0's host, whose port is the first
 * that HCCL_HOST_SOCKET_PORT_RANGE or HCCL_IF_BASE_PORT names, or 60000. Rank 0 opens the place; the others
 * wait for it. `identity` is what all ranks of the communicator have and others have not.
 */
enum { MESH_IDENTITY_BYTES = 16 };
HcclResult mesh_join_at(const char *host, const uint8_t identity[MESH_IDENTITY_BYTES], uint32_t rank_count,
                        uint32_t rank, struct mesh **mesh, struct mesh_fault *fault);

/*
 * Carries all messages at once and returns when they have all arrived and been sent, or with the first
 * failure. Several threads may exchange over one mesh, each under tags of its own, which are below 2^63 - 1;
 * a tag above, a rank that is none and a message to oneself are HCCL_E_INTERNAL, and the mesh goes on.
 * `deadline` is a time of CLOCK_MONOTONIC in nanoseconds; INT64_MAX waits for ever. HCCL_E_TIMEOUT,
 * HCCL_E_REMOTE (the peer is gone), HCCL_E_TCP_TRANSFER, or, after mesh_cancel, HCCL_E_SUSPENDING. After one
 * of these the mesh carries nothing more: later exchanges fail at once, and the last one that was under way
 * closes the connections to all peers.
 */
HcclResult mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault);

/* Ends the exchanges that are under way, and all later ones; any thread may call it at any time before
 * mesh_close. */
void mesh_cancel(struct mesh *mesh);

/* What all its ranks have in common. */
uint64_t mesh_identity(const struct mesh *mesh);

/* No exchange may be under way. */
void mesh_close(struct mesh *mesh);

#endif
