/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of tensors along an axis replaced by updates, where indices say: of batches of one tensor, or of tensors
 * of a list. Elements are copied as bits, or become numbers of few bits.
 */
#include "aclnnop/aclnn_inplace_scatter_update.h"
#include "aclnnop/aclnn_quant_scatter.h"
#include "aclnnop/aclnn_quant_scatter_v2.h"
#include "aclnnop/aclnn_scatter_list.h"

#include <inttypes.h>
#include <string.h>

#include "ops/cache/slots.h"
#include "ops/dims.h"
#include "ops/quantise/number.h"
#include "runtime/streams/fault.h"

enum { ELEMENT_PS = 500, QUANTISED_PS = 3000 };

/* Part k of updates is (outer, length, inner) in the tensor's (outer, room, inner). */
struct update {
    uint64_t parts, outer, length, inner, room, batches;
    bool has_pairs;       /* indices of two numbers each */
    struct number number; /* what elements become, over as many scales as a row has */
    uint64_t scales;
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

static aclnnStatus check_dtypes(const struct call *call)
{
    for (unsigned i = UPDATE_data; i <= UPDATE_updates; i++)
        TRY(check_dtype(call, i));
    return ACLNN_SUCCESS;
}

/* Of all functions whose first parameters are these; along is where the axis is. */
static aclnnStatus read_places(const struct call *call, unsigned along, struct update *update)
{
    const struct tensor_view *data = &call->tensor[UPDATE_data], *updates = &call->tensor[UPDATE_updates],
                             *indices = &call->tensor[UPDATE_indices];
    uint32_t axis;
    TRY(check_rank(call, UPDATE_data));
    if (data->rank < 2 || data->rank != updates->rank)
        return refuse(call, "updates has shape %s and %s %s; as many dims, 2 or more, are expected",
                      shape_text(TEXT, updates), call_name(call, UPDATE_data), shape_text(TEXT, data));
    TRY(check_dim(call, along, call->argument[along].int64, data->rank, &axis));
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

static aclnnStatus read_update(const struct call *call, struct update *update)
{
    TRY(check_dtypes(call));
    TRY(check_same_dtype(call, UPDATE_updates, UPDATE_data, NULL));
    return read_places(call, UPDATE_axis, update);
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

/* Where part k goes, in rows of inner elements; its outer parts are room rows apart. */
static uint64_t part_row(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    const uint64_t place = (uint64_t)task_integer(task, UPDATE_indices, update->has_pairs ? 2 * k + 1 : k),
                   batch = update->has_pairs ? (uint64_t)task_integer(task, UPDATE_indices, 2 * k) : k;
    return batch * update->outer * update->room + place;
}

static void update_part(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    const uint64_t first = part_row(task, k);
    for (uint64_t o = 0; o < update->outer; o++)
        task_copy(task, UPDATE_data, (first + o * update->room) * update->inner, UPDATE_updates,
                  (k * update->outer + o) * update->length * update->inner, update->length * update->inner);
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

/* What goes there is updates over scales, and more by zero points, of each row's elements. */
#define FLT3 &dtypes_fp32_fp16_bf16
#define SCATTER(X, of, q)                                                                      \
    X(of, BOTH, selfRef, q, .sample = "2x3x4:INT8")                                            \
    X(of, IN, indices, &dtypes_int32_int64, .sample = "2:INT32")                               \
    X(of, IN, updates, FLT3, .sample = "2x1x4")                                                \
    X(of, IN, quantScales, FLT3, .sample = "4")                                                \
    X(of, IN, quantZeroPointsOptional, &dtypes_fp32_fp16_bf16_int8_int32, .is_optional = true, \
      .sample = "4")                                                                           \
    X(of, INT64, axis, .usual = "1")                                                           \
    X(of, INT64, quantAxis, .usual = "-1")                                                     \
    X(of, INT64, reduction, .usual = "1")
#define SCATTER_V1(X, of) SCATTER(X, of, &dtypes_int8)
#define SCATTER_V2(X, of)                               \
    SCATTER(X, of, &dtypes_int8_on_950_float8_hifloat8) \
    X(of, TEXT, roundMode, .is_optional = true, .usual = "rint")
SIGNATURE(SCATTER_V1)
SIGNATURE(SCATTER_V2)

static aclnnStatus read_scatter(const struct call *call, struct update *update)
{
    const struct tensor_view *data = &call->tensor[SCATTER_V1_selfRef];
    const int64_t along = call->argument[SCATTER_V1_quantAxis].int64;
    if (call->argument[SCATTER_V1_axis].int64 == -1 ||
        call->argument[SCATTER_V1_axis].int64 == (int64_t)data->rank - 1)
        return refuse(call, "axis is the last dim; another one is expected");
    TRY(check_dtypes(call));
    TRY(read_places(call, SCATTER_V1_axis, update));
    const int64_t width = data->shape[data->rank - 1];
    if (along != -1 && along != (int64_t)data->rank - 1)
        return refuse(call, "quantAxis is %" PRId64 "; -1, the last dim, is expected", along);
    if (call->argument[SCATTER_V1_reduction].int64 != 1)
        return refuse(call, "reduction is %" PRId64 "; 1 (update) is expected",
                      call->argument[SCATTER_V1_reduction].int64);
    for (unsigned i = SCATTER_V1_quantScales; i <= SCATTER_V1_quantZeroPointsOptional; i++) {
        if (i > SCATTER_V1_quantScales && !call_has(call, i))
            continue;
        TRY(check_dtype(call, i));
        if (call->tensor[i].count != 1 && call->tensor[i].count != width)
            return refuse(call, "%s has shape %s; 1 element, or %" PRId64 ", are expected",
                          call_name(call, i), shape_text(TEXT, &call->tensor[i]), width);
    }
    update->number = number_of(data->dtype);
    return call->function->parameter == SCATTER_V2_parameters
               ? check_rounding(call, SCATTER_V2_roundMode, false, &update->number)
               : ACLNN_SUCCESS;
}

static aclnnStatus infer_scatter(const struct call *call, struct result *result)
{
    struct update update;
    TRY(read_scatter(call, &update));
    result->computed = call_dtype(call, SCATTER_V1_selfRef);
    slots_kept(result, call, SCATTER_V1_selfRef);
    return ACLNN_SUCCESS;
}

/* One number for all, or one for each element of a row. */
static void read_row(const struct task *task, unsigned parameter, uint64_t width, bool is_one, double *to)
{
    if (!is_one)
        task_read(task, parameter, 0, width, to);
    for (uint64_t i = 0; is_one && i < width; i++)
        to[i] = task_number(task, parameter, 0);
}

static void scatter_part(const struct task *task, uint64_t k)
{
    const struct update *update = task->parameters;
    const uint64_t first = part_row(task, k), width = update->scales,
                   rows = update->length * update->inner / width;
    const bool has_zero = task_has(task, SCATTER_V1_quantZeroPointsOptional);
    double *x = task->room, *scale = x + width, *zero = scale + width;
    read_row(task, SCATTER_V1_quantScales, width, (bool)task->numbers[0], scale);
    if (has_zero)
        read_row(task, SCATTER_V1_quantZeroPointsOptional, width, (bool)task->numbers[1], zero);
    for (uint64_t o = 0; o < update->outer; o++)
        for (uint64_t row = 0; row < rows; row++) {
            task_read(task, UPDATE_updates, ((k * update->outer + o) * rows + row) * width, width, x);
            for (uint64_t i = 0; i < width; i++)
                x[i] = x[i] / scale[i] + (has_zero ? zero[i] : 0);
            numbers_write(task, UPDATE_data, &update->number,
                          (first + o * update->room) * update->inner + row * width, width, x);
        }
}

static aclnnStatus plan_scatter(const struct call *call, const struct result *result)
{
    struct update update;
    (void)result;
    TRY(read_scatter(call, &update));
    const uint64_t elements = update.outer * update.length * update.inner;
    const struct tensor_view *data = &call->tensor[UPDATE_data],
                             *zero = &call->tensor[SCATTER_V1_quantZeroPointsOptional];
    const int64_t are_one[] = {call->tensor[SCATTER_V1_quantScales].count == 1,
                               call_has(call, SCATTER_V1_quantZeroPointsOptional) && zero->count == 1};
    update.scales = (uint64_t)data->shape[data->rank - 1];
    return row_tasks_plan(call, &(struct row_tasks_request){.body = scatter_part,
                                                            .start = start_update,
                                                            .count = elements == 0 ? 0 : update.parts,
                                                            .task_ns = elements * QUANTISED_PS / 1000 + 30,
                                                            .room = 3 * update.scales,
                                                            .parameters = &update,
                                                            .parameter_bytes = sizeof update,
                                                            .numbers = are_one,
                                                            .number_count = 2});
}

FUNCTION_OF(aclnnInplaceQuantScatter, SCATTER_V1, .stem = "quant_scatter", REPLACES, .infer = infer_scatter,
            .plan = plan_scatter);
FUNCTION_OF(aclnnInplaceQuantScatterV2, SCATTER_V2, .stem = "quant_scatter_v2", REPLACES,
            .infer = infer_scatter, .plan = plan_scatter);
