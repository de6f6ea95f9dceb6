/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of lists that compute each tensor as a function of tensors does: the bits of that function, for
 * lists of tensors in layouts drawn at random.
 */
#include "ops/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/attempt.h"
#include "ops/layout.h"

enum { TENSORS = 3, LISTS_MAX = 4, RANK = 2 };

static const char *const pairs[][2] = {
    {"aclnnForeachAbs", "aclnnAbs"},
    {"aclnnForeachAcos", "aclnnAcos"},
    {"aclnnForeachAsin", "aclnnAsin"},
    {"aclnnForeachAtan", "aclnnAtan"},
    {"aclnnForeachCos", "aclnnCos"},
    {"aclnnForeachCosh", "aclnnCosh"},
    {"aclnnForeachErf", "aclnnErf"},
    {"aclnnForeachErfc", "aclnnErfc"},
    {"aclnnForeachExp", "aclnnExp"},
    {"aclnnForeachExpm1", "aclnnExpm1"},
    {"aclnnForeachLog", "aclnnLog"},
    {"aclnnForeachLog10", "aclnnLog10"},
    {"aclnnForeachLog1p", "aclnnLog1p"},
    {"aclnnForeachLog2", "aclnnLog2"},
    {"aclnnForeachNeg", "aclnnNeg"},
    {"aclnnForeachReciprocal", "aclnnReciprocal"},
    {"aclnnForeachSigmoid", "aclnnSigmoid"},
    {"aclnnForeachSign", "aclnnSign"},
    {"aclnnForeachSin", "aclnnSin"},
    {"aclnnForeachSinh", "aclnnSinh"},
    {"aclnnForeachSqrt", "aclnnSqrt"},
    {"aclnnForeachTan", "aclnnTan"},
    {"aclnnForeachTanh", "aclnnTanh"},
    {"aclnnForeachAddcmulScalarV2", "aclnnAddcmul"},
    {"aclnnForeachAddcdivScalarV2", "aclnnAddcdiv"},
    {"aclnnForeachLerpScalar", "aclnnLerps"},
    {"aclnnForeachLerpList", "aclnnLerp"},
    {"aclnnForeachMaximumList", "aclnnMaximum"},
    {"aclnnForeachMaximumScalarV2", "aclnnClampMin"},
    {"aclnnForeachMaximumScalarList", "aclnnClampMin"},
    {"aclnnForeachMinimumList", "aclnnMinimum"},
    {"aclnnForeachMinimumScalarV2", "aclnnClampMax"},
    {"aclnnForeachMinimumScalarList", "aclnnClampMax"},
    {"aclnnForeachPowList", "aclnnPowTensorTensor"},
    {"aclnnForeachPowScalarV2", "aclnnPowTensorScalar"},
    {"aclnnForeachPowScalarList", "aclnnPowTensorScalar"},
    {"aclnnForeachPowScalarAndTensor", "aclnnPowScalarTensor"},
    {"aclnnForeachCopy", "aclnnCast"},
};

static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_INT64};

static void compute(const struct function *function, const union argument *argument)
{
    uint64_t bytes;
    aclOpExecutor *executor;
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("%s", aclGetRecentErrMsg());
    assert_int_equal(function->launch(NULL, 0, executor, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static aclScalar *scalar_for(aclDataType dtype, int index)
{
    double number = 1.7 - index;
    int64_t whole = 3 - index;
    return is_float_dtype(dtype) ? aclCreateScalar(&number, ACL_DOUBLE) : aclCreateScalar(&whole, ACL_INT64);
}

/* What stands for the one tensor in the call of the other function. */
static void compute_alone(const char *name, const struct layout *input, unsigned lists, aclScalar *scalar,
                          const struct layout *out)
{
    const struct function *function = find(name);
    union argument argument[PARAMETERS_MAX];
    for (unsigned i = 0, list = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter_is_output(parameter))
            argument[i].tensor = out->tensor;
        else if (parameter->kind == PARAMETER_SCALAR)
            argument[i].scalar = scalar;
        else if (parameter->kind == PARAMETER_DTYPE)
            argument[i].int64 = out->dtype;
        else
            argument[i].tensor = input[list++].tensor;
        assert_true(list <= lists);
    }
    compute(function, argument);
}

static aclTensorList *list_of(const struct layout *layout, unsigned step)
{
    const aclTensor *tensor[TENSORS];
    for (unsigned i = 0; i < TENSORS; i++)
        tensor[i] = layout[i * step].tensor;
    return aclCreateTensorList(tensor, TENSORS);
}

static void try_pair(const char *const *pair, aclDataType dtype)
{
    const struct function *function = find(pair[0]);
    struct layout input[TENSORS][LISTS_MAX], out[TENSORS], alone[TENSORS];
    union argument argument[PARAMETERS_MAX];
    aclScalar *scalar[TENSORS];
    unsigned lists = 0;
    for (unsigned i = 0; i < function->parameter_count; i++)
        lists +=
            function->parameter[i].kind == PARAMETER_TENSOR_LIST && function->parameter[i].role == ROLE_READ;
    for (int i = 0; i < TENSORS; i++) {
        const int64_t shape[] = {random_below(30), random_below(30)};
        for (unsigned k = 0; k < lists; k++) {
            input[i][k] = layout_create(dtype, RANK, shape, (enum layout_kind)random_below(LAYOUT_KINDS));
            layout_fill(&input[i][k], 4, true);
        }
        out[i] = layout_create(dtype, RANK, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        alone[i] = layout_create(dtype, RANK, shape, LAYOUT_CONTIGUOUS);
        scalar[i] = scalar_for(dtype, i);
    }
    bool is_each = false;
    for (unsigned i = 0, list = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter->kind == PARAMETER_SCALAR)
            argument[i].scalar = scalar[0];
        else if (parameter->kind == PARAMETER_SCALAR_LIST)
            argument[i].scalars = aclCreateScalarList((const aclScalar *const *)scalar, TENSORS);
        else if (parameter_is_output(parameter))
            argument[i].tensors = list_of(out, 1);
        else
            argument[i].tensors = list_of(&input[0][list++], LISTS_MAX);
        is_each = is_each || parameter->kind == PARAMETER_SCALAR_LIST;
    }
    compute(function, argument);
    for (int i = 0; i < TENSORS; i++) {
        compute_alone(pair[1], input[i], lists, scalar[is_each ? i : 0], &alone[i]);
        for (int64_t k = 0; k < out[i].count; k++)
            if (memcmp(layout_element(&out[i], k), layout_element(&alone[i], k), out[i].bytes) != 0)
                fail_msg("%s of %s: element %lld of tensor %d is not that of %s", pair[0], dtype_name(dtype),
                         (long long)k, i, pair[1]);
    }
    for (int i = 0; i < TENSORS; i++) {
        for (unsigned k = 0; k < lists; k++)
            layout_destroy(&input[i][k]);
        layout_destroy(&out[i]);
        layout_destroy(&alone[i]);
    }
}

static void each_tensor_has_the_bits_of_the_function_of_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
            const uint64_t of_list = find(pairs[i][0])->parameter[0].dtypes->on[PRODUCT_910B];
            const uint64_t of_one = find(pairs[i][1])->parameter[0].dtypes->on[PRODUCT_910B];
            for (int call = 0; call < 5 && (of_list >> dtypes[k] & 1) != 0 && (of_one >> dtypes[k] & 1) != 0;
                 call++)
                try_pair(pairs[i], dtypes[k]);
        }
}

static void zeros_are_written(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++) {
        struct layout layout[TENSORS];
        for (int i = 0; i < TENSORS; i++) {
            const int64_t shape[] = {random_below(30), random_below(30)};
            layout[i] = layout_create(dtypes[k], RANK, shape, LAYOUT_PERMUTED);
            layout_fill(&layout[i], 4, true);
        }
        const union argument argument[] = {{.tensors = list_of(layout, 1)}};
        compute(find("aclnnForeachZeroInplace"), argument);
        static const unsigned char zero[8];
        for (int i = 0; i < TENSORS; i++)
            for (int64_t n = 0; n < layout[i].count; n++)
                assert_memory_equal(layout_element(&layout[i], n), zero, layout[i].bytes);
        for (int i = 0; i < TENSORS; i++)
            layout_destroy(&layout[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tensor_has_the_bits_of_the_function_of_one),
        cmocka_unit_test(zeros_are_written),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
