/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The argument rules that all operators share, tried on every operator of the list: their order, their codes,
 * and that a refused call writes nothing. The build runs this program once for each product.
 */
#include "ops/check.h"

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
#include "ops/sample_group.h"
#include "support/child.h"

static const struct settings *settings;

/* Calls body for every operator. */
static void for_each_operator(void (*body)(const struct function *function))
{
    size_t count;
    const struct function *const *list = functions(&count);
    for (size_t i = 0; i < count; i++)
        if (is_on_this_product(list[i]))
            body(list[i]);
}

static void try_valid(const struct function *function)
{
    struct attempt attempt = accepted(function);
    assert_accepted(&attempt);
    release(&attempt);
}

static void a_valid_call_asks_for_no_workspace(void **state)
{
    (void)state;
    for_each_operator(try_valid);
}

static void try_results(const struct function *function)
{
    struct attempt attempt = accepted(function);
    uint64_t workspace_bytes = 77;
    aclOpExecutor *executor = NULL;
    char expected[256];
    release_argument(&function->parameter[0], attempt.argument[0]);
    attempt.argument[0].handle = NULL; /* later in the order */
    snprintf(expected, sizeof expected, "%s: workspaceSize is NULL", function->operation.name);
    assert_failure(function_plan_anew(function, attempt.argument, NULL, &executor), ACLNN_ERR_PARAM_NULLPTR,
                   expected);
    assert_null(executor);
    snprintf(expected, sizeof expected, "%s: executor is NULL", function->operation.name);
    assert_failure(function_plan_anew(function, attempt.argument, &workspace_bytes, NULL),
                   ACLNN_ERR_PARAM_NULLPTR, expected);
    assert_int_equal(workspace_bytes, 77);
    release(&attempt);
}

static void the_places_for_the_results_come_first(void **state)
{
    (void)state;
    for_each_operator(try_results);
}

static void try_null(const struct function *function)
{
    for (unsigned first = 0; first < function->parameter_count; first++) {
        if (!is_handle(&function->parameter[first]) || function->parameter[first].is_optional)
            continue;
        struct attempt attempt = accepted(function);
        /* All handles before are stale, which counts later; all from here on are NULL. */
        for (unsigned i = 0; i < function->parameter_count; i++) {
            if (!is_handle(&function->parameter[i]))
                continue;
            release_argument(&function->parameter[i], attempt.argument[i]);
            if (i >= first)
                attempt.argument[i].handle = NULL;
        }
        char expected[256];
        snprintf(expected, sizeof expected, "%s is NULL; a %s is expected", function->parameter[first].name,
                 parameter_kind_name(function->parameter[first].kind));
        assert_refused(&attempt, ACLNN_ERR_PARAM_NULLPTR, expected);
        release(&attempt);
    }
}

static void null_arguments_are_told_in_argument_order_before_stale_ones(void **state)
{
    (void)state;
    for_each_operator(try_null);
}

static void try_stale(const struct function *function)
{
    static const int64_t negative[] = {-2, 3}, strides[] = {3, 1};
    for (unsigned first = 0; first < function->parameter_count; first++) {
        if (!is_handle(&function->parameter[first]))
            continue;
        struct attempt attempt = accepted(function);
        /* Tensors before have an impossible view, which counts later. */
        for (unsigned i = 0; i < first; i++)
            if (is_tensor(&function->parameter[i]))
                replace(
                    &attempt, i,
                    aclCreateTensor(negative, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, negative, 2, memory));
        char expected[256];
        release_argument(&function->parameter[first], attempt.argument[first]);
        snprintf(expected, sizeof expected, "%s was destroyed", function->parameter[first].name);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);

        /* A handle of another kind, and no handle at all. */
        aclScalar *scalar = scalar_of(ACL_FLOAT);
        aclTensor *tensor = plain(ACL_FLOAT);
        attempt.argument[first].handle =
            is_tensor(&function->parameter[first]) ? (const void *)scalar : tensor;
        snprintf(expected, sizeof expected, "%s is a %s", function->parameter[first].name,
                 is_tensor(&function->parameter[first]) ? "scalar" : "tensor");
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
        attempt.argument[first].handle = memory;
        snprintf(expected, sizeof expected, "%s is not a handle of this library",
                 function->parameter[first].name);
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

static void try_impossible(const struct function *function)
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
        for (unsigned p = 0; p < function->parameter_count; p++) {
            if (!is_tensor(&function->parameter[p]))
                continue;
            struct attempt attempt = accepted(function);
            const int64_t *shape = views[v].shape;
            aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, views[v].stride, views[v].offset,
                                                ACL_FORMAT_ND, DIMS(2, 3), 2, memory);
            if (tensor == NULL)
                fail_msg("a view that cannot be is an object all the same: %s", aclGetRecentErrMsg());
            replace(&attempt, p, tensor);
            if (p > 0 && is_tensor(&function->parameter[0]))
                replace(&attempt, 0, tensor_with(ACL_INT64, 1, DIMS(5), NULL)); /* later in the order */
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, function->parameter[p].name);
            (void)function_plan_anew(function, attempt.argument, &(uint64_t){0}, &(aclOpExecutor *){NULL});
            assert_sentence(views[v].text);
            release(&attempt);
        }
}

static void views_that_cannot_be_come_before_dtypes(void **state)
{
    (void)state;
    for_each_operator(try_impossible);
}

static bool is_accepted(const struct attempt *attempt)
{
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    if (function_plan_anew(attempt->function, attempt->argument, &workspace_bytes, &executor) != 0)
        return false;
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    return true;
}

/* The families whose tensors broadcast, or all have one shape, so that any dtype and size will do. */
static bool is_uniform(const struct function *function)
{
    for (unsigned p = 0; p < function->parameter_count; p++)
        if (function->parameter[p].sample != NULL && strncmp(function->parameter[p].sample, "2x3", 3) != 0)
            return false;
    return function->family == FAMILY_POINTWISE;
}

/* Tensors of this dtype alone promote to one that the function has not: others beside them may do. */
static bool is_never_computed(const struct attempt *attempt)
{
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    (void)aclGetRecentErrMsg();
    (void)function_plan_anew(attempt->function, attempt->argument, &workspace_bytes, &executor);
    const char *sentence = aclGetRecentErrMsg();
    return sentence != NULL && strstr(sentence, "in which this is not computed") != NULL;
}

/* With a scalar of this dtype; where FLOAT tensors do not go with it, tensors of the dtype do. */
static void assert_accepted_with(struct attempt *attempt, aclDataType dtype)
{
    const struct function *function = attempt->function;
    for (unsigned p = 0; !is_accepted(attempt) && p < function->parameter_count; p++)
        if (is_tensor(&function->parameter[p]) &&
            (function->parameter[p].dtypes->on[settings->product] & DTYPE_BIT(dtype)) != 0)
            replace(attempt, p, plain(dtype));
    if (!is_accepted(attempt) && is_never_computed(attempt))
        return;
    assert_accepted(attempt);
}

/* Every dtype of every tensor and scalar, the other arguments being FLOAT: what is not in the set is refused.
 */
static void try_dtypes(const struct function *function)
{
    for (unsigned p = 0; p < function->parameter_count; p++) {
        const struct parameter *parameter = &function->parameter[p];
        for (int dtype = 0; parameter->dtypes != NULL && dtype <= 41; dtype++) {
            if (strcmp(dtype_name((aclDataType)dtype), "an unknown dtype") == 0 ||
                parameter->role == ROLE_IGNORED)
                continue;
            bool is_known = (parameter->dtypes->on[settings->product] & DTYPE_BIT(dtype)) != 0;
            struct attempt attempt = accepted(function);
            char expected[256];
            snprintf(expected, sizeof expected, "%s has dtype %s", parameter->name,
                     dtype_name((aclDataType)dtype));
            if (is_tensor(parameter)) {
                replace_dtype(&attempt, p, (aclDataType)dtype);
                if (!is_known)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
            } else if (parameter->kind == PARAMETER_DTYPE) {
                attempt.argument[p].int64 = dtype;
                snprintf(expected, sizeof expected, "%s is %s", parameter->name,
                         dtype_name((aclDataType)dtype));
                if (!is_known)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
            } else if (parameter->kind == PARAMETER_SCALAR) {
                assert_int_equal(aclDestroyScalar(attempt.argument[p].scalar), 0);
                attempt.argument[p].scalar = scalar_of((aclDataType)dtype);
                if (attempt.argument[p].scalar == NULL) /* no scalar has this dtype */
                    attempt.argument[p].scalar = scalar_of(ACL_FLOAT);
                else if (!is_known)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
                else if (is_uniform(function))
                    assert_accepted_with(&attempt, (aclDataType)dtype);
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

/* All tensors of one dtype, where all of them may have it, and scalars of it where usual ones do not fit. */
static void try_uniform(const struct function *function)
{
    if (!is_uniform(function))
        return;
    uint64_t common = UINT64_MAX;
    for (unsigned p = 0; p < function->parameter_count; p++)
        if (is_tensor(&function->parameter[p]))
            common &= function->parameter[p].dtypes->on[settings->product];
    assert_true(common != 0);
    for (; common != 0; common &= common - 1) {
        struct attempt attempt = accepted(function);
        for (unsigned p = 0; p < function->parameter_count; p++)
            if (is_tensor(&function->parameter[p]))
                replace(&attempt, p, plain((aclDataType)__builtin_ctzll(common)));
            else if (function->parameter[p].kind == PARAMETER_DTYPE)
                attempt.argument[p].int64 = __builtin_ctzll(common);
        for (unsigned p = 0; !is_accepted(&attempt) && p < function->parameter_count; p++)
            if (function->parameter[p].kind == PARAMETER_SCALAR) {
                assert_int_equal(aclDestroyScalar(attempt.argument[p].scalar), 0);
                attempt.argument[p].scalar = scalar_of((aclDataType)__builtin_ctzll(common));
            }
        if (!is_accepted(&attempt) && is_never_computed(&attempt)) {
            release(&attempt);
            continue;
        }
        assert_accepted(&attempt);
        release(&attempt);
    }
}

static void every_dtype_of_the_description_has_a_kernel(void **state)
{
    (void)state;
    for_each_operator(try_uniform);
}

static void try_empty(const struct function *function)
{
    if (!is_uniform(function))
        return;
    struct attempt attempt = accepted(function);
    for (unsigned i = 0; i < function->parameter_count; i++) {
        if (is_tensor(&function->parameter[i]) && !parameter_is_output(&function->parameter[i]))
            replace(&attempt, i,
                    tensor_with(sample_dtype(&function->parameter[i]), 2, DIMS(0, 3), DIMS(0, 0)));
        else if (is_tensor(&function->parameter[i]))
            assert_int_equal(aclDestroyTensor(attempt.argument[i].tensor), 0);
    }
    create_outputs(&attempt);
    assert_accepted(&attempt);

    /* Emptiness excuses nothing: the last tensor has another shape, or a wrong dtype where it is alone. */
    bool has_output = false;
    for (unsigned i = function->parameter_count; i-- > 0;)
        if (parameter_is_output(&function->parameter[i])) {
            has_output = true;
            replace(&attempt, i, tensor_with(ACL_FLOAT, 2, DIMS(0, 4), NULL));
        }
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    if (!has_output)
        replace(&attempt, 0, tensor_with(ACL_STRING, 2, DIMS(0, 4), NULL));
    assert_int_equal(function_plan_anew(function, attempt.argument, &workspace_bytes, &executor),
                     ACLNN_ERR_PARAM_INVALID);
    release(&attempt);
}

static void empty_tensors_are_accepted_after_all_checks(void **state)
{
    (void)state;
    for_each_operator(try_empty);
}

static void try_overlap(const struct function *function)
{
    struct attempt attempt = accepted(function);
    struct result result;
    assert_int_equal(function_infer(function, attempt.argument, &result), 0);
    for (unsigned i = 0, written = 0; i < function->parameter_count; i++) {
        struct tensor_view view;
        const bool may_overlap =
            parameter_is_written(&function->parameter[i]) && result.output[written++].may_overlap;
        if (may_overlap || !parameter_is_written(&function->parameter[i]) ||
            !is_tensor(&function->parameter[i]) || !tensor_read(attempt.argument[i].tensor, &view) ||
            view.rank < 2 || view.shape[0] < 2)
            continue;
        char expected[256];
        int64_t strides[TENSOR_RANK_MAX];
        memcpy(strides, view.stride, view.rank * sizeof strides[0]);
        strides[0] = 0;
        replace(&attempt, i, tensor_with(view.dtype, view.rank, view.shape, strides));
        snprintf(expected, sizeof expected, "%s overlaps itself with shape [", function->parameter[i].name);
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, expected);
        strides[0] = view.shape[1] - 1;
        replace(&attempt, i, tensor_with(view.dtype, view.rank, view.shape, strides));
        assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "");
        replace(&attempt, i, tensor_with(view.dtype, view.rank, view.shape, NULL));
    }
    release(&attempt);
}

static void outputs_that_overlap_themselves_are_refused_and_inputs_are_not(void **state)
{
    (void)state;
    for_each_operator(try_overlap);
}

static int plan_in_this_process(void)
{
    const union argument argument[PARAMETERS_MAX] = {{0}};
    uint64_t workspace_bytes = 0;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = function_plan_anew(find("aclnnSiluBackward"), argument, &workspace_bytes, &executor);
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
    return settings_get(&settings) != 0 || aclrtSetDevice(0) != 0 || open_sample_group() != 0;
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
        cmocka_unit_test(a_forked_child_is_told_so),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
