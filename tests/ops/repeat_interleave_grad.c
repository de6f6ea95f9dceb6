/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of RepeatInterleave: whole tensors in random layouts against a loop over rows; repeats that do
 * not fit fail the work, other arguments the call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

static void rows_are_added_up(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        struct view out = draw_output(1 + (uint32_t)random_below(4), round % 20 == 0 ? 90 : 7);
        const uint32_t rank = out.rank, dim = (uint32_t)random_below(rank);
        const int64_t rows = out.shape[dim], given = random_below(4) == 0 ? 1 : rows;
        int64_t shape[OPERAND_RANK_MAX], at[OPERAND_RANK_MAX] = {0}, to[OPERAND_RANK_MAX], row_of[1024];
        struct view repeats = draw_index(1, &given);
        out.dtype = dtypes[random_below(3)];
        memcpy(shape, out.shape, sizeof shape);
        shape[dim] = 0;
        for (int64_t k = 0, times = 0; k < rows; k++) {
            times = given == 1 && k > 0 ? times : k == 0 ? 1 + random_below(4) : random_below(4);
            set_number(&repeats, &(int64_t){given == 1 ? 0 : k}, times);
            for (int64_t i = 0; i < times; i++)
                row_of[shape[dim]++] = k;
        }
        struct view gradient = draw_like(0, out.dtype, rank, shape);
        if (random_below(4) == 0)
            gradient.arena = out.arena; /* in out's memory */
        if (is_too_large(&gradient) || is_too_large(&out) || count_of(&out) > NUMBERS)
            continue;
        fill_with_numbers(&gradient);
        begin_expecting(&out);
        memset(numbers, 0, sizeof numbers[0] * (size_t)count_of(&out));
        do {
            memcpy(to, at, sizeof to);
            to[dim] = row_of[at[dim]];
            const int64_t place = row_major(&out, to);
            numbers[place] =
                reduced(numbers[place],
                        number_from(arena[gradient.arena] + place_of(&gradient, at), out.dtype), ADD, false);
        } while (next_index(rank, shape, at));
        do
            store_number(numbers[row_major(&out, at)], expected + place_of(&out, at), out.dtype);
        while (next_index(rank, out.shape, at));
        ASSERT_DONE("aclnnRepeatInterleaveGrad", TENSOR(&gradient), TENSOR(&repeats),
                    NUMBER(random_below(2) == 0 ? (int64_t)dim : (int64_t)dim - (int64_t)rank), TENSOR(&out));
        assert_expected(&out);
    }
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    struct view gradient = draw_like(0, ACL_FLOAT, 2, (int64_t[]){4, 3}),
                out = draw_like(1, ACL_FLOAT, 2, (int64_t[]){2, 3});
    struct view repeats = draw_index(1, &(int64_t){2});
    const char *name = "aclnnRepeatInterleaveGrad";
    fill_with_numbers(&gradient);
    static const struct {
        int64_t first, second;
        const char *sentence;
    } faults[] = {{2, 3, "repeats adds up to more than the size of yGrad there, which is 4"},
                  {2, 1, "repeats adds up to less than the size of yGrad there, which is 4"},
                  {5, -1, "repeats holds -1 at [1]; 0 or more is expected"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        set_number(&repeats, &(int64_t){0}, faults[i].first);
        set_number(&repeats, &(int64_t){1}, faults[i].second);
        begin_expecting(&out); /* nothing is written */
        assert_failure(CALL(name, TENSOR(&gradient), TENSOR(&repeats), NUMBER(0), TENSOR(&out)),
                       ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, faults[i].sentence);
        assert_true(is_run);
        assert_expected(&out);
    }
    ASSERT_REFUSED(CALL(name, TENSOR(&gradient), TENSOR(&repeats), NUMBER(2), TENSOR(&out)), "axis is 2");
    ASSERT_REFUSED(CALL(name, TENSOR(&gradient), TENSOR(&repeats), NUMBER(1), TENSOR(&out)), "out");
    struct view matrix = draw_like(3, ACL_INT64, 2, (int64_t[]){2, 1});
    ASSERT_REFUSED(CALL(name, TENSOR(&gradient), TENSOR(&matrix), NUMBER(0), TENSOR(&out)),
                   "yGrad has 2 dims and repeats 2; 1 or more, and 1 at most, are expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_added_up),
        cmocka_unit_test(what_does_not_fit_is_told),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
