/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self where self > 0, self * negativeSlope elsewhere.
 *
 * +-0 and NaN take the slope branch: 0 keeps or changes its sign with the slope's, 0 times an infinite slope
 * is NaN. The slope may be negative. In place, selfRef is self and out.
 */
#include "simd/kernel.h"

struct leaky_relu_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
enum { INPUTS = 1 };
#include "simd/leaky.h"

KERNELS(leaky_relu) = LEAKY_KERNELS;

#else

/* The contract. */
#include "aclnnop/aclnn_leaky_relu.h"
#include "ops/check.h"
#include "ops/scalar.h"

enum { SELF, NEGATIVE_SLOPE, OUT };

KERNEL_LEVELS(leaky_relu);
static const struct elementwise elementwise = {leaky_relu_kernels, .cost_ps = {50, 50}};

static aclnnStatus plan(const struct call *call)
{
    const unsigned out = call_output(call);
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, NEGATIVE_SLOPE));
    TRY(check_castable(call, call->tensor[SELF].dtype, out));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, out));
    TRY(check_same_shape(call, out, SELF, NULL));
    const struct scalar_value *slope = &call->scalar[NEGATIVE_SLOPE];
    aclDataType dtype = call->tensor[SELF].dtype;
    struct leaky_relu_parameters parameters = {
        .slope = dtype == ACL_DOUBLE ? scalar_to_fp64(slope) : scalar_to_fp32(slope),
    };
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(leaky_relu) = {
    .operation = ELEMENTWISE("aclnnLeakyRelu"),
    .stem = "leaky_relu",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_floats},
            [NEGATIVE_SLOPE] = {.name = "negativeSlope",
                                .kind = PARAMETER_SCALAR,
                                .dtypes = &dtypes_real_scalars,
                                .default_text = "0.01"},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_float_results},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnLeakyRelu,
};

OPERATOR(inplace_leaky_relu) = {
    .operation = ELEMENTWISE("aclnnInplaceLeakyRelu"),
    .stem = "leaky_relu",
    .parameter_count = 2,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_floats},
            [NEGATIVE_SLOPE] = {.name = "negativeSlope",
                                .kind = PARAMETER_SCALAR,
                                .dtypes = &dtypes_real_scalars,
                                .default_text = "0.01"},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceLeakyRelu,
};

aclnnStatus aclnnLeakyReluGetWorkspaceSize(const aclTensor *self, const aclScalar *negativeSlope,
                                           aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = self}, {.scalar = negativeSlope}, {.tensor = out}};
    return operator_plan(&leaky_relu, argument, workspaceSize, executor);
}

PHASE_2(aclnnLeakyRelu, leaky_relu)

aclnnStatus aclnnInplaceLeakyReluGetWorkspaceSize(aclTensor *selfRef, const aclScalar *negativeSlope,
                                                  uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.scalar = negativeSlope}};
    return operator_plan(&inplace_leaky_relu, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceLeakyRelu, inplace_leaky_relu)

#endif
