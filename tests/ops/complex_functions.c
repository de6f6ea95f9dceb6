/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of complex numbers that have their own formulas beside those of real ones: powers, Rsub, Tanh and
 * its gradient, in any layout, against the C library's in long double; powers at 0; products of many; and QR
 * by what must hold.
 */
#include "ops/check.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "support/effort.h"
#include "support/open_device.h"

typedef long double complex number;

static number number_at(const struct layout *layout, int64_t index)
{
    double part[2];
    conversion_reference(layout_element(layout, index), layout->dtype, part, ACL_COMPLEX128);
    number value = part[0];
    ((long double *)&value)[1] = part[1];
    return value;
}

static aclScalar *scalar_from(number value, aclDataType dtype)
{
    const double part[2] = {(double)creall(value), (double)cimagl(value)};
    unsigned char element[16];
    conversion_reference(part, ACL_COMPLEX128, element, dtype);
    return aclCreateScalar(element, dtype);
}

/* Within some units of the absolute value, which grow with what is taken to the power of e. */
static void expect_number(const char *api, const struct layout *out, int64_t index, number wanted,
                          long double growth)
{
    const number got = number_at(out, index);
    const long double unit = out->dtype == ACL_COMPLEX64 ? 0x1p-24L : 0x1p-53L;
    const long double bound = (2 * unit + 0x1p-47L * (1 + growth)) * cabsl(wanted) + 0x1p-149L;
    if (!(cabsl(got - wanted) <= bound))
        fail_msg("%s of %s: element %lld is %.17g %+.17gi; %.17g %+.17gi is expected", api,
                 dtype_name(out->dtype), (long long)index, (double)creall(got), (double)cimagl(got),
                 (double)creall(wanted), (double)cimagl(wanted));
}

enum form { TENSORS, SCALAR_LAST, SCALAR_FIRST, FORMS };

static void check_power(aclDataType dtype, enum form form)
{
    static const char *const apis[] = {"aclnnPowTensorTensor", "aclnnPowTensorScalar",
                                       "aclnnPowScalarTensor"};
    static const double exponents[] = {0, 1, 2, 3, -1, 0.5, -2, 7, 16, 17, -16, 1.75};
    const int64_t shape[] = {1 + random_below(4), 1 + random_below(9)};
    struct layout x = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  y = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  out = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&x, 3, false), layout_fill(&y, 3, false);
    for (int64_t i = 0; i < y.count; i++)
        if (random_below(2) == 0)
            set_element(&y, i, exponents[random_below(12)]);
    const number one = form == SCALAR_FIRST ? number_at(&x, 0) : number_at(&y, 0);
    aclScalar *scalar = scalar_from(one, random_below(2) == 0 ? dtype : ACL_COMPLEX128);
    const union argument argument[] = {
        form == SCALAR_FIRST ? argument_of_pointer(scalar) : argument_of_pointer(x.tensor),
        form == SCALAR_LAST ? argument_of_pointer(scalar) : argument_of_pointer(y.tensor),
        argument_of_pointer(out.tensor)};
    assert_int_equal(call_function(find(apis[form]), argument), 0);
    for (int64_t i = 0; i < out.count; i++) {
        const number base = form == SCALAR_FIRST ? one : number_at(&x, i),
                     exponent = form == SCALAR_LAST ? one : number_at(&y, i);
        expect_number(apis[form], &out, i, cexpl(exponent * clogl(base)), cabsl(exponent * clogl(base)));
    }
    assert_int_equal(aclDestroyScalar(scalar), 0);
    layout_destroy(&x), layout_destroy(&y), layout_destroy(&out);
}

static void check_difference(aclDataType dtype, bool has_scalar)
{
    const int64_t shape[] = {1 + random_below(4), 1 + random_below(9)};
    struct layout x = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  y = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  out = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&x, 3, false), layout_fill(&y, 3, false);
    const number alpha = random_below(2) == 0 ? 1 : -0.5L + 2 * I, one = number_at(&y, 0);
    aclScalar *scalar = scalar_from(one, dtype), *times = scalar_from(alpha, dtype);
    const union argument argument[] = {argument_of_pointer(x.tensor),
                                       has_scalar ? argument_of_pointer(scalar)
                                                  : argument_of_pointer(y.tensor),
                                       argument_of_pointer(times), argument_of_pointer(out.tensor)};
    const char *api = has_scalar ? "aclnnRsubs" : "aclnnRsub";
    assert_int_equal(call_function(find(api), argument), 0);
    for (int64_t i = 0; i < out.count; i++)
        expect_number(api, &out, i, (has_scalar ? one : number_at(&y, i)) - alpha * number_at(&x, i), 0);
    assert_int_equal(aclDestroyScalar(scalar), 0);
    assert_int_equal(aclDestroyScalar(times), 0);
    layout_destroy(&x), layout_destroy(&y), layout_destroy(&out);
}

static void check_tangent(aclDataType dtype)
{
    const int64_t shape[] = {1 + random_below(4), 1 + random_below(9)};
    struct layout x = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  grad = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_KINDS)),
                  out = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED)),
                  back = layout_create(dtype, 2, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&x, random_below(4) == 0 ? 40 : 3, false), layout_fill(&grad, 3, false);
    const union argument forward[] = {{.tensor = x.tensor}, {.tensor = out.tensor}},
                         backward[] = {
                             {.tensor = grad.tensor}, {.tensor = out.tensor}, {.tensor = back.tensor}};
    assert_int_equal(call_function(find("aclnnTanh"), forward), 0);
    assert_int_equal(call_function(find("aclnnTanhBackward"), backward), 0);
    for (int64_t i = 0; i < out.count; i++) {
        const number y = number_at(&out, i), factor = conjl(1 - y * y);
        const long double cancelled = cabsl(factor) > 0 ? cabsl(y * y) / cabsl(factor) : 0;
        expect_number("aclnnTanh", &out, i, ctanhl(number_at(&x, i)), 4);
        expect_number("aclnnTanhBackward", &back, i, number_at(&grad, i) * factor, cancelled);
    }
    layout_destroy(&x), layout_destroy(&grad), layout_destroy(&out), layout_destroy(&back);
}

static number entry(const struct layout *layout, int64_t b, int64_t i, int64_t j)
{
    return number_at(layout, (b * layout->shape[1] + i) * layout->shape[2] + j);
}

/* Q R is the matrix, Q^H Q is 1, and R is a triangle with a real diagonal. */
static void check_decomposition(aclDataType dtype, int64_t mode)
{
    const int64_t batch = 1 + random_below(2), rows = 1 + random_below(7), columns = 1 + random_below(7);
    const int64_t side = mode == 1 ? rows : rows < columns ? rows : columns;
    struct layout a = layout_create(dtype, 3, DIMS(batch, rows, columns),
                                    (enum layout_kind)random_below(LAYOUT_KINDS)),
                  q = layout_create(dtype, 3, DIMS(batch, rows, side),
                                    (enum layout_kind)random_below(LAYOUT_REPEATED)),
                  r = layout_create(dtype, 3, DIMS(batch, side, columns),
                                    (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&a, 2, false);
    const union argument argument[] = {
        {.tensor = a.tensor}, argument_of_integer(mode), {.tensor = q.tensor}, {.tensor = r.tensor}};
    assert_int_equal(call_function(find("aclnnLinalgQr"), argument), 0);
    const long double slack = dtype == ACL_COMPLEX64 ? 0x1p-18L : 0x1p-46L;
    for (int64_t b = 0; b < batch; b++) {
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                number sum = 0;
                for (int64_t k = 0; k < side; k++)
                    sum += entry(&q, b, i, k) * entry(&r, b, k, j);
                assert_true(cabsl(sum - entry(&a, b, i, j)) <= slack * 16);
            }
        for (int64_t i = 0; i < side; i++)
            for (int64_t j = 0; j < side; j++) {
                number sum = 0;
                for (int64_t k = 0; k < rows; k++)
                    sum += conjl(entry(&q, b, k, i)) * entry(&q, b, k, j);
                assert_true(cabsl(sum - (i == j)) <= slack * 4);
            }
        for (int64_t i = 0; i < side; i++)
            for (int64_t j = 0; j <= i && j < columns; j++)
                assert_true(j < i ? entry(&r, b, i, j) == 0 : cimagl(entry(&r, b, i, j)) == 0);
    }
    layout_destroy(&a), layout_destroy(&q), layout_destroy(&r);
}

static void formulas_are_those_of_long_double(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(300); round++) {
        const aclDataType dtype = round % 2 == 0 ? ACL_COMPLEX64 : ACL_COMPLEX128;
        check_power(dtype, (enum form)(round % FORMS));
        check_difference(dtype, round % 3 == 0);
        check_tangent(dtype);
        check_decomposition(dtype, random_below(2));
    }
}

/* 1 where the exponent is 0, of 0 too; 0 to the power of more than 0; no number below. */
static void powers_of_nothing(void **state)
{
    static const double exponents[] = {0, 2, 0.5, 1, -1, -0.5};
    static const double wanted[] = {1, 0, 0, 0, (double)NAN, (double)NAN};
    (void)state;
    struct layout x = layout_create(ACL_COMPLEX64, 1, DIMS(6), LAYOUT_CONTIGUOUS),
                  y = layout_create(ACL_COMPLEX64, 1, DIMS(6), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_COMPLEX64, 1, DIMS(6), LAYOUT_CONTIGUOUS);
    for (int i = 0; i < 6; i++)
        set_element(&x, i, 0), set_element(&y, i, exponents[i]);
    const union argument argument[] = {{.tensor = x.tensor}, {.tensor = y.tensor}, {.tensor = out.tensor}};
    assert_int_equal(call_function(find("aclnnPowTensorTensor"), argument), 0);
    for (int i = 0; i < 6; i++) {
        const double got = (double)creall(number_at(&out, i));
        assert_true(got == wanted[i] || (isnan(got) && isnan(wanted[i])));
    }
    layout_destroy(&x), layout_destroy(&y), layout_destroy(&out);
}

/* Of one output, and of several across and along memory: the products of blocks are multiplied, too. */
static void products_of_many_numbers(void **state)
{
    enum { COUNT = 9003 };
    (void)state;
    for (int i = 0; i < 3; i++) {
        const int64_t kept = i == 0 ? 1 : 3, shape[] = {i < 2 ? COUNT : kept, i < 2 ? kept : COUNT};
        struct layout self = layout_create(ACL_COMPLEX64, 2, shape, LAYOUT_CONTIGUOUS),
                      out = layout_create(ACL_COMPLEX64, 1, &kept, LAYOUT_CONTIGUOUS);
        for (int64_t o = 0; o < kept; o++)
            for (int64_t k = 0; k < COUNT; k++) { /* three blocks, each with one number that is not 1 */
                const float last[] = {3 + (float)o, -2}, one[] = {1, 0}, turn[] = {0, 1};
                memcpy(layout_element(&self, i < 2 ? k * kept + o : o * COUNT + k),
                       k == 9000              ? last
                       : k == 10 || k == 5000 ? turn
                                              : one,
                       sizeof one);
            }
        const union argument argument[] = {{.tensor = self.tensor},
                                           {.int64 = i / 2},
                                           argument_of_bool(false),
                                           {.int64 = ACL_COMPLEX64},
                                           {.tensor = out.tensor}};
        assert_int_equal(call_function(find("aclnnProdDim"), argument), 0);
        for (int64_t o = 0; o < kept; o++)
            assert_memory_equal(layout_element(&out, o), ((const float[]){-3 - (float)o, 2}), out.bytes);
        layout_destroy(&self);
        layout_destroy(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_those_of_long_double),
        cmocka_unit_test(powers_of_nothing),
        cmocka_unit_test(products_of_many_numbers),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
