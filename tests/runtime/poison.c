/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What the library tells AddressSanitizer of device memory, in a program that stands for it: the functions
 * here are those that the library finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "acl/acl.h"

#pragma GCC visibility push(default)
void __asan_poison_memory_region(const volatile void *address, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *address, size_t bytes);
#pragma GCC visibility pop

/* Bytes of the block under test that may not be touched; kept outside of it, one byte for each. */
enum { SHADOW = 4 << 20 };
static unsigned char shadow[SHADOW];
static uintptr_t watched;

static void mark(const volatile void *address, size_t bytes, unsigned char value)
{
    uintptr_t start = (uintptr_t)address;
    for (uintptr_t at = start; watched != 0 && at < start + bytes; at++)
        if (at >= watched && at < watched + SHADOW)
            shadow[at - watched] = value;
}

void __asan_poison_memory_region(const volatile void *address, size_t bytes)
{
    mark(address, bytes, 1);
}

void __asan_unpoison_memory_region(const volatile void *address, size_t bytes)
{
    mark(address, bytes, 0);
}

static void assert_all(size_t first, size_t end, unsigned char value)
{
    for (size_t i = first; i < end; i++)
        if (shadow[i] != value)
            fail_msg("byte %zu is %s", i, value ? "not poisoned" : "poisoned");
}

static void a_freed_block_is_poisoned_and_a_new_one_is_not(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 100, 512, 5000, 100000, 3 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t beginning =
            sizes[i] < 1 << 16 ? sizes[i] : 1 << 16; /* as much as is poisoned of a large one */
        void *block, *again;
        watched = 0;
        assert_int_equal(aclrtMalloc(&block, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), 0);
        watched = (uintptr_t)block;
        mark(block, SHADOW, 0);
        assert_int_equal(aclrtFree(block), 0);
        assert_all(0, beginning, 1);
        /* The same place is given out again: all that the program asked for is its own, and nothing behind.
         */
        for (int turn = 0; turn < 2; turn++) {
            size_t bytes = sizes[i] - (size_t)turn * (sizes[i] > 1);
            assert_int_equal(aclrtMalloc(&again, bytes, ACL_MEM_MALLOC_HUGE_FIRST), 0);
            assert_ptr_equal(again, block);
            /* 32 bytes behind may be touched, as on the device; then nothing up to the next block. */
            assert_all(0, bytes + 32, 0);
            assert_all(bytes + 32, (bytes + 32 + 511) / 512 * 512, 1);
            assert_int_equal(aclrtFree(again), 0);
            assert_all(0, beginning - (size_t)(sizes[i] > 1), 1);
        }
    }
    watched = 0;
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_freed_block_is_poisoned_and_a_new_one_is_not),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
