/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Collectives as they are queued: the call, and which bytes go from where to where.
 */
#ifndef BELAY_HCCL_COLLECTIVE_H
#define BELAY_HCCL_COLLECTIVE_H

#include "hccl/work.h"

/* Bytes of a buffer. */
struct span {
    uint64_t offset, bytes;
};

/*
 * One call of this rank. Where it reduces, sends[r] is what this rank contributes to the part that rank r
 * reduces, and the reduced part is written to writes; then, where gathers, to the same place of the others'
 * writes. Where it moves, sends[r] goes to rank r, and receives[r] comes from there.
 */
struct collective {
    struct work work;
    struct wire_call call; /* sends and expects are filled in for each peer */
    struct operand operand[2];
    void *reads, *writes; /* either may be NULL where nothing is read or written */
    uint32_t element_bytes;
    bool reduces;
    bool
        gathers; /* behind the reduction: the parts go to the root, or to everybody where has_root is false */
    bool has_root;
    struct span *sends, *receives; /* one for each rank, behind the struct */
};

/* One with room for all ranks, all of it zero; NULL leaves a sentence. */
struct collective *collective_create(const char *api, enum call_kind kind, struct communicator *communicator);

/*
 * Numbers and queues it. reads_bytes and writes_bytes are how far the buffers reach. Takes the collective
 * over and the caller's reference to its communicator.
 */
HcclResult collective_submit(struct collective *collective, const char *reads_parameter, uint64_t reads_bytes,
                             const char *writes_parameter, uint64_t writes_bytes, aclrtStream stream);

/* Does it, on a thread of the pool: run of its work. */
bool collective_run(struct work *work, struct trouble *trouble);

/* Ends one that is not queued, and gives back the reference. */
HcclResult collective_refuse(struct collective *collective, HcclResult result);

/* Moves the data. Short ones go with the calls, before it is known whether the ranks agree, and are kept
 * apart until then. */
struct transfer;
struct transfer *transfer_begin(struct collective *collective); /* NULL: no memory */
void transfer_with_calls(struct transfer *transfer, uint32_t peer, struct mesh_message *receive,
                         struct mesh_message *send);
HcclResult transfer_rest(struct transfer *transfer, int64_t deadline, struct mesh_fault *fault);
void transfer_end(struct transfer *transfer);

#endif
