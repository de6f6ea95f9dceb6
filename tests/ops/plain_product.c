/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of matrices of complex numbers, integers, DOUBLE and BOOL, in any layout, against loops: floats in
 * long double, integers with wrap; numbers of 0, outputs on inputs, and what is refused.
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
enum { LEFT, RIGHT, SELF, OUT, OPERANDS };

static const struct kind {
    const char *api;
    enum ranks { MATRICES, VECTOR, BATCHES } ranks;
    bool has_self; /* and is of other dtypes than COMPLEX64 */
} kinds[] = {
    {"aclnnMatmul", MATRICES, false},
    {"aclnnMatmul", BATCHES, false},
    {"aclnnMv", VECTOR, false},
    {"aclnnAddmv", VECTOR, true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static number number_at(const struct layout *layout, int64_t index)
{
    double part[2] = {0, 0};
    number value;
    if (is_complex_dtype(layout->dtype))
        conversion_reference(layout_element(layout, index), layout->dtype, part, ACL_COMPLEX128);
    else
        part[0] = element_of(layout, index);
    value = part[0];
    ((long double *)&value)[1] = (long double)part[1];
    return value;
}

static int64_t integer_at(const struct layout *layout, int64_t index)
{
    int64_t value;
    if (layout->dtype == ACL_INT64)
        memcpy(&value, layout_element(layout, index), sizeof value);
    else
        conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_INT64);
    return value;
}

struct drawn {
    const struct kind *kind;
    aclDataType dtype;
    int64_t batch, rows, depth, columns;
    struct layout operand[OPERANDS];
    double alpha, beta;
};

static struct layout matrix(aclDataType dtype, const struct drawn *drawn, int64_t rows, int64_t columns,
                            bool has_batch, bool is_vector, enum layout_kind kind)
{
    const int64_t shape[] = {drawn->batch, rows, columns};
    if (is_vector)
        return layout_create(dtype, 1, shape + 1, kind);
    return has_batch ? layout_create(dtype, 3, shape, kind) : layout_create(dtype, 2, shape + 1, kind);
}

static void draw(struct drawn *drawn, const struct kind *kind, aclDataType dtype)
{
    const bool has_batch = kind->ranks == BATCHES, is_vector = kind->ranks == VECTOR;
    const int64_t most = random_below(8) == 0 ? 70 : 12;
    drawn->kind = kind;
    drawn->dtype = dtype;
    drawn->batch = has_batch ? 1 + random_below(3) : 1;
    drawn->rows = 1 + random_below(most);
    drawn->depth = 1 + random_below(most);
    drawn->columns = is_vector ? 1 : 1 + random_below(most / (has_batch ? 2 : 1));
    drawn->alpha = (double[]){1, 2, -3, 0}[random_below(4)];
    drawn->beta = (double[]){1, -1, 4, 0}[random_below(4)];
    drawn->operand[LEFT] = matrix(dtype, drawn, drawn->rows, drawn->depth, has_batch, false,
                                  (enum layout_kind)random_below(LAYOUT_KINDS));
    drawn->operand[RIGHT] = matrix(dtype, drawn, drawn->depth, drawn->columns, has_batch, is_vector,
                                   (enum layout_kind)random_below(LAYOUT_KINDS));
    for (int i = SELF; i <= OUT; i++)
        drawn->operand[i] = matrix(dtype, drawn, drawn->rows, drawn->columns, kind->ranks == BATCHES,
                                   is_vector, (enum layout_kind)random_below(LAYOUT_REPEATED));
    for (int i = LEFT; i < OPERANDS; i++)
        layout_fill(&drawn->operand[i], 2, false);
}

static aclScalar *scalar_from(double value, aclDataType dtype)
{
    const int64_t whole = (int64_t)value;
    return is_float_dtype(dtype) ? aclCreateScalar(&value, ACL_DOUBLE)
                                 : aclCreateScalar((void *)(uintptr_t)&whole, ACL_INT64);
}

static void call_kind(const struct drawn *drawn)
{
    const struct kind *kind = drawn->kind;
    union argument argument[7];
    unsigned count = 0, scalars[2], used = 0;
    if (kind->has_self)
        argument[count++].tensor = drawn->operand[SELF].tensor;
    argument[count++].tensor = drawn->operand[LEFT].tensor;
    argument[count++].tensor = drawn->operand[RIGHT].tensor;
    for (int i = 0; i < 2 && kind->has_self; i++) {
        scalars[used++] = count;
        argument[count++].scalar = scalar_from(i == 0 ? drawn->alpha : drawn->beta, drawn->dtype);
    }
    argument[count++].tensor = drawn->operand[OUT].tensor;
    argument[count++] = argument_of_integer(random_below(5));
    assert_int_equal(count, find(kind->api)->parameter_count);
    assert_int_equal(call_function(find(kind->api), argument), 0);
    for (unsigned i = 0; i < used; i++)
        assert_int_equal(aclDestroyScalar(argument[scalars[i]].scalar), 0);
}

/* The sum for an element of the result, all in one: of floats with the sizes of its terms, and of integers.
 */
static void add_up(const struct drawn *drawn, int64_t index, number *sum, long double *size, uint64_t *whole)
{
    const struct layout *left = &drawn->operand[LEFT], *right = &drawn->operand[RIGHT];
    const int64_t plane = drawn->rows * drawn->columns, batch = index / plane,
                  i = index % plane / drawn->columns, j = index % drawn->columns;
    *sum = 0, *size = 0, *whole = 0;
    for (int64_t k = 0; k < drawn->depth; k++) {
        const int64_t x = (batch * drawn->rows + i) * drawn->depth + k,
                      y = (batch * drawn->depth + k) * drawn->columns + j;
        *sum += number_at(left, x) * number_at(right, y);
        *size += cabsl(number_at(left, x)) * cabsl(number_at(right, y));
        if (!is_float_dtype(drawn->dtype) && !is_complex_dtype(drawn->dtype)) {
            const uint64_t product = (uint64_t)integer_at(left, x) * (uint64_t)integer_at(right, y);
            *whole = drawn->dtype == ACL_BOOL ? *whole | product : *whole + product;
        }
    }
}

static void judge_element(const struct drawn *drawn, int64_t index)
{
    const struct layout *out = &drawn->operand[OUT], *self = &drawn->operand[SELF];
    const double alpha = drawn->kind->has_self ? drawn->alpha : 1,
                 beta = drawn->kind->has_self ? drawn->beta : 0;
    number sum;
    long double size;
    uint64_t whole;
    add_up(drawn, index, &sum, &size, &whole);
    if (is_float_dtype(drawn->dtype) || is_complex_dtype(drawn->dtype)) {
        const number wanted = alpha * sum + (beta != 0 ? beta * number_at(self, index) : 0);
        const long double unit = is_complex_dtype(drawn->dtype) ? 0x1p-23L : 0x1p-52L;
        const long double bound = unit * cabsl(wanted) + 0x1p-44L * (1 + fabsl((long double)alpha)) * size +
                                  0x1p-50L * cabsl(number_at(self, index)) * 4;
        if (!(cabsl(number_at(out, index) - wanted) <= bound))
            fail_msg("%s of %s: element %lld is %Lg and not %Lg", drawn->kind->api, dtype_name(drawn->dtype),
                     (long long)index, creall(number_at(out, index)), creall(wanted));
        return;
    }
    uint64_t exact =
        (uint64_t)(int64_t)alpha * whole + (uint64_t)(int64_t)beta * (uint64_t)integer_at(self, index);
    if (drawn->dtype == ACL_BOOL)
        exact = (alpha != 0 && whole != 0) || (beta != 0 && integer_at(self, index) != 0);
    assert_memory_equal(layout_element(out, index), &exact, out->bytes);
}

static void products_are_those_of_loops(void **state)
{
    static const aclDataType mixed[] = {ACL_INT8,  ACL_INT16,  ACL_INT32, ACL_INT64,
                                        ACL_UINT8, ACL_DOUBLE, ACL_BOOL};
    static struct drawn drawn;
    (void)state;
    for (int round = 0; round < times_effort(8) * KINDS; round++) {
        const struct kind *kind = &kinds[round % KINDS];
        draw(&drawn, kind, kind->has_self ? mixed[random_below(7)] : ACL_COMPLEX64);
        call_kind(&drawn);
        for (int64_t i = 0; i < drawn.operand[OUT].count; i++)
            judge_element(&drawn, i);
        for (int i = 0; i < OPERANDS; i++)
            layout_destroy(&drawn.operand[i]);
    }
}

/* With beta 0 self is not read, and with alpha 0 nothing is multiplied. */
static void numbers_of_0_leave_nans_out(void **state)
{
    (void)state;
    struct layout bad = layout_create(ACL_DOUBLE, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  ones = layout_create(ACL_DOUBLE, 2, DIMS(2, 2), LAYOUT_CONTIGUOUS),
                  bad_row = layout_create(ACL_DOUBLE, 1, DIMS(2), LAYOUT_CONTIGUOUS),
                  row = layout_create(ACL_DOUBLE, 1, DIMS(2), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_DOUBLE, 1, DIMS(2), LAYOUT_CONTIGUOUS);
    for (int64_t i = 0; i < 4; i++)
        set_element(&bad, i, (double)NAN), set_element(&ones, i, 1);
    for (int64_t i = 0; i < 2; i++)
        set_element(&bad_row, i, (double)NAN), set_element(&row, i, 1);
    aclScalar *zero = scalar_from(0, ACL_DOUBLE), *unit = scalar_from(1, ACL_DOUBLE);
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        const union argument argument[] = {{.tensor = is_alpha ? row.tensor : bad_row.tensor},
                                           {.tensor = is_alpha ? bad.tensor : ones.tensor},
                                           {.tensor = row.tensor},
                                           {.scalar = is_alpha ? zero : unit},
                                           {.scalar = is_alpha ? unit : zero},
                                           {.tensor = out.tensor},
                                           argument_of_integer(0)};
        assert_int_equal(call_function(find("aclnnAddmv"), argument), 0);
        for (int64_t i = 0; i < 2; i++)
            assert_true(element_of(&out, i) == (is_alpha ? 1 : 2));
    }
    assert_int_equal(aclDestroyScalar(zero), 0);
    assert_int_equal(aclDestroyScalar(unit), 0);
    layout_destroy(&bad), layout_destroy(&ones), layout_destroy(&bad_row);
    layout_destroy(&row), layout_destroy(&out);
}

/* The output is the left operand. */
static void an_output_on_an_operand(void **state)
{
    (void)state;
    struct layout a = layout_create(ACL_COMPLEX64, 2, DIMS(30, 30), LAYOUT_CONTIGUOUS),
                  copy = layout_create(ACL_COMPLEX64, 2, DIMS(30, 30), LAYOUT_CONTIGUOUS),
                  out = layout_create(ACL_COMPLEX64, 2, DIMS(30, 30), LAYOUT_CONTIGUOUS);
    layout_fill(&a, 2, false);
    memcpy(copy.memory, a.memory, (size_t)a.count * a.bytes);
    const union argument apart[] = {
        {.tensor = copy.tensor}, {.tensor = copy.tensor}, {.tensor = out.tensor}, argument_of_integer(0)};
    const union argument on_itself[] = {
        {.tensor = a.tensor}, {.tensor = a.tensor}, {.tensor = a.tensor}, argument_of_integer(0)};
    assert_int_equal(call_function(find("aclnnMatmul"), apart), 0);
    assert_int_equal(call_function(find("aclnnMatmul"), on_itself), 0);
    assert_memory_equal(a.memory, out.memory, (size_t)a.count * a.bytes);
    layout_destroy(&a), layout_destroy(&copy), layout_destroy(&out);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnAddmv"));
    const double half = 0.5;
    for (unsigned i = 0; i < 3; i++)
        replace_dtype(&attempt, i, ACL_INT32);
    replace_dtype(&attempt, 5, ACL_INT32);
    assert_int_equal(aclDestroyScalar(attempt.argument[3].scalar), 0);
    attempt.argument[3].scalar = aclCreateScalar((void *)(uintptr_t)&half, ACL_DOUBLE);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "alpha has dtype DOUBLE");
    release(&attempt);
    attempt = accepted(find("aclnnAddmv"));
    replace_dtype(&attempt, 5, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "out has dtype INT32");
    release(&attempt);
    /* PyTorch for Ascend hands conjugates to them that are none yet. */
    static const char *const of_conjugates[] = {"aclnnMm", "aclnnBatchMatMul", "aclnnAddmm", "aclnnBaddbmm",
                                                "aclnnDot"};
    for (int i = 0; i < 5; i++) {
        attempt = accepted(find(of_conjugates[i]));
        replace_dtype(&attempt, 0, ACL_COMPLEX64);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype COMPLEX64");
        release(&attempt);
    }
    attempt = accepted(find("aclnnMm"));
    replace_dtype(&attempt, 0, ACL_INT32);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "self has dtype INT32");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_loops),
        cmocka_unit_test(numbers_of_0_leave_nans_out),
        cmocka_unit_test(an_output_on_an_operand),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
