/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, differences, products and quotients of lists of tensors with lists and scalars, rounded once;
 * integers wrap. The kernels are those of Add and Sub (linear.c), Mul and Div.
 */
#include "ops/foreach/lists.h"
#include "simd/vector/kernel.h"

#include "aclnnop/aclnn_foreach_add_list.h"
#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_add_scalar.h"
#include "aclnnop/aclnn_foreach_add_scalar_list.h"
#include "aclnnop/aclnn_foreach_add_scalar_v2.h"
#include "aclnnop/aclnn_foreach_div_list.h"
#include "aclnnop/aclnn_foreach_div_scalar.h"
#include "aclnnop/aclnn_foreach_div_scalar_list.h"
#include "aclnnop/aclnn_foreach_div_scalar_v2.h"
#include "aclnnop/aclnn_foreach_mul_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar.h"
#include "aclnnop/aclnn_foreach_mul_scalar_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_sub_list.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
#include "aclnnop/aclnn_foreach_sub_scalar.h"
#include "aclnnop/aclnn_foreach_sub_scalar_list.h"
#include "aclnnop/aclnn_foreach_sub_scalar_v2.h"

KERNEL_LEVELS(linear);
KERNEL_LEVELS(mul);
KERNEL_LEVELS(div);
static const struct elementwise sums = {linear_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 80};
static const struct elementwise quotients = {div_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 120};
static const struct elementwise products = {mul_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 110};

static struct arithmetic_parameters sum_of_lists(const struct scalar_value *alpha, aclDataType dtype)
{
    return arithmetic_sum(alpha, dtype, false);
}

static struct arithmetic_parameters difference_of_lists(const struct scalar_value *alpha, aclDataType dtype)
{
    return arithmetic_sum(alpha, dtype, true);
}

static struct arithmetic_parameters with_scalar(const struct scalar_value *scalar, aclDataType dtype,
                                                bool subtracts)
{
    static const struct scalar_value one = {.dtype = ACL_INT64, .value.integer = 1};
    struct arithmetic_parameters parameters = arithmetic_sum(&one, dtype, subtracts);
    arithmetic_set_scalar(&parameters, scalar, dtype);
    return parameters;
}

/* Products and quotients have no alpha, and leave it alone. */
static struct arithmetic_parameters other(const struct scalar_value *scalar, aclDataType dtype)
{
    return with_scalar(scalar, dtype, false);
}

static struct arithmetic_parameters subtrahend(const struct scalar_value *scalar, aclDataType dtype)
{
    return with_scalar(scalar, dtype, true);
}

static struct arithmetic_parameters none(const struct scalar_value *scalar, aclDataType dtype)
{
    (void)scalar, (void)dtype;
    return (struct arithmetic_parameters){.has_scalar = false};
}

/*
 * A public function of each form, with its kernels, what they compute with and the dtypes of its lists:
 * (x1, x2, alpha), (x1, x2), (x, scalar) and (x, scalars). Alpha and the scalar may be in tensors.
 */
#define ALPHA(X, of, name) X(of, SCALAR, name, &dtypes_reals, .usual = "1:INT64")
#define ARITHMETIC(api, stem_, list, scalars, ...)                                                   \
    static const struct foreach api##_foreach = {__VA_ARGS__};                                       \
    FUNCTION_LIKE(api, list, .stem = (stem_), .family = FAMILY_FOREACH, .of_family = &api##_foreach, \
                  .promise = &promise_exact, .operation.run = FOREACH_RUN_##scalars,                 \
                  .operation.run_index = FOREACH_RUN_INDEX_##scalars, .infer = foreach_infer,        \
                  .plan = foreach_plan)
#define WITH_ALPHA(api, stem, kernels, how, dtypes, scalars, entry)                                        \
    ARITHMETIC(api, stem, (OF_LISTS_AND, dtypes, entry, alpha), scalars, &(kernels), 2, SCALARS_##scalars, \
               .prepare = (how))
#define WITHOUT(api, stem, kernels, how, dtypes) \
    ARITHMETIC(api, stem, (OF_LISTS, dtypes), NONE, &(kernels), 2, SCALARS_NONE, .prepare = (how))

/* The scalar itself, in a tensor, one for each. */
#define OF_ONE_LIST(api, stem, kernels, how, dtypes, scalars, scalar, entry, is_sum_)                      \
    ARITHMETIC(api, stem, (OF_LIST_AND, dtypes, entry, scalar), scalars, &(kernels), 1, SCALARS_##scalars, \
               .prepare = (how), .is_sum = (is_sum_))
#define ONE_FOR_ALL(api, stem, kernels, how, dtypes, is_sum) \
    OF_ONE_LIST(api, stem, kernels, how, dtypes, ONE, scalar, ONE_SCALAR, is_sum)
#define IN_A_TENSOR(api, stem, kernels, how, dtypes, is_sum) \
    OF_ONE_LIST(api, stem, kernels, how, dtypes, TENSOR, scalar, TENSOR_SCALAR, is_sum)
#define ONE_FOR_EACH(api, stem, kernels, how, dtypes, is_sum) \
    OF_ONE_LIST(api, stem, kernels, how, dtypes, EACH, scalars, SCALAR_EACH, is_sum)

WITH_ALPHA(aclnnForeachAddListV2, "foreach_add_list_v2", sums, sum_of_lists, &dtypes_floats_integers, ONE,
           ALPHA);
WITH_ALPHA(aclnnForeachAddList, "foreach_add_list", sums, sum_of_lists, &dtypes_floats_integers, TENSOR,
           TENSOR_SCALAR);
WITH_ALPHA(aclnnForeachSubListV2, "foreach_sub_list_v2", sums, difference_of_lists, &dtypes_floats_integers,
           ONE, ALPHA);
WITH_ALPHA(aclnnForeachSubList, "foreach_sub_list", sums, difference_of_lists, &dtypes_floats_integers,
           TENSOR, TENSOR_SCALAR);
WITHOUT(aclnnForeachMulList, "foreach_mul_list", products, none, &dtypes_floats_integers);
WITHOUT(aclnnForeachDivList, "foreach_div_list", quotients, none, &dtypes_floats);
ONE_FOR_ALL(aclnnForeachAddScalarV2, "foreach_add_scalar_v2", sums, other, &dtypes_floats_integers, true);
IN_A_TENSOR(aclnnForeachAddScalar, "foreach_add_scalar", sums, other, &dtypes_floats_integers, true);
ONE_FOR_ALL(aclnnForeachSubScalarV2, "foreach_sub_scalar_v2", sums, subtrahend, &dtypes_floats_int32_int64,
            true);
IN_A_TENSOR(aclnnForeachSubScalar, "foreach_sub_scalar", sums, subtrahend, &dtypes_floats_int32_int64, true);
ONE_FOR_ALL(aclnnForeachMulScalarV2, "foreach_mul_scalar_v2", products, other, &dtypes_floats_int32_int64,
            false);
IN_A_TENSOR(aclnnForeachMulScalar, "foreach_mul_scalar", products, other, &dtypes_floats_int32_int64, false);
ONE_FOR_ALL(aclnnForeachDivScalarV2, "foreach_div_scalar_v2", quotients, other, &dtypes_floats, false);
IN_A_TENSOR(aclnnForeachDivScalar, "foreach_div_scalar", quotients, other, &dtypes_floats, false);
ONE_FOR_EACH(aclnnForeachAddScalarList, "foreach_add_scalar_list", sums, other, &dtypes_floats_int32_int64,
             true);
ONE_FOR_EACH(aclnnForeachSubScalarList, "foreach_sub_scalar_list", sums, subtrahend,
             &dtypes_floats_int32_int64, true);
ONE_FOR_EACH(aclnnForeachMulScalarList, "foreach_mul_scalar_list", products, other,
             &dtypes_floats_int32_int64, false);
ONE_FOR_EACH(aclnnForeachDivScalarList, "foreach_div_scalar_list", quotients, other, &dtypes_floats, false);
