/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Broadcast of two shapes.
 */
#include "ops/broadcast.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SHAPE(...)                                                                         \
    (struct shape)                                                                         \
    {                                                                                      \
        .rank = sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), .dim = { __VA_ARGS__ } \
    }

static bool shapes_are_equal(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof a->dim[0]) == 0;
}

static void assert_broadcast(struct shape a, struct shape b, struct shape expected)
{
    struct shape found;
    assert_true(broadcast(&a, &b, &found));
    assert_true(shapes_are_equal(&found, &expected));
    assert_true(broadcast(&b, &a, &found));
    assert_true(shapes_are_equal(&found, &expected));
}

static void assert_no_broadcast(struct shape a, struct shape b)
{
    struct shape found;
    assert_false(broadcast(&a, &b, &found));
    assert_false(broadcast(&b, &a, &found));
}

static const struct shape scalar = {.rank = 0};

static void sizes_that_are_equal_or_one_broadcast(void **state)
{
    (void)state;
    assert_broadcast(scalar, scalar, scalar);
    assert_broadcast(scalar, SHAPE(3), SHAPE(3));
    assert_broadcast(SHAPE(1), SHAPE(3), SHAPE(3));
    assert_broadcast(SHAPE(1), scalar, SHAPE(1));
    assert_broadcast(SHAPE(2, 3), SHAPE(2, 3), SHAPE(2, 3));
    assert_broadcast(SHAPE(2, 1), SHAPE(3), SHAPE(2, 3));
    assert_broadcast(SHAPE(2, 1, 4), SHAPE(3, 1), SHAPE(2, 3, 4));
    assert_broadcast(SHAPE(1, 1, 1, 1, 1, 1, 1, 5), SHAPE(2, 1, 1, 1, 1, 1, 1, 1),
                     SHAPE(2, 1, 1, 1, 1, 1, 1, 5));
    assert_broadcast(SHAPE(INT64_MAX), SHAPE(1), SHAPE(INT64_MAX));
}

static void other_sizes_do_not(void **state)
{
    (void)state;
    assert_no_broadcast(SHAPE(2), SHAPE(3));
    assert_no_broadcast(SHAPE(2, 3), SHAPE(2));
    assert_no_broadcast(SHAPE(2, 3, 4), SHAPE(2, 1, 3));
}

static void zero_with_one_is_zero_and_with_more_an_error(void **state)
{
    (void)state;
    assert_broadcast(SHAPE(0), SHAPE(1), SHAPE(0));
    assert_broadcast(SHAPE(0), scalar, SHAPE(0));
    assert_broadcast(SHAPE(0), SHAPE(0), SHAPE(0));
    assert_broadcast(SHAPE(2, 0), SHAPE(2, 1), SHAPE(2, 0));
    assert_no_broadcast(SHAPE(0), SHAPE(2));
    assert_no_broadcast(SHAPE(3, 0), SHAPE(3, 4));
}

static void the_result_may_be_one_of_the_shapes(void **state)
{
    (void)state;
    struct shape a = SHAPE(4), b = SHAPE(2, 3, 1), expected = SHAPE(2, 3, 4);
    assert_true(broadcast(&a, &b, &a));
    assert_true(shapes_are_equal(&a, &expected));
    a = SHAPE(4);
    assert_true(broadcast(&a, &b, &b));
    assert_true(shapes_are_equal(&b, &expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_equal_or_one_broadcast),
        cmocka_unit_test(other_sizes_do_not),
        cmocka_unit_test(zero_with_one_is_zero_and_with_more_an_error),
        cmocka_unit_test(the_result_may_be_one_of_the_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
