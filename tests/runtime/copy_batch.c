/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemcpyBatchAsync: copies in stream order, and which one is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/blocked_stream.h"
#include "support/failure.h"

enum { BYTES = 64, COPIES = 3 };

static aclrtStream stream;
static unsigned char *device, *pinned;

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    return aclrtMallocHost((void **)&pinned, BYTES);
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFreeHost(pinned) != 0 || aclrtFree(device) != 0 || aclrtDestroyStream(stream) != 0 ||
           aclrtResetDevice(0) != 0;
}

static void copies_are_made_in_stream_order_one_after_the_other(void **state)
{
    (void)state;
    /* To the device, within it, and back: each needs the one before. */
    void *to[COPIES] = {device, device + 16, pinned + 32};
    void *from[COPIES] = {pinned, device, device + 16};
    size_t room[COPIES] = {16, 16, 16}, bytes[COPIES] = {16, 16, 16}, failed = 7;
    memset(pinned, 1, BYTES);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclrtMemsetAsync(pinned, BYTES, 5, 16, stream), 0);
    assert_int_equal(aclrtMemcpyBatchAsync(to, room, from, bytes, COPIES, NULL, NULL, 0, &failed, stream), 0);
    assert_true(failed == SIZE_MAX);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(pinned[i], 1);
    /* The arrays are the program's again. */
    memset(to, 0, sizeof to);
    memset(bytes, 0, sizeof bytes);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(pinned[i], i < 16 || (i >= 32 && i < 48) ? 5 : 1);
}

static void the_first_that_is_refused_ends_the_call_and_is_named(void **state)
{
    (void)state;
    void *to[COPIES] = {device, device + BYTES - 8, device + 16};
    void *from[COPIES] = {pinned, pinned, pinned};
    size_t room[COPIES] = {16, 16, 16}, bytes[COPIES] = {16, 16, 16}, failed = 7;
    unsigned char host[BYTES];
    memset(pinned, 9, BYTES);
    assert_int_equal(aclrtMemset(device, BYTES, 2, BYTES), 0);
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, COPIES, NULL, NULL, 0, &failed, stream),
                   107000, "aclrtMemcpyBatchAsync: dst + 16 bytes");
    assert_int_equal(failed, 1);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtMemcpy(host, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(host[i], i < 16 ? 9 : 2);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    void *to[1] = {device}, *from[1] = {pinned};
    size_t room[1] = {8}, bytes[1] = {16}, failed = 7;
    assert_failure(aclrtMemcpyBatchAsync(NULL, room, from, bytes, 1, NULL, NULL, 0, &failed, stream), 100000,
                   "dsts is NULL");
    assert_failure(aclrtMemcpyBatchAsync(to, NULL, from, bytes, 1, NULL, NULL, 0, &failed, stream), 100000,
                   "destMaxs is NULL");
    assert_failure(aclrtMemcpyBatchAsync(to, room, NULL, bytes, 1, NULL, NULL, 0, &failed, stream), 100000,
                   "srcs is NULL");
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, NULL, 1, NULL, NULL, 0, &failed, stream), 100000,
                   "sizes is NULL");
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, 1, NULL, NULL, 0, NULL, stream), 100000,
                   "failIndex is NULL");
    assert_int_equal(failed, 7);
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, 0, NULL, NULL, 0, &failed, stream), 100000,
                   "numBatches is 0");
    assert_true(failed == SIZE_MAX);
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, 1, NULL, NULL, 0, &failed, stream), 107000,
                   "count is 16");
    assert_int_equal(failed, 0);
    room[0] = 16;
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, 1, NULL, NULL, 0, &failed, device), 107017,
                   "stream");
    from[0] = NULL;
    assert_failure(aclrtMemcpyBatchAsync(to, room, from, bytes, 1, NULL, NULL, 0, &failed, stream), 100000,
                   "src is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_made_in_stream_order_one_after_the_other),
        cmocka_unit_test(the_first_that_is_refused_ends_the_call_and_is_named),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
