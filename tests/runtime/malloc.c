/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclrtMalloc and its relatives, aclrtFree: codes in their order, alignment, slack, reuse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "runtime/memory.h"

static int set_device(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

static void blocks_are_aligned_found_and_writable_with_their_slack(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,       31,      32,           480,     481,     4096,      1000000,
                                   1048544, 1048545, 2097152 - 32, 2097152, 5000000, 64u << 20, 1000};
    void *blocks[sizeof sizes / sizeof sizes[0]];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_int_equal(aclrtMalloc(&blocks[i], sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        assert_int_equal((uintptr_t)blocks[i] % 512, 0);
        memset(blocks[i], (int)i, sizes[i] + 32);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct memory_block block;
        unsigned char *start = (unsigned char *)blocks[i];
        assert_int_equal(start[sizes[i] - 1], i);
        assert_true(memory_find(start, &block));
        assert_true(block.base == (uintptr_t)start && block.bytes == sizes[i]);
        assert_true(block.place == MEMORY_DEVICE && block.device == 0);
        assert_true(memory_find(start + sizes[i] - 1, &block) && block.base == (uintptr_t)start);
        assert_false(memory_find(start + sizes[i], &block));
        assert_int_equal(block.place, MEMORY_UNKNOWN);
        assert_int_equal(aclrtFree(start), 0);
        assert_false(memory_find(start, &block));
        assert_int_equal(aclrtFree(start), 107000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_found_and_writable_with_their_slack),
    };
    return cmocka_run_group_tests(tests, set_device, NULL);
}
