/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Inverses, whose products with the matrices are 1, and the parts of complex numbers; what is refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

static enum layout_kind any_kind(bool is_read)
{
    return (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED);
}

/* Rows of matrices that have no small pivots, in an order of their own, so that they are exchanged. */
static void fill_matrices(const struct layout *self, int64_t size)
{
    layout_fill(self, 0.5, false);
    const int64_t turn = random_below(size);
    for (int64_t i = 0; i < self->count; i++)
        if ((i / size % size + turn) % size == i % size)
            set_element(self, i, element_of(self, i) + (double)size);
}

static void products_with_inverses_are_one(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        const int64_t batches = 1 + random_below(3), size = 1 + random_below(9);
        struct layout self = layout_create(dtypes[round % 3], 3, DIMS(batches, size, size), any_kind(false)),
                      out = layout_create(dtypes[round % 3], 3, DIMS(batches, size, size), any_kind(false));
        fill_matrices(&self, size);
        const union argument argument[] = {argument_of_pointer(self.tensor), argument_of_pointer(out.tensor)};
        assert_int_equal(call_function(find("aclnnInverse"), argument), 0);
        for (int64_t i = 0; i < self.count; i++) {
            const int64_t matrix = i / (size * size) * size, row = i / size % size, column = i % size;
            double sum = 0;
            for (int64_t k = 0; k < size; k++)
                sum += element_of(&self, (matrix + row) * size + k) *
                       element_of(&out, (matrix + k) * size + column);
            if (!(fabs(sum - (row == column)) <= 40 * unit_of(out.dtype)))
                fail_msg("%s: element %lld of the product is %g", dtype_name(out.dtype), (long long)i, sum);
        }
        layout_destroy(&self), layout_destroy(&out);
    }
}

static void a_singular_matrix_has_none(void **state)
{
    (void)state;
    struct layout self = layout_create(ACL_FLOAT, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < 4; i++)
        set_element(&self, i, 1);
    const union argument argument[] = {argument_of_pointer(self.tensor), argument_of_pointer(self.tensor)};
    assert_int_equal(call_function(find("aclnnInverse"), argument), 0);
    for (int64_t i = 0; i < 4; i++)
        assert_true(isfinite(element_of(&self, i)) == 0);
    layout_destroy(&self);
    struct attempt attempt = accepted(find("aclnnInverse"));
    assert_accepted(&attempt);
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "self is expected to have 2 dims or more, the last two");
    replace_dtype(&attempt, 0, ACL_BF16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype BFLOAT16");
    release(&attempt);
}

static void complex_numbers_have_both_parts(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        const aclDataType dtype = round % 2 == 0 ? ACL_FLOAT : ACL_DOUBLE;
        const size_t bytes = round % 2 == 0 ? 4 : 8;
        const int64_t rows = random_below(20), columns = random_below(300);
        struct layout real = layout_create(dtype, 2, DIMS(rows, columns), any_kind(true)),
                      imag = layout_create(dtype, 1, DIMS(round % 3 == 0 ? 1 : columns), any_kind(true)),
                      out = layout_create(round % 2 == 0 ? ACL_COMPLEX64 : ACL_COMPLEX128, 2,
                                          DIMS(rows, columns), any_kind(false));
        layout_fill(&real, 2, FEW_SPECIALS), layout_fill(&imag, 2, FEW_SPECIALS);
        const union argument argument[] = {argument_of_pointer(real.tensor), argument_of_pointer(imag.tensor),
                                           argument_of_pointer(out.tensor)};
        assert_int_equal(call_function(find("aclnnComplex"), argument), 0);
        for (int64_t i = 0; i < out.count; i++) {
            assert_memory_equal(layout_element(&out, i), layout_element(&real, i), bytes);
            assert_memory_equal(layout_element(&out, i) + bytes,
                                layout_element(&imag, imag.count == 1 ? 0 : i % columns), bytes);
        }
        layout_destroy(&real), layout_destroy(&imag), layout_destroy(&out);
    }
    struct attempt attempt = accepted(find("aclnnComplex"));
    replace_dtype(&attempt, 1, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "imag has dtype DOUBLE");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_with_inverses_are_one),
        cmocka_unit_test(a_singular_matrix_has_none),
        cmocka_unit_test(complex_numbers_have_both_parts),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
