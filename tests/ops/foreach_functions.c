/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions of lists that compute each tensor as a function of tensors does: the bits of that function, for
 * lists of tensors in layouts drawn at random.
 */
#include "ops/check.h"

#include <math.h>
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
    {"aclnnForeachAddcmulScalar", "aclnnAddcmul"},
    {"aclnnForeachAddcmulScalarList", "aclnnAddcmul"},
    {"aclnnForeachAddcmulList", "aclnnAddcmul"},
    {"aclnnForeachAddcdivScalar", "aclnnAddcdiv"},
    {"aclnnForeachAddcdivScalarList", "aclnnAddcdiv"},
    {"aclnnForeachAddcdivList", "aclnnAddcdiv"},
    {"aclnnForeachAddList", "aclnnForeachAddListV2"},
    {"aclnnForeachSubList", "aclnnForeachSubListV2"},
    {"aclnnForeachAddScalar", "aclnnForeachAddScalarV2"},
    {"aclnnForeachSubScalar", "aclnnForeachSubScalarV2"},
    {"aclnnForeachMulScalar", "aclnnForeachMulScalarV2"},
    {"aclnnForeachDivScalar", "aclnnForeachDivScalarV2"},
    {"aclnnForeachLerpScalar", "aclnnLerps"},
    {"aclnnForeachLerpList", "aclnnLerp"},
    {"aclnnForeachMaximumList", "aclnnMaximum"},
    {"aclnnForeachMaximumScalar", "aclnnClampMin"},
    {"aclnnForeachMaximumScalarV2", "aclnnClampMin"},
    {"aclnnForeachMaximumScalarList", "aclnnClampMin"},
    {"aclnnForeachMinimumList", "aclnnMinimum"},
    {"aclnnForeachMinimumScalar", "aclnnClampMax"},
    {"aclnnForeachMinimumScalarV2", "aclnnClampMax"},
    {"aclnnForeachMinimumScalarList", "aclnnClampMax"},
    {"aclnnForeachPowList", "aclnnPowTensorTensor"},
    {"aclnnForeachPowScalar", "aclnnPowTensorScalar"},
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
        if (parameter->kind == PARAMETER_TENSOR_LIST) /* of this one tensor */
            argument[i].tensors = aclCreateTensorList(
                (const aclTensor *const[]){parameter_is_output(parameter) ? out->tensor
                                                                          : input[list++].tensor},
                1);
        else if (parameter_is_output(parameter))
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

/* The numbers of scalars in a tensor: one, or one for each tensor of a list. */
static struct layout scalars_in_tensor(aclDataType dtype, bool is_each)
{
    const int64_t count = is_each ? TENSORS : 1;
    const aclDataType wide = is_float_dtype(dtype) ? ACL_DOUBLE : ACL_INT64;
    struct layout layout = layout_create(wide, is_each || random_below(2) == 0 ? 1 : 0, &count, LAYOUT_GAPS);
    for (int i = 0; i < count; i++) {
        struct scalar_value value;
        aclScalar *scalar = scalar_for(dtype, i);
        assert_true(scalar_read(scalar, &value));
        memcpy(layout_element(&layout, i), &value.value, sizeof(int64_t));
        assert_int_equal(aclDestroyScalar(scalar), 0);
    }
    return layout;
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
            layout_fill(&input[i][k], 4, MANY_SPECIALS);
        }
        out[i] = layout_create(dtype, RANK, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
        alone[i] = layout_create(dtype, RANK, shape, LAYOUT_CONTIGUOUS);
        scalar[i] = scalar_for(dtype, i);
    }
    bool is_each = false, has_scalars = false;
    struct layout scalars;
    for (unsigned i = 0, list = 0; i < function->parameter_count; i++) {
        const struct parameter *parameter = &function->parameter[i];
        if (parameter->kind == PARAMETER_SCALAR)
            argument[i].scalar = scalar[0];
        else if (parameter->kind == PARAMETER_SCALAR_LIST)
            argument[i].scalars = aclCreateScalarList((const aclScalar *const *)scalar, TENSORS);
        else if (parameter->kind == PARAMETER_TENSOR) {
            has_scalars = true;
            is_each = strcmp(parameter->sample, "1") != 0;
            scalars = scalars_in_tensor(dtype, is_each);
            argument[i].tensor = scalars.tensor;
        } else if (parameter_is_output(parameter))
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
    if (has_scalars)
        layout_destroy(&scalars);
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
            layout_fill(&layout[i], 4, MANY_SPECIALS);
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

static double rounded_off(double x, int mode)
{
    const double whole = trunc(x);
    switch (mode) {
    case 1:
        return nearbyint(x);
    case 2:
        return floor(x);
    case 3:
        return ceil(x);
    case 4:
        return round(x);
    case 5:
        return whole;
    case 6:
        return x == whole || fmod(whole, 2) != 0 ? whole : copysign(fabs(whole) + 1, x);
    default:
        return x - whole + 0.0;
    }
}

/* All dtypes, halves and what lies beside them, and both forms: the mode in a scalar and in a tensor. */
static void numbers_become_whole_by_the_mode(void **state)
{
    (void)state;
    static const double numbers[] = {-0.0, 0.5,  -0.5,          1.5,        2.5,   -2.5, 0.25, -3.75,
                                     4,    -127, 0x1.fffffep-2, 0x1.ffep-2, 126.5, 100,  -0.75};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    const int64_t count = NUMBERS;
    static const aclDataType all[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT16, ACL_INT64};
    for (int mode = 0; mode <= 9; mode++)
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
            for (int is_tensor = 0; is_tensor < 2; is_tensor++) {
                struct layout x = layout_create(all[k], 1, &count, LAYOUT_GAPS), out = x;
                const int64_t one = 1;
                int64_t whole = mode;
                const int used = mode < 1 ? 1 : mode > 7 ? 7 : mode;
                struct layout number = layout_create(ACL_INT8, 0, &one, LAYOUT_CONTIGUOUS);
                aclScalar *scalar = aclCreateScalar(&whole, ACL_INT64);
                for (int i = 0; i < NUMBERS; i++)
                    conversion_reference(&numbers[i], ACL_DOUBLE, layout_element(&x, i), x.dtype);
                *(int8_t *)layout_element(&number, 0) = (int8_t)mode;
                out = layout_create(all[k], 1, &count, LAYOUT_GAPS);
                const union argument argument[] = {
                    {.tensors = aclCreateTensorList((const aclTensor *const[]){x.tensor}, 1)},
                    {.handle = is_tensor ? (const void *)number.tensor : (const void *)scalar},
                    {.tensors = aclCreateTensorList((const aclTensor *const[]){out.tensor}, 1)}};
                const struct attempt attempt = {.function = find("aclnnForeachRoundOffNumberV2"),
                                                .argument = {argument[0], argument[1], argument[2]}};
                if (!is_tensor && mode != used)
                    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "roundMode is");
                else
                    compute(find(is_tensor ? "aclnnForeachRoundOffNumber" : "aclnnForeachRoundOffNumberV2"),
                            argument);
                for (int i = 0; i < NUMBERS && (is_tensor || mode == used); i++) {
                    double given;
                    unsigned char wanted[8];
                    conversion_reference(layout_element(&x, i), x.dtype, &given, ACL_DOUBLE);
                    given = rounded_off(given, used);
                    conversion_reference(&given, ACL_DOUBLE, wanted, x.dtype);
                    assert_memory_equal(layout_element(&out, i), wanted, x.bytes);
                }
                assert_int_equal(aclDestroyScalar(scalar), 0);
                layout_destroy(&x);
                layout_destroy(&out);
                layout_destroy(&number);
            }
}

/* A scalar of another kind, of more elements or dims than one, and not one for each. */
static void scalars_in_tensors_have_rules(void **state)
{
    (void)state;
    struct attempt attempt = accepted(find("aclnnForeachAddScalar"));
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 1, DIMS(2), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scalar has 1 dims and 2 elements");
    replace(&attempt, 1, tensor_with(ACL_FLOAT, 2, DIMS(1, 1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scalar has 2 dims and 1 elements");
    replace(&attempt, 1, tensor_with(ACL_COMPLEX64, 0, NULL, NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scalar has dtype COMPLEX64");
    replace(&attempt, 1, tensor_with(ACL_INT64, 0, NULL, NULL));
    assert_accepted(&attempt);
    release(&attempt);
    attempt = accepted(find("aclnnForeachAddcdivScalarList"));
    replace(&attempt, 3, tensor_with(ACL_FLOAT, 1, DIMS(1), NULL));
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, "scalars has 1 dims and 1 elements");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tensor_has_the_bits_of_the_function_of_one),
        cmocka_unit_test(zeros_are_written),
        cmocka_unit_test(numbers_become_whole_by_the_mode),
        cmocka_unit_test(scalars_in_tensors_have_rules),
    };
    if (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
