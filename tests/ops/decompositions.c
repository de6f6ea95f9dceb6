/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LinalgQr, LinalgCholesky, Svd and Slogdet, by what must hold of their results: products that give the
 * matrix, columns that are orthonormal, triangles, signs; and the calls that are refused.
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

static struct layout draw(aclDataType dtype, unsigned rank, const int64_t *shape, bool is_read)
{
    return layout_create(dtype, rank, shape,
                         (enum layout_kind)random_below(is_read ? LAYOUT_KINDS : LAYOUT_REPEATED));
}

/* Sides of matrices: one in three is long. */
static int64_t draw_side(void)
{
    return random_below(3) == 0 ? 1 + random_below(40) : 1 + random_below(6);
}

static aclDataType draw_dtype(void)
{
    return random_below(2) == 0 ? ACL_FLOAT : ACL_DOUBLE;
}

/* Element (i, j) of matrix b of a layout (b, rows, columns). */
static long double at(const struct layout *layout, int64_t b, int64_t i, int64_t j)
{
    return (long double)element_of(layout, (b * layout->shape[1] + i) * layout->shape[2] + j);
}

static void assert_close(const char *what, long double got, long double wanted, long double bound)
{
    if (!(fabsl(got - wanted) <= bound))
        fail_msg("%s: %Lg and not %Lg", what, got, wanted);
}

static long double largest(const struct layout *layout)
{
    long double most = 0;
    for (int64_t i = 0; i < layout->count; i++)
        most = fmaxl(most, fabsl((long double)element_of(layout, i)));
    return most;
}

static void check_orthonormal(const char *what, const struct layout *q)
{
    for (int64_t b = 0; b < q->shape[0]; b++)
        for (int64_t j = 0; j < q->shape[2]; j++)
            for (int64_t k = 0; k <= j; k++) {
                long double sum = 0;
                for (int64_t i = 0; i < q->shape[1]; i++)
                    sum += at(q, b, i, j) * at(q, b, i, k);
                assert_close(what, sum, j == k,
                             8 * (long double)unit_of(q->dtype) * (long double)(q->shape[1] + 4));
            }
}

/* The signs of a Householder elimination of a copy, in long double: those of R's diagonal. */
static void check_signs(const struct layout *self, const struct layout *r, int64_t b)
{
    enum { SIDE = 48 };
    const int64_t rows = self->shape[1], columns = self->shape[2];
    static long double a[SIDE][SIDE];
    const long double least = 1e-3L * largest(self);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            a[i][j] = at(self, b, i, j);
    for (int64_t k = 0; k < rows && k < columns; k++) {
        long double below = 0, v[SIDE] = {0};
        for (int64_t i = k + 1; i < rows; i++)
            below += a[i][k] * a[i][k];
        const long double own = a[k][k], length = sqrtl(own * own + below);
        /* What only rounding keeps from 0 has any sign. */
        if (fabsl(own) > least && (k + 1 == rows || sqrtl(below) > least))
            assert_true((at(r, b, k, k) < 0) == (below == 0 ? own < 0 : own > 0));
        if (below == 0)
            continue;
        v[k] = own + copysignl(length, own);
        for (int64_t i = k + 1; i < rows; i++)
            v[i] = a[i][k];
        const long double size = v[k] * v[k] + below;
        for (int64_t j = k; j < columns; j++) {
            long double sum = 0;
            for (int64_t i = k; i < rows; i++)
                sum += v[i] * a[i][j];
            for (int64_t i = k; i < rows; i++)
                a[i][j] -= 2 * sum / size * v[i];
        }
    }
}

static void check_triangle_and_signs(const struct layout *self, const struct layout *r)
{
    for (int64_t b = 0; b < r->shape[0]; b++) {
        for (int64_t i = 0; i < r->shape[1]; i++)
            for (int64_t j = 0; j < i && j < r->shape[2]; j++)
                assert_true(at(r, b, i, j) == 0);
        check_signs(self, r, b);
    }
}

static void matrices_are_products_of_q_and_r(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t batches = 1 + random_below(3), m = draw_side(), n = draw_side(), k = m < n ? m : n;
        const int64_t mode = round % 3, across = mode == 1 ? m : k;
        const aclDataType dtype = round % 5 == 0 ? ACL_FLOAT16 : draw_dtype();
        struct layout self = draw(dtype, 3, DIMS(batches, m, n), true),
                      q = draw(dtype, mode == 2 ? 1 : 3, mode == 2 ? DIMS(0) : DIMS(batches, m, across),
                               false),
                      r = draw(dtype, 3, DIMS(batches, across, n), false);
        layout_fill(&self, dtype == ACL_FLOAT16 ? 2 : dtype == ACL_FLOAT ? 1e25 : 1e300, false);
        const bool is_plain = mode < 2 && random_below(2) == 0;
        const union argument argument[] = {argument_of_pointer(self.tensor),
                                           is_plain ? argument_of_bool(mode == 0) : argument_of_integer(mode),
                                           argument_of_pointer(q.tensor), argument_of_pointer(r.tensor)};
        assert_int_equal(call_function(find(is_plain ? "aclnnQr" : "aclnnLinalgQr"), argument), 0);
        check_triangle_and_signs(&self, &r);
        const long double bound = 8 * (long double)unit_of(dtype) * largest(&self) * (long double)(m + n);
        for (int64_t i = 0; i < self.count; i++) {
            const int64_t b = i / (m * n), row = i / n % m, column = i % n;
            long double sum = 0, other = 0; /* of R^T R and A^T A, where there is no Q */
            for (int64_t x = 0; x < across && mode != 2; x++)
                sum += at(&q, b, row, x) * at(&r, b, x, column);
            for (int64_t x = 0; x < across && mode == 2; x++)
                sum += at(&r, b, x, row % n) * at(&r, b, x, column);
            for (int64_t x = 0; x < m && mode == 2; x++)
                other += at(&self, b, x, row % n) * at(&self, b, x, column);
            if (mode == 2)
                assert_close("R^T R", sum, other, bound * largest(&self) * (long double)(m + n));
            else
                assert_close("Q R", sum, at(&self, b, row, column), bound);
        }
        if (mode != 2)
            check_orthonormal("Q", &q);
        layout_destroy(&self), layout_destroy(&q), layout_destroy(&r);
    }
}

/* A matrix of rank 1 to all, and now and then 0. */
static void fill_with_rank(const struct layout *self)
{
    const int64_t m = self->shape[1], n = self->shape[2], rank = random_below((m < n ? m : n) + 1);
    layout_fill(self, 1, false);
    if (random_below(2) == 0)
        return;
    for (int64_t i = 0; i < self->count; i++) {
        double sum = 0;
        for (int64_t k = 0; k < rank; k++)
            sum += (double)((i / n % m * 7 + k * 5) % 11 - 5) * (double)((i % n * 3 + k * 4) % 7 - 3);
        set_element(self, i, sum);
    }
}

static void matrices_are_products_of_singular_values(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t batches = 1 + random_below(3), m = draw_side(), n = draw_side(), k = m < n ? m : n;
        const bool is_full = random_below(2) == 0, has_uv = random_below(4) != 0;
        const aclDataType dtype = draw_dtype();
        struct layout self = draw(dtype, 3, DIMS(batches, m, n), false),
                      sigma = draw(dtype, 2, DIMS(batches, k), false),
                      u = draw(dtype, has_uv ? 3 : 1, has_uv ? DIMS(batches, m, is_full ? m : k) : DIMS(0),
                               false),
                      v = draw(dtype, has_uv ? 3 : 1, has_uv ? DIMS(batches, n, is_full ? n : k) : DIMS(0),
                               false);
        fill_with_rank(&self);
        const union argument argument[] = {
            argument_of_pointer(self.tensor),  argument_of_bool(is_full),     argument_of_bool(has_uv),
            argument_of_pointer(sigma.tensor), argument_of_pointer(u.tensor), argument_of_pointer(v.tensor)};
        assert_int_equal(call_function(find("aclnnSvd"), argument), 0);
        const long double bound =
            8 * (long double)unit_of(dtype) * (largest(&sigma) + 1) * (long double)(m + n);
        for (int64_t b = 0; b < batches; b++) {
            long double squares = 0, of_self = 0;
            for (int64_t i = 0; i < k; i++) {
                const double own = element_of(&sigma, b * k + i);
                assert_true(own >= 0 && (i == 0 || own <= element_of(&sigma, b * k + i - 1)));
                squares += (long double)own * (long double)own;
            }
            for (int64_t i = 0; i < m * n; i++)
                of_self += at(&self, b, i / n, i % n) * at(&self, b, i / n, i % n);
            assert_close("the sum of squares", squares, of_self, bound * largest(&sigma) * (long double)k);
            for (int64_t i = 0; i < m * n && has_uv; i++) {
                long double sum = 0;
                for (int64_t x = 0; x < k; x++)
                    sum += at(&u, b, i / n, x) * (long double)element_of(&sigma, b * k + x) *
                           at(&v, b, i % n, x);
                assert_close("U S V^T", sum, at(&self, b, i / n, i % n), bound);
            }
        }
        if (has_uv)
            check_orthonormal("U", &u), check_orthonormal("V", &v);
        layout_destroy(&self), layout_destroy(&sigma), layout_destroy(&u), layout_destroy(&v);
    }
}

/* M M^T + 1 for an M drawn at random; the other triangle holds what must not be read. */
static void fill_positive(const struct layout *self, bool upper)
{
    const int64_t n = self->shape[2];
    for (int64_t b = 0; b < self->shape[0]; b++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = i == j;
                for (int64_t k = 0; k < n; k++)
                    sum += sin((double)(i * n + k + b)) * sin((double)(j * n + k + b));
                set_element(self, (b * n + i) * n + j, (upper ? j < i : j > i) ? (double)NAN : sum);
            }
}

static void triangles_give_what_is_positive(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(100); round++) {
        const int64_t batches = 1 + random_below(3), n = draw_side();
        const bool upper = random_below(2) == 0;
        const aclDataType dtype = draw_dtype();
        struct layout self = draw(dtype, 3, DIMS(batches, n, n), false),
                      out = draw(dtype, 3, DIMS(batches, n, n), false);
        fill_positive(&self, upper);
        const union argument argument[] = {argument_of_pointer(self.tensor), argument_of_bool(upper),
                                           argument_of_pointer(out.tensor)};
        assert_int_equal(call_function(find("aclnnLinalgCholesky"), argument), 0);
        for (int64_t i = 0; i < self.count; i++) {
            const int64_t b = i / (n * n), row = i / n % n, column = i % n;
            long double sum = 0;
            for (int64_t k = 0; k < n; k++)
                sum += upper ? at(&out, b, k, row) * at(&out, b, k, column)
                             : at(&out, b, row, k) * at(&out, b, column, k);
            if (upper ? column < row : column > row)
                assert_true(at(&out, b, row, column) == 0);
            else
                assert_close("L L^T", sum, at(&self, b, row, column),
                             8 * (long double)unit_of(dtype) * (long double)(n + 1));
        }
        layout_destroy(&self), layout_destroy(&out);
    }
}

static void what_is_not_positive_fails(void **state)
{
    (void)state;
    struct layout self = layout_create(ACL_FLOAT, 3, DIMS(3, 2, 2), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_FLOAT, 3, DIMS(3, 2, 2), LAYOUT_CONTIGUOUS);
    static const float numbers[] = {1, 0, 0, 1, 4, 2, 2, 1, -1, 0, 0, 1};
    memcpy(self.memory, numbers, sizeof numbers);
    const union argument argument[] = {argument_of_pointer(self.tensor), argument_of_bool(false),
                                       argument_of_pointer(out.tensor)};
    assert_int_equal(call_function(find("aclnnLinalgCholesky"), argument),
                     ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    assert_sentence("matrix 1 of self, of 3, is not positive-definite: its leading minor of order 2 is not");
    layout_destroy(&self), layout_destroy(&out);
}

/* By elimination of a copy in long double, whose pivots are the first greatest ones. */
static long double determinant(const struct layout *self, int64_t b, long double *logarithm)
{
    enum { SIDE = 48 };
    static long double a[SIDE][SIDE];
    const int64_t n = self->shape[1];
    long double sign = 1;
    *logarithm = 0;
    for (int64_t i = 0; i < n * n; i++)
        a[i / n][i % n] = at(self, b, i / n, i % n);
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k; i < n; i++)
            pivot = fabsl(a[i][k]) > fabsl(a[pivot][k]) ? i : pivot;
        for (int64_t j = 0; j < n && pivot != k; j++) {
            const long double kept = a[k][j];
            a[k][j] = a[pivot][j], a[pivot][j] = kept;
        }
        sign *= (pivot == k ? 1 : -1) * (a[k][k] > 0 ? 1 : a[k][k] < 0 ? -1 : 0);
        *logarithm += logl(fabsl(a[k][k]));
        for (int64_t i = k + 1; i < n && a[k][k] != 0; i++) {
            const long double times = a[i][k] / a[k][k];
            for (int64_t j = k; j < n; j++)
                a[i][j] -= times * a[k][j];
        }
    }
    return sign;
}

static void determinants_have_signs_and_logarithms(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(200); round++) {
        const int64_t batches = 1 + random_below(3), n = round % 20 == 0 ? 0 : draw_side();
        const aclDataType dtype = draw_dtype();
        struct layout self = draw(dtype, 3, DIMS(batches, n, n), false),
                      sign = draw(dtype, 1, DIMS(batches), false),
                      size = draw(dtype, 1, DIMS(batches), false);
        layout_fill(&self, dtype == ACL_FLOAT ? 1e30 : 1e200, false);
        const bool is_singular = n > 1 && round % 7 == 0;
        for (int64_t i = 0; i < self.count && is_singular; i++)
            set_element(&self, i, i / n % n == 0 ? 0 : element_of(&self, i));
        const union argument argument[] = {argument_of_pointer(self.tensor), argument_of_pointer(sign.tensor),
                                           argument_of_pointer(size.tensor)};
        assert_int_equal(call_function(find("aclnnSlogdet"), argument), 0);
        for (int64_t b = 0; b < batches; b++) {
            long double logarithm;
            assert_true((long double)element_of(&sign, b) == determinant(&self, b, &logarithm));
            if (is_singular)
                assert_true(element_of(&size, b) == -(double)INFINITY);
            else
                assert_close("the logarithm", (long double)element_of(&size, b), logarithm,
                             fabsl(logarithm) * (long double)unit_of(dtype) * 1.01L + 1e-11L);
        }
        layout_destroy(&self), layout_destroy(&sign), layout_destroy(&size);
    }
}

/* What is not a number is in every result, and an empty matrix has a Q, a U and a V. */
static void borders_of_matrices(void **state)
{
    (void)state;
    struct layout bad = layout_create(ACL_FLOAT, 2, DIMS(2, 3), LAYOUT_CONTIGUOUS),
                  none = layout_create(ACL_DOUBLE, 2, DIMS(3, 0), LAYOUT_CONTIGUOUS),
                  two = layout_create(ACL_FLOAT, 1, DIMS(2), LAYOUT_CONTIGUOUS),
                  u = layout_create(ACL_FLOAT, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  v = layout_create(ACL_FLOAT, 2, DIMS(3, 3), LAYOUT_CONTIGUOUS),
                  one = layout_create(ACL_DOUBLE, 2, DIMS(3, 3), LAYOUT_CONTIGUOUS),
                  zero = layout_create(ACL_DOUBLE, 1, DIMS(0), LAYOUT_CONTIGUOUS),
                  nil = layout_create(ACL_DOUBLE, 2, DIMS(0, 0), LAYOUT_CONTIGUOUS);
    memcpy(bad.memory, ((const float[]){1, 2, 3, INFINITY, 4, 5}), 24);
    const union argument of_bad[] = {{.tensor = bad.tensor}, argument_of_bool(true), argument_of_bool(true),
                                     {.tensor = two.tensor}, {.tensor = u.tensor},   {.tensor = v.tensor}};
    assert_int_equal(call_function(find("aclnnSvd"), of_bad), 0);
    for (int64_t i = 0; i < 9; i++)
        assert_true(isnan(element_of(&two, i % 2)) && isnan(element_of(&u, i % 4)) &&
                    isnan(element_of(&v, i)));
    const union argument of_none[] = {{.tensor = none.tensor}, argument_of_bool(true),
                                      argument_of_bool(true),  {.tensor = zero.tensor},
                                      {.tensor = one.tensor},  {.tensor = nil.tensor}};
    assert_int_equal(call_function(find("aclnnSvd"), of_none), 0);
    const union argument complete[] = {
        {.tensor = none.tensor}, argument_of_integer(1), {.tensor = one.tensor}, {.tensor = none.tensor}};
    for (int turn = 0; turn < 2; turn++) {
        for (int64_t i = 0; i < 9; i++)
            assert_true(element_of(&one, i) == (i % 4 == 0));
        memset(one.memory, 0, 72);
        assert_int_equal(call_function(find("aclnnLinalgQr"), complete), 0);
    }
    struct layout *const all[] = {&bad, &none, &two, &u, &v, &one, &zero, &nil};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        layout_destroy(all[i]);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const char *const names[] = {"aclnnLinalgQr", "aclnnSvd", "aclnnLinalgCholesky", "aclnnSlogdet",
                                        "aclnnQr"};
    (void)state;
    for (unsigned k = 0; k < 5; k++) {
        const unsigned i = k % 4;
        struct attempt attempt = accepted(find(names[k]));
        assert_accepted(&attempt);
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self is expected to have 2 dims or more");
        replace(&attempt, 0, tensor_with(ACL_FLOAT, 3, DIMS(2, 3, 5), NULL));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID,
                       i > 1    ? "self is expected to have 2 dims or more, the last two of one size"
                       : i == 0 ? "Q has shape"
                                : "u has shape");
        replace_dtype(&attempt, 0, ACL_INT8);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT8");
        release(&attempt);
    }
    struct attempt attempt = accepted(find("aclnnLinalgQr"));
    attempt.argument[1].int64 = 3;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "mode is 3");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_products_of_q_and_r),
        cmocka_unit_test(matrices_are_products_of_singular_values),
        cmocka_unit_test(triangles_give_what_is_positive),
        cmocka_unit_test(what_is_not_positive_fails),
        cmocka_unit_test(determinants_have_signs_and_logarithms),
        cmocka_unit_test(borders_of_matrices),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
