/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Quantize by one scale and by one for each index of an axis, in any layout and dtype, against the same by
 * plain loops; what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/losses.h"
#include "support/effort.h"

static struct layout made(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    struct layout layout = layout_create(
        dtype, rank, shape, (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
    if (is_float_dtype(dtype))
        layout_fill(&layout, 30, dtype == ACL_FLOAT);
    return layout;
}

static void numbers_become_integers(void **state)
{
    static const aclDataType dtypes[] = {ACL_INT8, ACL_UINT8, ACL_INT32},
                             zeros[] = {ACL_INT32, ACL_INT8, ACL_UINT8, ACL_FLOAT};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        int64_t shape[LAYOUT_RANK_MAX], inner = 1;
        const unsigned rank = draw_dims(shape, 1, 4, 3000), axis = (unsigned)random_below(rank);
        const int64_t size = random_below(2) == 0 ? 1 : shape[axis];
        const bool has_zeros = random_below(3) != 0;
        const double least = round % 3 == 0   ? -128
                             : round % 3 == 1 ? 0
                                              : -0x1p31,
                     most = round % 3 == 0   ? 127
                            : round % 3 == 1 ? 255
                                             : 0x1p31 - 1;
        struct layout x = made(short_dtypes[random_below(3)], rank, shape, true),
                      scales = made(short_dtypes[random_below(3)], 1, &size, false),
                      points = made(zeros[random_below(4)], 1, &size, false),
                      out = made(dtypes[round % 3], rank, shape, false);
        for (unsigned i = axis + 1; i < rank; i++)
            inner *= shape[i];
        for (int64_t i = 0; i < size; i++) {
            set_element(&scales, i, 0.0625 * (double)(1 + random_below(9)));
            set_element(&points, i, (double)random_below(20));
        }
        const union argument argument[] = {{.tensor = x.tensor},
                                           {.tensor = scales.tensor},
                                           {.tensor = has_zeros ? points.tensor : NULL},
                                           argument_of_integer(out.dtype),
                                           argument_of_integer((int64_t)axis - (round % 2 == 0 ? rank : 0)),
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnQuantize"), argument), 0);
        for (int64_t i = 0; i < x.count; i++) {
            const int64_t number = i / inner % size;
            const float quotient = (float)element_of(&x, i) / (float)element_of(&scales, number);
            const float sum = quotient + (has_zeros ? (float)element_of(&points, number) : 0);
            const double whole = isnan(sum) ? 0 : fmin(fmax(nearbyint((double)sum), least), most);
            if (element_of(&out, i) != whole)
                fail_msg("element %lld is %g and not %g", (long long)i, element_of(&out, i), whole);
        }
        struct layout *const all[] = {&x, &scales, &points, &out};
        for (int i = 0; i < 4; i++)
            layout_destroy(all[i]);
    }
}

static void what_is_not_in_the_contract(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnQuantize"));
    attempt.argument[4].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "axis is 2; -2 to 1 are expected");
    attempt.argument[4].int64 = 0;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scales has 3 elements in 1 dims; 1 or 2");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "zeroPoints has 3 elements in 1 dims; 1 or 1");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    replace(&attempt, 2, tensor_with(ACL_INT32, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "zeroPoints has 1 elements; 2, as scales has");
    attempt.argument[3].int64 = ACL_INT16;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "dtype is INT16");
    attempt.argument[3].int64 = ACL_UINT8;
    replace(&attempt, 2, tensor_with(ACL_INT32, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype INT8");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_become_integers),
        cmocka_unit_test(what_is_not_in_the_contract),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
