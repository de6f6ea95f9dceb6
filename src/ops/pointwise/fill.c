/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = a value in selfRef's dtype, 1 or +0: a float loses its fraction in an integer, an integer its
 * high bits, and a complex value is 0 in a real tensor. Of BOOL 1 is true. Indices of selfRef may share
 * elements.
 */
#include "simd/vector/kernel.h"
#include "simd/loops/move.h"

#ifdef KERNEL_PASS

/* The maths. */
KERNELS(fill) = {.any = fill_elements};

#else

/* The contract. */
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_zero.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/overlap.h"
#include "ops/loops/elementwise.h"
#include "ops/scalar.h"
#include "ops/signature.h"
#include "tensor/dtype.h"

#define FILL_SCALAR(X, of)                                                                   \
    X(of, OVERWRITTEN, selfRef, &dtypes_floats_integers_bool_complex_small_on_910b_naturals) \
    X(of, SCALAR, value, &dtypes_floats_integers_bool_complex_on_910b_naturals)
SIGNATURE(FILL_SCALAR)
#define ONE(X, of)  X(of, CONST_OVERWRITTEN, selfRef, &dtypes_floats_integers_uint16_bool_small)
SIGNATURE(ONE)
#define ZERO(X, of) X(of, OVERWRITTEN, selfRef, &dtypes_floats_integers_uint16_bool_complex_small)
SIGNATURE(ZERO)

KERNEL_LEVELS(fill);
static const struct elementwise elementwise = {fill_kernels, .cost_ps = {20, 20}};

/* The dtype that both promote to is not looked at, but there is none for UINT16, UINT32 and UINT64 and
 * another one. Small ones take any. */
static aclnnStatus infer_scalar(const struct call *call, struct result *result)
{
    static const unsigned both[] = {FILL_SCALAR_selfRef, FILL_SCALAR_value};
    aclDataType promoted;
    TRY(elementwise_infer_like(call, result));
    result->output[0].may_overlap = true;
    TRY(check_dtype(call, FILL_SCALAR_value));
    if (!dtype_is_one_of(call->tensor[FILL_SCALAR_selfRef].dtype, DTYPES_SMALL))
        TRY(check_promotion(call, both, 2, &promoted));
    return check_rank(call, FILL_SCALAR_selfRef);
}

static aclnnStatus plan_places(const struct call *call, aclDataType dtype, const struct scalar_value *value)
{
    struct fill_parameters fill = {.element_bytes = dtype_bytes(dtype)};
    _Alignas(16) unsigned char element[16];
    scalar_convert(value, dtype, element);
    for (size_t i = 0; i < MOVE_BYTES; i += fill.element_bytes)
        memcpy(fill.pattern + i, element, fill.element_bytes);
    return elementwise_plan(call, dtype, &fill, sizeof fill);
}

static aclnnStatus infer_ranked(const struct call *call, struct result *result)
{
    TRY(elementwise_infer_ranked(call, result));
    result->output[0].may_overlap = true;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan_value(const struct call *call, aclDataType dtype, const struct scalar_value *value)
{
    if (!call->is_uniform && view_overlaps_itself(&call->tensor[FILL_SCALAR_selfRef])) {
        struct call once = *call;
        view_of_places(&once.tensor[FILL_SCALAR_selfRef]);
        once.is_uniform = false;
        return plan_places(&once, dtype, value);
    }
    return plan_places(call, dtype, value);
}

static aclnnStatus plan_scalar(const struct call *call, const struct result *result)
{
    return plan_value(call, result->computed, &call->scalar[FILL_SCALAR_value]);
}

static aclnnStatus plan_one(const struct call *call, const struct result *result)
{
    return plan_value(call, result->computed, &(struct scalar_value){.dtype = ACL_INT64, .value.integer = 1});
}

static aclnnStatus plan_zero(const struct call *call, const struct result *result)
{
    return plan_value(call, result->computed, &(struct scalar_value){.dtype = ACL_INT64, .value.integer = 0});
}

#define FILL(stem_, infer_, plan_) \
    .stem = (stem_), .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = (infer_), .plan = (plan_)

FUNCTION_OF(aclnnInplaceFillScalar, FILL_SCALAR, FILL("fill_scalar", infer_scalar, plan_scalar));
FUNCTION_OF(aclnnInplaceOne, ONE, FILL("ones", infer_ranked, plan_one));
FUNCTION_OF(aclnnInplaceZero, ZERO, FILL("zero", infer_ranked, plan_zero));

#endif
