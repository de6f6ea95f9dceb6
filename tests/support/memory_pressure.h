/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Asks for more memory than there is: before it is refused, what is kept for reuse goes back to the system.
 */
#ifndef BELAY_TESTS_SUPPORT_MEMORY_PRESSURE_H
#define BELAY_TESTS_SUPPORT_MEMORY_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"

static inline bool is_more_refused(void)
{
    void *block;
    return aclrtMallocHost(&block, (size_t)1 << 46) == 207001;
}

#endif
