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
#include "ops/pointwise/fill.h"

enum { SELF };

KERNEL_LEVELS(zero);
static const struct elementwise elementwise = {zero_kernels, .cost_ps = {20, 20}};

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct scalar_value value = {.dtype = ACL_INT64, .value.integer = 0};
    return fill_plan(call, result->computed, &value);
}

static const struct parameter in_place[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_zero),
};

FUNCTION(aclnnInplaceZero, (aclTensor * selfRef), (ARG(selfRef)), .stem = "zero", PARAMETERS(in_place),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = elementwise_infer_ranked,
         .plan = plan);

#endif
