/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Over its connection, which has been proved, a peer names its process and where it keeps what this rank
 * tells it. That it tells the truth is seen by reading: what this rank has just drawn and told it must be
 * there. So no peer makes this rank read a process that does not take part.
 */
#include "hccl/peer_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "hccl/mesh.h"

enum { DRAWN_BYTES = 16 };

/* What a rank tells a peer. */
struct introduction {
    uint8_t drawn[DRAWN_BYTES]; /* for this peer alone */
    uint64_t heard_at;          /* where the peer's own to this rank is kept */
    int64_t process;            /* 0: on another host, or nothing could be drawn */
};

/* What is told and heard, an entry for each rank. */
struct meeting {
    struct introduction *told, *heard;
    uint8_t *reads, *is_read;
};

/* Each rank's entry of `own`, of so many bytes, goes to that rank, and comes from there to `others`. */
static HcclResult swap(struct mesh *mesh, uint64_t tag, void *own, void *others, size_t bytes,
                       int64_t deadline, struct mesh_fault *fault)
{
    size_t count = 0;
    struct mesh_message *messages = (struct mesh_message *)calloc(mesh->rank_count, 2 * sizeof *messages);
    if (messages == NULL)
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", mesh->rank_count);
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        if (peer == mesh->rank)
            continue;
        messages[count++] =
            (struct mesh_message){.data = (char *)own + peer * bytes, .bytes = bytes, .peer = peer};
        messages[count++] = (struct mesh_message){
            .data = (char *)others + peer * bytes, .bytes = bytes, .peer = peer, .receives = true};
    }
    HcclResult result = mesh_exchange(mesh, tag, messages, count, deadline, fault);
    free(messages);
    return result;
}

/* Whether the process that the peer has named holds what this rank has told the peer. */
static bool is_peer(const struct introduction *told, const struct introduction *heard)
{
    struct introduction found;
    return told->process > 0 && heard->process > 0 && heard->process <= INT32_MAX &&
           peer_process_read((pid_t)heard->process, &found, heard->heard_at, sizeof found) &&
           memcmp(&found, told, sizeof found) == 0;
}

static HcclResult meet(struct mesh *mesh, struct meeting *meeting, const bool *is_here, int64_t deadline,
                       struct mesh_fault *fault)
{
    for (uint32_t peer = 0; peer < mesh->rank_count; peer++) {
        struct introduction *told = &meeting->told[peer];
        const bool is_drawn = is_here[peer] && getrandom(told->drawn, DRAWN_BYTES, 0) == DRAWN_BYTES;
        told->heard_at = (uintptr_t)&meeting->heard[peer];
        told->process = is_drawn ? getpid() : 0;
    }
    HcclResult result = swap(mesh, 1, meeting->told, meeting->heard, sizeof *meeting->told, deadline, fault);
    /* The second time all know that all have heard the first. */
    if (result == HCCL_SUCCESS)
        result = swap(mesh, 2, meeting->reads, meeting->is_read, 1, deadline, fault);
    for (uint32_t peer = 0; peer < mesh->rank_count && result == HCCL_SUCCESS; peer++)
        meeting->reads[peer] = peer != mesh->rank && is_peer(&meeting->told[peer], &meeting->heard[peer]);
    if (result == HCCL_SUCCESS)
        result = swap(mesh, 3, meeting->reads, meeting->is_read, 1, deadline, fault);
    return result;
}

HcclResult peer_memory_meet(struct mesh *mesh, const bool *is_here, int64_t deadline,
                            struct mesh_fault *fault)
{
    const size_t ranks = mesh->rank_count;
    struct meeting meeting = {
        (struct introduction *)calloc(ranks, sizeof *meeting.told),
        (struct introduction *)calloc(ranks, sizeof *meeting.heard),
        (uint8_t *)calloc(ranks, 1),
        (uint8_t *)calloc(ranks, 1),
    };
    struct peer_memory *memory = (struct peer_memory *)calloc(ranks, sizeof *memory);
    HcclResult result =
        meeting.told != NULL && meeting.heard != NULL && meeting.reads != NULL && meeting.is_read != NULL &&
                memory != NULL
            ? meet(mesh, &meeting, is_here, deadline, fault)
            : mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %zu ranks", ranks);
    for (uint32_t peer = 0; peer < ranks && result == HCCL_SUCCESS; peer++)
        memory[peer] =
            (struct peer_memory){.process = meeting.reads[peer] ? (pid_t)meeting.heard[peer].process : 0,
                                 .is_shown = peer != mesh->rank && meeting.is_read[peer] != 0};
    if (result == HCCL_SUCCESS)
        mesh->memory = memory;
    else
        free(memory);
    free(meeting.told);
    free(meeting.heard);
    free(meeting.reads);
    free(meeting.is_read);
    return result;
}
