/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How one rank of a communicator reaches the others: over a mesh, or, where all ranks are one process's,
 * through its memory.
 */
#ifndef BELAY_HCCL_LINK_H
#define BELAY_HCCL_LINK_H

#include "hccl/mesh.h"
#include "hccl/neighbours.h"

/* Tags, which are below 2^63: what kind of exchange, its number, and which one of it. */
static const uint64_t TAG_POINT_TO_POINT = UINT64_C(1) << 62, TAG_UPWARDS = UINT64_C(1) << 61,
                      TAG_SUB_COMMUNICATOR = UINT64_C(1) << 60;
enum { TAG_PART_BITS = 12, TAG_PARTS = 1 << TAG_PART_BITS };
static const uint64_t TAG_JOINING = 1, /* numbers begin at 1, so that those below TAG_PARTS are free */
    TAG_CUT = 2;

/* One of the two is not NULL. */
struct link {
    struct mesh *mesh;
    struct neighbours *neighbours;
    uint32_t rank; /* for neighbours */
};

/* mesh_exchange, mesh_cancel and mesh_close of either. */
HcclResult link_exchange(const struct link *link, uint64_t tag, const struct mesh_message *messages,
                         size_t message_count, int64_t deadline, struct mesh_fault *fault);
void link_cancel(const struct link *link);

/* Has the others find that this rank is gone: its connections are closed. An exchange may be under way. */
void link_cut(const struct link *link, uint32_t rank);

void link_close(struct link *link);

/* What the checker knows the ranks by. */
uint64_t link_identity(const struct link *link);

/* mesh_describe_root and mesh_join for ranks that reach one another by this link already, and have agreed on
 * who they are. */
HcclResult link_describe_root(const struct link *parent, uint32_t rank_count, HcclRootInfo *root,
                              struct mesh_fault *fault);
HcclResult link_join(const struct link *parent, const HcclRootInfo *root, uint32_t rank_count, uint32_t rank,
                     struct link *link, struct mesh_fault *fault);

/* Rank 0 does not join after all, nor do those from `untold` on, who do not know of the place: the others
 * find that they have left. The place of a mesh ends by itself. */
void link_abandon_root(const struct link *parent, const HcclRootInfo *root, uint32_t untold,
                       uint32_t rank_count);

#endif
