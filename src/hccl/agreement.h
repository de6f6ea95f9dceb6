/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What ranks that make a communicator together compare before it is theirs.
 */
#ifndef BELAY_HCCL_AGREEMENT_H
#define BELAY_HCCL_AGREEMENT_H

#include "hccl/communicator.h"

/*
 * Compares the number of ranks, their order and the name with every other rank of the new communicator, over
 * a link that reaches them: `members` says what each is called there, and NULL that all are called the same.
 * HCCL_E_PARA: they differ, which each rank that differs from another finds; the link goes on. Otherwise as
 * link_exchange.
 */
HcclResult agreement_reach(const struct link *link, uint64_t tag, const struct communicator_shape *shape,
                           const uint32_t *members, int64_t deadline, struct mesh_fault *fault);

#endif
