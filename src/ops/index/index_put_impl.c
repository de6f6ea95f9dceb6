/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef[indices] = values, or += values. Of several values for one place the last in row-major order of the
 * indices wins; sums begin with what is there and take that order, floats in doubles that are rounded once.
 */
#include "aclnnop/aclnn_index_put_impl.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/index.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define INDEX_PUT_IMPL(X, of)                                                        \
    X(of, BOTH, selfRef, &dtypes_floats_integers_bool_small, .is_partly_read = true) \
    X(of, IN_LIST, indices, &dtypes_int32_int64_bool, .sample = "2:INT64")           \
    X(of, IN, values, &dtypes_floats_integers_bool_small, .sample = "2")             \
    X(of, BOOL, accumulate, .usual = "false")                                        \
    X(of, BOOL, unsafe, .usual = "false")
SIGNATURE(INDEX_PUT_IMPL)

struct plan {
    const struct transfer *transfer;
    const struct index_floats *floats;
    bool accumulates;
    struct operand self, values;
    struct shape shape; /* of values */
    int64_t stride[OPERAND_RANK_MAX];
    struct index_entries entries;
};

static aclnnStatus check(const struct call *call, struct index_entries *entries)
{
    const struct call_values *list = &call->values[INDEX_PUT_IMPL_indices];
    TRY(check_dtype(call, INDEX_PUT_IMPL_selfRef));
    TRY(check_dtype(call, INDEX_PUT_IMPL_values));
    for (uint64_t i = 0; i < list->count; i++)
        if (list->value.tensor[i].count > 0)
            TRY(check_dtype_in_list(call, INDEX_PUT_IMPL_indices, list->value.tensor[i].dtype));
    TRY(check_same_dtype(call, INDEX_PUT_IMPL_values, INDEX_PUT_IMPL_selfRef, NULL));
    if (call->argument[INDEX_PUT_IMPL_accumulate].boolean)
        TRY(check_is_computed_in(call, INDEX_PUT_IMPL_selfRef));
    TRY(check_rank(call, INDEX_PUT_IMPL_selfRef));
    TRY(check_rank(call, INDEX_PUT_IMPL_values));
    return index_describe_list(call, INDEX_PUT_IMPL_selfRef, INDEX_PUT_IMPL_indices, entries);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct index_entries entries;
    struct index_found found;
    TRY(check(call, &entries));
    result_like(result, call, INDEX_PUT_IMPL_selfRef);
    /* One value is written, wherever indices lead. */
    result->output[0].may_overlap =
        call->tensor[INDEX_PUT_IMPL_values].count == 1 && !call->argument[INDEX_PUT_IMPL_accumulate].boolean;
    if (call->tensor[INDEX_PUT_IMPL_selfRef].count == 0 || call->tensor[INDEX_PUT_IMPL_values].count == 0)
        return ACLNN_SUCCESS;
    TRY(index_infer(call, INDEX_PUT_IMPL_selfRef, INDEX_PUT_IMPL_indices, &entries, &found));
    const struct shape values = shape_of(&call->tensor[INDEX_PUT_IMPL_values]);
    if (!entries.has_masks && entries.count > 0 && !broadcasts_to(&values, &found.result))
        return tell_fit(call, INDEX_PUT_IMPL_values, &found.result, "selfRef[indices]");
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *values = &call->tensor[INDEX_PUT_IMPL_values];
    struct index_entries entries;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(check(call, &entries));
    if (call->tensor[INDEX_PUT_IMPL_selfRef].count == 0 || values->count == 0 || entries.count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .floats = index_floats_of(call->settings->isa),
                          .accumulates = call->argument[INDEX_PUT_IMPL_accumulate].boolean,
                          .self = operand_of(call, INDEX_PUT_IMPL_selfRef),
                          .values = operand_of(call, INDEX_PUT_IMPL_values),
                          .shape = shape_of(values),
                          .entries = entries};
    memcpy(plan->stride, values->stride, values->rank * sizeof values->stride[0]);
    /* Indices that are read, and values that are moved or added. */
    const uint64_t indices = index_positions_max(&entries), moved = (uint64_t)values->count;
    content->cost_ns = indices < UINT64_C(1) << 40
                           ? indices * 4 + (moved > indices ? moved : indices) * (plan->accumulates ? 20 : 2)
                           : UINT64_MAX;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What run needs beside the plan: true positions of masks, offsets, room for sorting. */
struct room {
    size_t masks, offsets, sorting; /* bytes */
};

static struct room room_of(const struct plan *plan)
{
    const uint64_t count = index_positions_max(&plan->entries);
    return (struct room){.masks = index_mask_bytes(&plan->entries),
                         .offsets = whole_lines(count * sizeof(int64_t)),
                         .sorting = plan->accumulates ? whole_lines(index_sum_bytes(count)) : 0};
}

static size_t work_bytes(const void *plan)
{
    const struct room room = room_of(plan);
    return room.masks + room.offsets + room.sorting;
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const struct room room = room_of(plan);
    unsigned char *offsets = (unsigned char *)scratch + room.masks;
    struct index_found found = {.place = 0};
    int64_t stride[OPERAND_RANK_MAX] = {0}; /* of values along the dims of the result */
    int status = index_count(&plan->entries, address, scratch, &found);
    if (status != 0)
        return status;
    const uint64_t count = index_elements(&found.indices);
    if (!broadcasts_to(&plan->shape, &found.result))
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "values holds %" PRIu64
                              " elements, whose shape does not broadcast to the %" PRIu64
                              " that the masks of indices lead to",
                              index_elements(&plan->shape), index_elements(&found.result));
    status = index_find(&plan->entries, address, &found, (int64_t *)(void *)offsets);
    if (status != 0 || count == 0)
        return status;
    for (uint32_t i = 0, missing = found.result.rank - plan->shape.rank; i < plan->shape.rank; i++)
        stride[missing + i] = plan->shape.dim[i] == 1 ? 0 : plan->stride[i];
    struct index_walk walk = {.transfer = plan->transfer,
                              .floats = plan->floats,
                              .dtype = plan->self.dtype,
                              .bytes = plan->self.bytes,
                              .puts = true,
                              .from = address[plan->values.address],
                              .to = address[plan->self.address],
                              .offset = (int64_t *)(void *)offsets,
                              .count = count,
                              .extent = plan->self.extent};
    index_set_dims(&walk, &plan->entries, &found, stride);
    if (plan->accumulates)
        index_sum(&walk, offsets + room.offsets);
    else
        index_move(&walk);
    return 0;
}

FUNCTION_OF(aclnnIndexPutImpl, INDEX_PUT_IMPL, .stem = "index_put_impl", .family = FAMILY_INDEX,
            .promise = &promise_sum, .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer,
            .plan = plan);
