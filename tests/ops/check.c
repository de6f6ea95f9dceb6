/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The argument rules: their order, their codes, their sentences, and that a refused call writes nothing. What
 * all operators share is tried on every operator of the list. The build runs this program once for each
 * product.
 */
#include "ops/check.h"

#include <inttypes.h>
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

#include "support/child.h"
#include "support/failure.h"

static const struct settings *settings;

static const struct operator_description *find(const char *name)
{
    size_t count;
    const struct operator_description *const *list = operators(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->operation.name, name) == 0)
            return list[i];
    fail_msg("%s is not in the list", name);
    return NULL;
}

/* ---- calls ---- */

static char memory[1 << 16];

static aclTensor *tensor_with(aclDataType dtype, unsigned rank, const int64_t *shape, const int64_t *stride)
{
    int64_t contiguous[TENSOR_RANK_MAX], step = 1;
    for (unsigned i = rank; i-- > 0;) {
        contiguous[i] = step;
        step *= shape[i];
    }
    aclTensor *tensor = aclCreateTensor(shape, rank, dtype, stride != NULL ? stride : contiguous, 0,
                                        ACL_FORMAT_ND, shape, rank, memory);
    assert_non_null(tensor);
    return tensor;
}

#define DIMS(...)     \
    (const int64_t[]) \
    {                 \
        __VA_ARGS__   \
    }

static aclTensor *plain(aclDataType dtype)
{
    return tensor_with(dtype, 2, DIMS(2, 3), NULL);
}

static aclScalar *scalar_of(aclDataType dtype)
{
    /* 1 or close to it in every dtype, and never negative. */
    uint64_t bytes[2] = {0, 0};
    const float single = 1;
    const double wide = 1;
    if (dtype == ACL_FLOAT)
        memcpy(bytes, &single, sizeof single);
    else if (dtype == ACL_DOUBLE)
        memcpy(bytes, &wide, sizeof wide);
    else
        bytes[0] = 1;
    return aclCreateScalar(bytes, dtype);
}

/* A call that is accepted; tests change one argument of it. */
struct attempt {
    const struct operator_description *description;
    union argument argument[PARAMETERS_MAX];
};

static bool is_tensor(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_INPUT || parameter->kind == PARAMETER_OUTPUT;
}

static bool is_handle(const struct parameter *parameter)
{
    return is_tensor(parameter) || parameter->kind == PARAMETER_SCALAR;
}

static struct attempt accepted(const struct operator_description *description)
{
    struct attempt attempt = {.description = description};
    for (unsigned i = 0; i < description->parameter_count; i++) {
        const struct parameter *parameter = &description->parameter[i];
        if (is_tensor(parameter))
            attempt.argument[i].tensor = plain(ACL_FLOAT);
        else if (parameter->kind == PARAMETER_SCALAR)
            attempt.argument[i].scalar = scalar_of(ACL_FLOAT);
        else if (parameter->kind == PARAMETER_FLOAT)
            attempt.argument[i].fp32 = 1;
        else if (parameter->kind == PARAMETER_DOUBLE)
            attempt.argument[i].fp64 = 1;
    }
    return attempt;
}

static void release(struct attempt *attempt)
{
    for (unsigned i = 0; i < attempt->description->parameter_count; i++) {
        if (is_tensor(&attempt->description->parameter[i]))
            (void)aclDestroyTensor(attempt->argument[i].tensor);
        else if (attempt->description->parameter[i].kind == PARAMETER_SCALAR)
            (void)aclDestroyScalar(attempt->argument[i].scalar);
    }
    (void)aclGetRecentErrMsg(); /* some were given up on purpose */
}

static void assert_accepted(const struct attempt *attempt)
{
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = NULL;
    if (attempt->description->plan(attempt->argument, &workspace_bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(workspace_bytes, 0);
    assert_non_null(executor);
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
}

/* Nothing is written, and the sentence begins with the API and contains the text. */
static void assert_refused(const struct attempt *attempt, aclnnStatus status, const char *text)
{
    static char untouched;
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = (aclOpExecutor *)(void *)&untouched;
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", attempt->description->operation.name, text);
    (void)aclGetRecentErrMsg();
    assert_int_equal(attempt->description->plan(attempt->argument, &workspace_bytes, &executor), status);
    assert_int_equal(workspace_bytes, 77);
    assert_ptr_equal(executor, &untouched);
    assert_sentence(expected);
}

static void replace(struct attempt *attempt, unsigned parameter, aclTensor *tensor)
{
    assert_int_equal(aclDestroyTensor(attempt->argument[parameter].tensor), 0);
    attempt->argument[parameter].tensor = tensor;
}

/* Calls body for every operator. */
static void for_each_operator(void (*body)(const struct operator_description *description))
{
    size_t count;
    const struct operator_description *const *list = operators(&count);
    for (size_t i = 0; i < count; i++)
        body(list[i]);
}

/* ---- what all operators share ---- */

static void try_valid(const struct operator_description *description)
{
    struct attempt attempt = accepted(description);
    assert_accepted(&attempt);
    release(&attempt);
}

static void a_valid_call_asks_for_no_workspace(void **state)
{
    (void)state;
    for_each_operator(try_valid);
}

static void try_results(const struct operator_description *description)
{
    struct attempt attempt = accepted(description);
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = NULL;
    char expected[256];
    replace(&attempt, 0, NULL); /* later in the order */
    snprintf(expected, sizeof expected, "%s: workspaceSize is NULL", description->operation.name);
    assert_failure(description->plan(attempt.argument, NULL, &executor), ACLNN_ERR_PARAM_NULLPTR, expected);
    assert_null(executor);
    snprintf(expected, sizeof expected, "%s: executor is NULL", description->operation.name);
    assert_failure(description->plan(attempt.argument, &workspace_bytes, NULL), ACLNN_ERR_PARAM_NULLPTR,
                   expected);
    assert_int_equal(workspace_bytes, 77);
    release(&attempt);
}

static void the_places_for_the_results_come_first(void **state)
{
    (void)state;
    for_each_operator(try_results);
}

static void try_null(const struct operator_description *description)
{
    for (unsigned first = 0; first < description->parameter_count; first++) {
        if (!is_handle(&description->parameter[first]))
            continue;
        struct attempt attempt = accepted(description);
        /* All handles before are stale, which counts later; all from here on are NULL. */
        for (unsigned i = 0; i < description->parameter_count; i++) {
            const struct parameter *parameter = &description->parameter[i];
            if (is_tensor(parameter)) {
                assert_int_equal(aclDestroyTensor(attempt.argument[i].tensor), 0);
                attempt.argument[i].tensor = i < first ? attempt.argument[i].tensor : NULL;
            } else if (parameter->kind == PARAMETER_SCALAR) {
                assert_int_equal(aclDestroyScalar(attempt.argument[i].scalar), 0);
                attempt.argument[i].scalar = i < first ? attempt.argument[i].scalar : NULL;
            }
        }
        char expected[256];
        snprintf(expected, sizeof expected, "%s is NULL; a %s is expected",
                 description->parameter[first].name,
                 is_tensor(&description->parameter[first]) ? "tensor" : "scalar");
        assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, expected);
        release(&attempt);
    }
}

static void null_arguments_are_told_in_argument_order_before_stale_ones(void **state)
{
    (void)state;
    for_each_operator(try_null);
}

static void try_stale(const struct operator_description *description)
{
    static const int64_t negative[] = {-2, 3}, strides[] = {3, 1};
    for (unsigned first = 0; first < description->parameter_count; first++) {
        if (!is_handle(&description->parameter[first]))
            continue;
        struct attempt attempt = accepted(description);
        /* Tensors before have an impossible view, which counts later. */
        for (unsigned i = 0; i < first; i++)
            if (is_tensor(&description->parameter[i]))
                replace(
                    &attempt, i,
                    aclCreateTensor(negative, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, negative, 2, memory));
        char expected[256];
        if (is_tensor(&description->parameter[first]))
            assert_int_equal(aclDestroyTensor(attempt.argument[first].tensor), 0);
        else
            assert_int_equal(aclDestroyScalar(attempt.argument[first].scalar), 0);
        snprintf(expected, sizeof expected, "%s was destroyed", description->parameter[first].name);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);

        /* A handle of another kind, and no handle at all. */
        aclScalar *scalar = scalar_of(ACL_FLOAT);
        aclTensor *tensor = plain(ACL_FLOAT);
        if (is_tensor(&description->parameter[first]))
            attempt.argument[first].tensor = (const aclTensor *)(const void *)scalar;
        else
            attempt.argument[first].scalar = (const aclScalar *)(const void *)tensor;
        snprintf(expected, sizeof expected, "%s is a %s", description->parameter[first].name,
                 is_tensor(&description->parameter[first]) ? "scalar" : "tensor");
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
        attempt.argument[first].tensor = (const aclTensor *)(const void *)memory;
        snprintf(expected, sizeof expected, "%s is not a handle of this library",
                 description->parameter[first].name);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
        assert_int_equal(aclDestroyScalar(scalar), 0);
        assert_int_equal(aclDestroyTensor(tensor), 0);
        release(&attempt);
    }
}

static void stale_and_foreign_handles_come_before_impossible_views(void **state)
{
    (void)state;
    for_each_operator(try_stale);
}

static void try_impossible(const struct operator_description *description)
{
    const struct {
        int64_t shape[2], stride[2], offset;
        const char *text;
    } views[] = {
        {{-2, 3}, {3, 1}, 0, "has shape [-2, 3]"},
        {{2, 3}, {-3, 1}, 0, "strides [-3, 1]"},
        {{2, 3}, {3, 1}, -1, "offset -1"},
        {{INT64_MAX, 3}, {3, 1}, 0, "at most 2^63 - 1 elements"},
        {{3, 3}, {INT64_MAX, 1}, 0, "at most 2^63 - 1 elements"},
    };
    for (unsigned v = 0; v < sizeof views / sizeof views[0]; v++)
        for (unsigned p = 0; p < description->parameter_count; p++) {
            if (!is_tensor(&description->parameter[p]))
                continue;
            struct attempt attempt = accepted(description);
            const int64_t *shape = views[v].shape;
            aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, views[v].stride, views[v].offset,
                                                ACL_FORMAT_ND, DIMS(2, 3), 2, memory);
            if (tensor == NULL)
                fail_msg("a view that cannot be is an object all the same: %s", aclGetRecentErrMsg());
            replace(&attempt, p, tensor);
            if (p > 0)
                replace(&attempt, 0, tensor_with(ACL_INT64, 1, DIMS(5), NULL)); /* later in the order */
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, description->parameter[p].name);
            (void)description->plan(attempt.argument, &(uint64_t){0}, &(aclOpExecutor *){NULL});
            assert_sentence(views[v].text);
            release(&attempt);
        }
}

static void views_that_cannot_be_come_before_dtypes(void **state)
{
    (void)state;
    for_each_operator(try_impossible);
}

/* Every dtype of every tensor and scalar, the other arguments being FLOAT: what is not in the set is refused.
 */
static void try_dtypes(const struct operator_description *description)
{
    for (unsigned p = 0; p < description->parameter_count; p++) {
        const struct parameter *parameter = &description->parameter[p];
        for (int dtype = 0; is_handle(parameter) && dtype <= 41; dtype++) {
            if (strcmp(dtype_name((aclDataType)dtype), "an unknown dtype") == 0)
                continue;
            bool is_known = (parameter->dtypes->on[settings->product] & DTYPE_BIT(dtype)) != 0;
            struct attempt attempt = accepted(description);
            char expected[256];
            snprintf(expected, sizeof expected, "%s has dtype %s", parameter->name,
                     dtype_name((aclDataType)dtype));
            if (is_tensor(parameter)) {
                replace(&attempt, p, plain((aclDataType)dtype));
                if (!is_known)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
            } else {
                assert_int_equal(aclDestroyScalar(attempt.argument[p].scalar), 0);
                attempt.argument[p].scalar = scalar_of((aclDataType)dtype);
                if (attempt.argument[p].scalar == NULL) /* no scalar has this dtype */
                    attempt.argument[p].scalar = scalar_of(ACL_FLOAT);
                else if (!is_known)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
                else
                    assert_accepted(&attempt);
            }
            release(&attempt);
        }
    }
}

static void dtypes_outside_of_the_description_are_refused(void **state)
{
    (void)state;
    for_each_operator(try_dtypes);
}

/* All tensors of one dtype, where all of them may have it. */
static void try_uniform(const struct operator_description *description)
{
    uint64_t common = UINT64_MAX;
    for (unsigned p = 0; p < description->parameter_count; p++)
        if (is_tensor(&description->parameter[p]))
            common &= description->parameter[p].dtypes->on[settings->product];
    assert_true(common != 0);
    for (; common != 0; common &= common - 1) {
        struct attempt attempt = accepted(description);
        for (unsigned p = 0; p < description->parameter_count; p++)
            if (is_tensor(&description->parameter[p]))
                replace(&attempt, p, plain((aclDataType)__builtin_ctzll(common)));
        assert_accepted(&attempt);
        release(&attempt);
    }
}

static void every_dtype_of_the_description_has_a_kernel(void **state)
{
    (void)state;
    for_each_operator(try_uniform);
}

static void try_empty(const struct operator_description *description)
{
    struct attempt attempt = accepted(description);
    for (unsigned i = 0; i < description->parameter_count; i++)
        if (is_tensor(&description->parameter[i]))
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(0, 3), DIMS(0, 0)));
    assert_accepted(&attempt);

    /* Emptiness excuses nothing: the last tensor has another shape. */
    for (unsigned i = description->parameter_count; i-- > 0;)
        if (description->parameter[i].kind == PARAMETER_OUTPUT)
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(0, 4), NULL));
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    assert_int_equal(description->plan(attempt.argument, &workspace_bytes, &executor),
                     ACLNN_ERR_PARAM_INVALID);
    release(&attempt);
}

static void empty_tensors_are_accepted_after_all_checks(void **state)
{
    (void)state;
    for_each_operator(try_empty);
}

static void try_overlap(const struct operator_description *description)
{
    struct attempt attempt = accepted(description);
    for (unsigned i = 0; i < description->parameter_count; i++)
        if (description->parameter[i].kind == PARAMETER_OUTPUT) {
            char expected[256];
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 1)));
            snprintf(expected, sizeof expected, "%s overlaps itself with shape [2, 3] and strides [0, 1]",
                     description->parameter[i].name);
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(2, 1)));
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
        } else if (description->parameter[i].kind == PARAMETER_INPUT) {
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(2, 3), DIMS(0, 0)));
        }
    release(&attempt);
}

static void outputs_that_overlap_themselves_are_refused_and_inputs_are_not(void **state)
{
    (void)state;
    for_each_operator(try_overlap);
}

/* ---- single rules and their sentences ---- */

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
                          "out has dtype INT32, to which a FLOAT result cannot be cast; FLOAT, ");
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
                              "gradInput has dtype FLOAT16; FLOAT, the dtype that the inputs promote to, is "
                              "expected");
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
    assert_tensor_refused(
        "aclnnLeakyReluBackward", 4, tensor_with(ACL_FLOAT, 2, DIMS(2, 1), NULL),
        "out has shape [2, 1]; [2, 3], the shape that the inputs broadcast to, is expected");
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

/* ---- a library that cannot be used ---- */

static int plan_in_this_process(void)
{
    const union argument argument[PARAMETERS_MAX] = {{0}};
    uint64_t workspace_bytes = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = find("aclnnSiluBackward")->plan(argument, &workspace_bytes, &executor);
    CHILD_CHECK(status == ACLNN_ERR_RUNTIME_ERROR && executor == NULL);
    const char *sentence = aclGetRecentErrMsg();
    CHILD_CHECK(sentence != NULL &&
                (strstr(sentence, "BELAY_SOC") != NULL || strstr(sentence, "fork") != NULL));
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    /* Before the library is used here, so that the child reads the variable itself. */
    if (run_in_child("BELAY_SOC", "Ascend1", plan_in_this_process) != 0)
        return -1;
    return settings_get(&settings);
}

static void a_forked_child_is_told_so(void **state)
{
    (void)state;
    assert_int_equal(run_in_child(NULL, NULL, plan_in_this_process), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_valid_call_asks_for_no_workspace),
        cmocka_unit_test(the_places_for_the_results_come_first),
        cmocka_unit_test(null_arguments_are_told_in_argument_order_before_stale_ones),
        cmocka_unit_test(stale_and_foreign_handles_come_before_impossible_views),
        cmocka_unit_test(views_that_cannot_be_come_before_dtypes),
        cmocka_unit_test(dtypes_outside_of_the_description_are_refused),
        cmocka_unit_test(every_dtype_of_the_description_has_a_kernel),
        cmocka_unit_test(empty_tensors_are_accepted_after_all_checks),
        cmocka_unit_test(outputs_that_overlap_themselves_are_refused_and_inputs_are_not),
        cmocka_unit_test(a_wrong_dtype_is_told_with_what_the_product_accepts),
        cmocka_unit_test(dtypes_that_must_agree_are_both_told),
        cmocka_unit_test(shapes_are_told_with_what_is_expected),
        cmocka_unit_test(more_than_eight_dims_are_refused),
        cmocka_unit_test(broadcasting_depends_on_the_product_for_silu_alone),
        cmocka_unit_test(attributes_are_checked_with_their_bounds),
        cmocka_unit_test(a_negative_slope_does_not_go_with_a_result_for_self),
        cmocka_unit_test(a_forked_child_is_told_so),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
