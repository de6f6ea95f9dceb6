/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Work of a communicator as a task of a stream: the memory that it uses, how it is queued, and what becomes
 * of it where it fails.
 */
#ifndef BELAY_HCCL_WORK_H
#define BELAY_HCCL_WORK_H

#include "base/place.h"
#include "hccl/communicator.h"
#include "base/report.h"
#include "base/saboteur.h"
#include "runtime/streams/stream.h"

/* A piece of memory that the work reads (ACCESS_READ), writes (ACCESS_WRITTEN), or both. */
struct operand {
    const char *parameter;
    void *address; /* as the program knows it */
    uint64_t bytes;
    uint32_t mode;
    bool is_in_block; /* or in host memory that is allowed for */
};

/* How work that runs has failed. */
struct trouble {
    HcclResult result;
    enum rule rule; /* RULE_WORK, or RULE_COLLECTIVE */
    int status;     /* of the task; 0: what goes with the result */
    char sentence[480];
};

/* The first member of what is queued. The work is malloc's, and ends with free. */
struct work {
    const char *api;
    struct communicator *communicator; /* with a reference once it is queued */
    struct call_place place;           /* where a check is on */
    /* Does it, with the link to itself for this: false and *trouble where it fails. */
    bool (*run)(struct work *work, struct trouble *trouble);
    /* Tells what it reads, its parts of exchanges, and what it writes. Bytes: whether the numbers that come
     * out are finite depends on what other ranks put in. */
    void (*describe)(const struct work *work, struct access_visitor *visitor);
    uint32_t operand_count;
    struct operand *operand; /* within the same block */
};

/* Whether an operand lies where work of the device can use it; else a sentence. */
HcclResult work_check_operand(struct work *work, uint32_t index, uint32_t element_bytes, int32_t device);

/* Queues it, or frees it and returns why not. */
HcclResult work_submit(struct work *work, const struct stream_target *target);

/* The stream, which must be one of the communicator's device. */
HcclResult work_find_stream(const char *api, const struct communicator *communicator, aclrtStream stream,
                            struct stream_target *target);

/* link_exchange on a thread of the pool, whose place another may take meanwhile. */
HcclResult work_exchange(const struct link *link, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault);

/* Has the communicator, the stream and the checker hear of a failure, of which this is the first, or which
 * others have reported; the status of the task. */
int work_tell(const struct work *work, const struct trouble *trouble, bool is_first);

/*
 * Whether a fault that was asked for strikes the work, which is about to run: a failure in *trouble, or, where
 * *disagrees is true afterwards, another call to tell the others.
 */
bool work_is_struck(const struct work *work, enum fault_event event, struct trouble *trouble,
                    bool *disagrees);

/* When work that begins now has to be over. */
int64_t work_deadline(const struct communicator *communicator);

#endif
