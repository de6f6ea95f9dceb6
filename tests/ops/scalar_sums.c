/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A tensor of 16 bits plus or minus a number that these do not have: the number is rounded to them before on
 * Ascend910A and Ascend910B, whose kernels are of the tensor's dtype, and kept in FLOAT on Ascend950.
 * Products and quotients keep it in FLOAT everywhere. The build runs this program once for each product.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/losses.h"

enum { ELEMENTS = 500 };

static bool rounds; /* this product */

/* What a function makes of an element x and the scalar s, as it has it. */
typedef double formula(double x, double s);

static double plus(double x, double s)
{
    return x + s;
}

static double minus(double x, double s)
{
    return x - s;
}

static double from(double x, double s)
{
    return s - x;
}

static double times(double x, double s)
{
    return x * s;
}

static double over(double x, double s)
{
    return x / s;
}

static const struct form {
    const char *name;
    formula *formula;
    bool is_sum, has_alpha, is_list;
} forms[] = {
    {"aclnnAdds", plus, true, true, false},
    {"aclnnInplaceAdds", plus, true, true, false},
    {"aclnnSubs", minus, true, true, false},
    {"aclnnInplaceSubs", minus, true, true, false},
    {"aclnnRsubs", from, true, true, false},
    {"aclnnMuls", times, false, false, false},
    {"aclnnInplaceMuls", times, false, false, false},
    {"aclnnDivs", over, false, false, false},
    {"aclnnInplaceDivs", over, false, false, false},
    {"aclnnForeachAddScalarV2", plus, true, false, true},
    {"aclnnForeachSubScalarV2", minus, true, false, true},
    {"aclnnForeachMulScalarV2", times, false, false, true},
    {"aclnnForeachDivScalarV2", over, false, false, true},
};

static double rounded_to(aclDataType dtype, double value)
{
    unsigned char element[8];
    double result;
    conversion_reference(&value, ACL_DOUBLE, element, dtype);
    conversion_reference(element, dtype, &result, ACL_DOUBLE);
    return result;
}

static const void *operand(const struct form *form, const struct layout *layout)
{
    return form->is_list ? (const void *)aclCreateTensorList((const aclTensor *const[]){layout->tensor}, 1)
                         : layout->tensor;
}

static void expect_form(const struct form *form, aclDataType dtype, double number)
{
    const struct function *function = find(form->name);
    const int64_t count = ELEMENTS, one = 1;
    struct layout x = layout_create(dtype, 1, &count, LAYOUT_CONTIGUOUS),
                  out = layout_create(dtype, 1, &count, LAYOUT_CONTIGUOUS);
    union argument argument[4] = {{0}};
    unsigned used = 0;
    double before[ELEMENTS];
    for (int64_t i = 0; i < ELEMENTS; i++) {
        set_element(&x, i, 0.125 + (double)random_below(9000) / 64);
        before[i] = element_of(&x, i);
    }
    const bool is_in_place = function->parameter_count == (form->has_alpha ? 3U : 2U);
    argument[used++].handle = operand(form, &x);
    argument[used++].scalar = aclCreateScalar(&number, ACL_DOUBLE);
    if (form->has_alpha)
        argument[used++].scalar = aclCreateScalar((void *)(uintptr_t)&one, ACL_INT64);
    if (!is_in_place)
        argument[used].handle = operand(form, &out);
    assert_int_equal(call_function(function, argument), 0);
    const bool is_narrow = form->is_sum && rounds && (!form->is_list || dtype == ACL_FLOAT16);
    const double s = rounded_to(is_narrow ? dtype : ACL_FLOAT, number);
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const double found = element_of(is_in_place ? &x : &out, i);
        const double wanted = rounded_to(dtype, form->formula(before[i], s));
        if (found != wanted)
            fail_msg("%s of %s: %g and %g give %g and not %g", form->name, dtype_name(dtype), before[i],
                     number, found, wanted);
    }
    layout_destroy(&x);
    layout_destroy(&out);
}

static void numbers_beside_16_bits(void **state)
{
    static const double numbers[] = {41.7022, 0.1, -3.1, 0.3, 1e-3, 257.9, 1};
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
            expect_form(&forms[i], ACL_FLOAT16, numbers[k]);
            if (getenv("BELAY_SOC") == NULL || strcmp(getenv("BELAY_SOC"), "Ascend910A") != 0)
                expect_form(&forms[i], ACL_BF16, numbers[k]);
        }
}

static int set_up(void **state)
{
    const struct settings *settings;
    (void)state;
    if (settings_get(&settings) != 0 || aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return -1;
    rounds = settings->product != PRODUCT_950;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_beside_16_bits)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
