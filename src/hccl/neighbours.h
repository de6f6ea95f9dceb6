/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Ranks of one process, which hand one another their bytes through memory: what mesh.h says of a mesh holds,
 * and there is one object for all ranks.
 */
#ifndef BELAY_HCCL_NEIGHBOURS_H
#define BELAY_HCCL_NEIGHBOURS_H

#include "hccl/mesh.h"

struct neighbours;

/* For so many ranks, each of which closes its part; NULL: no memory. */
struct neighbours *neighbours_create(uint32_t rank_count);

HcclResult neighbours_exchange(struct neighbours *neighbours, uint32_t rank, uint64_t tag,
                               const struct mesh_message *messages, size_t message_count, int64_t deadline,
                               struct mesh_fault *fault);
void neighbours_cancel(struct neighbours *neighbours, uint32_t rank);
void neighbours_close(struct neighbours *neighbours, uint32_t rank);

#endif
