/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where the ranks of one communicator meet: what a root info says.
 */
#ifndef BELAY_HCCL_MEETING_PLACE_H
#define BELAY_HCCL_MEETING_PLACE_H

#include "hccl/address.h"
#include "hccl/mesh_fault.h"

enum { SECRET_BYTES = MESH_IDENTITY_BYTES };

/* It serves one communicator. */
struct meeting_place {
    struct address address;
    uint8_t secret[SECRET_BYTES];
    bool opens_later; /* ranks may come before it is open */
};

void meeting_place_write(HcclRootInfo *root, const struct meeting_place *place);

/* HCCL_E_PARA where it is not what meeting_place_write made; the sentence names the field. */
HcclResult meeting_place_read(const HcclRootInfo *root, struct meeting_place *place,
                              struct mesh_fault *fault);

/* Nanoseconds that making a communicator may take: HCCL_CONNECT_TIMEOUT, in seconds. */
HcclResult connect_timeout(int64_t *timeout_ns, struct mesh_fault *fault);

#endif
