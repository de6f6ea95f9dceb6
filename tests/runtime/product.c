/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * SoC names and the products whose rules they stand for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/product.h"

static void every_known_name_has_its_product(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum product product;
    } known[] = {
        {"Ascend910A", PRODUCT_910A},
        {"Ascend910ProA", PRODUCT_910A},
        {"Ascend910ProB", PRODUCT_910A},
        {"Ascend910PremiumA", PRODUCT_910A},
        {"Ascend910B1", PRODUCT_910B},
        {"Ascend910B2", PRODUCT_910B},
        {"Ascend910B2C", PRODUCT_910B},
        {"Ascend910B3", PRODUCT_910B},
        {"Ascend910B4", PRODUCT_910B},
        {"Ascend910B4-1", PRODUCT_910B},
        {"Ascend910_9391", PRODUCT_910B},
        {"Ascend910_9362", PRODUCT_910B},
        {"Ascend910_9372", PRODUCT_910B},
        {"Ascend950PR", PRODUCT_950},
        {"Ascend950DT", PRODUCT_950},
        {"Ascend950PR_9599", PRODUCT_950},
        {"Ascend950DT_95A1", PRODUCT_950},
        {"Ascend950PR_09azAZ", PRODUCT_950},
        {"Ascend950PR_123456789012", PRODUCT_950},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        enum product product = (enum product)99;
        if (!product_find(known[i].name, &product) || product != known[i].product)
            fail_msg("%s gives %d", known[i].name, (int)product);
    }
}

static void other_names_have_none(void **state)
{
    (void)state;
    static const char *const unknown[] = {
        "",
        "Ascend",
        "ascend910b3",
        "Ascend910B3 ",
        " Ascend910B3",
        "Ascend910B",
        "Ascend910",
        "Ascend310P3",
        "Ascend310B1",
        "Ascend910_93",
        "Ascend910_939",
        "Ascend910_93911",
        "Ascend950",
        "Ascend950XX",
        "Ascend950PR_",
        "Ascend950PR_9/",
        "Ascend950PRx",
        "Ascend910_93a1",
        "Ascend910C",
        "Ascend950PR_1234567890123",
        "Ascend950DT__1",
        "Ascend950PR_9_1",
        "Ascend950PR_9{",
        "Ascend950PR_9@",
        "Ascend950PR_9[",
        "Ascend910_93/1",
        "Ascend910_93:1",
        "Ascend910_931/",
        "Ascend910_931:",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        enum product product;
        if (product_find(unknown[i], &product))
            fail_msg("'%s' is known", unknown[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_known_name_has_its_product),
        cmocka_unit_test(other_names_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
