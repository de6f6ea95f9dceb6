/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Reserved addresses and what is mapped there: the codes of every call, what other calls see of mappings, the
 * budget, and what happens to work that is under way.
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

enum { PIECE = 2 << 20, PIECES = 8 };
static const size_t MEMORY = (size_t)64 << 20;

static const aclrtPhysicalMemProp device_memory = {.memAttr = ACL_HBM_MEM_HUGE,
                                                   .location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
static unsigned char *base;

static aclrtDrvMemHandle piece(size_t bytes)
{
    aclrtDrvMemHandle handle = NULL;
    assert_int_equal(aclrtMallocPhysical(&handle, bytes, &device_memory, 0), 0);
    return handle;
}

static size_t free_bytes(void)
{
    size_t left, total;
    assert_int_equal(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total), 0);
    assert_int_equal(total, MEMORY);
    return left;
}

static int set_up(void **state)
{
    (void)state;
    base = NULL;
    return aclrtSetDevice(0) != 0 || aclrtReserveMemAddress((void **)&base, PIECES * PIECE, 0, NULL, 0) != 0;
}

static int tear_down(void **state)
{
    (void)state;
    bool is_clean = free_bytes() == MEMORY && aclrtReleaseMemAddress(base) == 0;
    return aclrtResetDevice(0) != 0 || !is_clean;
}

/* Every byte of what is mapped can be written and read, by copies and sets. */
static void expect_usable(unsigned char *start, size_t bytes)
{
    unsigned char *host = malloc(bytes);
    assert_non_null(host);
    assert_int_equal(aclrtMemset(start, bytes, 0x5a, bytes), 0);
    assert_int_equal(aclrtMemcpy(host, bytes, start, bytes, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    for (size_t i = 0; i < bytes; i += 4096)
        assert_int_equal(host[i], 0x5a);
    assert_int_equal(host[bytes - 1], 0x5a);
    free(host);
}

static void expect_end(unsigned char *start, size_t bytes)
{
    assert_int_equal(aclrtMemset(start, bytes + 1, 1, bytes), 0);
    assert_int_equal(aclrtMemset(start, bytes + 1, 1, bytes + 1), 107000);
}

static void neighbouring_mappings_are_one_block_and_a_hole_ends_it(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle[PIECES];
    static const int order[PIECES] = {3, 1, 2, 6, 0, 7, 5, 4};
    for (int i = 0; i < PIECES; i++) {
        handle[order[i]] = piece(PIECE);
        assert_int_equal(aclrtMapMem(base + (size_t)order[i] * PIECE, PIECE, 0, handle[order[i]], 0), 0);
        if (i == 2) {
            expect_usable(base + PIECE, 3 * PIECE);
            expect_end(base + PIECE, 3 * PIECE);
            expect_end(base + PIECE + 5, 3 * PIECE - 5);
            assert_failure(aclrtMemset(base, 1, 0, 1), 107000, "to which nothing is mapped");
            assert_failure(aclrtMemset(base + 4 * PIECE, 1, 0, 1), 107000, "to which nothing is mapped");
        }
    }
    expect_usable(base, PIECES * PIECE);
    assert_int_equal(free_bytes(), MEMORY - PIECES * PIECE);
    aclrtPtrAttributes attributes;
    assert_int_equal(aclrtPointerGetAttributes(base + 3 * PIECE + 17, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(attributes.location.id, 0);

    assert_int_equal(aclrtUnmapMem(base + 3 * PIECE), 0);
    expect_end(base, 3 * PIECE);
    expect_end(base + 4 * PIECE, 4 * PIECE);
    assert_failure(aclrtMemset(base + 3 * PIECE, 1, 0, 1), 107000, "to which nothing is mapped");
    assert_int_equal(aclrtPointerGetAttributes(base + 3 * PIECE, &attributes), 0);
    assert_int_not_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(aclrtMapMem(base + 3 * PIECE, PIECE, 0, handle[3], 0), 0);
    expect_usable(base, PIECES * PIECE);

    static const int back[PIECES] = {0, 7, 4, 5, 2, 1, 6, 3};
    for (int i = 0; i < PIECES; i++) {
        assert_int_equal(aclrtUnmapMem(base + (size_t)back[i] * PIECE), 0);
        assert_int_equal(aclrtFreePhysical(handle[back[i]]), 0);
        for (int k = 0; k < PIECES; k++) {
            bool is_mapped = true;
            for (int j = 0; j <= i; j++)
                is_mapped = is_mapped && back[j] != k;
            assert_int_equal(aclrtMemset(base + (size_t)k * PIECE, PIECE, 1, PIECE), is_mapped ? 0 : 107000);
        }
    }
}

static void a_new_mapping_is_zero_and_its_handle_may_go_before_it(void **state)
{
    (void)state;
    unsigned char byte = 1;
    aclrtDrvMemHandle handle = piece(PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    assert_int_equal(aclrtMemset(base, PIECE, 7, PIECE), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
    assert_failure(aclrtFreePhysical(handle), 107000, "handle was destroyed");
    assert_int_equal(free_bytes(), MEMORY - PIECE);
    expect_usable(base, PIECE);
    assert_int_equal(aclrtUnmapMem(base), 0);
    assert_int_equal(free_bytes(), MEMORY);
    assert_failure(aclrtMapMem(base, PIECE, 0, handle, 0), 107000, "handle was destroyed");

    handle = piece(PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    assert_int_equal(aclrtMemcpy(&byte, 1, base, 1, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_int_equal(byte, 0);
    assert_int_equal(aclrtUnmapMem(base), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
}

static void the_budget_is_that_of_aclrtMalloc(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = piece(MEMORY / 2), other = NULL;
    void *block;
    assert_failure(aclrtMallocPhysical(&other, MEMORY / 2 + 1, &device_memory, 0), 207001,
                   "device 0 has 33554432 of 67108864 bytes left");
    assert_null(other);
    assert_int_equal(aclrtMalloc(&block, MEMORY / 2 + 1, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
    assert_int_equal(aclrtMalloc(&block, MEMORY / 4, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMallocPhysical(&other, MEMORY / 2, &device_memory, 0), 207001);
    assert_int_equal(aclrtFree(block), 0);
    other = piece(MEMORY / 2);
    assert_int_equal(free_bytes(), 0);
    assert_int_equal(aclrtFreePhysical(other), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
    assert_int_equal(aclrtMallocPhysical(&other, SIZE_MAX, &device_memory, 0), 207001);
    /* 1 byte is a whole piece. */
    handle = piece(1);
    assert_int_equal(free_bytes(), MEMORY - PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    assert_int_equal(aclrtUnmapMem(base), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
}

static void reserving_costs_nothing_and_checks_its_arguments(void **state)
{
    (void)state;
    void *address = NULL;
    assert_failure(aclrtReserveMemAddress(NULL, 0, 3, NULL, 2), 100000, "virPtr is NULL");
    assert_failure(aclrtReserveMemAddress(&address, 0, 3, NULL, 2), 100000, "size is 0");
    assert_failure(aclrtReserveMemAddress(&address, 1, 3, NULL, 2), 100000, "flags is 2");
    assert_failure(aclrtReserveMemAddress(&address, 1, 3, NULL, 1), 107000, "alignment is 3");
    assert_failure(aclrtReserveMemAddress(&address, 1, (size_t)1 << 31, NULL, 0), 107000, "alignment is");
    assert_failure(aclrtReserveMemAddress(&address, SIZE_MAX, 0, NULL, 0), 207001, "addresses left");
    assert_failure(aclrtReserveMemAddress(&address, ((size_t)64 << 40) + 1, 0, NULL, 0), 207001,
                   "addresses left");
    assert_null(address);

    assert_int_equal(aclrtReserveMemAddress(&address, 512, 0, NULL, 1), 0);
    assert_int_equal((uintptr_t)address % PIECE, 0);
    assert_int_equal(free_bytes(), MEMORY);
    assert_failure(aclrtReleaseMemAddress((char *)address + 1), 107000, "begins no reservation");
    assert_int_equal(aclrtReleaseMemAddress(address), 0);
    assert_failure(aclrtReleaseMemAddress(address), 107000, "begins no reservation");
    assert_failure(aclrtReleaseMemAddress(NULL), 100000, "virPtr is NULL");
    for (size_t alignment = 1; alignment <= (size_t)1 << 30; alignment *= 2) {
        assert_int_equal(aclrtReserveMemAddress(&address, 3 * PIECE, alignment, NULL, 0), 0);
        assert_int_equal((uintptr_t)address % alignment, 0);
        assert_int_equal((uintptr_t)address % PIECE, 0);
        assert_int_equal(aclrtReleaseMemAddress(address), 0);
    }
    /* A wish that can be had is granted, one that cannot does no harm. */
    void *again = NULL;
    assert_int_equal(aclrtReserveMemAddress(&again, 3 * PIECE, 0, base, 0), 0);
    assert_ptr_not_equal(again, base);
    assert_int_equal(aclrtReleaseMemAddress(again), 0);
}

static void *reserve_without_context(void *unused)
{
    void *address;
    assert_int_equal(aclrtReserveMemAddress(&address, 1, 0, NULL, 0), 107002);
    return unused;
}

static void reserving_needs_a_context(void **state)
{
    (void)state;
    run_in_thread(reserve_without_context, NULL);
}

static void physical_memory_checks_its_properties(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = NULL;
    aclrtPhysicalMemProp prop = device_memory;
    assert_failure(aclrtMallocPhysical(NULL, 0, NULL, 1), 100000, "handle is NULL");
    assert_failure(aclrtMallocPhysical(&handle, 0, NULL, 1), 100000, "prop is NULL");
    assert_failure(aclrtMallocPhysical(&handle, 0, &prop, 1), 100000, "size is 0");
    assert_failure(aclrtMallocPhysical(&handle, 1, &prop, 1), 100000, "flags is 1");
    prop.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    assert_failure(aclrtMallocPhysical(&handle, 1, &prop, 0), 100000, "handleType is 2");
    prop = device_memory;
    prop.allocationType = (aclrtMemAllocationType)1;
    assert_failure(aclrtMallocPhysical(&handle, 1, &prop, 0), 100000, "allocationType is 1");
    prop = device_memory;
    for (int type = 0; type <= 5; type++) {
        static const int codes[] = {200001, 0, 100000, 100000, 200001, 100000};
        prop.location.type = (aclrtMemLocationType)type;
        if (codes[type] != 0)
            assert_failure(aclrtMallocPhysical(&handle, 1, &prop, 0), codes[type], "location");
    }
    prop = device_memory;
    prop.location.id = 1;
    assert_failure(aclrtMallocPhysical(&handle, 1, &prop, 0), 107001, "device 1 does not exist");
    prop.location.id = UINT32_MAX;
    assert_int_equal(aclrtMallocPhysical(&handle, 1, &prop, 0), 107001);
    prop = device_memory;
    for (int attr = -1; attr <= 18; attr++) {
        prop.memAttr = (aclrtMemAttr)attr;
        bool is_hbm = attr >= 0 && attr < 18 && attr != ACL_DDR_MEM && attr != ACL_DDR_MEM_HUGE &&
                      attr != ACL_DDR_MEM_NORMAL && attr != ACL_DDR_MEM_P2P_HUGE &&
                      attr != ACL_DDR_MEM_P2P_NORMAL;
        int status = aclrtMallocPhysical(&handle, 1, &prop, 0);
        assert_int_equal(status, is_hbm ? 0 : 100000);
        if (status == 0)
            assert_int_equal(aclrtFreePhysical(handle), 0);
    }
    assert_failure(aclrtFreePhysical(NULL), 100000, "handle is NULL");
    assert_failure(aclrtFreePhysical(base), 107000, "is not a handle of this library");
    aclrtStream stream;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_failure(aclrtFreePhysical(stream), 107000, "handle is a stream");
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void mapping_checks_its_arguments_and_changes_nothing_then(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = piece(2 * PIECE), other = piece(PIECE);
    assert_failure(aclrtMapMem(NULL, 0, 1, NULL, 1), 100000, "virPtr is NULL");
    assert_failure(aclrtMapMem(base, 0, 1, NULL, 1), 100000, "handle is NULL");
    assert_failure(aclrtMapMem(base, 0, 1, handle, 1), 100000, "size is 0");
    assert_failure(aclrtMapMem(base, 1, 1, handle, 1), 100000, "flags is 1");
    assert_failure(aclrtMapMem(base, 1, 1, handle, 0), 107000, "offset is 1");
    assert_failure(aclrtMapMem(base, PIECE, 0, handle, 0), 107000, "size is 2097152");
    assert_failure(aclrtMapMem(base + 1, 2 * PIECE, 0, handle, 0), 107000, "does not lie in one reservation");
    assert_failure(aclrtMapMem(base + (PIECES - 1) * PIECE, 2 * PIECE, 0, handle, 0), 107000,
                   "does not lie in one reservation");
    assert_failure(aclrtMapMem(base + PIECES * PIECE, 2 * PIECE, 0, handle, 0), 107000, "one reservation");
    assert_failure(aclrtMapMem(&handle, 2 * PIECE, 0, handle, 0), 107000, "one reservation");
    assert_failure(aclrtMapMem(base, 2 * PIECE, 0, base, 0), 107000, "is not a handle of this library");
    assert_int_equal(aclrtMapMem(base + PIECE, 2 * PIECE, 0, handle, 0), 0);
    assert_failure(aclrtMapMem(base + 4 * PIECE, 2 * PIECE, 0, handle, 0), 107000, "mapped already");
    for (int i = 1; i < 3; i++)
        assert_failure(aclrtMapMem(base + i * PIECE, PIECE, 0, other, 0), 107000,
                       "there is memory mapped already");
    assert_failure(aclrtUnmapMem(base + 2 * PIECE), 107000, "no memory is mapped that begins at");
    assert_failure(aclrtUnmapMem(base + PIECE + 1), 107000, "no memory is mapped that begins at");
    assert_failure(aclrtUnmapMem(base), 107000, "no memory is mapped that begins at");
    assert_failure(aclrtUnmapMem(NULL), 100000, "virPtr is NULL");
    assert_failure(aclrtUnmapMem(&handle), 107000, "no memory is mapped that begins at");
    assert_failure(aclrtReleaseMemAddress(base), 107000, "1 pieces of memory are mapped");
    assert_failure(aclrtFree(base + PIECE), 107000, "0 bytes inside 4194304 mapped bytes");
    assert_failure(aclrtFree(base), 107000, "to which nothing is mapped");
    expect_end(base + PIECE, 2 * PIECE);
    assert_int_equal(aclrtUnmapMem(base + PIECE), 0);
    assert_failure(aclrtUnmapMem(base + PIECE), 107000, "no memory is mapped that begins at");
    assert_int_equal(aclrtFreePhysical(handle), 0);
    assert_int_equal(aclrtFreePhysical(other), 0);
}

static void the_granularity_is_2_MiB_or_1_GiB(void **state)
{
    (void)state;
    aclrtPhysicalMemProp prop = device_memory;
    size_t bytes = 7;
    assert_failure(aclrtMemGetAllocationGranularity(NULL, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, NULL), 100000,
                   "prop is NULL");
    assert_failure(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, NULL),
                   100000, "granularity is NULL");
    assert_failure(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &bytes),
                   100000, "option is 65535");
    prop.memAttr = (aclrtMemAttr)18;
    assert_failure(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &bytes),
                   100000, "memAttr is 18");
    assert_int_equal(bytes, 7);
    for (int option = 0; option < 2; option++) {
        prop.memAttr = ACL_HBM_MEM_HUGE;
        assert_int_equal(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)option, &bytes),
                         0);
        assert_int_equal(bytes, PIECE);
        prop.memAttr = ACL_MEM_P2P_HUGE1G;
        assert_int_equal(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)option, &bytes),
                         0);
        assert_int_equal(bytes, 1 << 30);
    }
}

static void *release_after_a_while(void *unused)
{
    sleep_ms(20);
    unblock_stream();
    return unused;
}

static void unmapping_waits_for_work_that_was_queued_before(void **state)
{
    (void)state;
    unsigned char result[16] = {0};
    void *pinned;
    pthread_t thread;
    aclrtStream stream;
    aclrtDrvMemHandle handle = piece(PIECE);
    assert_int_equal(aclrtMallocHost(&pinned, sizeof result), 0);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(block_stream(stream), 0);
    assert_int_equal(aclrtMemsetAsync(base, PIECE, 9, PIECE, stream), 0);
    assert_int_equal(
        aclrtMemcpyAsync(pinned, sizeof result, base, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST, stream), 0);
    assert_int_equal(pthread_create(&thread, NULL, release_after_a_while, NULL), 0);
    assert_int_equal(aclrtUnmapMem(base), 0);
    memcpy(result, pinned, sizeof result);
    for (size_t i = 0; i < sizeof result; i++)
        assert_int_equal(result[i], 9);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
}

static int status_in_callback;

static void unmap_in_callback(void *address)
{
    status_in_callback = aclrtUnmapMem(address);
}

static void a_callback_cannot_wait_for_its_own_work_and_nothing_changes(void **state)
{
    (void)state;
    aclrtStream stream;
    aclrtDrvMemHandle handle = piece(PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, handle, 0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, unmap_in_callback, base), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(status_in_callback, 107000);
    expect_usable(base, PIECE);
    assert_int_equal(aclrtUnmapMem(base), 0);
    assert_int_equal(aclrtFreePhysical(handle), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void the_reset_of_the_device_ends_its_memory_and_leaves_addresses(void **state)
{
    (void)state;
    aclrtDrvMemHandle mapped = piece(PIECE), loose = piece(PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, mapped, 0), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(free_bytes(), MEMORY);
    assert_failure(aclrtMemset(base, 1, 0, 1), 107000, "to which nothing is mapped");
    assert_failure(aclrtFreePhysical(mapped), 107000, "handle was destroyed");
    assert_failure(aclrtFreePhysical(loose), 107000, "handle was destroyed");
    assert_failure(aclrtUnmapMem(base), 107000, "no memory is mapped");
    mapped = piece(PIECE);
    assert_int_equal(aclrtMapMem(base, PIECE, 0, mapped, 0), 0);
    expect_usable(base, PIECE);
    assert_int_equal(aclrtUnmapMem(base), 0);
    assert_int_equal(aclrtFreePhysical(mapped), 0);
}

enum { ROUNDS = 300 };
static _Atomic bool is_over;

/* The pieces on both sides stay mapped, and must be found at any time. */
static void *use_neighbours(void *unused)
{
    assert_int_equal(aclrtSetDevice(0), 0);
    while (!is_over) {
        assert_int_equal(aclrtMemset(base, 64, 1, 64), 0);
        assert_int_equal(aclrtMemset(base + 2 * PIECE, 64, 1, 64), 0);
        int status = aclrtMemset(base + PIECE, 64, 1, 64);
        assert_true(status == 0 || status == 107000);
    }
    assert_int_equal(aclrtResetDevice(0), 0);
    return unused;
}

static void others_never_miss_what_stays_mapped_beside_a_change(void **state)
{
    (void)state;
    pthread_t thread;
    aclrtDrvMemHandle handle[3];
    for (int i = 0; i < 3; i++) {
        handle[i] = piece(PIECE);
        assert_int_equal(aclrtMapMem(base + i * PIECE, PIECE, 0, handle[i], 0), 0);
    }
    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, use_neighbours, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(aclrtUnmapMem(base + PIECE), 0);
        assert_int_equal(aclrtMapMem(base + PIECE, PIECE, 0, handle[1], 0), 0);
    }
    is_over = true;
    assert_int_equal(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclrtUnmapMem(base + i * PIECE), 0);
        assert_int_equal(aclrtFreePhysical(handle[i]), 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(neighbouring_mappings_are_one_block_and_a_hole_ends_it),
        TEST(a_new_mapping_is_zero_and_its_handle_may_go_before_it),
        TEST(the_budget_is_that_of_aclrtMalloc),
        TEST(reserving_costs_nothing_and_checks_its_arguments),
        TEST(reserving_needs_a_context),
        TEST(physical_memory_checks_its_properties),
        TEST(mapping_checks_its_arguments_and_changes_nothing_then),
        TEST(the_granularity_is_2_MiB_or_1_GiB),
        TEST(unmapping_waits_for_work_that_was_queued_before),
        TEST(a_callback_cannot_wait_for_its_own_work_and_nothing_changes),
        TEST(the_reset_of_the_device_ends_its_memory_and_leaves_addresses),
        TEST(others_never_miss_what_stays_mapped_beside_a_change),
    };
    setenv("BELAY_MEMORY", "64M", 1);
    setenv("BELAY_DEVICES", "1", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
