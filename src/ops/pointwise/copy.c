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

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, SRC};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, SRC));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, SRC));
    result->computed = call->tensor[SELF].dtype;
    return result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(result->computed)};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter in_place[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_all),
    [SRC] = READ("src", &dtypes_all),
};

FUNCTION(aclnnInplaceCopy, (aclTensor * selfRef, const aclTensor *src), (ARG(selfRef), ARG(src)),
         .stem = "copy", PARAMETERS(in_place), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = infer, .plan = plan);

#endif
