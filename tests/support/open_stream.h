/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A device and a stream, for groups of tests.
 */
#ifndef BELAY_TESTS_SUPPORT_OPEN_STREAM_H
#define BELAY_TESTS_SUPPORT_OPEN_STREAM_H

#include "acl/acl_rt.h"

static aclrtStream stream;

static inline int open_stream(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0;
}

static inline int close_stream(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

#endif
