/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Views that overlap themselves, against a map of all their elements.
 */
#include "ops/overlap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static struct tensor_view make_view(uint32_t rank, const int64_t *shape, const int64_t *stride)
{
    struct tensor_view view = {.dtype = ACL_FLOAT, .rank = rank, .count = 1, .is_possible = true};
    for (uint32_t i = 0; i < rank; i++) {
        view.shape[i] = shape[i];
        view.stride[i] = stride[i];
        view.count *= shape[i];
        view.reach += (shape[i] - 1) * stride[i];
    }
    return view;
}

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

/* Marks every element; true when one is marked twice. */
static bool is_marked_twice(const struct tensor_view *view, unsigned char *marks)
{
    int64_t index[OPERAND_RANK_MAX] = {0};
    bool found = false;
    memset(marks, 0, (size_t)view->reach + 1);
    for (int64_t n = 0; n < view->count && !found; n++) {
        int64_t place = 0;
        for (uint32_t k = 0; k < view->rank; k++)
            place += index[k] * view->stride[k];
        found = marks[place]++ != 0;
        for (uint32_t k = view->rank; k-- > 0 && ++index[k] == view->shape[k];)
            index[k] = 0;
    }
    return found;
}

static void random_views_are_decided_exactly(void **state)
{
    (void)state;
    enum { ROUNDS = 30000 };
    unsigned char *marks = (unsigned char *)malloc(1 << 20);
    unsigned overlapping = 0, free_of_overlap = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        int64_t shape[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
        uint32_t rank = (uint32_t)random_below(9);
        int64_t largest_stride = 1 + random_below(round % 2 == 0 ? 40 : 400);
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = 1 + random_below(rank > 4 ? 3 : 7);
            stride[i] = random_below(8) == 0 ? 0 : random_below(largest_stride);
        }
        struct tensor_view view = make_view(rank, shape, stride);
        bool expected = is_marked_twice(&view, marks);
        overlapping += expected;
        free_of_overlap += !expected;
        if (view_overlaps_itself(&view) != expected)
            fail_msg("round %u: rank %u, expected %d", round, rank, expected);
    }
    free(marks);
    assert_true(overlapping > ROUNDS / 10 && free_of_overlap > ROUNDS / 10);
}

static void the_usual_views_are_free_of_overlap(void **state)
{
    (void)state;
    struct tensor_view contiguous = make_view(3, DIMS(1000, 1000, 1000), DIMS(1000000, 1000, 1));
    assert_false(view_overlaps_itself(&contiguous));
    struct tensor_view permuted = make_view(3, DIMS(1000, 1000, 1000), DIMS(1, 1000000, 1000));
    assert_false(view_overlaps_itself(&permuted));
    struct tensor_view sliced = make_view(2, DIMS(1000, 10), DIMS(64, 3));
    assert_false(view_overlaps_itself(&sliced));
    struct tensor_view scalar = make_view(0, NULL, NULL);
    assert_false(view_overlaps_itself(&scalar));
}

static void strides_of_dims_of_size_one_mean_nothing(void **state)
{
    (void)state;
    struct tensor_view view = make_view(3, DIMS(1, 5, 1), DIMS(0, 1, 3));
    assert_false(view_overlaps_itself(&view));
}

static void an_empty_view_overlaps_nothing(void **state)
{
    (void)state;
    struct tensor_view view = make_view(2, DIMS(4, 0), DIMS(0, 0));
    assert_false(view_overlaps_itself(&view));
}

static void a_stride_of_zero_is_an_overlap_at_any_size(void **state)
{
    (void)state;
    struct tensor_view small = make_view(1, DIMS(2), DIMS(0));
    assert_true(view_overlaps_itself(&small));
    struct tensor_view large = make_view(2, DIMS(INT64_C(1) << 40, 2), DIMS(1, 0));
    assert_true(view_overlaps_itself(&large));
}

static void undecided_views_are_searched_up_to_the_limit(void **state)
{
    (void)state;
    /* Both overlap; the second has one element more than are searched. */
    struct tensor_view searched = make_view(2, DIMS(2, OVERLAP_SEARCH_MAX / 2), DIMS(1, 1));
    assert_true(view_overlaps_itself(&searched));
    struct tensor_view accepted = make_view(2, DIMS(1, OVERLAP_SEARCH_MAX + 1), DIMS(7, 1));
    assert_false(view_overlaps_itself(&accepted));
    accepted = make_view(2, DIMS(2, OVERLAP_SEARCH_MAX / 2 + 1), DIMS(1, 1));
    assert_false(view_overlaps_itself(&accepted));
}

static void interleaved_dims_at_the_limit_are_decided(void **state)
{
    (void)state;
    /* 1024 * a = 1025 * b has no solution with a, b < 1024 but 0; 511 * 1024 = 512 * 1022 does. */
    struct tensor_view apart = make_view(2, DIMS(1024, 1024), DIMS(1024, 1025));
    assert_false(view_overlaps_itself(&apart));
    struct tensor_view touching = make_view(2, DIMS(1024, 1024), DIMS(1024, 1022));
    assert_true(view_overlaps_itself(&touching));
}

static void strides_near_the_end_of_the_range_do_not_overflow(void **state)
{
    (void)state;
    struct tensor_view apart = make_view(2, DIMS(2, 2), DIMS(INT64_MAX / 2, INT64_MAX / 2 + 1));
    assert_false(view_overlaps_itself(&apart));
    struct tensor_view touching = make_view(2, DIMS(2, 2), DIMS(INT64_MAX / 2, INT64_MAX / 2));
    assert_true(view_overlaps_itself(&touching));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_views_are_decided_exactly),
        cmocka_unit_test(the_usual_views_are_free_of_overlap),
        cmocka_unit_test(strides_of_dims_of_size_one_mean_nothing),
        cmocka_unit_test(an_empty_view_overlaps_nothing),
        cmocka_unit_test(a_stride_of_zero_is_an_overlap_at_any_size),
        cmocka_unit_test(undecided_views_are_searched_up_to_the_limit),
        cmocka_unit_test(interleaved_dims_at_the_limit_are_decided),
        cmocka_unit_test(strides_near_the_end_of_the_range_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
