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
#include "ops/pointwise/fill.h"

enum { SELF };

KERNEL_LEVELS(ones);
static const struct elementwise elementwise = {ones_kernels, .cost_ps = {20, 20}};

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const struct scalar_value value = {.dtype = ACL_INT64, .value.integer = 1};
    return fill_plan(call, result->computed, &value);
}

static const struct parameter in_place[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_ones),
};

FUNCTION(aclnnInplaceOne, (const aclTensor *selfRef), (ARG(selfRef)), .stem = "ones", PARAMETERS(in_place),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = elementwise_infer_ranked,
         .plan = plan);

#endif
