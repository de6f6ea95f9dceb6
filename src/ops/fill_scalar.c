/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = value in selfRef's dtype: a float loses its fraction in an integer, an integer its high bits, and
 * a complex value is 0 in a real tensor.
 */
#include "simd/kernel.h"
#include "simd/move.h"

#ifdef KERNEL_PASS

/* The maths. */
KERNELS(fill_scalar) = {.any = fill_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_fill_scalar.h"
#include "ops/fill.h"

enum { SELF, VALUE };

KERNEL_LEVELS(fill_scalar);
static const struct elementwise elementwise = {fill_scalar_kernels, .cost_ps = {20, 20}};

/* The dtype that both promote to is not looked at, but there is none for UINT16, UINT32 and UINT64 and
 * another one. */
static aclnnStatus plan(const struct call *call)
{
    static const unsigned both[] = {SELF, VALUE};
    aclDataType promoted;
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, VALUE));
    TRY(check_promotion(call, both, 2, &promoted));
    TRY(check_rank(call, SELF));
    return fill_plan(call, SELF, &call->scalar[VALUE]);
}

OPERATOR(inplace_fill_scalar) = {
    .operation = ELEMENTWISE("aclnnInplaceFillScalar"),
    .stem = "fill_scalar",
    .parameter_count = 2,
    .parameter =
        {
            [SELF] = {.name = "selfRef", .kind = PARAMETER_OVERWRITTEN, .dtypes = &dtypes_fill_scalar},
            [VALUE] = {.name = "value", .kind = PARAMETER_SCALAR, .dtypes = &dtypes_fill_scalar},
        },
    .elementwise = &elementwise,
    .plan = plan,
    .launch = aclnnInplaceFillScalar,
};

aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *selfRef, const aclScalar *value,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const union argument argument[] = {{.tensor = selfRef}, {.scalar = value}};
    return operator_plan(&inplace_fill_scalar, argument, workspaceSize, executor);
}

PHASE_2(aclnnInplaceFillScalar, inplace_fill_scalar)

#endif
