/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How tests read and write device memory on the host: where the library does, which the check of memory does
 * not close, and past the check of what was written.
 */
#ifndef BELAY_TESTS_OPS_HOST_SIDE_H
#define BELAY_TESTS_OPS_HOST_SIDE_H

#include <stdlib.h>

#include "acl/acl_rt.h"
#include "runtime/addresses/reach.h"

/* Of a new block of device memory, which counts as written from here on. The block of it is memory_known_as.
 */
static inline void *host_side(void *block, size_t bytes)
{
    if (getenv("BELAY_CHECK") != NULL && bytes > 0)
        (void)aclrtMemset(block, bytes, 0x5a, bytes);
    return memory_reach(block);
}

#endif
