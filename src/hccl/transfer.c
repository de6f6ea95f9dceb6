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
#include "runtime/addresses/reach.h"

enum { STAGING_BYTES = 4 << 20 };

struct transfer {
    struct collective *collective;
    unsigned char *reads, *writes; /* where they are read and written */
    /* What has come with the calls, from each rank. Where it reduces: slices of all ranks, and behind them
     * that of the result where it is kept here. */
    unsigned char *staging;
    size_t staging_bytes;
    /* Where it reduces: */
    uint64_t slice;          /* elements of a part in a round */
    bool is_first_with_call; /* the contributions of the first round, which is the only one then */
    const void **from;       /* rank_count */

    size_t messages;
    struct mesh_message message[]; /* room for four for each rank, and from behind them */
};

/* Where there are no bytes, base may be NULL. */
static void add_message(struct transfer *transfer, bool receives, uint32_t peer, unsigned char *base,
                        uint64_t offset, uint64_t bytes)
{
    if (bytes > 0)
        transfer->message[transfer->messages++] =
            (struct mesh_message){.data = base + offset, .bytes = bytes, .peer = peer, .receives = receives};
}

static uint64_t part_elements(const struct collective *collective, uint32_t rank)
{
    return collective->sends[rank].bytes / collective->element_bytes;
}

/* How many bytes of a part, from *offset on, belong to the round. */
static uint64_t slice_of(const struct transfer *transfer, uint32_t rank, uint64_t round, uint64_t *offset)
{
    const struct collective *collective = transfer->collective;
    uint64_t first = round * transfer->slice, count = part_elements(collective, rank);
    *offset = collective->sends[rank].offset + first * collective->element_bytes;
    uint64_t left = first < count ? count - first : 0;
    return (left < transfer->slice ? left : transfer->slice) * collective->element_bytes;
}

static bool is_result_for(const struct collective *collective, uint32_t rank)
{
    return !collective->has_root || rank == collective->call.root;
}

/* In staging. */
static uint64_t staged_at(const struct transfer *transfer, uint32_t rank)
{
    return rank * transfer->slice * transfer->collective->element_bytes;
}

/* Where the own part's slice, which is not empty, ends up. */
static unsigned char *result_slice(const struct transfer *transfer, uint64_t offset)
{
    const struct collective *collective = transfer->collective;
    const struct communicator *communicator = collective->work.communicator;
    if (!is_result_for(collective, communicator->rank))
        return transfer->staging + staged_at(transfer, communicator->rank_count);
    return transfer->writes +
           (offset - (collective->gathers ? 0 : collective->sends[communicator->rank].offset));
}

/* The others' slices of the own part, and the own slices of theirs. */
static void add_contributions(struct transfer *transfer, uint64_t round)
{
    const struct communicator *communicator = transfer->collective->work.communicator;
    uint64_t offset, own_offset;
    uint64_t own_bytes = slice_of(transfer, communicator->rank, round, &own_offset);
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        if (rank == communicator->rank)
            continue;
        uint64_t bytes = slice_of(transfer, rank, round, &offset);
        add_message(transfer, true, rank, transfer->staging, staged_at(transfer, rank), own_bytes);
        add_message(transfer, false, rank, transfer->reads, offset, bytes);
    }
}

/* The results of a round. */
static void add_results(struct transfer *transfer, uint64_t round)
{
    const struct collective *collective = transfer->collective;
    const struct communicator *communicator = collective->work.communicator;
    uint64_t offset, own_offset;
    uint64_t own_bytes = slice_of(transfer, communicator->rank, round, &own_offset);
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        if (rank == communicator->rank)
            continue;
        uint64_t bytes = slice_of(transfer, rank, round, &offset);
        if (is_result_for(collective, communicator->rank))
            add_message(transfer, true, rank, transfer->writes, offset, bytes);
        if (is_result_for(collective, rank) && own_bytes > 0)
            add_message(transfer, false, rank, result_slice(transfer, own_offset), 0, own_bytes);
    }
}

static void reduce_slice(struct transfer *transfer, uint64_t round)
{
    const struct collective *collective = transfer->collective;
    const struct communicator *communicator = collective->work.communicator;
    uint64_t offset;
    uint64_t bytes = slice_of(transfer, communicator->rank, round, &offset);
    if (bytes == 0)
        return;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++)
        transfer->from[rank] = rank == communicator->rank ? transfer->reads + offset
                                                          : transfer->staging + staged_at(transfer, rank);
    reduce((HcclDataType)collective->call.data_type, (HcclReduceOp)collective->call.reduction, transfer->from,
           communicator->rank_count, result_slice(transfer, offset), bytes / collective->element_bytes);
}

static uint64_t data_tag(const struct collective *collective, uint64_t round)
{
    return collective->call.number << TAG_PART_BITS | (1 + round % (TAG_PARTS - 1));
}

/* The bytes of the longest part, which all ranks know. */
static uint64_t longest_part(const struct collective *collective)
{
    uint64_t most = 0;
    for (uint32_t rank = 0; rank < collective->work.communicator->rank_count; rank++)
        if (collective->sends[rank].bytes > most)
            most = collective->sends[rank].bytes;
    return most;
}

static HcclResult reduce_parts(struct transfer *transfer, int64_t deadline, struct mesh_fault *fault)
{
    struct collective *collective = transfer->collective;
    const uint64_t most = longest_part(collective) / collective->element_bytes;
    const uint64_t count = (most + transfer->slice - 1) / transfer->slice;
    for (uint64_t round = 0; round < count + (collective->gathers && count > 0); round++) {
        transfer->messages = 0;
        if (round < count && !transfer->is_first_with_call)
            add_contributions(transfer, round);
        if (collective->gathers && round > 0)
            add_results(transfer, round - 1);
        HcclResult result = work_exchange(&collective->work.communicator->link, data_tag(collective, round),
                                          transfer->message, transfer->messages, deadline, fault);
        if (result != HCCL_SUCCESS)
            return result;
        if (round < count)
            reduce_slice(transfer, round);
    }
    return HCCL_SUCCESS;
}

/* At least so many bytes, and says how many; the communicator keeps one block from one collective to the
 * next. */
static void *take_staging(struct communicator *communicator, size_t *bytes)
{
    pthread_mutex_lock(&communicator->lock);
    void *taken = communicator->spare;
    const size_t taken_bytes = communicator->spare_bytes;
    communicator->spare = NULL;
    pthread_mutex_unlock(&communicator->lock);
    if (taken != NULL && taken_bytes >= *bytes) {
        *bytes = taken_bytes;
        return taken;
    }
    free(taken);
    return malloc(*bytes);
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

/* Where it is kept until the ranks have agreed. */
static unsigned char *with_call_of(const struct transfer *transfer, uint32_t rank)
{
    return transfer->staging + rank * mesh_short_bytes(transfer->collective->work.communicator->rank_count);
}

static bool is_short(const struct transfer *transfer, uint64_t bytes)
{
    return bytes <= mesh_short_bytes(transfer->collective->work.communicator->rank_count);
}

struct transfer *transfer_begin(struct collective *collective)
{
    struct communicator *communicator = collective->work.communicator;
    const size_t ranks = communicator->rank_count;
    struct transfer *transfer = (struct transfer *)malloc(
        sizeof *transfer + ranks * (4 * sizeof transfer->message[0] + sizeof transfer->from[0]));
    if (transfer == NULL)
        return NULL;
    *transfer = (struct transfer){.collective = collective,
                                  .reads = (unsigned char *)memory_reach(collective->reads),
                                  .writes = (unsigned char *)memory_reach(collective->writes)};
    transfer->staging_bytes = ranks * mesh_short_bytes(communicator->rank_count);
    if (collective->reduces) {
        const uint64_t most = longest_part(collective), element_bytes = collective->element_bytes;
        transfer->from = (const void **)(void *)(transfer->message + 4 * ranks);
        transfer->is_first_with_call = is_short(transfer, most);
        transfer->slice = transfer->is_first_with_call ? most : STAGING_BYTES / ranks;
        transfer->slice = (transfer->slice < most ? transfer->slice : most) / element_bytes;
        if (transfer->slice == 0) /* there is nothing, or there are many ranks */
            transfer->slice = 1;
        transfer->staging_bytes = transfer->slice * element_bytes * (ranks + 1);
    }
    transfer->staging = (unsigned char *)take_staging(communicator, &transfer->staging_bytes);
    if (transfer->staging != NULL)
        return transfer;
    free(transfer);
    return NULL;
}

void transfer_end(struct transfer *transfer)
{
    if (transfer != NULL && transfer->staging != NULL)
        keep_staging(transfer->collective->work.communicator, transfer->staging, transfer->staging_bytes);
    free(transfer);
}

void transfer_with_calls(struct transfer *transfer, uint32_t peer, struct mesh_message *receive,
                         struct mesh_message *send)
{
    const struct collective *collective = transfer->collective;
    const struct span *sends = &collective->sends[peer], *receives = &collective->receives[peer];
    if (collective->reduces && !transfer->is_first_with_call)
        return;
    if (collective->reduces) {
        receive->data = transfer->staging + staged_at(transfer, peer);
        receive->bytes = collective->sends[collective->work.communicator->rank].bytes;
    } else if (receives->bytes > 0 && is_short(transfer, receives->bytes)) {
        receive->data = with_call_of(transfer, peer);
        receive->bytes = receives->bytes;
    }
    if (sends->bytes > 0 && is_short(transfer, sends->bytes)) {
        send->data = transfer->reads + sends->offset;
        send->bytes = sends->bytes;
    }
}

static HcclResult move_parts(struct transfer *transfer, int64_t deadline, struct mesh_fault *fault)
{
    const struct collective *collective = transfer->collective;
    const struct communicator *communicator = collective->work.communicator;
    for (uint32_t rank = 0; rank < communicator->rank_count; rank++) {
        const struct span *sends = &collective->sends[rank], *receives = &collective->receives[rank];
        if (rank == communicator->rank) {
            if (receives->bytes > 0)
                memmove(transfer->writes + receives->offset, transfer->reads + sends->offset,
                        receives->bytes);
            continue;
        }
        if (!is_short(transfer, receives->bytes))
            add_message(transfer, true, rank, transfer->writes, receives->offset, receives->bytes);
        else if (receives->bytes > 0)
            memcpy(transfer->writes + receives->offset, with_call_of(transfer, rank), receives->bytes);
        if (!is_short(transfer, sends->bytes))
            add_message(transfer, false, rank, transfer->reads, sends->offset, sends->bytes);
    }
    return work_exchange(&communicator->link, data_tag(collective, 0), transfer->message, transfer->messages,
                         deadline, fault);
}

HcclResult transfer_rest(struct transfer *transfer, int64_t deadline, struct mesh_fault *fault)
{
    return transfer->collective->reduces ? reduce_parts(transfer, deadline, fault)
                                         : move_parts(transfer, deadline, fault);
}
