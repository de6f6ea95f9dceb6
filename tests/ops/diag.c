/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Diag, Flatten and Real, of which every bit of an element is its source's, in all dtypes and any layout;
 * what is refused.
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
    for (size_t i = 0; i < (size_t)(layout.reach + 1) * layout.bytes; i++)
        layout.memory[i] = (unsigned char)random_bits();
    return layout;
}

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,      ACL_DOUBLE,
                                     ACL_INT8,  ACL_INT16,   ACL_INT32,     ACL_INT64,
                                     ACL_UINT8, ACL_BOOL,    ACL_COMPLEX64, ACL_COMPLEX128};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static void assert_same(const struct layout *out, int64_t i, const struct layout *self, int64_t source)
{
    static const unsigned char zeros[16];
    const void *wanted = source < 0 ? zeros : layout_element(self, source);
    if (memcmp(layout_element(out, i), wanted, out->bytes) != 0)
        fail_msg("element %lld of %lld is not element %lld of self", (long long)i, (long long)out->count,
                 (long long)source);
}

static void vectors_are_diagonals(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const int64_t n = random_below(round % 10 == 0 ? 70 : 7), diagonal = random_below(9) - 4;
        const int64_t side = n + llabs(diagonal), shape[] = {side, side};
        struct layout self = made(dtypes[round % DTYPES], 1, &n, true),
                      out = made(dtypes[round % DTYPES], 2, shape, false);
        const union argument argument[] = {
            {.tensor = self.tensor}, argument_of_integer(diagonal), {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnDiag"), argument), 0);
        for (int64_t i = 0; i < out.count; i++) {
            const int64_t row = i / side, column = i % side;
            assert_same(&out, i, &self, column - row == diagonal ? (diagonal > 0 ? row : column) : -1);
        }
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void diagonals_are_vectors(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const int64_t shape[] = {random_below(9), random_below(9)}, diagonal = random_below(25) - 12;
        int64_t source[9], count = 0;
        for (int64_t i = 0; i < shape[0] * shape[1]; i++)
            if (i % shape[1] - i / shape[1] == diagonal)
                source[count++] = i;
        struct layout self = made(dtypes[round % DTYPES], 2, shape, true),
                      out = made(dtypes[round % DTYPES], 1, &count, false);
        const union argument argument[] = {
            {.tensor = self.tensor}, argument_of_integer(diagonal), {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnDiag"), argument), 0);
        for (int64_t i = 0; i < count; i++)
            assert_same(&out, i, &self, source[i]);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void dims_become_two(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        int64_t shape[LAYOUT_RANK_MAX], sides[] = {1, 1};
        const unsigned rank = draw_dims(shape, 0, 5, 3000);
        const int64_t range = rank > 0 ? rank : 1, axis = random_below(2 * range) - range;
        for (unsigned i = 0; i < rank; i++)
            sides[i >= (axis < 0 ? axis + range : axis)] *= shape[i];
        struct layout self = made(dtypes[round % DTYPES], rank, shape, true),
                      out = made(dtypes[round % DTYPES], 2, sides, false);
        const union argument argument[] = {
            {.tensor = self.tensor}, argument_of_integer(axis), {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnFlatten"), argument), 0);
        for (int64_t i = 0; i < out.count; i++)
            assert_same(&out, i, &self, i);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void numbers_have_real_parts(void **state)
{
    static const aclDataType pairs[][2] = {{ACL_COMPLEX64, ACL_FLOAT}, {ACL_COMPLEX128, ACL_DOUBLE},
                                           {ACL_FLOAT, ACL_FLOAT},     {ACL_DOUBLE, ACL_DOUBLE},
                                           {ACL_FLOAT16, ACL_FLOAT16}, {ACL_BF16, ACL_BF16}};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        int64_t shape[LAYOUT_RANK_MAX];
        const unsigned rank = draw_dims(shape, 0, 4, 3000);
        struct layout self = made(pairs[round % 6][0], rank, shape, true),
                      out = made(pairs[round % 6][1], rank, shape, false);
        const union argument argument[] = {{.tensor = self.tensor}, {.tensor = out.tensor}};
        for (int64_t i = 0; i < self.count; i++) { /* no NaN, which would become canonical */
            const double part = (double)random_below(1000) - 500.5;
            if (self.dtype == ACL_COMPLEX64)
                memcpy(layout_element(&self, i), &(const float){(float)part}, 4);
            if (self.dtype == ACL_COMPLEX128)
                memcpy(layout_element(&self, i), &part, 8);
        }
        assert_int_equal(call_function(find("aclnnReal"), argument), 0);
        for (int64_t i = 0; i < out.count; i++)
            assert_same(&out, i, &self, i);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

static void what_is_not_in_the_contracts(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnDiag"));
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(1, 2, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims; 1 or 2 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has shape");
    const int64_t far[] = {INT64_MIN, INT64_MAX, INT64_C(3037000500)};
    for (int i = 0; i < 3; i++) {
        attempt.argument[1].int64 = far[i];
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "diagonal is ");
    }
    replace_dtype(&attempt, 0, ACL_UINT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype UINT16");
    release(&attempt);
    attempt = accepted(find("aclnnFlatten"));
    attempt.argument[1].int64 = 2;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "axis is 2; -2 to 1 are expected");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(0, INT64_C(1) << 40, INT64_C(1) << 40), NULL));
    attempt.argument[1].int64 = 1;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dims whose product is more than 2^63 - 1");
    release(&attempt);
    attempt = accepted(find("aclnnReal"));
    replace_dtype(&attempt, 0, ACL_COMPLEX128);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype FLOAT");
    replace_dtype(&attempt, 0, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_diagonals),
        cmocka_unit_test(diagonals_are_vectors),
        cmocka_unit_test(dims_become_two),
        cmocka_unit_test(numbers_have_real_parts),
        cmocka_unit_test(what_is_not_in_the_contracts),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
