/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What tests of captures share: streams, device memory that the host reads, and short words for the calls.
 * Include cmocka.h before.
 */
#ifndef BELAY_TESTS_SUPPORT_CAPTURED_H
#define BELAY_TESTS_SUPPORT_CAPTURED_H

#include <stdint.h>

#include "acl/acl.h"

enum { CELLS = 1024 };

static aclrtStream stream, other, third;
static aclrtEvent event, back;
static unsigned char *cells, *pinned; /* device memory, which the host reaches here; pinned host memory */

static inline int captured_set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 || aclrtCreateStream(&other) != 0 ||
        aclrtCreateStream(&third) != 0 || aclrtCreateEvent(&event) != 0 || aclrtCreateEvent(&back) != 0 ||
        aclrtMallocHost((void **)&pinned, CELLS) != 0)
        return -1;
    return aclrtMalloc((void **)&cells, CELLS, ACL_MEM_MALLOC_HUGE_FIRST);
}

static inline int captured_tear_down(void **state)
{
    (void)state;
    return aclrtFree(cells) != 0 || aclrtFreeHost(pinned) != 0 || aclrtDestroyEvent(event) != 0 ||
           aclrtDestroyEvent(back) != 0 || aclrtDestroyStream(stream) != 0 ||
           aclrtDestroyStream(other) != 0 || aclrtDestroyStream(third) != 0 || aclrtResetDevice(0) != 0;
}

static inline void begin(aclmdlRICaptureMode mode)
{
    assert_int_equal(aclmdlRICaptureBegin(stream, mode), 0);
}

static inline aclmdlRI end(void)
{
    aclmdlRI graph = NULL;
    assert_int_equal(aclmdlRICaptureEnd(stream, &graph), 0);
    assert_non_null(graph);
    return graph;
}

/* The end of a capture that has no graph. */
static inline void end_without(int status)
{
    aclmdlRI graph = &graph;
    assert_int_equal(aclmdlRICaptureEnd(stream, &graph), status);
    assert_null(graph);
}

static inline void set(unsigned cell, unsigned char value, aclrtStream where)
{
    assert_int_equal(aclrtMemsetAsync(cells + cell, 1, value, 1, where), 0);
}

/* to = from */
static inline void copy(unsigned to, unsigned from, aclrtStream where)
{
    assert_int_equal(aclrtMemcpyAsync(cells + to, 1, cells + from, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, where), 0);
}

static inline void run(aclmdlRI graph, aclrtStream where)
{
    assert_int_equal(aclmdlRIExecuteAsync(graph, where), 0);
    assert_int_equal(aclrtSynchronizeStream(where), 0);
}

/* The second stream waits for the first. */
static inline void join(aclrtStream first, aclrtEvent between, aclrtStream second)
{
    assert_int_equal(aclrtRecordEvent(between, first), 0);
    assert_int_equal(aclrtStreamWaitEvent(second, between), 0);
}

static inline aclmdlRICaptureStatus status_of(aclrtStream asked)
{
    aclmdlRICaptureStatus status = (aclmdlRICaptureStatus)7;
    assert_int_equal(aclmdlRICaptureGetInfo(asked, &status, NULL), 0);
    return status;
}

#endif
