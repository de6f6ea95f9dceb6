/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each rank tells every other what it makes, and compares. As what is compared names all who take part,
 * either all of them find that they agree, or each finds somebody with whom it does not.
 */
#include "hccl/agreement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hccl/mesh_fault.h"
#include "base/hash.h"

enum { SHOWN_NAME_BYTES = 24 };

/* What one rank tells, as it goes over the connections: all ranks are of one release and one byte order. */
struct agreement {
    uint64_t protocol;
    uint32_t rank_count, rank;
    uint64_t members, name; /* hashes */
    char shown_name[SHOWN_NAME_BYTES];
};
_Static_assert(sizeof(struct agreement) == MESH_HEAD_BYTES, "it is the head of a message");

static const uint64_t PROTOCOL = UINT64_C(0x42656C61796D616B);

static struct agreement agreement_of(const struct communicator_shape *shape, const uint32_t *members)
{
    struct agreement own = {.protocol = PROTOCOL,
                            .rank_count = shape->rank_count,
                            .rank = shape->rank,
                            .name = hash_add(HASH_START, shape->name, strlen(shape->name))};
    if (members != NULL)
        own.members = hash_add(HASH_START, members, shape->rank_count * sizeof *members);
    snprintf(own.shown_name, sizeof own.shown_name, "%s", shape->name);
    return own;
}

/* What rank `peer` has told against the own. */
static HcclResult compare(const struct agreement *own, const struct agreement *other, uint32_t peer,
                          struct mesh_fault *fault)
{
    if (other->protocol != PROTOCOL)
        return mesh_refuse(fault, HCCL_E_PARA, peer,
                           "rank %u speaks another protocol; the same release of Belay on all ranks is "
                           "expected",
                           (unsigned)peer);
    if (other->rank_count != own->rank_count)
        return mesh_refuse(
            fault, HCCL_E_PARA, peer,
            "the caller names %u ranks, and rank %u of those names %u; the same rankIds in the "
            "same order on all ranks are expected",
            (unsigned)own->rank_count, (unsigned)peer, (unsigned)other->rank_count);
    if (other->members != own->members || other->rank != peer)
        return mesh_refuse(
            fault, HCCL_E_PARA, peer,
            "the caller and rank %u of those that it names do not name the same ones in the same "
            "order; the same rankIds in the same order on all ranks are expected",
            (unsigned)peer);
    if (other->name != own->name)
        return mesh_refuse(fault, HCCL_E_PARA, peer,
                           "rank %u calls the communicator '%s' and rank %u '%.*s'; the same hcclCommName on "
                           "all ranks is expected",
                           (unsigned)own->rank, own->shown_name, (unsigned)peer, SHOWN_NAME_BYTES - 1,
                           other->shown_name);
    return HCCL_SUCCESS;
}

HcclResult agreement_reach(const struct link *link, uint64_t tag, const struct communicator_shape *shape,
                           const uint32_t *members, int64_t deadline, struct mesh_fault *fault)
{
    const uint32_t ranks = shape->rank_count;
    struct agreement own = agreement_of(shape, members);
    if (ranks == 1)
        return HCCL_SUCCESS;
    struct agreement *others = (struct agreement *)calloc(ranks, sizeof *others);
    struct mesh_message *messages = (struct mesh_message *)calloc(ranks, 2 * sizeof *messages);
    size_t count = 0;
    HcclResult result = HCCL_SUCCESS;
    if (others == NULL || messages == NULL) {
        free(others);
        free(messages);
        return mesh_refuse(fault, HCCL_E_MEMORY, -1, "there is no memory for %u ranks", (unsigned)ranks);
    }
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const uint32_t peer = members != NULL ? members[rank] : rank;
        if (rank == shape->rank)
            continue;
        messages[count++] = (struct mesh_message){.peer = peer, .receives = true, .head = &others[rank]};
        messages[count++] = (struct mesh_message){.peer = peer, .head = &own};
    }
    result = link_exchange(link, tag, messages, count, deadline, fault);
    for (uint32_t rank = 0; rank < ranks && result == HCCL_SUCCESS; rank++)
        if (rank != shape->rank)
            result = compare(&own, &others[rank], rank, fault);
    free(messages);
    free(others);
    return result;
}
