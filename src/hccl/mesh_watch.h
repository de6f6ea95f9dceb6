/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Ends waits for peers that have gone, where Gloo does not.
 */
#ifndef BELAY_HCCL_MESH_WATCH_H
#define BELAY_HCCL_MESH_WATCH_H

#include "hccl/mesh_state.h"

/* For a mesh whose pairs are connected. */
HcclResult mesh_watch_begin(struct mesh *mesh, struct mesh_fault *fault);
/* Whether it has begun or not. */
void mesh_watch_end(struct mesh *mesh);

#endif
