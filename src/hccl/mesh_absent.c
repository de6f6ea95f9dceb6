/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What stands in for a mesh where none is built: ranks of other processes cannot be reached.
 */
#include <stdio.h>

#include "hccl/mesh.h"

#define WEAK __attribute__((weak))

static HcclResult refuse(struct mesh_fault *fault)
{
    fault->peer = -1;
    snprintf(fault->sentence, sizeof fault->sentence,
             "ranks of other processes cannot be reached by this build");
    return HCCL_E_NOT_SUPPORT;
}

WEAK HcclResult mesh_describe_root(HcclRootInfo *root, struct mesh_fault *fault)
{
    (void)root;
    return refuse(fault);
}

WEAK HcclResult mesh_join(const HcclRootInfo *root, uint32_t rank_count, uint32_t rank, struct mesh **mesh,
                          struct mesh_fault *fault)
{
    (void)root, (void)rank_count, (void)rank, (void)mesh;
    return refuse(fault);
}

WEAK HcclResult mesh_exchange(struct mesh *mesh, uint64_t tag, const struct mesh_message *messages,
                              size_t message_count, int64_t deadline, struct mesh_fault *fault)
{
    (void)mesh, (void)tag, (void)messages, (void)message_count, (void)deadline;
    return refuse(fault);
}

WEAK void mesh_cancel(struct mesh *mesh)
{
    (void)mesh;
}

WEAK void mesh_close(struct mesh *mesh)
{
    (void)mesh;
}
