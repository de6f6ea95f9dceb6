/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Hands each call to the mesh or to the neighbours.
 */
#include "hccl/link.h"

#include <string.h>

#include "hccl/mesh_fault.h"

HcclResult link_exchange(const struct link *link, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault)
{
    if (message_count == 0)
        return HCCL_SUCCESS;
    return link->mesh != NULL ? mesh_exchange(link->mesh, tag, messages, message_count, deadline, fault)
                              : neighbours_exchange(link->neighbours, link->rank, tag, messages,
                                                    message_count, deadline, fault);
}

void link_cancel(const struct link *link)
{
    if (link->mesh != NULL)
        mesh_cancel(link->mesh);
    else
        neighbours_cancel(link->neighbours, link->rank);
}

void link_cut(const struct link *link, uint32_t rank)
{
    unsigned char head[MESH_HEAD_BYTES];
    struct mesh_fault fault;
    /* Gloo closes the connections of a rank that has waited in vain, and by no other call. */
    const struct mesh_message never = {.peer = rank == 0 ? 1 : 0, .receives = true, .head = head};
    if (link->mesh != NULL)
        mesh_exchange(link->mesh, TAG_CUT, &never, 1, monotonic_ns() + 1000000, &fault);
    link_cancel(link);
}

uint64_t link_identity(const struct link *link)
{
    return link->mesh != NULL ? mesh_identity(link->mesh) : (uintptr_t)link->neighbours;
}

void link_close(struct link *link)
{
    if (link->mesh != NULL)
        mesh_close(link->mesh);
    else if (link->neighbours != NULL)
        neighbours_close(link->neighbours, link->rank);
    *link = (struct link){.mesh = NULL};
}

/* Between neighbours the root info is the address of an object, which never leaves the process. */
HcclResult link_describe_root(const struct link *parent, uint32_t rank_count, HcclRootInfo *root,
                              struct mesh_fault *fault)
{
    if (parent->mesh != NULL)
        return mesh_describe_root(root, fault);
    struct neighbours *neighbours = neighbours_create(rank_count);
    if (neighbours == NULL) {
        *fault = (struct mesh_fault){-1, "there is no memory for the ranks"};
        return HCCL_E_MEMORY;
    }
    memset(root, 0, sizeof *root);
    memcpy(root->internal, &neighbours, sizeof neighbours);
    return HCCL_SUCCESS;
}

HcclResult link_join(const struct link *parent, const HcclRootInfo *root, uint32_t rank_count, uint32_t rank,
                     struct link *link, struct mesh_fault *fault)
{
    *link = (struct link){.rank = rank};
    if (parent->mesh != NULL)
        return mesh_join(root, rank_count, rank, &link->mesh, fault);
    memcpy(&link->neighbours, root->internal, sizeof link->neighbours);
    return HCCL_SUCCESS;
}

void link_abandon_root(const struct link *parent, const HcclRootInfo *root, uint32_t untold,
                       uint32_t rank_count)
{
    struct neighbours *neighbours;
    memcpy(&neighbours, root->internal, sizeof neighbours);
    if (parent->mesh != NULL)
        return;
    for (uint32_t rank = untold; rank < rank_count; rank++)
        neighbours_close(neighbours, rank);
    neighbours_close(neighbours, 0);
}
