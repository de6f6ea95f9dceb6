/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Copies of rows: against a plain loop, and their codes in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "support/blocked_stream.h"
#include "support/failure.h"
#include "support/thread.h"

enum { BYTES = 65536 };
static const aclrtMemcpyKind TO_DEVICE = ACL_MEMCPY_HOST_TO_DEVICE;
static const aclrtMemcpyKind TO_HOST = ACL_MEMCPY_DEVICE_TO_HOST;
static const aclrtMemcpyKind ON_DEVICE = ACL_MEMCPY_DEVICE_TO_DEVICE;

static aclrtStream stream;
static unsigned char *device, *device2, *pinned;
static unsigned char host[BYTES], expected[BYTES];

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0 ||
        aclrtMalloc((void **)&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0 ||
        aclrtMalloc((void **)&device2, BYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return -1;
    return aclrtMallocHost((void **)&pinned, BYTES);
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFreeHost(pinned) != 0 || aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

typedef aclError rows_function(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                               size_t height, aclrtMemcpyKind kind);

static aclError rows_async(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                           size_t height, aclrtMemcpyKind kind)
{
    return aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream);
}

static rows_function *const functions[] = {aclrtMemcpy2d, rows_async};

static void fill(unsigned char *bytes, unsigned seed)
{
    for (size_t i = 0; i < BYTES; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(seed >> 24);
    }
}

static void rows_arrive_where_a_plain_loop_puts_them_and_nothing_else_changes(void **state)
{
    (void)state;
    static const size_t shapes[][4] = {/* dpitch, spitch, width, height */
                                       {1, 1, 1, 1},        {1, 1, 1, 1000},         {100, 100, 100, 600},
                                       {100, 90, 80, 50},   {256, 512, 256, 100},    {33, 17, 16, 1900},
                                       {4000, 3000, 1, 15}, {65536, 65536, 65536, 1}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        size_t dpitch = shapes[i][0], spitch = shapes[i][1], width = shapes[i][2], height = shapes[i][3];
        for (int step = 0; step < 6; step++) {
            /* Host to device and back, pageable and pinned; between two places of a device in stream order.
             */
            unsigned char *from = step == 0 ? host : step == 3 ? pinned : device2;
            unsigned char *to = step == 1 ? host : step == 4 ? pinned : device;
            fill(from, (unsigned)i + 1);
            fill(to, (unsigned)step + 100);
            memcpy(expected, to, BYTES);
            for (size_t row = 0; row < height; row++)
                memcpy(expected + row * dpitch, from + row * spitch, width);
            aclrtMemcpyKind kind = step == 5                ? ACL_MEMCPY_DEFAULT
                                   : step == 0 || step == 3 ? TO_DEVICE
                                   : step == 2              ? ON_DEVICE
                                                            : TO_HOST;
            for (size_t k = step == 2 || step == 5 ? 1 : 0; k < 2; k++)
                assert_int_equal(functions[k](to, dpitch, from, spitch, width, height, kind), 0);
            assert_int_equal(aclrtSynchronizeStream(stream), 0);
            assert_memory_equal(to, expected, BYTES);
        }
    }
}

static void arguments_are_checked_in_the_order_of_the_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rows_function *copy = functions[i];
        assert_int_equal(copy(NULL, 0, NULL, 0, 0, 9, (aclrtMemcpyKind)99), 0);
        assert_int_equal(copy(NULL, 0, NULL, 0, 9, 0, (aclrtMemcpyKind)99), 0);
        assert_failure(copy(NULL, 8, host, 8, 9, 2, (aclrtMemcpyKind)99), 100000, "dst is NULL");
        assert_failure(copy(device, 8, NULL, 8, 9, 2, (aclrtMemcpyKind)99), 100000, "src is NULL");
        assert_failure(copy(device, 8, host, 9, 9, 2, (aclrtMemcpyKind)99), 100000, "width is 9");
        assert_failure(copy(device, 9, host, 8, 9, 2, (aclrtMemcpyKind)99), 100000, "width is 9");
        assert_failure(copy(device, 9, host, 9, 9, 2, (aclrtMemcpyKind)99), 100000, "kind is 99");
        assert_failure(copy(host, 9, host + 99, 9, 9, 2, ACL_MEMCPY_HOST_TO_HOST), 100000, "kind is 0");
        assert_failure(copy(device, 9, host, 9, 9, 2, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE), 100000, "kind is 5");
        assert_failure(copy(device, 9, host, 9, 9, 2, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE), 100000,
                       "kind is 6");
    }
}

static void rows_that_leave_a_block_are_refused_on_either_side(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        rows_function *copy = functions[i];
        assert_int_equal(copy(device, 256, pinned, 256, 256, 256, TO_DEVICE), 0);
        assert_failure(copy(device, 256, pinned, 256, 256, 257, TO_DEVICE), 107000, "dst + 65792 bytes");
        assert_failure(copy(pinned, 256, device + 1, 256, 256, 256, TO_HOST), 107000, "src + 65536 bytes");
        assert_int_equal(copy(device + 200, 256, pinned, 256, 56, 256, TO_DEVICE), 0);
        assert_failure(copy(device, SIZE_MAX / 2, pinned, 256, 1, 4, TO_DEVICE), 107000, "address space");
        assert_failure(copy(device, 1, pinned, SIZE_MAX, 1, 2, TO_DEVICE), 107000, "address space");
        assert_failure(copy(device, 1, host, SIZE_MAX / 2, 1, 2, TO_DEVICE), 107000, "memory of the host");
        assert_failure(copy(device, 1, host, (uintptr_t)device - (uintptr_t)host, 1, 3, TO_DEVICE), 107000,
                       "memory of the host");
    }
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
}

static void a_blocking_copy_of_rows_is_between_host_and_device_only(void **state)
{
    (void)state;
    assert_failure(aclrtMemcpy2d(device, 8, device2, 8, 8, 2, ON_DEVICE), 207000, "between host and device");
    assert_int_equal(aclrtMemcpy2d(device, 8, device2, 8, 8, 2, ACL_MEMCPY_DEFAULT), 207000);
    assert_int_equal(aclrtMemcpy2d(device, 8, device2, 8, 8, 2, TO_DEVICE), 207000);
    assert_int_equal(aclrtMemcpy2d(host, 8, pinned, 8, 8, 2, TO_DEVICE), 207000);
    assert_int_equal(aclrtMemcpy2d(device, 8, host, 8, 8, 2, ON_DEVICE), 207000);
    assert_int_equal(aclrtMemcpy2d(device, 8, host, 8, 8, 2, TO_HOST), 0);
    assert_int_equal(aclrtMemcpy2d(host, 8, device, 8, 8, 2, ACL_MEMCPY_DEFAULT), 0);
    /* Registered memory stands for either. */
    static unsigned char registered[16];
    assert_int_equal(aclrtHostRegister(registered, 16, ACL_HOST_REGISTER_MAPPED, NULL), 0);
    memset(host, 44, 16);
    assert_int_equal(aclrtMemcpy2d(registered, 8, host, 8, 8, 2, ACL_MEMCPY_DEFAULT), 0);
    assert_int_equal(registered[15], 44);
    memset(registered, 45, 16);
    assert_int_equal(aclrtMemcpy2d(host, 8, registered, 8, 8, 2, ACL_MEMCPY_DEFAULT), 0);
    assert_int_equal(host[15], 45);
    assert_int_equal(aclrtMemcpy2d(device, 8, registered, 8, 8, 2, ACL_MEMCPY_DEFAULT), 0);
    assert_int_equal(device[15], 45);
    assert_int_equal(aclrtHostUnregister(registered), 0);
}

static void a_copy_of_rows_in_stream_order_needs_a_kind_that_agrees(void **state)
{
    (void)state;
    assert_int_equal(rows_async(device, 8, pinned, 8, 8, 2, TO_HOST), 107000);
    assert_int_equal(rows_async(pinned, 8, device, 8, 8, 2, TO_DEVICE), 107000);
    assert_int_equal(rows_async(device, 8, device2, 8, 8, 2, TO_DEVICE), 107000);
    assert_int_equal(rows_async(host, 8, pinned, 8, 8, 2, ACL_MEMCPY_DEFAULT), 207000);
    aclrtStream stale;
    assert_int_equal(aclrtCreateStream(&stale), 0);
    assert_int_equal(aclrtDestroyStream(stale), 0);
    assert_int_equal(aclrtMemcpy2dAsync(device, 8, pinned, 8, 8, 2, TO_DEVICE, stale), 107017);
    assert_int_equal(aclrtMemcpy2dAsync(device, 7, pinned, 8, 8, 2, TO_DEVICE, stale), 100000);
}

static void rows_are_copied_when_the_stream_comes_to_them(void **state)
{
    (void)state;
    memset(device, 1, BYTES);
    memset(pinned, 2, BYTES);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(rows_async(device, 64, pinned, 64, 32, 10, TO_DEVICE), 0);
    assert_int_equal(device[0], 1);
    memset(pinned, 3, BYTES);
    unblock_stream();
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(device[9 * 64 + 31], 3);
    assert_int_equal(device[9 * 64 + 32], 1);
}

static void *without_context(void *unused)
{
    assert_int_equal(aclrtMemcpy2d(device, 8, host, 8, 0, 2, TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy2d(device, 8, host, 8, 8, 2, (aclrtMemcpyKind)99), 100000);
    assert_int_equal(aclrtMemcpy2d(device, 8, host, 8, 8, 2, ON_DEVICE), 107002);
    assert_int_equal(aclrtMemcpy2dAsync(device, 8, pinned, 8, 8, 2, TO_DEVICE, NULL), 107002);
    return unused;
}

static void a_thread_without_a_context_is_refused_after_the_arguments(void **state)
{
    (void)state;
    run_in_thread(without_context, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_arrive_where_a_plain_loop_puts_them_and_nothing_else_changes),
        cmocka_unit_test(arguments_are_checked_in_the_order_of_the_contract),
        cmocka_unit_test(rows_that_leave_a_block_are_refused_on_either_side),
        cmocka_unit_test(a_blocking_copy_of_rows_is_between_host_and_device_only),
        cmocka_unit_test(a_copy_of_rows_in_stream_order_needs_a_kind_that_agrees),
        cmocka_unit_test(rows_are_copied_when_the_stream_comes_to_them),
        cmocka_unit_test(a_thread_without_a_context_is_refused_after_the_arguments),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
