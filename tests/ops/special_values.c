/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Every function of elements on all pairs and triples of special values, in every dtype that it takes,
 * against the formula of its row; and that there is a row for each. The build runs this program for each
 * level and accuracy.
 *
 *     special_values [NAME...]     some functions: aclnnAdd
 */
#include "ops/pointwise/formula.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/special_rows.h"

static char **chosen;

static bool is_chosen(const char *name)
{
    for (char **next = chosen; *next != NULL; next++)
        if (strcmp(*next, name) == 0)
            return true;
    return *chosen == NULL;
}

static const aclDataType dtypes[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,
                                     ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,  ACL_UINT16,
                                     ACL_UINT32, ACL_UINT64,  ACL_BOOL};

/* Whether a formula is computed in the dtype, and of integers has a kernel for it. */
static bool computes_in(const struct formula_contract *formula, aclDataType dtype)
{
    if (formula == NULL)
        return true;
    return (special_digits(dtype) != 0 ||
            formula->elementwise.kernels[ISA_BASELINE]->exact[arithmetic_of(dtype)] != NULL) &&
           (formula->computes == NULL ||
            (formula->computes->on[special_settings()->product] & DTYPE_BIT(dtype)) != 0);
}

/* formula is NULL where the function is none. */
static void try_row(const struct special_row *row, const struct formula_contract *formula)
{
    unsigned taken = 0;
    if (!is_chosen(row->row.name))
        return;
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
        const unsigned before = taken;
        special_failures_of_row = 0;
        taken += computes_in(formula, dtypes[k]) && special_try(row, dtypes[k], false);
        if (special_digits(dtypes[k]) != 0 && taken > before)
            (void)special_try(row, dtypes[k], true);
        if (special_failures_of_row > FAILURES_TOLD)
            print_error("%s of %s: %u in all\n", row->row.name, dtype_name(dtypes[k]),
                        special_failures_of_row);
    }
    if (taken == 0)
        fail_msg("%s takes no dtype: %s", row->row.name, aclGetRecentErrMsg());
}

static void formulas_hold_at_special_values(void **state)
{
    (void)state;
    special_failures = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct formula_contract *formula = find(rows[i].name)->of_family;
        const struct special_row row = {.row = rows[i], .inputs = formula->inputs};
        try_row(&row, formula);
    }
    assert_int_equal(special_failures, 0);
}

static void functions_of_elements_hold_at_special_values(void **state)
{
    (void)state;
    special_failures = 0;
    for (size_t i = 0; i < sizeof special_rows / sizeof special_rows[0]; i++)
        try_row(&special_rows[i], NULL);
    assert_int_equal(special_failures, 0);
}

static bool has_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof special_rows / sizeof special_rows[0]; i++)
        if (strcmp(special_rows[i].row.name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof without_row / sizeof without_row[0]; i++)
        if (strcmp(without_row[i][0], name) == 0)
            return true;
    return false;
}

/* A new function of these families is to come with a row. */
static void every_function_of_elements_has_a_row(void **state)
{
    size_t count, missing = 0;
    const struct function *const *list = functions(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const enum function_family family = list[i]->family;
        const bool is_of_elements =
            family == FAMILY_POINTWISE || family == FAMILY_COMPOSITE || family == FAMILY_FOREACH;
        if (is_of_elements && !has_row(list[i]->operation.name)) {
            print_error("%s has no row\n", list[i]->operation.name);
            missing++;
        }
    }
    for (size_t i = 0; i < sizeof without_row / sizeof without_row[0]; i++)
        (void)find(without_row[i][0]);
    assert_int_equal(missing, 0);
}

int main(int count, char **word)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_of_elements_has_a_row),
        cmocka_unit_test(formulas_hold_at_special_values),
        cmocka_unit_test(functions_of_elements_hold_at_special_values),
    };
    (void)count;
    chosen = word + 1;
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
