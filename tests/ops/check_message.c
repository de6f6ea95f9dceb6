/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Single rules of operators, their bounds and their sentences. The build runs this program once for each
 * product.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "tensor/dtype.h"

#include <cmocka.h>

#include "ops/attempt.h"

static const struct settings *settings;

static void assert_tensor_refused(const char *name, unsigned parameter, aclTensor *tensor, const char *text)
{
    struct attempt attempt = accepted(find(name));
    replace(&attempt, parameter, tensor);
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, text);
    release(&attempt);
}

static void a_wrong_dtype_is_told_with_what_the_product_accepts(void **state)
{
    (void)state;
    char expected[256];
    snprintf(expected, sizeof expected, "self has dtype INT64; %s expected on %s",
             settings->product == PRODUCT_910A ? "FLOAT or FLOAT16" : "FLOAT, FLOAT16 or BFLOAT16",
             settings->soc_name);
    assert_tensor_refused("aclnnSiluBackward", 1, plain(ACL_INT64), expected);
    assert_tensor_refused("aclnnLeakyReluBackward", 4, plain(ACL_INT32),
                          "out has dtype INT32, to which a result of dtype FLOAT cannot be cast; FLOAT, ");
    if (settings->product == PRODUCT_910A)
        assert_tensor_refused("aclnnSiluBackward", 0, plain(ACL_BF16),
                              "gradOutput has dtype BFLOAT16; FLOAT or FLOAT16 expected on Ascend910A "
                              "(Ascend910B and Ascend950 accept BFLOAT16)");
}

static void dtypes_that_must_agree_are_both_told(void **state)
{
    (void)state;
    assert_tensor_refused("aclnnHardswishBackward", 2, plain(ACL_FLOAT16),
                          "out has dtype FLOAT16; FLOAT, the dtype of self, is expected");
    if (settings->product == PRODUCT_950) {
        assert_tensor_refused("aclnnSiluBackward", 2, plain(ACL_FLOAT16),
                              "gradInput has dtype FLOAT16; FLOAT, the dtype of gradOutput, is expected");
    } else {
        char expected[256];
        snprintf(
            expected, sizeof expected,
            "self has dtype FLOAT16; FLOAT, the dtype of gradOutput, is expected on %s (Ascend950 promotes "
            "them)",
            settings->soc_name);
        assert_tensor_refused("aclnnSiluBackward", 1, plain(ACL_FLOAT16), expected);
    }
}

static void shapes_are_told_with_what_is_expected(void **state)
{
    (void)state;
    assert_tensor_refused("aclnnHardswishBackward", 0, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL),
                          "gradOutput has shape [3]; [2, 3], the shape of self, is expected");
    assert_tensor_refused("aclnnHardswishBackward", 2, tensor_with(ACL_FLOAT, 0, NULL, NULL),
                          "out has shape []; [2, 3], the shape of self, is expected");
    assert_tensor_refused("aclnnLeakyReluBackward", 4, tensor_with(ACL_FLOAT, 2, DIMS(2, 1), NULL),
                          "out has shape [2, 1]; [2, 3], the shape that the inputs lead to, is expected");
    assert_tensor_refused("aclnnSmoothL1LossBackward", 2, tensor_with(ACL_FLOAT, 1, DIMS(4), NULL),
                          "target has shape [4], which does not broadcast with [2, 3]");
    assert_tensor_refused(
        "aclnnLeakyReluBackward", 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL),
        "self has shape [2], which does not broadcast with [2, 3], the shape of gradOutput;");
}

static void more_than_eight_dims_are_refused(void **state)
{
    (void)state;
    static const int64_t nine[] = {1, 1, 1, 1, 1, 1, 1, 2, 3};
    const char *const names[] = {"aclnnHardswishBackward", "aclnnSiluBackward", "aclnnSmoothL1LossBackward",
                                 "aclnnLeakyReluBackward"};
    for (unsigned i = 0; i < 4; i++)
        assert_tensor_refused(names[i], 1, tensor_with(ACL_FLOAT, 9, nine, NULL),
                              "self has 9 dims; at most 8 are expected");
}

static void broadcasting_depends_on_the_product_for_silu_alone(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnSiluBackward"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(3), NULL));
    char expected[256];
    snprintf(
        expected, sizeof expected,
        "self has shape [3]; [2, 3], the shape of gradOutput, is expected on %s (Ascend950 broadcasts them)",
        settings->soc_name);
    if (settings->product == PRODUCT_950)
        assert_accepted(&attempt);
    else
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
    release(&attempt);
}

static void attributes_are_checked_with_their_bounds(void **state)
{
    (void)state;
    enum { REDUCTION = 3, BETA = 4 };
    struct attempt attempt = accepted(find("aclnnSmoothL1LossBackward"));
    const struct {
        int64_t reduction;
        float beta;
        const char *text; /* NULL: accepted */
    } cases[] = {
        {0, 0.0f, NULL},
        {1, -0.0f, NULL},
        {2, INFINITY, NULL},
        {0, 1e-45f, NULL},
        {3, 1.0f, "reduction is 3; 0 (none), 1 (mean) or 2 (sum) is expected"},
        {-1, -1.0f, "reduction is -1; "},
        {INT64_MIN, 1.0f, "reduction is -9223372036854775808; "},
        {INT64_C(1) << 32, 1.0f, "reduction is 4294967296; "},
        {0, -1.0f, "beta is -1; 0 or more is expected"},
        {0, -1e-45f, "beta is -1.4013e-45; 0 or more is expected"},
        {0, NAN, "beta is nan; 0 or more is expected"},
        {0, -INFINITY, "beta is -inf; 0 or more is expected"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        attempt.argument[REDUCTION].int64 = cases[i].reduction;
        attempt.argument[BETA].fp32 = cases[i].beta;
        if (cases[i].text == NULL)
            assert_accepted(&attempt);
        else
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, cases[i].text);
    }
    release(&attempt);
}

static void a_negative_slope_does_not_go_with_a_result_for_self(void **state)
{
    (void)state;
    enum { SLOPE = 2, SELF_IS_RESULT = 3 };
    const double slopes[] = {-1.0, -0x1p-1074, -(double)INFINITY, 0.0, -0.0, (double)NAN, -(double)NAN, 0.5};
    for (unsigned i = 0; i < sizeof slopes / sizeof slopes[0]; i++) {
        struct attempt attempt = accepted(find("aclnnLeakyReluBackward"));
        double slope = slopes[i];
        assert_int_equal(aclDestroyScalar(attempt.argument[SLOPE].scalar), 0);
        attempt.argument[SLOPE].scalar = aclCreateScalar(&slope, ACL_DOUBLE);
        assert_accepted(&attempt);
        attempt.argument[SELF_IS_RESULT].boolean = true;
        if (i < 3)
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "negativeSlope is ");
        else
            assert_accepted(&attempt);
        release(&attempt);
    }
}

static int set_up(void **state)
{
    (void)state;
    return settings_get(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_dtype_is_told_with_what_the_product_accepts),
        cmocka_unit_test(dtypes_that_must_agree_are_both_told),
        cmocka_unit_test(shapes_are_told_with_what_is_expected),
        cmocka_unit_test(more_than_eight_dims_are_refused),
        cmocka_unit_test(broadcasting_depends_on_the_product_for_silu_alone),
        cmocka_unit_test(attributes_are_checked_with_their_bounds),
        cmocka_unit_test(a_negative_slope_does_not_go_with_a_result_for_self),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
