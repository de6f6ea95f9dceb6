/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Temporary memory: blocks have their size and lie on lines, large ones are used again, and never by two.
 */
#include "tensor/scratch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/effort.h"

enum { LARGE = 1 << 20, THREADS = 4, ROUNDS = 2000 };

static void lies_on_a_line(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes < (size_t)1 << 24; bytes = bytes * 3 + 1) {
        unsigned char *scratch = scratch_create(bytes);
        assert_non_null(scratch);
        assert_int_equal((uintptr_t)scratch % 64, 0);
        memset(scratch, 1, bytes);
        scratch_destroy(scratch);
    }
    scratch_destroy(NULL);
    assert_null(scratch_create(SIZE_MAX));
    assert_null(scratch_create(SIZE_MAX / 2 - 64));
}

static void is_used_again(void **state)
{
    (void)state;
    void *const first = scratch_create(LARGE);
    scratch_destroy(first);
    void *const second = scratch_create(LARGE - 1000), *const third = scratch_create(LARGE);
    assert_ptr_equal(second, first);
    assert_ptr_not_equal(third, first);
    scratch_destroy(third);
    scratch_destroy(second);

    /* A block of many times the size is left to others. */
    void *const small = scratch_create(LARGE / 8);
    assert_ptr_not_equal(small, first);
    assert_ptr_not_equal(small, third);
    scratch_destroy(small);
}

static void *use(void *number)
{
    const unsigned char own = (unsigned char)(uintptr_t)number;
    for (size_t round = 0; round < (size_t)times_effort(ROUNDS); round++) {
        const size_t bytes = LARGE / 4 + round % 7 * 4096;
        unsigned char *scratch = scratch_create(bytes);
        if (scratch == NULL)
            return number;
        for (size_t i = 0; i < bytes; i += 4096)
            scratch[i] = own;
        for (size_t i = 0; i < bytes; i += 4096)
            if (scratch[i] != own)
                return number;
        scratch_destroy(scratch);
    }
    return NULL;
}

static void belongs_to_one(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use, (void *)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *fault;
        assert_int_equal(pthread_join(thread[i], &fault), 0);
        assert_null(fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lies_on_a_line),
        cmocka_unit_test(is_used_again),
        cmocka_unit_test(belongs_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
