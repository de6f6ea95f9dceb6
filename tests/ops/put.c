/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * InplacePut in any layout against a loop over row-major numbers, its rules, and indices that lie in what is
 * written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

/* The index of the element with this row-major number. */
static void find_index(const struct view *view, int64_t number, int64_t *index)
{
    for (uint32_t i = view->rank; i-- > 0; number /= view->shape[i])
        index[i] = number % view->shape[i];
}

static void elements_are_put_and_added(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE,
                                         ACL_INT8,  ACL_INT64,   ACL_BOOL, ACL_COMPLEX64};
    (void)state;
    for (int round = 0; round < times_effort(400); round++) {
        struct view self = draw_output((uint32_t)random_below(5), 9);
        const uint32_t rank = (uint32_t)random_below(3);
        const int64_t rows = random_below(12), columns = 1 + random_below(12), count = rows * columns;
        self.dtype = dtypes[random_below(8)];
        self.arena = 1;
        const bool adds = self.dtype != ACL_BOOL && random_below(2) == 0;
        const int64_t *shape = rank == 2 ? DIMS(columns, rows) : DIMS(count);
        struct view index = draw_index(rank == 2 ? 2 : 1, shape);
        struct view source = rank == 1 ? draw_like(2, self.dtype, 2, DIMS(rows, columns))
                                       : draw_like(2, self.dtype, 1, DIMS(count));
        int64_t at[OPERAND_RANK_MAX] = {0}, from[OPERAND_RANK_MAX] = {0}, to[OPERAND_RANK_MAX] = {0};
        if (is_too_large(&self) || count_of(&self) == 0)
            continue;
        fill_with_numbers(&self);
        if (count > 0)
            fill_with_numbers(&source);
        fill_indices(&index, count_of(&self));
        memset(hits, 0, sizeof hits[0] * (size_t)count_of(&self));
        begin_expecting(&self);
        for (int64_t i = 0; i < count_of(&self); i++) {
            find_index(&self, i, to);
            numbers[i] = number_from(arena[1] + place_of(&self, to), self.dtype);
        }
        for (int64_t i = 0; i < count; i++) {
            find_index(&index, i, at);
            find_index(&source, i, from);
            int64_t number = number_at(&index, at);
            number += number < 0 ? count_of(&self) : 0;
            find_index(&self, number, to);
            const unsigned char *element = arena[2] + place_of(&source, from);
            if (!adds)
                memcpy(expected + place_of(&self, to), element, conversion_bytes(self.dtype));
            numbers[number] =
                reduced(numbers[number], number_from(element, self.dtype), ADD, is_complex(self.dtype));
            hits[number]++;
        }
        for (int64_t i = 0; i < count_of(&self) && adds; i++) {
            find_index(&self, i, to);
            if (hits[i] > 0)
                store_number(numbers[i], expected + place_of(&self, to), self.dtype);
        }
        ASSERT_DONE("aclnnInplacePut", TENSOR(&self), TENSOR(&index), TENSOR(&source),
                    {.argument = argument_of_bool(adds)});
        assert_expected(&self);
    }
}

static void rules_of_its_own(void **state)
{
    (void)state;
    struct view self = plain_view(1, ACL_FLOAT, 2, DIMS(2, 3)), none = plain_view(1, ACL_FLOAT, 1, DIMS(0)),
                source = plain_view(2, ACL_FLOAT, 1, DIMS(2)), other = plain_view(2, ACL_INT32, 1, DIMS(2)),
                index = plain_view(3, ACL_INT64, 1, DIMS(2)), wide = plain_view(3, ACL_INT64, 1, DIMS(3)),
                real = plain_view(3, ACL_FLOAT, 1, DIMS(2));
    const struct given no = {.argument = argument_of_bool(false)};
    ASSERT_REFUSED(CALL("aclnnInplacePut", TENSOR(&self), TENSOR(&wide), TENSOR(&source), no),
                   "source has 2 elements; 3, as index has, are expected");
    ASSERT_REFUSED(CALL("aclnnInplacePut", TENSOR(&self), TENSOR(&index), TENSOR(&other), no), "INT32");
    ASSERT_REFUSED(CALL("aclnnInplacePut", TENSOR(&self), TENSOR(&real), TENSOR(&source), no),
                   "index has dtype");
    ASSERT_REFUSED(CALL("aclnnInplacePut", TENSOR(&none), TENSOR(&index), TENSOR(&source), no),
                   "index has 2 elements; none is expected");
    set_number(&index, DIMS(0), 1);
    set_number(&index, DIMS(1), 6);
    assert_failure(CALL("aclnnInplacePut", TENSOR(&self), TENSOR(&index), TENSOR(&source), no), FAULT,
                   "aclnnInplacePut: index holds 6 at [1]; -6 to 5 are expected");
}

/* Indices are read again piece by piece, but not from where results have been written. */
static void indices_lie_where_results_go(void **state)
{
    enum { COUNT = 3000 };
    (void)state;
    struct view self = plain_view(0, ACL_INT64, 1, DIMS(COUNT)),
                index = plain_view(1, ACL_INT64, 1, DIMS(COUNT)),
                out = plain_view(1, ACL_INT64, 1, DIMS(COUNT));
    out.offset = 5;
    fill_at_random(0, bytes_of(&self));
    fill_indices(&index, COUNT);
    begin_expecting(&out);
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t number = number_at(&index, &i), from = number < 0 ? number + COUNT : number;
        memcpy(expected + place_of(&out, &i), arena[0] + place_of(&self, &from), sizeof(int64_t));
    }
    ASSERT_DONE("aclnnGather", TENSOR(&self), NUMBER(0), TENSOR(&index), TENSOR(&out));
    assert_expected(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_put_and_added),
        cmocka_unit_test(rules_of_its_own),
        cmocka_unit_test(indices_lie_where_results_go),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
