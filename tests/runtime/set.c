/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMemset and aclrtMemsetAsync: results, ranges, codes in their order.
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
#include "support/thread.h"

enum { BYTES = 4096 };

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
    return aclrtFreeHost(pinned) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

typedef aclError set_function(void *devPtr, size_t maxCount, int32_t value, size_t count);

static aclError set_async(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    return aclrtMemsetAsync(devPtr, maxCount, value, count, stream);
}

static set_function *const functions[] = {aclrtMemset, set_async};

static void bytes_take_the_low_byte_of_the_value_and_their_neighbours_stay(void **state)
{
    (void)state;
    unsigned char host[100];
    unsigned char *const places[] = {device, pinned, host};
    for (size_t i = 0; i < 6; i++) {
        unsigned char *start = places[i / 2];
        memset(start, 1, 100);
        assert_int_equal(functions[i % 2](start + 3, 90, -1234567, 71), 0);
        assert_int_equal(aclrtSynchronizeStream(stream), 0);
        for (size_t k = 0; k < 100; k++)
            assert_int_equal(start[k], k < 3 || k >= 74 ? 1 : (unsigned char)-1234567);
    }
}

static void arguments_are_checked_in_the_order_of_the_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        set_function *set = functions[i];
        assert_int_equal(set(NULL, 0, 0, 0), 0);
        assert_failure(set(NULL, 0, 0, 1), 100000, "devPtr is NULL");
        assert_failure(set(device, 8, 0, 9), 107000, "count is 9");
        assert_failure(set(device, 0, 0, 9), 107000, "count is 9");
        assert_failure(set(device + 1, BYTES, 0, BYTES), 107000, "1 bytes past the end");
        assert_failure(set(device, SIZE_MAX, 0, SIZE_MAX), 107000, "past the end");
        assert_failure(set(pinned + 1, BYTES, 0, BYTES), 107000, "past the end");
    }
    aclrtStream stale;
    assert_int_equal(aclrtCreateStream(&stale), 0);
    assert_int_equal(aclrtDestroyStream(stale), 0);
    assert_int_equal(aclrtMemsetAsync(device, 8, 0, 8, stale), 107017);
    assert_int_equal(aclrtMemsetAsync(device, 8, 0, 0, stale), 0);
    assert_int_equal(aclrtMemsetAsync(device, 8, 0, 8, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static void memory_that_was_freed_is_not_set(void **state)
{
    (void)state;
    void *gone;
    assert_int_equal(aclrtMalloc(&gone, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtFree(gone), 0);
    assert_failure(aclrtMemset(gone, 64, 0, 64), 107000, "already freed");
    assert_failure(set_async(gone, 64, 0, 64), 107000, "already freed");
}

static void a_set_in_stream_order_waits_for_what_is_before_it(void **state)
{
    (void)state;
    memset(device, 1, BYTES);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(set_async(device, BYTES, 2, BYTES), 0);
    assert_int_equal(device[0], 1);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(device[BYTES - 1], 2);
}

static void *without_context(void *unused)
{
    assert_int_equal(aclrtMemset(NULL, 8, 0, 8), 100000);
    assert_int_equal(aclrtMemset(device, 7, 0, 8), 107002);
    assert_int_equal(aclrtMemset(device, 8, 0, 8), 107002);
    assert_int_equal(aclrtMemsetAsync(device, 7, 0, 8, NULL), 107002);
    assert_int_equal(aclrtMemsetAsync(device, 8, 0, 8, NULL), 107002);
    return unused;
}

static void a_thread_without_a_context_is_refused(void **state)
{
    (void)state;
    run_in_thread(without_context, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_take_the_low_byte_of_the_value_and_their_neighbours_stay),
        cmocka_unit_test(arguments_are_checked_in_the_order_of_the_contract),
        cmocka_unit_test(memory_that_was_freed_is_not_set),
        cmocka_unit_test(a_set_in_stream_order_waits_for_what_is_before_it),
        cmocka_unit_test(a_thread_without_a_context_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
