/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of tensors along an axis replaced by updates, where indices say: of batches of one tensor, or of tensors
 * of a list. Elements are copied as bits.
 */
#include "aclnnop/aclnn_inplace_scatter_update.h"
#include "aclnnop/aclnn_scatter_list.h"

#include <inttypes.h>
#include <string.h>

#include "ops/cache/slots.h"
#include "ops/dims.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 500 };

/* Part k of updates is (outer, length, inner) in the tensor's (outer, room, inner). */
struct update {
    uint64_t parts, outer, length, inner, room, batches;
    bool has_pairs; /* indices of two numbers each */
};

#define UPDATE(X, of)                                                                \
    X(of, BOTH, data, &dtypes_all_small, .sample = "2x3x4")                          \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2:INT32")                     \
    X(of, IN, updates, &dtypes_all_small, .sample = "2x1x4", .is_partly_read = true) \
    X(of, INT64, axis, .usual = "1")
SIGNATURE(UPDATE)

/* Sizes before and behind the axis are the same in both. */
static aclnnStatus read_sizes(const struct call *call, unsigned updates, const struct tensor_view *to,
                              uint32_t first, uint32_t axis, struct update *update)
{
    const struct tensor_view *view = &call->tensor[updates];
    const uint32_t skipped = view->rank - to->rank;
    bool fits = true;
    for (uint32_t i = first; i < to->rank; i++) {
        const int64_t size = view->shape[i + skipped];
        fits = fits && (i == axis ? size <= to->shape[i] : size == to->shape[i]);
        if (i < axis)
            update->outer *= (uint64_t)size;
        else if (i > axis)
            update->inner *= (uint64_t)size;
    }
    update->length = (uint64_t)view->shape[axis + skipped];
    update->room = (uint64_t)to->shape[axis];
    return fits ? ACLNN_SUCCESS
                : refuse(
                      call,
                      "%s has shape %s and what they go to %s; the same sizes but for the axis are expected",
                      call_name(call, updates), shape_text(TEXT, view), shape_text(TEXT, to));
}

static aclnnStatus read_update(const struct call *call, struct update *update)
{
    const struct tensor_view *data = &call->tensor[UPDATE_data], *updates = &call->tensor[UPDATE_updates],
                             *indices = &call->tensor[UPDATE_indices];
    uint32_t axis;
    for (unsigned i = UPDATE_data; i <= UPDATE_updates; i++)
        TRY(check_dtype(call, i));
    TRY(check_same_dtype(call, UPDATE_updates, UPDATE_data, NULL));
    TRY(check_rank(call, UPDATE_data));
    if (data->rank < 2 || data->rank != updates->rank)
        return refuse(call, "updates has shape %s and data %s; as many dims, 2 or more, are expected",
                      shape_text(TEXT, updates), shape_text(TEXT, data));
    TRY(check_dim(call, UPDATE_axis, call->argument[UPDATE_axis].int64, data->rank, &axis));
    if (axis == 0)
        return refuse(call, "axis is the first dim; another one is expected");
    *update = (struct update){.parts = (uint64_t)updates->shape[0],
                              .outer = 1,
                              .inner = 1,
                              .batches = (uint64_t)data->shape[0],
                              .has_pairs = indices->rank == 2};
    const bool fits = indices->rank == 2 ? indices->shape[1] == 2 : indices->rank <= 1;
    if (!fits || (indices->rank == 0 ? 1 : indices->shape[0]) != updates->shape[0] ||
        (indices->rank != 2 && updates->shape[0] > data->shape[0]))
        return refuse(call,
                      "indices has shape %s; one number or two for each of %" PRId64
                      " parts of updates are expected, and of single numbers no more than batches of data",
                      shape_text(TEXT, indices), updates->shape[0]);
    return read_sizes(call, UPDATE_updates, data, 1, axis, update);
}

static aclnnStatus infer_update(const struct call *call, struct result *result)
{
    struct update update;
    TRY(read_update(call, &update));
    result->computed = call_dtype(call, UPDATE_data);
    slots_kept(result, call, UPDATE_data);
    return ACLNN_SUCCESS;
}

static int check_place(const char *name, uint64_t k, int64_t number, uint64_t most)
{
    return number >= 0 && number <= (int64_t)most
               ? 0
               : operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                                "%s holds %" PRId64 " for part %" PRIu64 "; 0 to %" PRIu64 " are expected",
                                name, number, k, most);
}

/* Of pairs the first is the batch. Parts may be of one batch: the last one stays. */
static int start_update(struct task *task)
{
    const struct update *update = task->parameters;
    task->in_order = update->has_pairs;
    int status = 0;
    for (uint64_t k = 0; status == 0 && k < update->parts; k++) {
        const uint64_t at = update->has_pairs ? 2 * k + 1 : k;
        if (update->has_pairs)
            status =
                check_place("indices", k, task_integer(task, UPDATE_indices, 2 * k), update->batches - 1);
        if (status == 0)
            status = check_place("indices", k, task_integer(task, UPDATE_indices, at),
                                 update->room - update->length);
    }
    return status;
}

static void update_part(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    const uint64_t place = (uint64_t)task_integer(task, UPDATE_indices, update->has_pairs ? 2 * k + 1 : k),
                   batch = update->has_pairs ? (uint64_t)task_integer(task, UPDATE_indices, 2 * k) : k;
    for (uint64_t o = 0; o < update->outer; o++)
        task_copy(task, UPDATE_data, ((batch * update->outer + o) * update->room + place) * update->inner,
                  UPDATE_updates, (k * update->outer + o) * update->length * update->inner,
                  update->length * update->inner);
}

static aclnnStatus plan_parts(const struct call *call, const struct update *update,
                              void (*body)(const struct task *, uint64_t), int (*start)(struct task *))
{
    const uint64_t elements = update->outer * update->length * update->inner;
    return row_tasks_plan(call, &(struct row_tasks_request){.body = body,
                                                            .start = start,
                                                            .count = elements == 0 ? 0 : update->parts,
                                                            .task_ns = elements * ELEMENT_PS / 1000 + 30,
                                                            .parameters = update,
                                                            .parameter_bytes = sizeof *update});
}

static aclnnStatus plan_update(const struct call *call, const struct result *result)
{
    struct update update;
    (void)result;
    TRY(read_update(call, &update));
    return plan_parts(call, &update, update_part, start_update);
}

#define REPLACES .family = FAMILY_CACHE, .promise = &promise_exact, ROW_TASKS
FUNCTION_OF(aclnnInplaceScatterUpdate, UPDATE, .stem = "inplace_scatter_update", REPLACES,
            .infer = infer_update, .plan = plan_update);

#define LIST(X, of)                                                                  \
    X(of, CONST_BOTH_LIST, varRef, &dtypes_all_small, .sample = "3x4")               \
    X(of, IN, indice, &dtypes_int32_int64, .sample = "2:INT32")                      \
    X(of, IN, updates, &dtypes_all_small, .sample = "2x1x4", .is_partly_read = true) \
    X(of, IN, maskOptional, &dtypes_uint8, .is_optional = true, .sample = "2:UINT8") \
    X(of, TEXT, reduce, .is_optional = true, .usual = "update")                      \
    X(of, INT64, axis, .usual = "-2")
SIGNATURE(LIST)

static aclnnStatus read_list(const struct call *call, struct update *update)
{
    const struct call_values *list = &call->values[LIST_varRef];
    const struct tensor_view *updates = &call->tensor[LIST_updates], *indices = &call->tensor[LIST_indice];
    const char *reduce = call->argument[LIST_reduce].string;
    uint32_t axis;
    for (unsigned i = LIST_indice; i <= LIST_maskOptional; i++)
        if (call_has(call, i))
            TRY(check_dtype(call, i));
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        TRY(check_dtype_in_list(call, LIST_varRef, view->dtype));
        if (view->dtype != updates->dtype ||
            !dims_are_same(view->rank, view->shape, list->value.tensor[0].rank, list->value.tensor[0].shape))
            return refuse(call,
                          "tensor %" PRIu64
                          " of varRef has dtype %s and shape %s; the dtype of updates, %s, and the "
                          "shape of the first are expected",
                          i, dtype_name(view->dtype), shape_text(TEXT, view), dtype_name(updates->dtype));
    }
    if (reduce != NULL && *reduce != 0 && strcmp(reduce, "update") != 0)
        return refuse(call, "reduce is \"%s\"; update is expected", reduce);
    TRY(check_rank(call, LIST_updates));
    if (list->count < 1 || updates->rank != list->value.tensor[0].rank + 1 || updates->rank < 2 ||
        (uint64_t)updates->shape[0] != list->count)
        return refuse(call,
                      "updates has shape %s and varRef %" PRIu64
                      " tensors; a part for each, of their rank, is expected",
                      shape_text(TEXT, updates), list->count);
    TRY(check_dim(call, LIST_axis, call->argument[LIST_axis].int64, updates->rank, &axis));
    if (axis == 0)
        return refuse(call, "axis is the first dim; another one is expected");
    *update = (struct update){.parts = list->count, .outer = 1, .inner = 1, .has_pairs = indices->rank == 2};
    if ((indices->rank != 1 && (indices->rank != 2 || indices->shape[1] != 2)) ||
        (uint64_t)indices->shape[0] != list->count)
        return refuse(call,
                      "indice has shape %s; one number or two for each of %" PRIu64 " tensors are expected",
                      shape_text(TEXT, indices), list->count);
    if (call_has(call, LIST_maskOptional) && (uint64_t)call->tensor[LIST_maskOptional].count != list->count)
        return refuse(call, "maskOptional has shape %s; a number for each of %" PRIu64 " tensors is expected",
                      shape_text(TEXT, &call->tensor[LIST_maskOptional]), list->count);
    return read_sizes(call, LIST_updates, &list->value.tensor[0], 0, axis - 1, update);
}

static aclnnStatus infer_list(const struct call *call, struct result *result)
{
    struct update update;
    TRY(read_list(call, &update));
    result->computed = call_dtype(call, LIST_updates);
    result_add(result, ACL_DT_UNDEFINED, DTYPE_EQUAL)->like = LIST_varRef;
    return ACLNN_SUCCESS;
}

static bool is_masked(const struct task *task, uint64_t k)
{
    return task_has(task, LIST_maskOptional) && task_integer(task, LIST_maskOptional, k) == 0;
}

/* How many of the part's elements along the axis go there: of pairs the second number. */
static int64_t length_of(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    return update->has_pairs ? task_integer(task, LIST_indice, 2 * k + 1) : (int64_t)update->length;
}

static int start_list(struct task *task)
{
    const struct update *update = task->parameters;
    int status = 0;
    for (uint64_t k = 0; status == 0 && k < update->parts; k++) {
        if (is_masked(task, k))
            continue;
        const int64_t length = length_of(task, k);
        status = check_place("indice", k, length, update->length);
        if (status == 0)
            status = check_place("indice", k, task_integer(task, LIST_indice, update->has_pairs ? 2 * k : k),
                                 update->room - (uint64_t)length);
    }
    return status;
}

static void update_tensor(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    if (is_masked(task, k))
        return;
    const uint64_t place = (uint64_t)task_integer(task, LIST_indice, update->has_pairs ? 2 * k : k),
                   length = (uint64_t)length_of(task, k);
    for (uint64_t o = 0; o < update->outer; o++)
        task_copy_member(task, LIST_varRef, k, (o * update->room + place) * update->inner, LIST_updates,
                         (k * update->outer + o) * update->length * update->inner, length * update->inner);
}

static aclnnStatus plan_list(const struct call *call, const struct result *result)
{
    struct update update;
    (void)result;
    TRY(read_list(call, &update));
    return plan_parts(call, &update, update_tensor, start_list);
}

FUNCTION_OF(aclnnScatterList, LIST, .stem = "scatter_list", REPLACES, .infer = infer_list, .plan = plan_list);
