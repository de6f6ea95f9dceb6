/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void counts_elements_and_finds_the_last_one(void **state)
{
    (void)state;
    int64_t count;
    int64_t reach;
    assert_true(view_check(0, NULL, NULL, 7, &count, &reach));
    assert_int_equal(count, 1);
    assert_int_equal(reach, 7);
    assert_true(view_check(3, (int64_t[]){2, 3, 4}, (int64_t[]){100, 0, 5}, 1, &count, &reach));
    assert_int_equal(count, 24);
    assert_int_equal(reach, 1 + 100 + 15);
}

static void an_empty_view_reaches_its_offset_whatever_its_other_dims_are(void **state)
{
    (void)state;
    int64_t count;
    int64_t reach;
    int64_t shape[] = {INT64_MAX, INT64_MAX, 0};
    int64_t stride[] = {INT64_MAX, INT64_MAX, INT64_MAX};
    assert_true(view_check(3, shape, stride, 9, &count, &reach));
    assert_int_equal(count, 0);
    assert_int_equal(reach, 9);
}

static void refuses_negative_numbers_also_where_the_view_is_empty(void **state)
{
    (void)state;
    int64_t count = 42;
    int64_t reach = 43;
    assert_false(view_check(1, (int64_t[]){1}, (int64_t[]){1}, -1, &count, &reach));
    assert_false(view_check(2, (int64_t[]){2, -1}, (int64_t[]){1, 1}, 0, &count, &reach));
    assert_false(view_check(2, (int64_t[]){0, -1}, (int64_t[]){1, 1}, 0, &count, &reach));
    assert_false(view_check(2, (int64_t[]){1, 1}, (int64_t[]){1, -1}, 0, &count, &reach));
    assert_false(view_check(1, (int64_t[]){INT64_MIN}, (int64_t[]){INT64_MIN}, 0, &count, &reach));
    assert_int_equal(count, 42);
    assert_int_equal(reach, 43);
}

static void refuses_what_exceeds_63_bits_by_one(void **state)
{
    (void)state;
    int64_t count;
    int64_t reach;
    assert_true(view_check(1, (int64_t[]){INT64_MAX}, (int64_t[]){1}, 1, &count, &reach));
    assert_true(count == INT64_MAX && reach == INT64_MAX);
    assert_false(view_check(1, (int64_t[]){INT64_MAX}, (int64_t[]){1}, 2, &count, &reach));
    /* 2^63 - 1 = 7 * 7 * 73 * 127 * 337 * 92737 * 649657 */
    assert_true(view_check(2, (int64_t[]){INT64_MAX / 7, 7}, (int64_t[]){0, 0}, 0, &count, &reach));
    assert_true(count == INT64_MAX && reach == 0);
    assert_false(view_check(2, (int64_t[]){INT64_MAX / 7 + 1, 7}, (int64_t[]){0, 0}, 0, &count, &reach));
    assert_false(
        view_check(2, (int64_t[]){INT64_C(1) << 32, INT64_C(1) << 32}, (int64_t[]){0, 0}, 0, &count, &reach));
    assert_true(view_check(1, (int64_t[]){2}, (int64_t[]){INT64_MAX}, 0, &count, &reach));
    assert_false(view_check(1, (int64_t[]){2}, (int64_t[]){INT64_MAX}, 1, &count, &reach));
    assert_false(view_check(1, (int64_t[]){3}, (int64_t[]){INT64_MAX}, 0, &count, &reach));
    /* A stride that is never taken does not count. */
    assert_true(view_check(1, (int64_t[]){1}, (int64_t[]){INT64_MAX}, INT64_MAX, &count, &reach));
}

static void takes_25_dims_of_the_greatest_size_without_overflow(void **state)
{
    (void)state;
    int64_t shape[25];
    int64_t stride[25];
    int64_t count;
    int64_t reach;
    for (int i = 0; i < 25; i++)
        shape[i] = stride[i] = INT64_MAX;
    assert_false(view_check(25, shape, stride, INT64_MAX, &count, &reach));
    for (int i = 0; i < 25; i++)
        shape[i] = 1;
    assert_true(view_check(25, shape, stride, 0, &count, &reach));
    assert_int_equal(count, 1);
}

static void a_view_fits_up_to_the_last_byte_of_its_block(void **state)
{
    (void)state;
    assert_true(view_fits(9, 4, 40));
    assert_false(view_fits(9, 4, 39));
    assert_false(view_fits(10, 4, 40));
    assert_false(view_fits(0, 4, 0));
    assert_true(view_fits(0, 16, 16));
    assert_false(view_fits(0, 16, 15));
    assert_false(view_fits(-1, 1, UINT64_MAX >> 1));
    assert_false(view_fits(INT64_MAX, 16, UINT64_MAX));
    assert_false(view_fits(INT64_MAX, 1, UINT64_C(1) << 63 >> 1));
}

static void a_contiguous_view_has_its_elements_one_behind_the_other(void **state)
{
    (void)state;
    const int64_t shape[] = {2, 3, 4};
    assert_true(view_is_contiguous(0, NULL, NULL));
    assert_true(view_is_contiguous(3, shape, (int64_t[]){12, 4, 1}));
    assert_false(view_is_contiguous(3, shape, (int64_t[]){13, 4, 1}));
    assert_false(view_is_contiguous(3, shape, (int64_t[]){12, 4, 2}));
    assert_false(view_is_contiguous(3, shape, (int64_t[]){12, 0, 1}));
    assert_false(view_is_contiguous(2, (int64_t[]){4, 4}, (int64_t[]){1, 4}));
    assert_true(view_is_contiguous(3, (int64_t[]){1, 3, 1}, (int64_t[]){77, 1, 0}));
    assert_false(view_is_contiguous(2, (int64_t[]){INT64_MAX, INT64_MAX}, (int64_t[]){INT64_MAX, 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_elements_and_finds_the_last_one),
        cmocka_unit_test(an_empty_view_reaches_its_offset_whatever_its_other_dims_are),
        cmocka_unit_test(refuses_negative_numbers_also_where_the_view_is_empty),
        cmocka_unit_test(refuses_what_exceeds_63_bits_by_one),
        cmocka_unit_test(takes_25_dims_of_the_greatest_size_without_overflow),
        cmocka_unit_test(a_contiguous_view_has_its_elements_one_behind_the_other),
        cmocka_unit_test(a_view_fits_up_to_the_last_byte_of_its_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
