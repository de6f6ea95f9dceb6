/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = src, broadcast to selfRef's shape and converted to its dtype as by aclnnCast.
 */
#include "simd/kernel.h"
#include "simd/move.h"

#ifdef KERNEL_PASS

/* The maths: the walker converts and broadcasts, what is left is to copy. */
KERNELS(copy) = {.any = copy_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_copy.h"
#include "ops/check.h"
#include "tensor/dtype.h"

enum { SELF, SRC };

KERNEL_LEVELS(copy);
static const struct elementwise elementwise = {copy_kernels, .cost_ps = {30, 30}};

static aclnnStatus plan(const struct call *call)
{
    static const unsigned both[] = {SELF, SRC};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, SRC));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, SRC));
    TRY(check_broadcast(call, both, 2, SELF));
    aclDataType dtype = call->tensor[SELF].dtype;
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(dtype)};
    return elementwise_plan(call, dtype, &parameters, sizeof parameters);
}

OPERATOR(inplace_copy) = {
    .operation = ELEMENTWISE("aclnnInplaceCopy"),
    .stem = "copy",
    .parameter_count = 2,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_OVERWRITTEN, .dtypes = &dtypes_all},
            [SRC] = {.name = "src", .kind = PARAMETER_INPUT, .dtypes = &dtypes_all},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceCopy,
};

aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *selfRef, const aclTensor *src,
                                             uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.tensor = src}};
    return operator_plan(&inplace_copy, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceCopy, inplace_copy)

#endif
