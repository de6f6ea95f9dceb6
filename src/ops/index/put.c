/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Put: selfRef as if it had one dim takes the elements of source at the row-major numbers index[...], or they
 * are added to it. Of several with one number the last one in row-major order wins. Negative numbers count
 * from the end; one that is out of range fails the work before anything is written.
 */
#include "aclnnop/aclnn_put.h"

#include <inttypes.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/signature.h"
#include "ops/index/by_index.h"

#define INPLACE_PUT(X, of)                                                                   \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_complex_small, .is_partly_read = true) \
    X(of, IN, index, &dtypes_int32_int64, .sample = "2:INT64")                               \
    X(of, IN, source, &dtypes_floats_integers_bool_complex_small, .sample = "2")             \
    X(of, BOOL, accumulate, .usual = "false")
SIGNATURE(INPLACE_PUT)

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *index = &call->tensor[INPLACE_PUT_index],
                             *source = &call->tensor[INPLACE_PUT_source];
    TRY(check_dtype(call, INPLACE_PUT_selfRef));
    if (index->count > 0)
        TRY(check_dtype(call, INPLACE_PUT_index));
    TRY(check_dtype(call, INPLACE_PUT_source));
    TRY(check_same_dtype(call, INPLACE_PUT_source, INPLACE_PUT_selfRef, NULL));
    if (call->argument[INPLACE_PUT_accumulate].boolean)
        TRY(check_is_computed_in(call, INPLACE_PUT_selfRef));
    for (unsigned i = INPLACE_PUT_selfRef; i <= INPLACE_PUT_source; i++)
        TRY(check_rank(call, i));
    if (source->count != index->count)
        return refuse(call, "source has %" PRId64 " elements; %" PRId64 ", as index has, are expected",
                      source->count, index->count);
    TRY(by_index_check_size(call, INPLACE_PUT_index, INPLACE_PUT_selfRef,
                            call->tensor[INPLACE_PUT_selfRef].count));
    result_like(result, call, INPLACE_PUT_selfRef);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[INPLACE_PUT_selfRef],
                             *source = &call->tensor[INPLACE_PUT_source];
    (void)result;
    if (self->count == 0)
        return call_idle(call);
    const enum by_index_kind kind =
        call->argument[INPLACE_PUT_accumulate].boolean ? BY_INDEX_SUM : BY_INDEX_PUT;
    struct by_index plan =
        by_index_of(call, kind, INPLACE_PUT_selfRef, INPLACE_PUT_source, INPLACE_PUT_selfRef);
    by_index_set(&plan, call, INPLACE_PUT_index, self->count, 1);
    plan.is_flat = true;
    plan.walk.sum_kind = INDEX_ADD;
    for (uint32_t i = 0; i < source->rank; i++)
        index_add_position(&plan.walk, source->shape[i], source->stride[i]);
    return by_index_finish(call, &plan);
}

FUNCTION_OF(aclnnInplacePut, INPLACE_PUT, .stem = "put", BY_INDEX, .promise = &promise_sum, .infer = infer,
            .plan = plan);
