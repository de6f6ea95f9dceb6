/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the data of a collective move, once the ranks have agreed on it.
 *
 * A reduction goes in rounds, so that what is kept of others' data is bounded. In each, every rank gets a
 * slice of its part from all others, and reduces it in the order of ranks. Where parts are gathered, the
 * slice of the round before goes out in the same exchange. Which rank reduces what, and in how many rounds,
 * changes no bit of the result.
 */
#include <stdlib.h>
#include <string.h>

#include "hccl/collective.h"
#include "hccl/reduce.h"
#include "runtime/reach.h"

enum { STAGING_BYTES = 8 << 20 };

/* What is known while the rounds go on. */
struct rounds {
    struct collective *collective;
    unsigned char *reads, *writes; /* where they are read and written */
    uint64_t slice;                /* elements of a part in a round */
    unsigned char
        *staging;      /* slices of all ranks, and behind them that of the result where it is kept here */
    const void **from; /* rank_count */
    struct mesh_message *message; /* room for four for each rank */
    size_t messages;
};

/* Where there are no bytes, base may be NULL. */
static void add_message(struct rounds *rounds, bool receives, uint32_t peer, unsigned char *base,
                        uint64_t offset, uint64_t bytes)
{
    if (bytes > 0)
        rounds->message[rounds->messages++] =
            (struct mesh_message){.data = base + offset, .bytes = bytes, .peer = peer, .receives = receives};
}

static uint64_t part_elements(const struct collective *collective, uint32_t rank)
{
    return collective->sends[rank].bytes / collective->element_bytes;
}

/* Of a part so many bytes, from *offset on, belong to the round. */
static uint64_t slice_of(const struct rounds *rounds, uint32_t rank, uint64_t round, uint64_t *offset)
{
    const struct collective *collective = rounds->collective;
    uint64_t first = round * rounds->slice, count = part_elements(collective, rank);
    *offset = collective->sends[rank].offset + first * collective->element_bytes;
    uint64_t left = first < count ? count - first : 0;
    return (left < rounds->slice ? left : rounds->slice) * collective->element_bytes;
}

static bool is_result_for(const struct collective *collective, uint32_t rank)
{
    return !collective->has_root || rank == collective->call.root;
}

/* In staging. */
static uint64_t staged_at(const struct rounds *rounds, uint32_t rank)
{
    return rank * rounds->slice * rounds->collective->element_bytes;
}

/* Where the own part's slice, which is not empty, ends up. */
static unsigned char *result_slice(const struct rounds *rounds, uint64_t offset)
{
    const struct collective *collective = rounds->collective;
    const struct communicator *communicator = collective->work.communicator;
    if (!is_result_for(collective, communicator->rank))
        return rounds->staging + staged_at(rounds, communicator->rank_count);
    return rounds->writes +
           (offset - (collective->gathers ? 0 : collective->sends[communicator->rank].offset));
}

/* The others' slices of the own part, and the own slices of theirs. */
static void add_contributions(struct rounds *rounds, uint64_t round)
{
    const struct communicator *communicator = rounds->collective->work.communicator;
    uint64_t offset, own_offset;
    uint64_t own_bytes = slice_of(rounds, communicator->rank, round, &own_offset);
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        if (rank == communicator->rank)
            continue;
        uint64_t bytes = slice_of(rounds, rank, round, &offset);
        add_message(rounds, true, rank, rounds->staging, staged_at(rounds, rank), own_bytes);
        add_message(rounds, false, rank, rounds->reads, offset, bytes);
    }
}

/* The results of a round. */
static void add_results(struct rounds *rounds, uint64_t round)
{
    const struct collective *collective = rounds->collective;
    const struct communicator *communicator = collective->work.communicator;
    uint64_t offset, own_offset;
    uint64_t own_bytes = slice_of(rounds, communicator->rank, round, &own_offset);
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        if (rank == communicator->rank)
            continue;
        uint64_t bytes = slice_of(rounds, rank, round, &offset);
        if (is_result_for(collective, communicator->rank))
            add_message(rounds, true, rank, rounds->writes, offset, bytes);
        if (is_result_for(collective, rank) && own_bytes > 0)
            add_message(rounds, false, rank, result_slice(rounds, own_offset), 0, own_bytes);
    }
}

static void reduce_slice(struct rounds *rounds, uint64_t round)
{
    const struct collective *collective = rounds->collective;
    const struct communicator *communicator = collective->work.communicator;
    uint64_t offset;
    uint64_t bytes = slice_of(rounds, communicator->rank, round, &offset);
    if (bytes == 0)
        return;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++)
        rounds->from[rank] =
            rank == communicator->rank ? rounds->reads + offset : rounds->staging + staged_at(rounds, rank);
    reduce((HcclDataType)collective->call.data_type, (HcclReduceOp)collective->call.reduction, rounds->from,
           communicator->rank_count, result_slice(rounds, offset), bytes / collective->element_bytes);
}

static uint64_t data_tag(const struct collective *collective, uint64_t round)
{
    return collective->call.number << TAG_PART_BITS | (1 + round % (TAG_PARTS - 1));
}

static HcclResult run_rounds(struct rounds *rounds, int64_t deadline, struct mesh_fault *fault)
{
    struct collective *collective = rounds->collective;
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        if (part_elements(collective, rank) > most)
            most = part_elements(collective, rank);
    uint64_t count = (most + rounds->slice - 1) / rounds->slice;
    for (uint64_t round = 0; round < count + (collective->gathers && count > 0); round++) {
        rounds->messages = 0;
        if (round < count)
            add_contributions(rounds, round);
        if (collective->gathers && round > 0)
            add_results(rounds, round - 1);
        HcclResult result = work_exchange(&collective->work.communicator->link, data_tag(collective, round),
                                          rounds->message, rounds->messages, deadline, fault);
        if (result != HCCL_SUCCESS)
            return result;
        if (round < count)
            reduce_slice(rounds, round);
    }
    return HCCL_SUCCESS;
}

/* Memory for the slices; the communicator keeps one block from one reduction to the next. */
static void *take_staging(struct communicator *communicator, size_t bytes)
{
    pthread_mutex_lock(&communicator->lock);
    void *taken = communicator->spare;
    bool is_enough = communicator->spare_bytes >= bytes;
    communicator->spare = NULL;
    pthread_mutex_unlock(&communicator->lock);
    if (taken != NULL && is_enough)
        return taken;
    free(taken);
    return malloc(bytes);
}

static void keep_staging(struct communicator *communicator, void *staging, size_t bytes)
{
    pthread_mutex_lock(&communicator->lock);
    if (communicator->spare == NULL) {
        communicator->spare = staging;
        communicator->spare_bytes = bytes;
        staging = NULL;
    }
    pthread_mutex_unlock(&communicator->lock);
    free(staging);
}

static HcclResult tell_memory(struct mesh_fault *fault)
{
    *fault = (struct mesh_fault){-1, "there is no memory for what the ranks exchange"};
    return HCCL_E_MEMORY;
}

static HcclResult reduce_parts(struct collective *collective, int64_t deadline, struct mesh_fault *fault)
{
    struct communicator *communicator = collective->work.communicator;
    const uint32_t ranks = communicator->rank_count;
    struct rounds rounds = {.collective = collective,
                            .reads = (unsigned char *)memory_reach(collective->reads),
                            .writes = (unsigned char *)memory_reach(collective->writes),
                            .slice = STAGING_BYTES / ((uint64_t)collective->element_bytes * ranks)};
    /* No rank's part is longer than the longest, which all know. */
    uint64_t most = 1;
    for (uint32_t rank = 0; rank < ranks; rank++)
        most = part_elements(collective, rank) > most ? part_elements(collective, rank) : most;
    if (rounds.slice > most)
        rounds.slice = most;
    const size_t bytes = rounds.slice * collective->element_bytes * (ranks + 1);
    rounds.staging = (unsigned char *)take_staging(communicator, bytes);
    rounds.from = (const void **)malloc(ranks * sizeof *rounds.from);
    rounds.message = (struct mesh_message *)malloc((size_t)ranks * 4 * sizeof *rounds.message);
    HcclResult result = rounds.staging != NULL && rounds.from != NULL && rounds.message != NULL
                            ? run_rounds(&rounds, deadline, fault)
                            : tell_memory(fault);
    if (rounds.staging != NULL)
        keep_staging(communicator, rounds.staging, bytes);
    free(rounds.from);
    free(rounds.message);
    return result;
}

static HcclResult move_parts(struct collective *collective, int64_t deadline, struct mesh_fault *fault)
{
    const struct communicator *communicator = collective->work.communicator;
    struct rounds rounds = {.collective = collective,
                            .reads = (unsigned char *)memory_reach(collective->reads),
                            .writes = (unsigned char *)memory_reach(collective->writes)};
    rounds.message =
        (struct mesh_message *)malloc((size_t)communicator->rank_count * 2 * sizeof *rounds.message);
    if (rounds.message == NULL)
        return tell_memory(fault);
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        const struct span *sends = &collective->sends[rank], *receives = &collective->receives[rank];
        if (rank != communicator->rank) {
            add_message(&rounds, true, rank, rounds.writes, receives->offset, receives->bytes);
            add_message(&rounds, false, rank, rounds.reads, sends->offset, sends->bytes);
        } else if (receives->bytes > 0) {
            memmove(rounds.writes + receives->offset, rounds.reads + sends->offset, receives->bytes);
        }
    }
    HcclResult result = work_exchange(&communicator->link, data_tag(collective, 0), rounds.message,
                                      rounds.messages, deadline, fault);
    free(rounds.message);
    return result;
}

HcclResult collective_transfer(struct collective *collective, int64_t deadline, struct mesh_fault *fault)
{
    return collective->reduces ? reduce_parts(collective, deadline, fault)
                               : move_parts(collective, deadline, fault);
}
