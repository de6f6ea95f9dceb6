/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * HCCL_WHITELIST_FILE: which hosts may come to a rendezvous, where HCCL_WHITELIST_DISABLE is 0.
 */
#ifndef BELAY_HCCL_WHITELIST_H
#define BELAY_HCCL_WHITELIST_H

#include "hccl/address.h"
#include "hccl/mesh_fault.h"

struct whitelist {
    bool is_on;
    size_t count;
    struct address *hosts; /* without ports */
};

/* Reads the file that the environment names. The list is released by whitelist_release. */
HcclResult whitelist_read(struct whitelist *list, struct mesh_fault *fault);
bool whitelist_allows(const struct whitelist *list, const struct address *host);
void whitelist_release(struct whitelist *list);

#endif
