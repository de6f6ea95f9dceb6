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

/* HcclCommInitRootInfoConfig for a shape that is whole but for its name, where that is empty. */
HcclResult making_join(const char *api, const HcclRootInfo *root, struct communicator_shape *shape,
                        HcclComm *comm);

#endif
