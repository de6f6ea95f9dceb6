/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the elements of self in their order, as a matrix: the dims in front of axis, and axis and those
 * behind.
 */
#include "aclnnop/aclnn_flatten.h"

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/loops/numbered.h"
#include "ops/signature.h"

#define FLATTEN(X, of)                 \
    X(of, IN, self, &dtypes_all_small) \
    X(of, INT64, axis, .usual = "1")   \
    X(of, OUT, out, &dtypes_all_small)
SIGNATURE(FLATTEN)

static void make(const struct numbered_walk *walk, uint64_t at, uint64_t count, void *elements)
{
    numbered_read(walk, 0, at, count, elements);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *self = &call->tensor[FLATTEN_self];
    struct shape shape = {.rank = 2, .dim = {1, 1}};
    uint32_t axis;
    TRY(check_dtype(call, FLATTEN_self));
    TRY(check_rank(call, FLATTEN_self));
    TRY(check_dim(call, FLATTEN_axis, call->argument[FLATTEN_axis].int64, self->rank, &axis));
    for (uint32_t i = 0; i < self->rank; i++)
        if (__builtin_mul_overflow(shape.dim[i >= axis], self->shape[i], &shape.dim[i >= axis]))
            return refuse(call, "self has dims whose product is more than 2^63 - 1, on one side of axis");
    result_reshaped(result, call, FLATTEN_self, shape);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct numbered_request request = numbered_request(call, FLATTEN_out, make, result->computed);
    numbered_add_input(&request, call, FLATTEN_self, false);
    return numbered_plan(call, &request, 1);
}

FUNCTION_OF(aclnnFlatten, FLATTEN, .stem = "flatten", .family = FAMILY_MOVE, .promise = &promise_exact,
            NUMBERED, .infer = infer, .plan = plan);
