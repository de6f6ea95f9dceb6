/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Communicators: what a handle of one stands for, how long it lives, and what became of it.
 */
#ifndef BELAY_HCCL_COMMUNICATOR_H
#define BELAY_HCCL_COMMUNICATOR_H

#include <pthread.h>
#include <stdatomic.h>

#include "hccl/hccl.h"
#include "hccl/link.h"
#include "hccl/wire.h"
#include "base/error.h"
#include "base/handle.h"

enum { COMMUNICATORS_MAX = 4096 };

/* What is counted for each peer. */
struct peer {
    struct wire_call last;   /* of its collectives, for messages; number 0: none yet */
    uint64_t sent, received; /* messages of HcclSend and HcclRecv that have been numbered */
};

struct communicator {
    struct handle_slot slot;
    _Atomic uint32_t error; /* the HcclResult of the first failure */
    _Atomic int32_t determinism;

    /* Constant while the handle lives or somebody holds a reference. */
    uint32_t rank, rank_count;
    uint64_t identity; /* link_identity */
    int32_t device;
    int64_t timeout_ns; /* of one collective; INT64_MAX: none */
    uint64_t made;      /* of the process's communicators the how manyth, from 1 on */
    char name[COMM_NAME_MAX_LENGTH];

    /* Guards everything below. Initialised once per slot, as slots are never given back. No lock but those of
     * the link is taken while it is held. */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* work has begun or ended */
    atomic_bool is_prepared;
    uint64_t references; /* work, calls, and the handle */
    uint64_t queued;     /* work that has not ended; whoever uses the link is counted in running, too */
    uint64_t running;
    uint64_t ended;
    uint64_t numbered; /* collectives so far */
    bool is_cancelled; /* no work may begin */
    struct link link;  /* open until running is 0 behind is_cancelled, or the last reference */
    struct peer *peer; /* rank_count */
    void *spare;       /* memory of a reduction that has ended, or NULL */
    size_t spare_bytes;
    char sentence[480]; /* of the first failure */
};

extern struct handle_table communicator_table;

/* What a new communicator is to be. */
struct communicator_shape {
    const char *name; /* NULL or "": one of its own */
    uint32_t rank, rank_count;
    int32_t device;
    int64_t timeout_ns;
};

/* Takes the link over, which is closed where this fails. HCCL_E_MEMORY or HCCL_E_UNAVAIL with a sentence. */
HcclResult communicator_create(const char *api, const struct communicator_shape *shape, struct link link,
                               HcclComm *handle);

/* Whether the library can be used in this process: what every function asks first. */
HcclResult communicator_check_process(void);

/* The communicator, with a reference; HCCL_E_PTR or HCCL_E_PARA with a sentence. */
HcclResult communicator_find(const char *api, HcclComm handle, struct communicator **communicator);

/* communicator_find() where work is to be queued, which fails too with the error that it has. */
HcclResult communicator_find_working(const char *api, HcclComm handle, struct communicator **communicator);

/* That of a name on a device, with a reference; of several the one that was made last; NULL: there is none. */
struct communicator *communicator_named(const char *name, int32_t device);

/* Gives a reference back. */
void communicator_drop(struct communicator *communicator);

/* Work is queued, with a reference of its own; and has ended or was abandoned. */
void communicator_work_queued(struct communicator *communicator);
void communicator_work_released(struct communicator *communicator);

/*
 * Around what uses the link. False where it must not be used: *result and the sentence of the communicator's
 * first failure.
 */
bool communicator_begin(struct communicator *communicator, HcclResult *result, char *sentence, size_t bytes);
void communicator_end(struct communicator *communicator);

/* Remembers the first failure. */
void communicator_fail(struct communicator *communicator, HcclResult result, const char *sentence);

/* Takes the connections of a device's ranks away, as a fault was asked for: the others find that they are gone. */
void communicators_cut(int32_t device);

/* Ends the communicators of a device, or of all for -1, which is about to end with their work; their handles
 * live on. */
void communicators_cease(int32_t device);

#endif
