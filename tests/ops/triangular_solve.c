/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * TriangularSolve against substitution in long double, in any layout and dtype, with batches that broadcast;
 * and the cross entropy of rows against its formula; and calls that are refused.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_stream.h"

#include <complex.h>

static long double complex number_of_element(const struct layout *layout, int64_t index)
{
    double value[2] = {0, 0};
    const bool has_parts = is_complex_dtype(layout->dtype);
    conversion_reference(layout_element(layout, index), layout->dtype, value,
                         has_parts ? ACL_COMPLEX128 : ACL_DOUBLE);
    long double complex number;
    const long double parts[2] = {(long double)value[0], (long double)value[1]};
    memcpy(&number, parts, sizeof number);
    return number;
}

/* Numbers of about 1 and a diagonal of about 3, so that the solution is well conditioned. */
static void fill_matrix(const struct layout *matrix, int64_t size)
{
    layout_fill(matrix, 0.5, false);
    for (int64_t i = 0; i < matrix->count; i++)
        if (i % (size * size) % (size + 1) == 0) {
            const double value[] = {3 + draw_number(0.5, false), 0.25};
            conversion_reference(value, is_complex_dtype(matrix->dtype) ? ACL_COMPLEX128 : ACL_DOUBLE,
                                 layout_element(matrix, i), matrix->dtype);
        }
}

struct flags {
    bool upper, transpose, unit;
};

/* Matrix number `of` of a side that has as many as the result, or one for all. */
static int64_t own(const struct layout *layout, int64_t of, int64_t elements)
{
    return layout->count == elements ? 0 : of * elements;
}

static void check_solution(const struct layout *self, const struct layout *a, const struct layout *x,
                           const struct layout *m, struct flags flags, int64_t n, int64_t k)
{
    const int64_t batches = m->count / (n * n);
    const bool is_short = x->dtype == ACL_FLOAT || x->dtype == ACL_COMPLEX64;
    for (int64_t batch = 0; batch < batches; batch++) {
        const int64_t first = own(a, batch, n * n), given = own(self, batch, n * k);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                const long double complex wanted = number_of_element(a, first + i * n + j);
                assert_true(number_of_element(m, (batch * n + i) * n + j) == wanted);
            }
        /* A X = B by what was found: each row's error is of the size of its terms. */
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < k; c++) {
                long double complex sum = 0;
                long double size = 0;
                for (int64_t j = 0; j < n; j++) {
                    const int64_t row = flags.transpose ? j : i, column = flags.transpose ? i : j;
                    long double complex factor = number_of_element(a, first + row * n + column);
                    if (row == column && flags.unit)
                        factor = 1;
                    else if (flags.upper ? column < row : column > row)
                        factor = 0;
                    const long double complex term = factor * number_of_element(x, batch * n * k + j * k + c);
                    sum += term;
                    size += cabsl(term);
                }
                const long double complex wanted = number_of_element(self, given + i * k + c);
                const long double bound =
                    (size + cabsl(wanted)) * (is_short ? 0x1p-24L : 0x1p-53L) * (long double)(n + 4);
                if (!(cabsl(sum - wanted) <= bound))
                    fail_msg("row %lld of %lld: %Lg apart from %Lg", (long long)i, (long long)n,
                             cabsl(sum - wanted), cabsl(wanted));
            }
    }
}

static void systems_are_solved(void **state)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t n = 1 + random_below(20), k = 1 + random_below(20), batch = 1 + random_below(4);
        const aclDataType dtype = dtypes[random_below(4)];
        const struct flags flags = {random_below(2) == 0, random_below(2) == 0, random_below(2) == 0};
        const int64_t all_b[] = {batch, n, k}, all_a[] = {batch, n, n};
        const int one = (int)random_below(3); /* side that has one matrix for all */
        struct layout self = layout_create(dtype, one == 1 ? 2 : 3, all_b + (one == 1),
                                           (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout a = layout_create(dtype, one == 2 ? 2 : 3, all_a + (one == 2),
                                        (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout x = layout_create(dtype, 3, all_b, (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout m = layout_create(dtype, 3, all_a, (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&self, 2, false);
        fill_matrix(&a, n);
        const union argument argument[] = {{.tensor = self.tensor},       {.tensor = a.tensor},
                                           argument_of_bool(flags.upper), argument_of_bool(flags.transpose),
                                           argument_of_bool(flags.unit),  {.tensor = x.tensor},
                                           {.tensor = m.tensor}};
        assert_int_equal(call_function(find("aclnnTriangularSolve"), argument), 0);
        check_solution(&self, &a, &x, &m, flags, n, k);
        layout_destroy(&self);
        layout_destroy(&a);
        layout_destroy(&x);
        layout_destroy(&m);
    }
}

/* Without right sides there is still A; a diagonal of 0 divides. */
static void borders_of_systems(void **state)
{
    (void)state;
    struct layout none = layout_create(ACL_FLOAT, 2, DIMS(2, 0), LAYOUT_CONTIGUOUS),
                  a = layout_create(ACL_FLOAT, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  m = layout_create(ACL_FLOAT, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  b = layout_create(ACL_FLOAT, 2, DIMS(2, 1), LAYOUT_CONTIGUOUS);
    const float numbers[] = {2, 5, 7, 0};
    memcpy(a.memory, numbers, sizeof numbers);
    union argument argument[] = {{.tensor = none.tensor}, {.tensor = a.tensor},    argument_of_bool(true),
                                 argument_of_bool(false), argument_of_bool(false), {.tensor = none.tensor},
                                 {.tensor = m.tensor}};
    assert_int_equal(call_function(find("aclnnTriangularSolve"), argument), 0);
    assert_memory_equal(m.memory, numbers, sizeof numbers);
    memcpy(b.memory, ((const float[]){1, 1}), 8);
    argument[0].tensor = argument[5].tensor = b.tensor; /* in place */
    assert_int_equal(call_function(find("aclnnTriangularSolve"), argument), 0);
    assert_memory_equal(b.memory, ((const float[]){-INFINITY, INFINITY}), 8);
    layout_destroy(&none);
    layout_destroy(&a);
    layout_destroy(&m);
    layout_destroy(&b);
}

static void cross_entropies(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t rows = 1 + random_below(20), classes = 1 + random_below(200);
        const aclDataType dtype = short_dtypes[random_below(3)];
        struct layout x =
            layout_create(dtype, 2, DIMS(rows, classes), (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout y =
            layout_create(dtype, 2, DIMS(rows, classes), (enum layout_kind)random_below(LAYOUT_KINDS));
        struct layout loss =
            layout_create(dtype, 1, DIMS(rows), (enum layout_kind)random_below(LAYOUT_REPEATED));
        struct layout backprop =
            layout_create(dtype, 2, DIMS(rows, classes), (enum layout_kind)random_below(LAYOUT_REPEATED));
        layout_fill(&x, 8, random_below(4) == 0 ? FEW_SPECIALS : NO_SPECIALS);
        layout_fill(&y, 1, false);
        for (int64_t i = 0; i < y.count; i += 3)
            set_element(&y, i, 0);
        const union argument argument[] = {
            {.tensor = x.tensor}, {.tensor = y.tensor}, {.tensor = loss.tensor}, {.tensor = backprop.tensor}};
        assert_int_equal(call_function(find("aclnnSoftmaxCrossEntropyWithLogits"), argument), 0);
        for (int64_t row = 0; row < rows; row++) {
            long double most = -(long double)INFINITY, sum = 0, wanted = 0, size = 0;
            for (int64_t c = row * classes; c < (row + 1) * classes; c++)
                most = fmaxl(most, (long double)element_of(&x, c));
            for (int64_t c = row * classes; c < (row + 1) * classes; c++)
                sum += expl((long double)element_of(&x, c) - most);
            for (int64_t c = row * classes; c < (row + 1) * classes; c++) {
                const long double label = (long double)element_of(&y, c),
                                  at = (long double)element_of(&x, c) - most;
                const long double term = label == 0 && !isnan(sum) ? 0 : label * (at - logl(sum));
                wanted -= term;
                size += fabsl(term);
                assert_near("backprop", &backprop, c, expl(at) / sum - label, dtype, 0x1p-45L);
            }
            assert_near("loss", &loss, row, wanted, dtype, isfinite((double)size) ? size * 0x1p-40L : 0);
        }
        layout_destroy(&x);
        layout_destroy(&y);
        layout_destroy(&loss);
        layout_destroy(&backprop);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnTriangularSolve"));
    replace_dtype(&attempt, 1, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "A has dtype DOUBLE");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has shape [2, 3, 2] and A [2, 3, 2]; square");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 3, DIMS(3, 3, 3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                   "self has shape [2, 3, 2] and A [3, 3, 3]; dims that broadcast");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has 3 dims and A 1; 2 or more are expected");
    release(&attempt);
    attempt = accepted(find("aclnnSoftmaxCrossEntropyWithLogits"));
    replace_dtype(&attempt, 1, ACL_FLOAT16);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "labels has dtype FLOAT16");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(3, 2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "labels has shape [3, 2]");
    replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "features has 1 dims; 2 are expected");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_are_solved),
        cmocka_unit_test(borders_of_systems),
        cmocka_unit_test(cross_entropies),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_stream, close_stream);
}
