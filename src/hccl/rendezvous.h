/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The place where the ranks of one communicator meet before they know one another: a listening socket and a
 * thread in the process that made the root info, and what each rank says there.
 *
 * A rank connects and sends a greeting: the secret of the root info, how many ranks there are, which it is.
 * When all have come they go through rounds together: each sends what a round asks of it, and gets its answer
 * when the last one has sent. Numbers are in network order. Whatever goes wrong for one is told to all.
 */
#ifndef BELAY_HCCL_RENDEZVOUS_H
#define BELAY_HCCL_RENDEZVOUS_H

#include "hccl/meeting_place.h"

/* Opens a place, whose socket listens already and is closed where this fails. It ends when all have met, when
 * one of them fails, at the connect timeout, or by meeting_end. */
HcclResult meeting_open(const struct meeting_place *place, int listening, struct mesh_fault *fault);

/*
 * Returns when it has ended, where this process has opened it: by itself, when it has told everybody, or
 * after `wait_ns` because it is told to. A process that ended earlier would leave the others without their
 * answer.
 */
void meeting_end(const struct meeting_place *place, int64_t wait_ns);

/* What follows is of rank and server alike. */

enum { GREETING_BYTES = SECRET_BYTES + 8, ANSWER_HEAD_BYTES = 12 };

/* In this order. In each a rank sends the round's number in one byte, and in those with addresses one for
 * each rank behind it, and gets what the others sent for it. The answer to the greeting is that of
 * ROUND_COME, for which nothing is sent. An answer has a head: an HcclResult, the rank that it is about or
 * 0xffffffff, and how many bytes follow: addresses, or the sentence of a failure. */
enum meeting_round {
    ROUND_COME,
    ROUND_LISTENING, /* addresses: where the pair for each rank listens */
    ROUND_ORIGINS,   /* addresses: from which host each rank will be connected to */
    ROUND_GUARDED,
    ROUND_SOURCES, /* addresses: where the connection to each comes from, zeros where it was the other's to
                      make */
    ROUND_CONNECTED,
    ROUNDS
};

static inline size_t round_bytes(enum meeting_round round, uint32_t rank_count)
{
    bool has_addresses = round == ROUND_LISTENING || round == ROUND_ORIGINS || round == ROUND_SOURCES;
    return has_addresses ? rank_count * sizeof(struct address) : 0;
}

/* A rank's stay at the place. */
struct meeting_visit {
    int socket; /* -1 when there is none */
    uint32_t rank_count;
    struct address here; /* the address of this host on the way there, port 0 */
};

/* Comes, and waits for the others. */
HcclResult meeting_enter(struct meeting_visit *visit, const struct meeting_place *place, uint32_t rank_count,
                         uint32_t rank, int64_t deadline, struct mesh_fault *fault);

/* Both lists have rank_count entries where the round has addresses, and are NULL elsewhere. */
HcclResult meeting_take_round(struct meeting_visit *visit, enum meeting_round round,
                              const struct address *mine, struct address *theirs, int64_t deadline,
                              struct mesh_fault *fault);

void meeting_leave(struct meeting_visit *visit);

#endif
