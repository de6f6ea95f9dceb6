/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A device, for groups of tests that need no stream of their own (open_stream.h has one).
 */
#ifndef BELAY_TESTS_SUPPORT_OPEN_DEVICE_H
#define BELAY_TESTS_SUPPORT_OPEN_DEVICE_H

#include "acl/acl_rt.h"

static inline int open_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static inline int close_device(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

#endif
