/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sets of bytes of views against the same by marking each byte, and the bits of bytes that were written
 * against an array of them.
 */
#include "check/extent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/valid_bytes.h"
#include "support/random.h"

static uint64_t below(uint64_t limit)
{
    return (uint64_t)random_below((int64_t)limit);
}

enum { SPAN = 4096, ROUNDS = 20000, AXES = 4 };

/* Where the views lie: numbers alone, nothing is touched. Two pieces of the bits meet within the span. */
static const uintptr_t BASE = ((uintptr_t)5 << 30) - SPAN / 2;

struct drawn {
    struct access access;
    int64_t shape[AXES], stride[AXES];
    unsigned char marked[SPAN];
};

static void mark(struct drawn *drawn, uint32_t axis, uint64_t at)
{
    if (axis == drawn->access.rank) {
        memset(drawn->marked + at, 1, drawn->access.element_bytes);
        return;
    }
    for (int64_t i = 0; i < drawn->shape[axis]; i++)
        mark(drawn, axis + 1, at + (uint64_t)(i * drawn->stride[axis]) * drawn->access.element_bytes);
}

/* A view within the span, of any order of axes, broadcast and overlapping itself at times. */
static void draw(struct drawn *drawn)
{
    uint64_t reach, start;
    do {
        memset(drawn, 0, sizeof *drawn);
        drawn->access.element_bytes = 1U << below(4);
        drawn->access.rank = (uint32_t)below(AXES + 1);
        start = below(SPAN / 8) * 8;
        reach = 0;
        for (uint32_t i = 0; i < drawn->access.rank; i++) {
            drawn->shape[i] = 1 + (int64_t)below(6);
            drawn->stride[i] = (int64_t)below(below(2) == 0 ? 8 : 100);
            reach += (uint64_t)((drawn->shape[i] - 1) * drawn->stride[i]);
        }
    } while (start + (reach + 1) * drawn->access.element_bytes > SPAN);
    drawn->access.address = (void *)(BASE + start);
    drawn->access.shape = drawn->shape;
    drawn->access.stride = drawn->stride;
    mark(drawn, 0, start);
}

static void an_extent_has_the_bytes_of_its_view(void **state)
{
    (void)state;

    static struct drawn drawn;
    for (int round = 0; round < ROUNDS; round++) {
        struct extent extent;
        unsigned char walked[SPAN] = {0};
        draw(&drawn);
        assert_true(extent_of_access(&drawn.access, &extent));
        struct extent_walk walk = extent_walk(&extent);
        do
            memset(walked + (walk.run - BASE), 1, extent.run);
        while (extent_walk_next(&walk));
        assert_memory_equal(walked, drawn.marked, SPAN);
        assert_int_equal(walked[extent.first - BASE] & walked[extent.end - 1 - BASE], 1);
    }
}

/* Two elements to a byte, the first of each pair the lower half. */
static void elements_of_half_a_byte_have_the_bytes_they_lie_in(void **state)
{
    (void)state;

    for (int round = 0; round < ROUNDS; round++) {
        unsigned char marked[SPAN] = {0}, walked[SPAN] = {0};
        const bool is_even = below(4) > 0;
        const int64_t shape[] = {1 + (int64_t)below(6), 1 + (int64_t)below(9)};
        const int64_t stride[] = {is_even ? 2 * (int64_t)below(20) : 1 + 2 * (int64_t)below(20),
                                  is_even ? 1 : 3};
        const struct access access = {.address = (void *)BASE,
                                      .mode = ACCESS_READ,
                                      .dtype = ACL_INT4,
                                      .element_bytes = 1,
                                      .rank = 2,
                                      .shape = shape,
                                      .stride = stride};
        for (int64_t i = 0; i < shape[0] * shape[1]; i++)
            marked[(i / shape[1] * stride[0] + i % shape[1] * stride[1]) / 2] = 1;
        struct halved_access room;
        const struct access *bytes = access_in_bytes(&access, &room);
        struct extent extent;
        assert_true(extent_of_access(&access, &extent));
        struct extent_walk walk = extent_walk(&extent);
        do
            memset(walked + (walk.run - BASE), 1, extent.run);
        while (extent_walk_next(&walk));
        const bool is_whole = (bytes->mode & ACCESS_PARTLY) == 0;
        assert_true(is_whole || !is_even);
        for (size_t i = 0; i < SPAN; i++)
            assert_true(walked[i] == marked[i] || (!is_whole && walked[i] != 0));
    }
}

static void extents_overlap_where_a_byte_is_in_both(void **state)
{
    (void)state;

    static struct drawn one, other;
    int overlaps = 0, between = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct extent extents[2];
        draw(&one);
        draw(&other);
        assert_true(extent_of_access(&one.access, &extents[0]) &&
                    extent_of_access(&other.access, &extents[1]));
        bool shares = false;
        for (int i = 0; i < SPAN; i++)
            shares |= one.marked[i] && other.marked[i];
        assert_int_equal(extents_overlap(&extents[0], &extents[1]), shares);
        assert_int_equal(extents_overlap(&extents[1], &extents[0]), shares);
        overlaps += shares;
        between += !shares && extents[0].first < extents[1].end && extents[1].first < extents[0].end;
    }
    assert_true(overlaps > ROUNDS / 100 && between > ROUNDS / 100);
}

static void a_view_without_elements_has_no_extent(void **state)
{
    (void)state;
    const int64_t shape[] = {3, 0}, stride[] = {1, 1};
    const struct access access = {
        .address = (void *)BASE, .element_bytes = 4, .rank = 2, .shape = shape, .stride = stride};
    struct extent extent;
    assert_false(extent_of_access(&access, &extent));
}

static void assert_valid_bytes(const unsigned char *valid)
{
    for (uintptr_t first = 0; first < SPAN; first += 61) {
        uintptr_t unset = first;
        while (unset < SPAN && valid[unset])
            unset++;
        assert_int_equal(valid_find_unset(BASE + first, BASE + SPAN), BASE + unset);
    }
}

static void bytes_are_valid_once_they_are_written(void **state)
{
    (void)state;

    static struct drawn drawn;
    static unsigned char valid[SPAN];
    valid_forget(BASE, BASE + SPAN);
    for (int round = 0; round < 500; round++) {
        uint64_t first = below(SPAN), bytes = 1 + below(SPAN - first);
        struct extent extent;
        draw(&drawn);
        assert_true(extent_of_access(&drawn.access, &extent));
        bool covers = true;
        for (int i = 0; i < SPAN; i++)
            covers = covers && (!drawn.marked[i] || valid[i]);
        assert_int_equal(valid_covers(&extent), covers);
        switch (below(4)) {
        case 0:
            valid_forget(BASE + first, BASE + first + bytes);
            memset(valid + first, 0, bytes);
            break;
        case 1: {
            uint64_t to = below(SPAN - bytes + 1);
            valid_copy(BASE + to, BASE + first, bytes);
            memmove(valid + to, valid + first, bytes);
            break;
        }
        default:
            valid_set_extent(&extent);
            for (int i = 0; i < SPAN; i++)
                valid[i] |= drawn.marked[i];
        }
        assert_valid_bytes(valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_extent_has_the_bytes_of_its_view),
        cmocka_unit_test(elements_of_half_a_byte_have_the_bytes_they_lie_in),
        cmocka_unit_test(extents_overlap_where_a_byte_is_in_both),
        cmocka_unit_test(a_view_without_elements_has_no_extent),
        cmocka_unit_test(bytes_are_valid_once_they_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
