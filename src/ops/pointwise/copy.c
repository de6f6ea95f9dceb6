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
#include "ops/signature.h"
#include "tensor/dtype.h"

#define CAST(X, of)                        \
    X(of, IN, self, &dtypes_all_small)     \
    X(of, DTYPE, dtype, &dtypes_all_small) \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(CAST)
#define COPY(X, of) X(of, OVERWRITTEN, selfRef, &dtypes_all_small) X(of, IN, src, &dtypes_all_small)
SIGNATURE(COPY)

KERNEL_LEVELS(copy);
static const struct elementwise elementwise = {copy_kernels, .cost_ps = {30, 30}};

static aclnnStatus infer_cast(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, CAST_self));
    TRY(check_dtype(call, CAST_dtype));
    TRY(check_rank(call, CAST_self));
    result->computed = call_dtype(call, CAST_dtype);
    result_add(result, result->computed, DTYPE_EQUAL)->like = CAST_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_real(const struct call *call, struct result *result)
{
    TRY(check_dtype(call, CAST_self));
    TRY(check_rank(call, CAST_self));
    const aclDataType dtype = call_dtype(call, CAST_self);
    result->computed = dtype == ACL_COMPLEX64 ? ACL_FLOAT : dtype == ACL_COMPLEX128 ? ACL_DOUBLE : dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->like = CAST_self;
    return ACLNN_SUCCESS;
}

static aclnnStatus infer_copy(const struct call *call, struct result *result)
{
    static const unsigned both[] = {COPY_selfRef, COPY_src};
    TRY(check_dtype(call, COPY_selfRef));
    TRY(check_dtype(call, COPY_src));
    TRY(check_rank(call, COPY_selfRef));
    TRY(check_rank(call, COPY_src));
    result->computed = call->tensor[COPY_selfRef].dtype;
    TRY(result_broadcast(result, call, both, 2, result->computed, DTYPE_EQUAL));
    result->output[0].may_overlap = call->tensor[COPY_src].count == 1; /* a fill */
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct copy_parameters parameters = {.element_bytes = dtype_bytes(result->computed)};
    return elementwise_plan(call, result->computed, &parameters, sizeof parameters);
}

FUNCTION_OF(aclnnCast, CAST, .stem = "cast", .promise = &promise_exact, ELEMENTWISE(&elementwise),
            .infer = infer_cast, .plan = plan);

#define OF_REAL(X, of) X(of, IN, self, &dtypes_floats_complex) X(of, OUT, out, &dtypes_floats)
SIGNATURE(OF_REAL)

FUNCTION_OF(aclnnReal, OF_REAL, .stem = "real", .promise = &promise_exact, ELEMENTWISE(&elementwise),
            .infer = infer_real, .plan = plan);

/* One value may go to indices that share elements. */
static aclnnStatus plan_fill(const struct call *call, const struct result *result)
{
    if (call->is_uniform || call->tensor[COPY_src].count != 1 ||
        !view_overlaps_itself(&call->tensor[COPY_selfRef]))
        return plan(call, result);
    struct call once = *call;
    view_of_places(&once.tensor[COPY_selfRef]);
    once.tensor[COPY_src].rank = 0;
    return plan(&once, result);
}

FUNCTION_OF(aclnnInplaceCopy, COPY, .stem = "copy", .promise = &promise_exact, ELEMENTWISE(&elementwise),
            .infer = infer_copy, .plan = plan_fill);

static aclnnStatus infer_fill(const struct call *call, struct result *result)
{
    TRY(infer_copy(call, result));
    if (call->tensor[COPY_src].count == 1)
        return ACLNN_SUCCESS;
    return refuse(call, "value has %lld elements; one is expected", (long long)call->tensor[COPY_src].count);
}

#define INPLACE_FILL_TENSOR(X, of)                 \
    X(of, OVERWRITTEN, selfRef, &dtypes_all_small) \
    X(of, IN, value, &dtypes_all_small, .sample = "1")
SIGNATURE(INPLACE_FILL_TENSOR)

FUNCTION_OF(aclnnInplaceFillTensor, INPLACE_FILL_TENSOR, .stem = "fill_tensor", .promise = &promise_exact,
            ELEMENTWISE(&elementwise), .infer = infer_fill, .plan = plan_fill);

#endif
