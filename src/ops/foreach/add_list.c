/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out_i = x1_i + alpha * x2_i, rounded once; integers wrap. The kernels are those of Add (linear.c).
 */
#include "ops/foreach/foreach.h"
#include "simd/kernel.h"

#include "aclnnop/aclnn_foreach_add_list_v2.h"

enum { X1, X2, SCALE, RESULT };

KERNEL_LEVELS(linear);
static const struct elementwise elementwise = {linear_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 80};

static struct arithmetic_parameters prepare(const struct call *call, aclDataType dtype)
{
    return arithmetic_sum(&call->scalar[SCALE], dtype, false);
}

static const struct foreach add_list = {&elementwise, 2, true, prepare};

static const struct parameter parameters[] = {
    [X1] = READ("x1", &dtypes_foreach_sums, .kind = PARAMETER_TENSOR_LIST),
    [X2] = READ("x2", &dtypes_foreach_sums, .kind = PARAMETER_TENSOR_LIST),
    [SCALE] = SCALAR("alpha", &dtypes_castable_to_fp32, .usual = "1:INT64"),
    [RESULT] = WRITTEN("out", &dtypes_foreach_sums, .kind = PARAMETER_TENSOR_LIST),
};

FUNCTION(aclnnForeachAddListV2,
         (const aclTensorList *x1, const aclTensorList *x2, const aclScalar *alpha, aclTensorList *out),
         (ARG(x1), ARG(x2), ARG(alpha), ARG(out)), .stem = "foreach_add_list_v2", PARAMETERS(parameters),
         FOREACH(&add_list));
