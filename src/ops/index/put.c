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
#include "ops/index/by_index.h"

enum { SELF, INDEX, SOURCE, ACCUMULATE };

static aclnnStatus infer(const struct call *call, struct result *result)
{
    const struct tensor_view *index = &call->tensor[INDEX], *source = &call->tensor[SOURCE];
    TRY(check_dtype(call, SELF));
    if (index->count > 0)
        TRY(check_dtype(call, INDEX));
    TRY(check_dtype(call, SOURCE));
    TRY(check_same_dtype(call, SOURCE, SELF, NULL));
    if (call->argument[ACCUMULATE].boolean)
        TRY(check_is_computed_in(call, SELF));
    for (unsigned i = SELF; i <= SOURCE; i++)
        TRY(check_rank(call, i));
    if (source->count != index->count)
        return refuse(call, "source has %" PRId64 " elements; %" PRId64 ", as index has, are expected",
                      source->count, index->count);
    TRY(by_index_check_size(call, INDEX, SELF, call->tensor[SELF].count));
    result_like(result, call, SELF);
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[SELF], *source = &call->tensor[SOURCE];
    (void)result;
    if (self->count == 0)
        return call_idle(call);
    const enum by_index_kind kind = call->argument[ACCUMULATE].boolean ? BY_INDEX_SUM : BY_INDEX_PUT;
    struct by_index plan = by_index_of(call, kind, SELF, SOURCE, SELF);
    by_index_set(&plan, call, INDEX, self->count, 1);
    plan.is_flat = true;
    plan.walk.sum_kind = INDEX_ADD;
    for (uint32_t i = 0; i < source->rank; i++)
        index_add_position(&plan.walk, source->shape[i], source->stride[i]);
    return by_index_finish(call, &plan);
}

static const struct parameter parameters[] = {
    [SELF] = BOTH("selfRef", &dtypes_floats_integers_bool_complex_float8, .is_partly_read = true),
    [INDEX] = READ("index", &dtypes_int32_int64, .sample = "2:INT64"),
    [SOURCE] = READ("source", &dtypes_floats_integers_bool_complex_float8, .sample = "2"),
    [ACCUMULATE] = USUAL("accumulate", BOOL, "false"),
};

FUNCTION(aclnnInplacePut,
         (aclTensor * selfRef, const aclTensor *index, const aclTensor *source, bool accumulate),
         (ARG(selfRef), ARG(index), ARG(source), ARG(accumulate)), .stem = "put", PARAMETERS(parameters),
         BY_INDEX, .promise = &promise_sum, .infer = infer, .plan = plan);
