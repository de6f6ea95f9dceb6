/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self - alpha * other, where other is a tensor or a scalar.
 *
 * Rounded once, the product included. Integers wrap. BOOL is true where self and (alpha and other) differ. Of
 * complex numbers alpha * other is (ac - bd) + (ad + bc)i, and other as it is where alpha is 1. The kernels
 * are linear.c's.
 */
#include "ops/arithmetic.h"
#include "simd/kernel.h"

#include "aclnnop/aclnn_sub.h"

enum { OUT = ALPHA + 1 };

KERNEL_LEVELS(linear);
static const struct elementwise elementwise = {linear_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 80};

OPERATOR(sub) = {
    .operation = ELEMENTWISE("aclnnSub"),
    .stem = "sub",
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
    .plan = difference_plan,
    .launch = aclnnSub,
};

OPERATOR(subs) = {
    .operation = ELEMENTWISE("aclnnSubs"),
    .stem = "sub",
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
    .plan = difference_scalar_plan,
    .launch = aclnnSubs,
};

OPERATOR(inplace_sub) = {
    .operation = ELEMENTWISE("aclnnInplaceSub"),
    .stem = "sub",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_INPUT, .dtypes = &dtypes_arithmetic},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
        },
    .elementwise = &elementwise,
    .plan = difference_plan,
    .launch = aclnnInplaceSub,
};

OPERATOR(inplace_subs) = {
    .operation = ELEMENTWISE("aclnnInplaceSubs"),
    .stem = "sub",
    .parameter_count = 3,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_IN_PLACE, .dtypes = &dtypes_arithmetic},
            [OTHER] = {.name = "other", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all},
            [ALPHA] =
                {.name = "alpha", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_all, .default_text = "1:INT64"},
        },
    .elementwise = &elementwise,
    .plan = difference_scalar_plan,
    .launch = aclnnInplaceSubs,
};

aclnnStatus aclnnSubGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {
        {.tensor = self}, {.tensor = other}, {.scalar = alpha}, {.tensor = out}};
    return operator_plan(&sub, argument, workspaceSize, executor);
}

PHASE_2(aclnnSub, sub)

aclnnStatus aclnnSubsGetWorkspaceSize(const aclTensor *self, const aclScalar *other, const aclScalar *alpha,
                                      aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {
        {.tensor = self}, {.scalar = other}, {.scalar = alpha}, {.tensor = out}};
    return operator_plan(&subs, argument, workspaceSize, executor);
}

PHASE_2(aclnnSubs, subs)

aclnnStatus aclnnInplaceSubGetWorkspaceSize(aclTensor *selfRef, const aclTensor *other,
                                            const aclScalar *alpha, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.tensor = other}, {.scalar = alpha}};
    return operator_plan(&inplace_sub, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceSub, inplace_sub)

aclnnStatus aclnnInplaceSubsGetWorkspaceSize(aclTensor *selfRef, const aclScalar *other,
                                             const aclScalar *alpha, uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.scalar = other}, {.scalar = alpha}};
    return operator_plan(&inplace_subs, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceSubs, inplace_subs)
