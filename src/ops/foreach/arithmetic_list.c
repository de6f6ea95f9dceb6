/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums, differences, products and quotients of lists of tensors with lists and scalars, rounded once;
 * integers wrap. The kernels are those of Add and Sub (linear.c), Mul and Div.
 */
#include "ops/foreach/foreach.h"
#include "simd/kernel.h"

#include "aclnnop/aclnn_foreach_add_list_v2.h"
#include "aclnnop/aclnn_foreach_add_scalar_list.h"
#include "aclnnop/aclnn_foreach_add_scalar_v2.h"
#include "aclnnop/aclnn_foreach_div_list.h"
#include "aclnnop/aclnn_foreach_div_scalar_list.h"
#include "aclnnop/aclnn_foreach_div_scalar_v2.h"
#include "aclnnop/aclnn_foreach_mul_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar_list.h"
#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_sub_list_v2.h"
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

#define LIST(name_, role_, dtypes_)                                                          \
    {                                                                                        \
        .name = (name_), .dtypes = (dtypes_), .kind = PARAMETER_TENSOR_LIST, .role = (role_) \
    }
#define SCALARS(name_, kind_, usual_)                                                                     \
    {                                                                                                     \
        .name = (name_), .dtypes = &dtypes_castable_to_fp32, .kind = PARAMETER_##kind_, .usual = (usual_) \
    }

/*
 * A public function of each form, with its kernels, what they compute with and the dtypes of its lists:
 * (x1, x2, alpha), (x1, x2), (x, scalar) and (x, scalars).
 */
#define WITH_ALPHA(api, stem_, kernels, how, dtypes)                                                         \
    static const struct foreach api##_foreach = {&(kernels), 2, SCALARS_ONE, .prepare = (how)};              \
    static const struct parameter api##_parameters[] = {                                                     \
        LIST("x1", ROLE_READ, dtypes), LIST("x2", ROLE_READ, dtypes), SCALARS("alpha", SCALAR, "1:INT64"),   \
        LIST("out", ROLE_WRITTEN, dtypes)};                                                                  \
    FUNCTION(api,                                                                                            \
             (const aclTensorList *x1, const aclTensorList *x2, const aclScalar *alpha, aclTensorList *out), \
             (ARG(x1), ARG(x2), ARG(alpha), ARG(out)), .stem = (stem_), PARAMETERS(api##_parameters),        \
             FOREACH(&api##_foreach))
#define OF_LISTS(api, stem_, kernels, how, dtypes)                                                        \
    static const struct foreach api##_foreach = {&(kernels), 2, SCALARS_NONE, .prepare = (how)};          \
    static const struct parameter api##_parameters[] = {                                                  \
        LIST("x1", ROLE_READ, dtypes), LIST("x2", ROLE_READ, dtypes), LIST("out", ROLE_WRITTEN, dtypes)}; \
    FUNCTION(api, (const aclTensorList *x1, const aclTensorList *x2, aclTensorList *out),                 \
             (ARG(x1), ARG(x2), ARG(out)), .stem = (stem_), PARAMETERS(api##_parameters),                 \
             FOREACH(&api##_foreach))
#define WITH_SCALAR(api, stem_, kernels, how, dtypes)                                                      \
    static const struct foreach api##_foreach = {&(kernels), 1, SCALARS_ONE, .prepare = (how)};            \
    static const struct parameter api##_parameters[] = {                                                   \
        LIST("x", ROLE_READ, dtypes), SCALARS("scalar", SCALAR, NULL), LIST("out", ROLE_WRITTEN, dtypes)}; \
    FUNCTION(api, (const aclTensorList *x, const aclScalar *scalar, aclTensorList *out),                   \
             (ARG(x), ARG(scalar), ARG(out)), .stem = (stem_), PARAMETERS(api##_parameters),               \
             FOREACH(&api##_foreach))
#define WITH_SCALARS(api, stem_, kernels, how, dtypes)                                           \
    static const struct foreach api##_foreach = {&(kernels), 1, SCALARS_EACH, .prepare = (how)}; \
    static const struct parameter api##_parameters[] = {LIST("x", ROLE_READ, dtypes),            \
                                                        SCALARS("scalars", SCALAR_LIST, NULL),   \
                                                        LIST("out", ROLE_WRITTEN, dtypes)};      \
    FUNCTION(api, (const aclTensorList *x, const aclScalarList *scalars, aclTensorList *out),    \
             (ARG(x), ARG(scalars), ARG(out)), .stem = (stem_), PARAMETERS(api##_parameters),    \
             FOREACH(&api##_foreach))

WITH_ALPHA(aclnnForeachAddListV2, "foreach_add_list_v2", sums, sum_of_lists, &dtypes_foreach_short);
WITH_ALPHA(aclnnForeachSubListV2, "foreach_sub_list_v2", sums, difference_of_lists, &dtypes_foreach_short);
OF_LISTS(aclnnForeachMulList, "foreach_mul_list", products, none, &dtypes_foreach_short);
OF_LISTS(aclnnForeachDivList, "foreach_div_list", quotients, none, &dtypes_floats);
WITH_SCALAR(aclnnForeachAddScalarV2, "foreach_add_scalar_v2", sums, other, &dtypes_foreach_short);
WITH_SCALAR(aclnnForeachSubScalarV2, "foreach_sub_scalar_v2", sums, subtrahend, &dtypes_foreach_long);
WITH_SCALAR(aclnnForeachMulScalarV2, "foreach_mul_scalar_v2", products, other, &dtypes_foreach_long);
WITH_SCALAR(aclnnForeachDivScalarV2, "foreach_div_scalar_v2", quotients, other, &dtypes_floats);
WITH_SCALARS(aclnnForeachAddScalarList, "foreach_add_scalar_list", sums, other, &dtypes_foreach_long);
WITH_SCALARS(aclnnForeachSubScalarList, "foreach_sub_scalar_list", sums, subtrahend, &dtypes_foreach_long);
WITH_SCALARS(aclnnForeachMulScalarList, "foreach_mul_scalar_list", products, other, &dtypes_foreach_long);
WITH_SCALARS(aclnnForeachDivScalarList, "foreach_div_scalar_list", quotients, other, &dtypes_floats);
