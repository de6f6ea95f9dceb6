/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef = fillValue where all indices are one; with wrap, in a matrix of more rows than columns, again
 * after each row that is left out behind the last column.
 */
#include "aclnnop/aclnn_fill_diagonal.h"

#include <string.h>

#include "ops/check.h"
#include "ops/loops/numbered.h"
#include "ops/scalar.h"
#include "ops/dtypes.h"
#include "ops/signature.h"

#define FILL_DIAGONAL(X, of)                                                                   \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex64_small, .is_partly_read = true) \
    X(of, SCALAR, fillValue, &dtypes_reals)                                                    \
    X(of, BOOL, wrap, .usual = "false")
SIGNATURE(FILL_DIAGONAL)

struct parameters {
    uint32_t bytes;
    _Alignas(16) unsigned char element[16];
};

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    const struct parameters *parameters = (const struct parameters *)walk->parameters;
    (void)at;
    for (uint64_t i = 0; i < count; i++)
        memcpy((unsigned char *)elements + i * parameters->bytes, parameters->element, parameters->bytes);
}

/* The numbers of a dtype that are not infinite lie between these. */
static bool is_in_range(double value, aclDataType dtype)
{
    static const struct {
        aclDataType dtype;
        double low, high;
    } ranges[] = {
        {ACL_INT8, -0x1p7 - 1, 0x1p7},    {ACL_INT4, -0x1p3 - 1, 0x1p3},
        {ACL_UINT8, -1, 0x1p8},           {ACL_INT16, -0x1p15 - 1, 0x1p15},
        {ACL_INT32, -0x1p31 - 1, 0x1p31}, {ACL_BOOL, -0x1p-1074, 0x1.0000000000001p0},
    };
    const bool is_finite = value - value == 0;
    for (unsigned i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (ranges[i].dtype == dtype)
            return value > ranges[i].low && value < ranges[i].high;
    if (dtype == ACL_INT64)
        return value >= -0x1p63 && value < 0x1p63;
    const double most = dtype == ACL_FLOAT16         ? 65504
                        : dtype == ACL_BF16          ? 0x1.FEp127
                        : dtype == ACL_DOUBLE        ? (double)__builtin_inf()
                        : dtype == ACL_FLOAT8_E4M3FN ? 448
                        : dtype == ACL_FLOAT8_E5M2   ? 57344
                        : dtype == ACL_HIFLOAT8      ? 32768
                        : dtype == ACL_FLOAT4_E2M1   ? 6
                        : dtype == ACL_FLOAT4_E1M2   ? 1.75
                        : dtype == ACL_FLOAT8_E8M0   ? 0x1p127
                                                     : 0x1.fffffep127;
    return !is_finite || (value >= -most && value <= most);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[FILL_DIAGONAL_selfRef];
    TRY(check_dtype(call, FILL_DIAGONAL_selfRef));
    TRY(check_dtype(call, FILL_DIAGONAL_fillValue));
    TRY(check_rank(call, FILL_DIAGONAL_selfRef));
    if (self->rank < 2)
        return refuse(call, "selfRef has %u dims; 2 or more are expected", self->rank);
    for (uint32_t i = 1; self->rank > 2 && i < self->rank; i++)
        if (self->shape[i] != self->shape[0])
            return refuse(call,
                          "selfRef has %u dims that differ in size; equal ones are expected of more than two",
                          self->rank);
    const double value = scalar_to_fp64(&call->scalar[FILL_DIAGONAL_fillValue]);
    if (!is_in_range(value, self->dtype))
        return refuse(call, "fillValue is %g; a number in the range of %s is expected", value,
                      dtype_name(self->dtype));
    result_like(result, call, FILL_DIAGONAL_selfRef);
    result->output[0].may_overlap = true; /* one value is written */
    return ACLNN_SUCCESS;
}

/* The elements of the diagonal. Where it wraps, number k of it is the element with number k (columns + 1):
 * rows of columns + 1 rows each have one diagonal and a row without. */
static struct span diagonal_of(const struct tensor_view *self, bool wraps)
{
    const int64_t rows = self->shape[0], columns = self->shape[1];
    struct span span = {.bytes = dtype_bytes(self->dtype), .axis_count = 1};
    int64_t step = 0;
    for (uint32_t i = 0; i < self->rank; i++)
        step += self->stride[i];
    span.size[0] = rows < columns ? rows : columns;
    span.stride[0] = step;
    span.count = (uint64_t)span.size[0];
    if (self->rank > 2 || !wraps || rows <= columns)
        return span;
    const int64_t whole = rows / (columns + 1), rest = rows % (columns + 1);
    span.axis_count = 2;
    span.size[0] = whole + 1;
    span.stride[0] = (columns + 1) * self->stride[0];
    span.size[1] = columns;
    span.stride[1] = step;
    span.count = (uint64_t)(whole * columns + rest);
    return span;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[FILL_DIAGONAL_selfRef];
    struct parameters parameters = {.bytes = dtype_bytes(result->computed)};
    if (self->count == 0)
        return call_idle(call);
    scalar_convert(&call->scalar[FILL_DIAGONAL_fillValue], result->computed, parameters.element);
    struct numbered_request request = numbered_request(call, FILL_DIAGONAL_selfRef, make, result->computed);
    request.port.span = diagonal_of(self, call->argument[FILL_DIAGONAL_wrap].boolean);
    request.parameters = &parameters;
    request.parameter_bytes = sizeof parameters;
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnInplaceFillDiagonal, FILL_DIAGONAL, .stem = "fill_diagonal", .family = FAMILY_CREATE,
            .promise = &promise_exact, NUMBERED, .infer = infer, .plan = plan);
