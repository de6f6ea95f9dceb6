/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self[indices]: where indices and masks into the dims of self lead. Indices are all read before
 * anything is written; a mask's length is known then, and out's shape is held against it.
 */
#include "aclnnop/aclnn_index.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/index/index.h"
#include "ops/signature.h"
#include "runtime/streams/fault.h"

#define INDEX(X, of)                                                                            \
    X(of, IN, self, &dtypes_floats_integers_bool_small_on_910b_complex, .is_partly_read = true) \
    X(of, IN_LIST, indices, &dtypes_int32_int64_bool, .sample = "2:INT64")                      \
    X(of, OUT, out, &dtypes_floats_integers_bool_small_on_910b_complex)
SIGNATURE(INDEX)

struct plan {
    const struct transfer *transfer;
    struct operand self, out;
    struct shape shape; /* of out */
    int64_t stride[OPERAND_RANK_MAX];
    struct index_entries entries;
};

static aclnnStatus check(const struct call *call, struct index_entries *entries)
{
    const struct call_values *list = &call->values[INDEX_indices];
    TRY(check_dtype(call, INDEX_self));
    for (uint64_t i = 0; i < list->count; i++)
        if (list->value.tensor[i].count > 0)
            TRY(check_dtype_in_list(call, INDEX_indices, list->value.tensor[i].dtype));
    TRY(check_rank(call, INDEX_self));
    return index_describe_list(call, INDEX_self, INDEX_indices, entries);
}

/* Whether out may have the shape that was given, since nothing or too little is known of it. */
static bool has_any_shape(const struct call *call, const struct index_entries *entries)
{
    return call->has_outputs && call->tensor[INDEX_out].rank <= OPERAND_RANK_MAX &&
           (entries->has_masks || call->tensor[INDEX_self].count == 0 || call->tensor[INDEX_out].count == 0);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    struct index_entries entries;
    struct index_found found = {.place = 0};
    TRY(check(call, &entries));
    TRY(index_infer(call, INDEX_self, INDEX_indices, &entries, &found));
    struct output *output = result_add(result, call->tensor[INDEX_self].dtype, DTYPE_EQUAL);
    output->like = INDEX_self;
    output->shape_rule = SHAPE_EQUAL;
    output->shape = has_any_shape(call, &entries) ? shape_of(&call->tensor[INDEX_out]) : found.result;
    return ACLNN_SUCCESS;
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    const struct tensor_view *self = &call->tensor[INDEX_self], *out = &call->tensor[INDEX_out];
    struct index_entries entries;
    struct executor_content *content;
    void *made;
    (void)result;
    TRY(check(call, &entries));
    if (self->count == 0 || out->count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof(struct plan), &content, &made));
    struct plan *plan = made;
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .self = operand_of(call, INDEX_self),
                          .out = operand_of(call, INDEX_out),
                          .shape = shape_of(out),
                          .entries = entries};
    memcpy(plan->stride, out->stride, out->rank * sizeof out->stride[0]);
    const uint64_t indices = index_positions_max(&entries);
    content->cost_ns = indices < UINT64_C(1) << 40 ? indices * 4 + (uint64_t)out->count : UINT64_MAX;
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

/* What run needs: true positions of masks, and offsets. */
static size_t work_bytes(const void *plan_memory)
{
    const struct plan *plan = plan_memory;
    return index_mask_bytes(&plan->entries) +
           whole_lines(index_positions_max(&plan->entries) * sizeof(int64_t));
}

static bool is_result(const struct shape *a, const struct shape *b)
{
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof a->dim[0]) == 0;
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    int64_t *offset = (int64_t *)(void *)((unsigned char *)scratch + index_mask_bytes(&plan->entries));
    struct index_found found = {.place = 0};
    int status = index_count(&plan->entries, address, scratch, &found);
    if (status != 0)
        return status;
    if (!is_result(&plan->shape, &found.result))
        return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                              "out holds %" PRIu64 " elements in another shape than the %" PRIu64
                              " that the masks of indices lead to",
                              index_elements(&plan->shape), index_elements(&found.result));
    offset[0] = 0; /* of a list without any index */
    status = index_find(&plan->entries, address, &found, offset);
    if (status != 0)
        return status;
    struct index_walk walk = {.transfer = plan->transfer,
                              .dtype = plan->self.dtype,
                              .bytes = plan->self.bytes,
                              .from = address[plan->self.address],
                              .to = address[plan->out.address],
                              .offset = offset,
                              .count = index_elements(&found.indices),
                              .extent = plan->self.extent};
    index_set_dims(&walk, &plan->entries, &found, plan->stride);
    index_move(&walk);
    return 0;
}

FUNCTION_OF(aclnnIndex, INDEX, .stem = "index", .family = FAMILY_INDEX, .promise = &promise_exact,
            .operation.work_bytes = work_bytes, .operation.run = run, .infer = infer, .plan = plan);
