/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMalloc and its relatives, aclrtFree: codes in their order, alignment, slack, reuse.
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
#include "support/child.h"
#include "support/failure.h"
#include "support/thread.h"

typedef aclError malloc_function(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

static aclError malloc_with_cfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocWithCfg(devPtr, size, policy, NULL);
}

static aclError malloc_for_task_scheduler(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocForTaskScheduler(devPtr, size, policy, NULL);
}

static malloc_function *const functions[] = {aclrtMalloc, aclrtMallocAlign32, aclrtMallocCached,
                                             malloc_with_cfg, malloc_for_task_scheduler};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int set_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static void blocks_are_aligned_found_and_writable_with_their_slack(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,       31,      32,      480,     481,     4096,      1000000,
                                   1048544, 1048545, 2097120, 2097152, 5000000, 64u << 20, 1000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    void *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(functions[i % FUNCTIONS](&blocks[i], sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal((uintptr_t)blocks[i] % (sizes[i] > 1u << 20 ? 2u << 20 : 512), 0);
        memset(blocks[i], (int)i, sizes[i] + 32);
    }
    for (size_t i = 0; i < COUNT; i++) {
        struct memory_block block;
        unsigned char *start = (unsigned char *)blocks[i];
        assert_int_equal(start[0], i);
        assert_int_equal(start[sizes[i] + 31], i);
        assert_true(memory_find(start, &block));
        assert_true(block.base == (uintptr_t)start && block.bytes == sizes[i]);
        assert_true(block.place == MEMORY_DEVICE && block.device == 0);
        assert_true(memory_find(start + sizes[i] - 1, &block) && block.base == (uintptr_t)start);
        assert_false(memory_find(start + sizes[i], &block));
        assert_int_equal(block.place, MEMORY_UNKNOWN);
        assert_int_equal(aclrtFree(start), 0);
        assert_false(memory_find(start, &block));
    }
}

static void a_null_pointer_for_the_result_is_refused_before_the_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        assert_int_equal(functions[i](NULL, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
        assert_sentence("devPtr is NULL");
    }
}

static void size_0_and_sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    void *block = &block;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        assert_int_equal(functions[i](&block, 0, ACL_MEM_MALLOC_NORMAL_ONLY), 100000);
        assert_sentence("size is 0");
        assert_int_equal(functions[i](&block, SIZE_MAX, ACL_MEM_MALLOC_NORMAL_ONLY), 100000);
        assert_sentence("size is 18446744073709551615");
    }
    /* The padding of 32 bytes is what overflows; without it the device is out of memory. */
    assert_int_equal(aclrtMalloc(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    assert_int_equal(aclrtMalloc(&block, SIZE_MAX - 63, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
    assert_int_equal(aclrtMalloc(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE1G_ONLY), 207001);
    assert_int_equal(aclrtMallocAlign32(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
    assert_int_equal(aclrtMallocAlign32(&block, SIZE_MAX - 30, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
    assert_ptr_equal(block, &block);
}

static void *without_context(void *argument)
{
    void *block = argument;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        assert_int_equal(functions[i](NULL, 1, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
        assert_int_equal(functions[i](&block, 0, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
        assert_int_equal(functions[i](&block, SIZE_MAX, ACL_MEM_MALLOC_HUGE_FIRST), 100000);
        assert_int_equal(functions[i](&block, SIZE_MAX / 2, ACL_MEM_MALLOC_HUGE_FIRST), 107002);
        assert_int_equal(functions[i](&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), 107002);
    }
    assert_int_equal(aclrtFree(argument), 0);
    return NULL;
}

static void a_thread_without_a_context_cannot_allocate_but_can_free(void **state)
{
    (void)state;
    void *block;
    assert_int_equal(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    run_in_thread(without_context, block);
    struct memory_block found;
    assert_false(memory_find(block, &found));
}

static void every_policy_gives_memory(void **state)
{
    (void)state;
    for (int policy = 0; policy < 10; policy++) {
        void *small, *large;
        aclrtMemMallocPolicy flags = (aclrtMemMallocPolicy)(policy | ACL_MEM_TYPE_HIGH_BAND_WIDTH);
        assert_int_equal(aclrtMalloc(&small, 100, (aclrtMemMallocPolicy)policy), 0);
        assert_int_equal(aclrtMalloc(&large, 3 << 20, flags), 0);
        memset(large, 1, (3 << 20) + 32);
        assert_int_equal(aclrtFree(small), 0);
        assert_int_equal(aclrtFree(large), 0);
    }
}

static void attributes_of_an_allocation_are_checked(void **state)
{
    (void)state;
    void *block;
    struct memory_block found;
    aclrtMallocAttribute attributes[2] = {{.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value = {.moduleId = 3}},
                                          {.attr = ACL_RT_MEM_ATTR_DEVICE_ID, .value = {.deviceId = 1}}};
    aclrtMallocConfig config = {.attrs = attributes, .numAttrs = 2};
    assert_int_equal(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 0);
    assert_true(memory_find(block, &found) && found.device == 1);
    assert_int_equal(aclrtFree(block), 0);

    attributes[1].value.deviceId = 2;
    assert_int_equal(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 107001);
    assert_int_equal(aclrtMallocForTaskScheduler(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 107001);
    attributes[1].attr = (aclrtMallocAttrType)4;
    assert_int_equal(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 100000);
    config.attrs = NULL;
    assert_int_equal(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 100000);
    config.numAttrs = 0;
    assert_int_equal(aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config), 0);
    assert_int_equal(aclrtFree(block), 0);
}

static void only_the_start_of_a_live_block_can_be_freed_and_the_message_says_what_it_is_instead(void **state)
{
    (void)state;
    static const size_t sizes[] = {2000, 5000000};
    unsigned char *block;
    int local = 0;
    assert_int_equal(aclrtFree(NULL), 100000);
    assert_sentence("devPtr is NULL");
    assert_int_equal(aclrtFree(&local), 107000);
    assert_sentence("is not memory of this library");
    assert_int_equal(aclrtFree((void *)UINTPTR_MAX), 107000);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(aclrtMalloc((void **)&block, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtFree(block + 8), 107000);
        assert_sentence("is 8 bytes inside a block of");
        assert_int_equal(aclrtFree(block + sizes[i] + 16), 107000);
        assert_sentence("is 16 bytes past the end of a block of");
        assert_int_equal(aclrtFreeHost(block), 107000);
        assert_sentence("of device memory");
        assert_int_equal(aclrtFree(block), 0);
        assert_int_equal(aclrtFree(block), 107000);
        assert_sentence("was already freed");
        assert_int_equal(aclrtFree(block + 8), 107000);
        assert_sentence("was already freed");
    }
}

static void a_block_of_a_size_that_was_freed_is_used_again(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 500, 70000, 1 << 20, 3 << 20, 700u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *first, *second;
        assert_int_equal(aclrtMalloc(&first, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal(aclrtFree(first), 0);
        assert_int_equal(aclrtMalloc(&second, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_ptr_equal(first, second);
        assert_int_equal(aclrtFree(second), 0);
    }
}

static int have_no_extra_bytes(void)
{
    void *block;
    CHILD_CHECK(aclrtSetDevice(0) == 0);
    CHILD_CHECK(aclrtMalloc(&block, SIZE_MAX - 62, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(aclrtMalloc(&block, SIZE_MAX - 31, ACL_MEM_MALLOC_HUGE_FIRST) == 207001);
    CHILD_CHECK(aclrtMalloc(&block, SIZE_MAX - 30, ACL_MEM_MALLOC_HUGE_FIRST) == 100000);
    return 0;
}

/* A group of its own, before the other, as the library must not have been used yet. */
static void the_950_series_adds_no_32_bytes(void **state)
{
    (void)state;
    assert_int_equal(run_in_child("BELAY_SOC", "Ascend950PR", have_no_extra_bytes), 0);
}

int main(void)
{
    const struct CMUnitTest first_tests[] = {cmocka_unit_test(the_950_series_adds_no_32_bytes)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_found_and_writable_with_their_slack),
        cmocka_unit_test(a_null_pointer_for_the_result_is_refused_before_the_size),
        cmocka_unit_test(size_0_and_sizes_that_overflow_are_refused),
        cmocka_unit_test(a_thread_without_a_context_cannot_allocate_but_can_free),
        cmocka_unit_test(every_policy_gives_memory),
        cmocka_unit_test(attributes_of_an_allocation_are_checked),
        cmocka_unit_test(only_the_start_of_a_live_block_can_be_freed_and_the_message_says_what_it_is_instead),
        cmocka_unit_test(a_block_of_a_size_that_was_freed_is_used_again),
    };
    setenv("BELAY_DEVICES", "2", 1);
    int failed = cmocka_run_group_tests(first_tests, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, set_device, NULL);
}
