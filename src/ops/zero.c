/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = +0, of BOOL false, of complex numbers both parts.
 */
#include "simd/kernel.h"
#include "simd/move.h"

#ifdef KERNEL_PASS

/* The maths. */
KERNELS(zero) = {.any = fill_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_zero.h"
#include "ops/fill.h"

enum { SELF };

KERNEL_LEVELS(zero);
static const struct elementwise elementwise = {zero_kernels, .cost_ps = {20, 20}};

static aclnnStatus plan(const struct call *call)
{
    static const struct scalar_value value = {.dtype = ACL_INT64, .value.integer = 0};
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    return fill_plan(call, SELF, &value);
}

OPERATOR(inplace_zero) = {
    .operation = ELEMENTWISE("aclnnInplaceZero"),
    .stem = "zero",
    .parameter_count = 1,
    .parameter = {[SELF] = {.name = "selfRef", .kind = PARAMETER_OVERWRITTEN, .dtypes = &dtypes_zero}},
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceZero,
};

aclnnStatus aclnnInplaceZeroGetWorkspaceSize(aclTensor *selfRef, uint64_t *workspaceSize,
                                             aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}};
    return operator_plan(&inplace_zero, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceZero, inplace_zero)

#endif
