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
#include "ops/pointwise/fill.h"

enum { SELF, VALUE };

KERNEL_LEVELS(fill_scalar);
static const struct elementwise elementwise = {fill_scalar_kernels, .cost_ps = {20, 20}};

/* The dtype that both promote to is not looked at, but there is none for UINT16, UINT32 and UINT64 and
 * another one. */
static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, VALUE};
    aclDataType promoted;
    TRY(elementwise_infer_like(call, result));
    TRY(check_dtype(call, VALUE));
    TRY(check_promotion(call, both, 2, &promoted));
    return check_rank(call, SELF);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    return fill_plan(call, result->computed, &call->scalar[VALUE]);
}

static const struct parameter in_place[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_fill_scalar),
    [VALUE] = SCALAR("value", &dtypes_fill_scalar),
};

FUNCTION(aclnnInplaceFillScalar, (aclTensor * selfRef, const aclScalar *value), (ARG(selfRef), ARG(value)),
         .stem = "fill_scalar", PARAMETERS(in_place), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = infer, .plan = plan);

#endif
