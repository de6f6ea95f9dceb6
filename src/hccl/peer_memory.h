/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Ranks of one machine that may read each other's memory, where the system allows it: what is long is then
 * copied once, by the receiver, where a connection copies it twice and in pieces.
 */
#ifndef BELAY_HCCL_PEER_MEMORY_H
#define BELAY_HCCL_PEER_MEMORY_H

#include <sys/types.h>

#include "hccl/mesh_state.h"

/* For a peer. The process is 0 where its memory is not read. */
struct peer_memory {
    pid_t process;
    bool is_shown; /* the peer reads this rank's */
};

/*
 * Finds out, once for a mesh, whose memory this rank reads and who reads its own; is_here[r] says whether
 * rank r has this host's address. Every rank calls it behind the proofs. Where one may not, nothing fails.
 */
HcclResult peer_memory_meet(struct mesh *mesh, const bool *is_here, int64_t deadline,
                            struct mesh_fault *fault);

/* Whether this rank reads messages from the peer's memory, and whether the peer reads this rank's. */
bool peer_memory_is_read(const struct mesh *mesh, uint32_t peer);
bool peer_memory_is_shown(const struct mesh *mesh, uint32_t peer);

/* Copies from an address that the peer has named. False where it is not there any more. */
bool peer_memory_read(const struct mesh *mesh, uint32_t peer, void *to, uint64_t address, size_t bytes);

/* After the last exchange. */
void peer_memory_end(struct mesh *mesh);

/* Copies bytes of another process; false where the system does not allow it. */
bool peer_process_read(pid_t process, void *to, uint64_t address, size_t bytes);

#endif
