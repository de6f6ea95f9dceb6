/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Pinned and registered host memory, pointer attributes, cache maintenance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/addresses/memory.h"
#include "support/blocked_stream.h"
#include "support/failure.h"
#include "support/thread.h"

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

static void pinned_memory_is_aligned_found_and_writable(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 64, 5000, 3 << 20};
    for (size_t i = 0; i < 4; i++) {
        unsigned char *memory;
        struct memory_block block;
        assert_int_equal(i % 2 ? aclrtMallocHostWithCfg((void **)&memory, sizes[i], NULL)
                               : aclrtMallocHost((void **)&memory, sizes[i]),
                         0);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 1, sizes[i]);
        assert_true(memory_find(memory + sizes[i] - 1, &block) && block.place == MEMORY_PINNED_HOST);
        assert_failure(aclrtFree(memory), 107000, "of pinned host memory");
        assert_failure(aclrtHostUnregister(memory + sizes[i]), 507911, "registered");
        if (sizes[i] > 1)
            assert_failure(aclrtFreeHost(memory + 1), 107000, "1 bytes inside");
        assert_int_equal(aclrtFreeHost(memory), 0);
        assert_failure(aclrtFreeHost(memory), 107000, "was already freed");
    }
}

static void pinned_memory_is_refused_in_the_order_of_the_contract(void **state)
{
    (void)state;
    void *memory;
    aclrtMallocAttribute attribute = {0};
    aclrtMallocConfig config = {.attrs = NULL, .numAttrs = 1};
    assert_failure(aclrtMallocHost(NULL, 0), 100000, "hostPtr is NULL");
    assert_failure(aclrtMallocHost(&memory, 0), 100000, "size is 0");
    assert_failure(aclrtMallocHost(&memory, SIZE_MAX), 207001, "size is");
    assert_failure(aclrtMallocHostWithCfg(NULL, 0, &config), 100000, "ptr is NULL");
    assert_failure(aclrtMallocHostWithCfg(&memory, 0, &config), 100000, "size is 0");
    assert_failure(aclrtMallocHostWithCfg(&memory, 8, &config), 100000, "attrs is NULL");
    config.numAttrs = 0;
    assert_int_equal(aclrtMallocHostWithCfg(&memory, 8, &config), 0);
    assert_int_equal(aclrtFreeHost(memory), 0);
    config = (aclrtMallocConfig){.attrs = &attribute, .numAttrs = 1};
    assert_int_equal(aclrtMallocHostWithCfg(&memory, 8, &config), 0);
    assert_int_equal(aclrtFreeHost(memory), 0);
    assert_failure(aclrtFreeHost(NULL), 100000, "hostPtr is NULL");
    assert_failure(aclrtFreeHost(&memory), 107000, "is not memory of this library");
    assert_int_equal(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_failure(aclrtFreeHost(memory), 107000, "of device memory");
    assert_int_equal(aclrtFree(memory), 0);
}

static void registered_memory_counts_as_pinned_until_it_is_unregistered(void **state)
{
    (void)state;
    unsigned char *memory = (unsigned char *)malloc(9000), *seen = NULL;
    struct memory_block block;
    assert_non_null(memory);
    assert_int_equal(aclrtHostRegister(memory + 3, 5000, ACL_HOST_REGISTER_MAPPED, (void **)&seen), 0);
    assert_ptr_equal(seen, memory + 3);
    assert_false(memory_find(memory + 2, &block));
    assert_true(memory_find(memory + 3, &block) && memory_find(memory + 5002, &block));
    assert_true(block.base == (uintptr_t)memory + 3 && block.bytes == 5000);
    assert_int_equal(block.place, MEMORY_PINNED_HOST);
    assert_false(memory_find(memory + 5003, &block));

    assert_failure(aclrtHostRegister(memory + 3, 5000, ACL_HOST_REGISTER_MAPPED, NULL), 507910, "already");
    assert_int_equal(aclrtHostRegister(memory, 4, ACL_HOST_REGISTER_MAPPED, NULL), 507910);
    assert_int_equal(aclrtHostRegister(memory + 5002, 1, ACL_HOST_REGISTER_MAPPED, NULL), 507910);
    assert_int_equal(aclrtHostRegister(memory, 9000, ACL_HOST_REGISTER_MAPPED, NULL), 507910);
    const aclrtHostRegisterType both =
        (aclrtHostRegisterType)(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY);
    assert_failure(aclrtHostRegister(memory, 3, both, NULL), 100000, "0, 4 or 8 is expected");
    assert_int_equal(aclrtHostRegisterV2(memory, 3, (uint32_t)both), 0);
    assert_int_equal(aclrtHostUnregister(memory), 0);
    assert_int_equal(aclrtHostRegister(memory, 3, ACL_HOST_REGISTER_READONLY, NULL), 0);
    assert_int_equal(aclrtHostRegisterV2(memory + 5003, 8, ACL_HOST_REGISTER_IOMEMORY), 0);
    assert_int_equal(aclrtHostRegisterV2(memory + 5003, 8, ACL_HOST_REGISTER_IOMEMORY), 507910);

    assert_failure(aclrtFreeHost(memory + 3), 107000, "was registered");
    assert_int_equal(aclrtFree(memory + 3), 107000);
    assert_failure(aclrtHostUnregister(memory + 4), 507911, "first address");
    assert_int_equal(aclrtHostUnregister(memory + 3), 0);
    assert_int_equal(aclrtHostUnregister(memory + 3), 507911);
    assert_false(memory_find(memory + 3, &block));
    assert_int_equal(aclrtHostUnregister(memory), 0);
    assert_int_equal(aclrtHostUnregister(memory + 5003), 0);
    free(memory);
}

static void registration_is_refused_in_the_order_of_the_contract(void **state)
{
    (void)state;
    static char memory[64];
    void *device;
    assert_failure(aclrtHostRegister(NULL, 0, (aclrtHostRegisterType)99, NULL), 100000, "ptr is NULL");
    assert_failure(aclrtHostRegister(memory, 0, (aclrtHostRegisterType)99, NULL), 100000, "size is 0");
    assert_failure(aclrtHostRegister(memory, 8, (aclrtHostRegisterType)1, NULL), 100000, "type is 1");
    assert_failure(aclrtHostRegisterV2(memory, 8, 16), 100000, "type is 16");
    assert_failure(aclrtHostRegisterV2(NULL, 8, 0), 100000, "ptr is NULL");
    assert_failure(aclrtHostRegister(memory, UINT64_MAX, ACL_HOST_REGISTER_MAPPED, NULL), 100000, "address");
    assert_failure(aclrtHostUnregister(NULL), 100000, "ptr is NULL");
    assert_failure(aclrtHostUnregister(memory), 507911, "registered");
    assert_failure(aclrtHostRegister((void *)4096, UINT64_C(1) << 60, ACL_HOST_REGISTER_MAPPED, NULL), 100000,
                   "must be an address");
    assert_int_equal(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_failure(aclrtHostRegister(device, 64, ACL_HOST_REGISTER_MAPPED, NULL), 107000, "of this library");
    assert_int_equal(aclrtFree(device), 0);
}

static void memory_that_is_pinned_already_may_be_registered(void **state)
{
    (void)state;
    unsigned char *pinned, *seen = NULL;
    struct memory_block block;
    assert_int_equal(aclrtMallocHost((void **)&pinned, 4096), 0);
    assert_int_equal(aclrtHostRegister(pinned, 4096, ACL_HOST_REGISTER_MAPPED, (void **)&seen), 0);
    assert_ptr_equal(seen, pinned);
    assert_int_equal(aclrtHostRegisterV2(pinned + 64, 64, 0), 0);
    assert_failure(aclrtHostRegister(pinned + 64, 4096, ACL_HOST_REGISTER_MAPPED, NULL), 107000,
                   "of this library");
    assert_int_equal(aclrtHostUnregister(pinned), 0);
    assert_true(memory_find(pinned, &block) && !block.is_registered && block.bytes == 4096);
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_failure(aclrtHostRegister(pinned, 4096, ACL_HOST_REGISTER_MAPPED, NULL), 107000,
                   "of this library");
    assert_int_equal(aclrtHostUnregister(pinned), 507911);
}

static void registered_memory_is_copied_in_stream_order_as_host_or_device(void **state)
{
    (void)state;
    static unsigned char memory[256];
    unsigned char *device;
    assert_int_equal(aclrtHostRegister(memory, 128, ACL_HOST_REGISTER_MAPPED, NULL), 0);
    assert_int_equal(aclrtMalloc((void **)&device, 256, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    memset(memory, 1, 256);
    memset(device, 0, 256);
    assert_int_equal(block_stream(NULL), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 128, memory, 128, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL), 0);
    memset(memory, 2, 256);
    unblock_stream();
    /* Of this only the first half is registered, so that it is pageable as a whole. */
    assert_int_equal(aclrtMemcpyAsync(device + 128, 128, memory + 64, 128, ACL_MEMCPY_HOST_TO_DEVICE, NULL),
                     0);
    assert_int_equal(aclrtMemcpyAsync(memory + 128, 1, memory, 1, ACL_MEMCPY_DEFAULT, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(memory[128], 2);
    memory[129] = 9;
    assert_int_equal(aclrtMemcpyAsync(memory + 1, 1, memory + 129, 1, ACL_MEMCPY_DEFAULT, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(memory[1], 9);
    assert_failure(aclrtMemcpyAsync(memory + 130, 1, memory + 129, 1, ACL_MEMCPY_DEFAULT, NULL), 207000,
                   "between two places of the host");
    assert_int_equal(aclrtMemFlush(memory, 128), 0);
    assert_failure(aclrtMemFlush(memory, 129), 107000, "host memory");
    assert_int_equal(device[0], 2);
    assert_int_equal(device[127], 2);
    assert_int_equal(device[255], 2);
    assert_int_equal(aclrtHostUnregister(memory), 0);
    assert_int_equal(aclrtMemcpyAsync(device, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL), 107000);
    assert_int_equal(aclrtFree(device), 0);
}

static void as_many_ranges_are_registered_as_there_is_room_for(void **state)
{
    (void)state;
    enum { RANGES = 1 << 16 };
    static char memory[RANGES + 1];
    for (int i = 0; i < RANGES; i++)
        if (aclrtHostRegister(&memory[i], 1, ACL_HOST_REGISTER_MAPPED, NULL) != 0)
            fail_msg("range %d is refused", i);
    assert_failure(aclrtHostRegister(&memory[RANGES], 1, ACL_HOST_REGISTER_MAPPED, NULL), 200000,
                   "65536 ranges are registered");
    assert_true(memory_usable_bytes(&memory[77], 0) == 1);
    for (int i = RANGES; i-- > 0;)
        if (aclrtHostUnregister(&memory[i]) != 0)
            fail_msg("range %d is not known", i);
}

static void attributes_say_where_a_pointer_points(void **state)
{
    (void)state;
    static char memory[64];
    void *device, *large, *pinned;
    aclrtPtrAttributes attributes;
    assert_int_equal(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMalloc(&large, 5 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMallocHost(&pinned, 64), 0);
    memset(&attributes, 0x55, sizeof attributes);
    assert_int_equal(aclrtPointerGetAttributes((char *)device + 63, &attributes), 0);
    assert_true(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == 0);
    assert_true(attributes.pageSize >= 4096 && attributes.rsv[3] == 0);
    assert_int_equal(aclrtPointerGetAttributes((char *)device + 64, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_int_equal(aclrtPointerGetAttributes(large, &attributes), 0);
    assert_int_equal(attributes.pageSize, 2 << 20);
    assert_int_equal(aclrtPointerGetAttributes(pinned, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    assert_int_equal(aclrtPointerGetAttributes(memory, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_int_equal(aclrtHostRegister(memory, 64, ACL_HOST_REGISTER_MAPPED, NULL), 0);
    assert_int_equal(aclrtPointerGetAttributes(memory, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    assert_int_equal(aclrtHostUnregister(memory), 0);
    assert_failure(aclrtPointerGetAttributes(NULL, &attributes), 100000, "ptr is NULL");
    assert_failure(aclrtPointerGetAttributes(memory, NULL), 100000, "attributes is NULL");
    assert_int_equal(aclrtFree(device), 0);
    assert_int_equal(aclrtFree(large), 0);
    assert_int_equal(aclrtFreeHost(pinned), 0);
}

static void cache_maintenance_checks_its_range(void **state)
{
    (void)state;
    aclError (*const functions[])(void *, size_t) = {aclrtMemFlush, aclrtMemInvalidate};
    static char memory[64];
    void *device;
    assert_int_equal(aclrtMallocCached(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(functions[i](device, 64), 0);
        assert_failure(functions[i](NULL, 0), 100000, "devPtr is NULL");
        assert_failure(functions[i](device, 0), 100000, "size is 0");
        assert_failure(functions[i](device, 65), 107000, "past the end");
        assert_failure(functions[i](memory, 64), 107000, "is host memory");
    }
    assert_int_equal(aclrtFree(device), 0);
}

static void *without_context(void *argument)
{
    void *memory;
    static char registered[64];
    assert_int_equal(aclrtMallocHost(&memory, 0), 100000);
    assert_int_equal(aclrtMallocHost(&memory, 8), 107002);
    assert_int_equal(aclrtMallocHostWithCfg(&memory, 8, NULL), 107002);
    assert_int_equal(aclrtHostRegister(registered, 64, ACL_HOST_REGISTER_MAPPED, NULL), 107002);
    assert_int_equal(aclrtMemFlush(registered, 64), 107002);
    assert_int_equal(aclrtFreeHost(argument), 0);
    return NULL;
}

static void a_thread_without_a_context_cannot_allocate_but_can_free(void **state)
{
    (void)state;
    void *memory;
    assert_int_equal(aclrtMallocHost(&memory, 64), 0);
    run_in_thread(without_context, memory);
    assert_int_equal(aclrtFreeHost(memory), 107000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_memory_is_aligned_found_and_writable),
        cmocka_unit_test(pinned_memory_is_refused_in_the_order_of_the_contract),
        cmocka_unit_test(registered_memory_counts_as_pinned_until_it_is_unregistered),
        cmocka_unit_test(registration_is_refused_in_the_order_of_the_contract),
        cmocka_unit_test(memory_that_is_pinned_already_may_be_registered),
        cmocka_unit_test(registered_memory_is_copied_in_stream_order_as_host_or_device),
        cmocka_unit_test(as_many_ranges_are_registered_as_there_is_room_for),
        cmocka_unit_test(attributes_say_where_a_pointer_points),
        cmocka_unit_test(cache_maintenance_checks_its_range),
        cmocka_unit_test(a_thread_without_a_context_cannot_allocate_but_can_free),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
