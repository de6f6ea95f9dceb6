/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = 1, of BOOL true.
 */
#include "simd/kernel.h"
#include "simd/move.h"

#ifdef KERNEL_PASS

/* The maths. */
KERNELS(ones) = {.any = fill_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_ones.h"
#include "ops/fill.h"

enum { SELF };

KERNEL_LEVELS(ones);
static const struct elementwise elementwise = {ones_kernels, .cost_ps = {20, 20}};

static aclnnStatus plan(const struct call *call)
{
    static const struct scalar_value value = {.dtype = ACL_INT64, .value.integer = 1};
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    return fill_plan(call, SELF, &value);
}

OPERATOR(inplace_one) = {
    .operation = ELEMENTWISE("aclnnInplaceOne"),
    .stem = "ones",
    .parameter_count = 1,
    .parameter = {[SELF] = {.name = "selfRef", .kind = PARAMETER_OVERWRITTEN, .dtypes = &dtypes_ones}},
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceOne,
};

aclnnStatus aclnnInplaceOneGetWorkspaceSize(const aclTensor *selfRef, uint64_t *workspaceSize,
                                            aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}};
    return operator_plan(&inplace_one, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceOne, inplace_one)

#endif
