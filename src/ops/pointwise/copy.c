/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cast: out = self in another dtype, by the rules of convert.h; of the same dtype, bit by bit. InplaceCopy:
 * selfRef = src, broadcast to selfRef's shape and converted in the same way; InplaceFillTensor: of one
 * element. Real: out = self in the dtype of its parts, which is its real part.
 */
#include "simd/vector/kernel.h"
#include "simd/loops/move.h"

#ifdef KERNEL_PASS

/* The maths: the walker converts and broadcasts, what is left is to copy. */
KERNELS(copy) = {.any = copy_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_tensor.h"
#include "aclnnop/aclnn_real.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/overlap.h"
#include "ops/loops/elementwise.h"
#include "tensor/dtype.h"

enum { SELF, DTYPE, SRC = 1 };

KERNEL_LEVELS(copy);
static const struct elementwise elementwise = {copy_kernels, .cost_ps = {30, 30}};

static aclnnStatus infer_cast(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, DTYPE));
    TRY(check_rank(call, SELF));
    result->computed = call_dtype(call, DTYPE);
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_real(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, SELF));
    TRY(check_rank(call, SELF));
    const aclDataType dtype = call_dtype(call, SELF);
    result->computed = dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = SELF;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_copy(const struct call *call, struct result *result)
{
    static const unsigned both[] = {SELF, SRC};
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, SRC));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, SRC));
    result->computed = call->tensor[SELF].dtype;
    TRY(result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL));
    result->output[0].may_overlap = call->tensor[SRC].count == 1; /* a fill */
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(result->computed)};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_all_float8),
    [DTYPE] = {"dtype", &dtypes_all_float8, .kind = PARAMETER_DTYPE},
    WRITTEN("out", &dtypes_all_float8),
};

FUNCTION(aclnnCast, (const aclTensor *self, const aclDataType dtype, aclTensor *out),
         (ARG(self), ARG(dtype), ARG(out)), .stem = "cast", PARAMETERS(parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = infer_cast, .plan = plan);

static const struct parameter of_real[] = {
    [SELF] = READ("self", &dtypes_floats_complex),
    WRITTEN("out", &dtypes_floats),
};

FUNCTION(aclnnReal, (const aclTensor *self, aclTensor *out), (ARG(self), ARG(out)), .stem = "real",
         PARAMETERS(of_real), .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = infer_real,
         .plan = plan);

/* One value may go to indices that share elements. */
static aclnnStatus plan_fill(const struct call *call, const struct result *result)
{
    if (call->is_uniform || call->tensor[SRC].count != 1 || !view_overlaps_itself(&call->tensor[SELF]))
        return plan(call, result);
    struct call once = *call;
    view_of_places(&once.tensor[SELF]);
    once.tensor[SRC].rank = 0;
    return plan(&once, result);
}

static const struct parameter in_place[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_all_float8),
    [SRC] = READ("src", &dtypes_all_float8),
};

FUNCTION(aclnnInplaceCopy, (aclTensor * selfRef, const aclTensor *src), (ARG(selfRef), ARG(src)),
         .stem = "copy", PARAMETERS(in_place), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = infer_copy, .plan = plan_fill);

static aclnnStatus infer_fill(const struct call *call, struct result *result)
{
    TRY(infer_copy(call, result));
    if (call->tensor[SRC].count == 1)
        return ACLNN_SUCCESS;
    return refuse(call, "value has %lld elements; one is expected", (long long)call->tensor[SRC].count);
}

static const struct parameter fill_parameters[] = {
    [SELF] = OVERWRITTEN("selfRef", &dtypes_all_float8),
    [SRC] = READ("value", &dtypes_all_float8, .sample = "1"),
};

FUNCTION(aclnnInplaceFillTensor, (aclTensor * selfRef, const aclTensor *value), (ARG(selfRef), ARG(value)),
         .stem = "fill_tensor", PARAMETERS(fill_parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = infer_fill, .plan = plan_fill);

#endif
