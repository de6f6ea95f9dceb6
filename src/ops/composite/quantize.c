/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = x / scales + zeroPoints, in FLOAT, as the nearest integer that the dtype has, of two the even one; 0
 * for NaN.
 */
#include "aclnnop/aclnn_quantize.h"

#include <inttypes.h>
#include <math.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define QUANTIZE(X, of)                                                                                 \
    X(of, IN, x, &dtypes_fp32_fp16_bf16)                                                                \
    X(of, IN, scales, &dtypes_fp32_fp16_bf16, .sample = "3")                                            \
    X(of, IN, zeroPoints, &dtypes_fp32_bf16_int8_int32_uint8, .is_optional = true, .sample = "3:INT32") \
    X(of, DTYPE, dtype, &dtypes_int8_int32_uint8, .sample = "INT8")                                     \
    X(of, INT32, axis, .usual = "1")                                                                    \
    X(of, OUT, out, &dtypes_int8_int32_uint8)
SIGNATURE(QUANTIZE)

/* The scale of element k is number k / inner % scales. */
struct quantize {
    uint64_t inner, scales;
    bool has_zeros;
    double least, most;
};

static int32_t quantised(float x, float scale, float zero, const struct quantize *quantize)
{
    const float quotient = x / scale, sum = quotient + zero;
    const double whole = nearbyint((double)sum);
    return whole != whole            ? 0
           : whole < quantize->least ? (int32_t)quantize->least
           : whole > quantize->most  ? (int32_t)quantize->most
                                     : (int32_t)whole;
}

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct quantize *quantize = (const struct quantize *)walk->parameters;
    int32_t *out = (int32_t *)elements;
    double x[NUMBERED_PIECE] __attribute__((uninitialized)), scale = 1, zero = 0;
    uint64_t before = UINT64_MAX;
    numbered_read_as(walk, 0, at, count, ACL_DOUBLE, x);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t number = (at + i) / quantize->inner % quantize->scales;
        if (number != before) {
            numbered_read_as(walk, 1, number, 1, ACL_DOUBLE, &scale);
            if (quantize->has_zeros)
                numbered_read_as(walk, 2, number, 1, ACL_DOUBLE, &zero);
            before = number;
        }
        out[i] = quantised((float)x[i], (float)scale, (float)zero, quantize);
    }
}

/* One element, or as many as x has along axis. */
static aclnnStatus check_numbers(const struct call *call, unsigned parameter, int64_t size)
{
    const struct tensor_view *view = &call->tensor[parameter];
    if (view->rank > 1 || (view->count != 1 && view->count != size))
        return refuse(
            call, "%s has %" PRId64 " elements in %u dims; 1 or %" PRId64 " in 1 dim at most are expected",
            call_name(call, parameter), view->count, view->rank, size);
    return ACLNN_SUCCESS;
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *x = &call->tensor[QUANTIZE_x];
    const bool has_zeros = call_has(call, QUANTIZE_zeroPoints);
    uint32_t axis = 0;
    TRY(check_dtype(call, QUANTIZE_x));
    TRY(check_dtype(call, QUANTIZE_scales));
    TRY(has_zeros ? check_dtype(call, QUANTIZE_zeroPoints) : ACLNN_SUCCESS);
    TRY(check_dtype(call, QUANTIZE_dtype));
    TRY(check_rank(call, QUANTIZE_x));
    if (call->tensor[QUANTIZE_scales].count != 1)
        TRY(check_dim(call, QUANTIZE_axis, call->argument[QUANTIZE_axis].int64, x->rank, &axis));
    const int64_t size = call->tensor[QUANTIZE_scales].count != 1 && x->rank > 0 ? x->shape[axis] : 1;
    TRY(check_numbers(call, QUANTIZE_scales, size));
    TRY(has_zeros ? check_numbers(call, QUANTIZE_zeroPoints, size) : ACLNN_SUCCESS);
    if (has_zeros && call->tensor[QUANTIZE_zeroPoints].count != call->tensor[QUANTIZE_scales].count)
        return refuse(call, "zeroPoints has %" PRId64 " elements; %" PRId64 ", as scales has, are expected",
                      call->tensor[QUANTIZE_zeroPoints].count, call->tensor[QUANTIZE_scales].count);
    result->computed = call_dtype(call, QUANTIZE_dtype);
    result_add(result, result->computed, DTYPE_EQUAL)->like = QUANTIZE_x;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *x = &call->tensor[QUANTIZE_x];
    struct numbered_request request = numbered_request(call, QUANTIZE_out, make, ACL_INT32);
    struct quantize quantize = {.inner = 1,
                                .scales = (uint64_t)call->tensor[QUANTIZE_scales].count,
                                .has_zeros = call_has(call, QUANTIZE_zeroPoints),
                                .least = result->computed == ACL_INT8    ? -128
                                         : result->computed == ACL_UINT8 ? 0
                                                                         : -0x1p31,
                                .most = result->computed == ACL_INT8    ? 127
                                        : result->computed == ACL_UINT8 ? 255
                                                                        : 0x1p31 - 1};
    uint32_t axis = 0;
    if (x->count == 0)
        return call_idle(call);
    if (quantize.scales != 1)
        TRY(check_dim(call, QUANTIZE_axis, call->argument[QUANTIZE_axis].int64, x->rank, &axis));
    for (uint32_t i = axis + 1; i < x->rank; i++)
        quantize.inner *= (uint64_t)x->shape[i];
    numbered_add_input(&request, call, QUANTIZE_x, true);
    numbered_add_input(&request, call, QUANTIZE_scales, false);
    if (quantize.has_zeros)
        numbered_add_input(&request, call, QUANTIZE_zeroPoints, false);
    request.element_ps = 4000;
    request.parameters = &quantize;
    request.parameter_bytes = sizeof quantize;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnQuantize, QUANTIZE, .stem = "quantize", .family = FAMILY_COMPOSITE,
            .promise = &promise_exact, NUMBERED, .infer = infer, .plan = plan);
