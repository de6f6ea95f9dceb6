/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self + alpha * other, where other is a tensor or a scalar.
 *
 * Rounded once, the product included. Integers wrap. BOOL is self or (alpha and other). Of complex numbers
 * alpha * other is (ac - bd) + (ad + bc)i, and other as it is where alpha is 1. The kernels are linear.c's.
 */
#include "ops/arithmetic.h"
#include "simd/kernel.h"

#include "aclnnop/aclnn_add.h"

enum { OUT = ALPHA + 1 };

KERNEL_LEVELS(linear);
static const struct elementwise elementwise = {linear_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 80};

OPERATOR(add) = {
    .operation = ELEMENTWISE("aclnnAdd"),
    .stem = "add",
    .parameter_count = 4,
    .parameter =
        {
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_INPUT, .dtypes = &dtypes_arithmetic},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_all},
        },
    .elementwise = &elementwise,
    .plan = sum_plan,
    .launch = aclnnAdd,
};

OPERATOR(adds) = {
    .operation = ELEMENTWISE("aclnnAdds"),
    .stem = "add",
    .parameter_count = 4,
    .parameter =
        {
            [SELF] = {.name = "self", .kind = PARAMETER_INPUT, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
            [OUT] = {.name = "out", .kind = PARAMETER_OUTPUT, .dtypes = &dtypes_all},
        },
    .elementwise = &elementwise,
    .plan = sum_scalar_plan,
    .launch = aclnnAdds,
};

OPERATOR(inplace_add) = {
    .operation = ELEMENTWISE("aclnnInplaceAdd"),
    .stem = "add",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_INPUT, .dtypes = &dtypes_arithmetic},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
        },
    .elementwise = &elementwise,
    .plan = sum_plan,
    .launch = aclnnInplaceAdd,
};

OPERATOR(inplace_adds) = {
    .operation = ELEMENTWISE("aclnnInplaceAdds"),
    .stem = "add",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
        },
    .elementwise = &elementwise,
    .plan = sum_scalar_plan,
    .launch = aclnnInplaceAdds,
};

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {
        {.tensor = self}, {.tensor = other}, {.scalar = alpha}, {.tensor = out}};
    return operator_plan(&add, argument, workspaceSize, executor);
}

PHASE_2(aclnnAdd, add)

aclnnStatus aclnnAddsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
                                      aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {
        {.tensor = self}, {.scalar = other}, {.scalar = alpha}, {.tensor = out}};
    return operator_plan(&adds, argument, workspaceSize, executor);
}

PHASE_2(aclnnAdds, adds)

aclnnStatus aclnnInplaceAddGetWorkspaceSize(const aclTensor *selfRef, const aclTensor *other,
                                            const aclScalar *alpha, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.tensor = other}, {.scalar = alpha}};
    return operator_plan(&inplace_add, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceAdd, inplace_add)

aclnnStatus aclnnInplaceAddsGetWorkspaceSize(const aclTensor *selfRef, const aclScalar *other,
                                             const aclScalar *alpha, uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.scalar = other}, {.scalar = alpha}};
    return operator_plan(&inplace_adds, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceAdds, inplace_adds)
