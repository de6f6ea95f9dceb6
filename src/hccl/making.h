/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How communicators come to be: what their configuration says, and the joining itself.
 */
#ifndef BELAY_HCCL_MAKING_H
#define BELAY_HCCL_MAKING_H

#include "hccl/communicator.h"

/* The device that is current, and what a configuration, NULL for none, asks for; else a sentence. rank and
 * rank_count stay the caller's to fill in. */
HcclResult making_read_config(const char *api, const HcclCommConfig *config, char name[COMM_NAME_MAX_LENGTH],
                              struct communicator_shape *shape);

/* A communicator of one rank, which reaches nobody. */
HcclResult making_alone(const char *api, const struct communicator_shape *shape, HcclComm *comm);

/* The arguments' checks that ways to make one have in common; else a sentence. */
HcclResult making_check_rank(const char *api, uint32_t rank, uint32_t rank_count);
HcclResult making_check_pointer(const char *api, const char *argument, const void *pointer);

/* Records why the ranks have not come together. */
HcclResult making_tell(const char *api, HcclResult result, const struct mesh_fault *fault);

/* The communicator of ranks that have met, once they agree on its name; it has default_name where they gave
 * none. Takes the link over. */
HcclResult making_finish(const char *api, struct communicator_shape *shape, const char *default_name,
                         struct link *link, HcclComm *comm);

#endif
