/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Trace of numbers whose sums are exact, in any layout against a loop, and its rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/by_index.h"

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE,    ACL_INT8,
                                     ACL_INT32, ACL_INT64,   ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128};

static void diagonals_are_summed(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const aclDataType dtype = dtypes[random_below(10)];
        const int64_t rows = random_below(round % 10 == 0 ? 300 : 20), columns = random_below(20);
        struct view self = draw_like(0, dtype, 2, DIMS(rows, columns));
        struct view out = draw_like(1, is_float(dtype) || is_complex(dtype) ? dtype : ACL_INT64, 0, NULL);
        int64_t at[OPERAND_RANK_MAX] = {0};
        struct number sum = {.integer = 0};
        for (at[0] = 0; at[0] < rows; at[0]++)
            for (at[1] = 0; at[1] < columns; at[1]++) {
                const int64_t whole = dtype == ACL_BOOL ? random_below(2) : random_below(7) - 3;
                const struct number number = {{(double)whole, (double)(1 - whole)}, whole};
                store_number(number, arena[0] + place_of(&self, at), dtype);
                sum = at[0] == at[1] ? reduced(sum, number, ADD, is_complex(dtype)) : sum;
            }
        begin_expecting(&out);
        store_number(sum, expected + place_of(&out, at), out.dtype);
        ASSERT_DONE("aclnnTrace", TENSOR(&self), TENSOR(&out));
        assert_expected(&out);
    }
}

static void rules_of_its_own(void **state)
{
    (void)state;
    struct view self = plain_view(0, ACL_INT32, 2, DIMS(3, 3)), line = plain_view(0, ACL_INT32, 1, DIMS(3)),
                wide = plain_view(1, ACL_INT64, 0, NULL), narrow = plain_view(1, ACL_INT32, 0, NULL),
                one = plain_view(1, ACL_INT64, 1, DIMS(1)), other = plain_view(0, ACL_UINT16, 2, DIMS(3, 3));
    ASSERT_REFUSED(CALL("aclnnTrace", TENSOR(&line), TENSOR(&wide)), "self has 1 dims; 2 are expected");
    ASSERT_REFUSED(CALL("aclnnTrace", TENSOR(&self), TENSOR(&narrow)), "out has dtype INT32; INT64");
    ASSERT_REFUSED(CALL("aclnnTrace", TENSOR(&self), TENSOR(&one)), "out has shape [1]");
    ASSERT_REFUSED(CALL("aclnnTrace", TENSOR(&other), TENSOR(&wide)), "self has dtype UINT16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagonals_are_summed),
        cmocka_unit_test(rules_of_its_own),
    };
    return cmocka_run_group_tests(tests, open_arenas, close_arenas);
}
