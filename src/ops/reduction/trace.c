/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the sum of self[i, i]: that of a vector whose elements lie a row and a column apart.
 */
#include "aclnnop/aclnn_trace.h"

#include "ops/check.h"
#include "ops/signature.h"
#include "ops/loops/reduce.h"

#define TRACE(X, of)                                                              \
    X(of, IN, self, &dtypes_floats_integers_bool_complex, .is_partly_read = true) \
    X(of, OUT, out, &dtypes_floats_integers_bool_complex)
SIGNATURE(TRACE)

REDUCE_LEVELS(sum);
static const struct reduction reduction = {sum_reduce_kernels, .element_ps = 60};

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const aclDataType dtype = call_dtype(call, TRACE_self);
    TRY(check_dtype(call, TRACE_self));
    if (call->tensor[TRACE_self].rank != 2)
        return refuse(call, "self has %u dims; 2 are expected", call->tensor[TRACE_self].rank);
    const bool is_whole = dtype_is_in(&dtypes_integers_naturals_bool, call->settings->product, dtype);
    result->computed = is_whole ? ACL_INT64 : dtype;
    result_add(result, result->computed, DTYPE_EQUAL)->shape_rule = SHAPE_EQUAL;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    static const unsigned inputs[] = {TRACE_self};
    struct call diagonal = *call;
    struct tensor_view *view = &diagonal.tensor[TRACE_self];
    view->rank = 1;
    view->count = view->shape[0] = view->shape[0] < view->shape[1] ? view->shape[0] : view->shape[1];
    view->stride[0] += view->stride[1];
    view->reach = view->offset + (view->count > 0 ? (view->count - 1) * view->stride[0] : 0);
    const struct shape shape = shape_of(view);
    return reduce_plan(&diagonal, &reduction, inputs, 1, &shape, ALL_AXES, result->computed, NULL, 0);
}

FUNCTION_OF(aclnnTrace, TRACE, .stem = "trace", .promise = &promise_sum, REDUCTION(&reduction),
            .infer = infer, .plan = plan);
