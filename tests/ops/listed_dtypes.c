/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Dtypes that few programs have, each in one call whose numbers are known: functions with unsigned, BOOL,
 * DOUBLE and complex tensors, on each product that takes them; and on which products they are refused.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"
#include "ops/listed_dtypes.h"

enum { NUMBERS_MAX = 32 };

/* Numbers in a text, one after the other. */
static int numbers_of(const char *text, double *number)
{
    int count = 0;
    for (char *end; *text != 0; text = end) {
        number[count] = strtod(text, &end);
        if (end == text)
            break;
        count++;
    }
    return count;
}

/* Of complex numbers both parts stand in the text. */
static int64_t count_of(const struct given *given, int numbers)
{
    return is_complex_dtype(given->dtype) ? numbers / 2 : numbers;
}

static void set_elements(const struct given *given, const struct layout *layout)
{
    double number[NUMBERS_MAX];
    const int64_t count = count_of(given, numbers_of(given->numbers, number));
    assert_int_equal(layout->count, count);
    for (int64_t i = 0; i < count; i++)
        if (is_complex_dtype(given->dtype))
            conversion_reference(number + 2 * i, ACL_COMPLEX128, layout_element(layout, i), given->dtype);
        else
            set_element(layout, i, number[i]);
}

static struct layout tensor_of(const struct given *given, enum layout_kind kind)
{
    double number[NUMBERS_MAX];
    const int64_t count = count_of(given, numbers_of(given->numbers, number));
    int64_t shape[LAYOUT_RANK_MAX];
    unsigned rank = 0;
    for (const char *dim = given->shape; dim != NULL && *dim != 0;
         dim += strcspn(dim, "x"), dim += *dim == 'x')
        shape[rank++] = strtoll(dim, NULL, 10);
    if (given->shape == NULL)
        shape[rank++] = count;
    return layout_create(given->dtype, rank, shape, kind);
}

static aclScalar *scalar_in(const struct given *given)
{
    double number[NUMBERS_MAX] = {0};
    unsigned char element[16];
    (void)numbers_of(given->numbers, number);
    if (is_complex_dtype(given->dtype))
        conversion_reference(number, ACL_COMPLEX128, element, given->dtype);
    else
        conversion_reference(number, ACL_DOUBLE, element, given->dtype);
    return aclCreateScalar(element, given->dtype);
}

static union argument argument_of(const struct given *given, struct layout *layout)
{
    double number[NUMBERS_MAX] = {0};
    int64_t whole[NUMBERS_MAX];
    int count = 0;
    if (given->numbers != NULL)
        count = numbers_of(given->numbers, number);
    for (int i = 0; i < count; i++)
        whole[i] = fabs(number[i]) < 0x1p63 ? (int64_t)number[i] : 0; /* larger ones are of tensors */
    switch (given->kind) {
    case GIVEN_TENSOR:
    case GIVEN_CHANGED:
    case GIVEN_RESULT:
        return argument_of_pointer(layout->tensor);
    case GIVEN_SCALAR:
        return argument_of_pointer(scalar_in(given));
    case GIVEN_INTS:
        return argument_of_pointer(aclCreateIntArray(whole, (uint64_t)count));
    case GIVEN_INT:
        return argument_of_integer(whole[0]);
    case GIVEN_BOOL:
        return argument_of_bool(whole[0] != 0);
    case GIVEN_DOUBLE:
        return argument_of_fp64(number[0]);
    case GIVEN_FLOAT:
        return argument_of_fp32((float)number[0]);
    default:
        return argument_of_pointer(NULL);
    }
}

/* Elements are the numbers of the text, but for the roundings of sums and functions. */
static void assert_elements(const struct listed *row, const struct given *given, const char *text,
                            const struct layout *layout)
{
    double number[NUMBERS_MAX], found[2];
    const int numbers = numbers_of(text, number);
    const int64_t count = count_of(given, numbers);
    const bool is_complex = is_complex_dtype(given->dtype),
               is_exact = !is_complex && !is_float_dtype(given->dtype);
    const double slack = is_exact                                                       ? 0
                         : given->dtype == ACL_DOUBLE || given->dtype == ACL_COMPLEX128 ? 0x1p-46
                         : given->dtype == ACL_BF16                                     ? 0x1p-8
                         : given->dtype == ACL_FLOAT16                                  ? 0x1p-10
                                                                                        : 0x1p-20;
    assert_int_equal(layout->count, count);
    for (int64_t i = 0; i < count; i++) {
        if (is_complex)
            conversion_reference(layout_element(layout, i), given->dtype, found, ACL_COMPLEX128);
        else
            found[0] = element_of(layout, i);
        for (int part = 0; part < 1 + is_complex; part++) {
            const double wanted = number[(1 + is_complex) * i + part];
            if (!(fabs(found[part] - wanted) <= slack * (fabs(wanted) + 1)) &&
                !(isnan(found[part]) && isnan(wanted)) && found[part] != wanted)
                fail_msg("%s of %s: element %lld is %.17g; %.17g is expected", row->api,
                         dtype_name(given->dtype), (long long)i, found[part], wanted);
        }
    }
}

static void release_given(const struct given *given, union argument argument, struct layout *layout)
{
    if (given->kind <= GIVEN_RESULT)
        layout_destroy(layout);
    else if (given->kind == GIVEN_SCALAR)
        assert_int_equal(aclDestroyScalar(argument.scalar), 0);
    else if (given->kind == GIVEN_INTS)
        assert_int_equal(aclDestroyIntArray(argument.ints), 0);
}

static void check_row(const struct listed *row, char product)
{
    const struct function *function = find(row->api);
    union argument argument[GIVEN_MAX];
    struct layout layout[GIVEN_MAX];
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const struct given *given = &row->given[i];
        if (given->kind <= GIVEN_RESULT) {
            layout[i] = tensor_of(given, (enum layout_kind)random_below(LAYOUT_REPEATED));
            if (given->kind != GIVEN_RESULT) /* which holds something else */
                set_elements(given, &layout[i]);
        }
        argument[i] = argument_of(given, &layout[i]);
    }
    const bool is_taken = strchr(row->products, product) != NULL;
    if (is_taken) {
        assert_int_equal(call_function(function, argument), 0);
        for (unsigned i = 0; i < function->parameter_count; i++)
            if (row->given[i].kind == GIVEN_RESULT)
                assert_elements(row, &row->given[i], row->given[i].numbers, &layout[i]);
            else if (row->given[i].kind == GIVEN_CHANGED)
                assert_elements(row, &row->given[i], row->changed, &layout[i]);
    } else {
        uint64_t bytes;
        aclOpExecutor *executor;
        if (function_plan_anew(function, argument, &bytes, &executor) != ACLNN_ERR_PARAM_INVALID)
            fail_msg("%s is accepted", row->api);
    }
    for (unsigned i = 0; i < function->parameter_count; i++)
        release_given(&row->given[i], argument[i], &layout[i]);
}

static void each_listed_dtype_gives_its_numbers(void **state)
{
    const char *soc = getenv("BELAY_SOC");
    const char product = soc != NULL && strncmp(soc, "Ascend950", 9) == 0 ? 'c' : 'b';
    (void)state;
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        for (int layout = 0; layout < 4; layout++)
            check_row(&listed[i], product);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_listed_dtype_gives_its_numbers),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
