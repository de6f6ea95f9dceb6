/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * selfRef[indices] = values, or += values. Of several values for one place the last in row-major order of the
 * indices wins; sums begin with what is there and take that order, floats in doubles that are rounded once.
 * Which shape the indices have together is known when the masks among them have been counted.
 */
#include "aclnnop/aclnn_index_put_impl.h"

#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/index/index.h"
#include "runtime/fault.h"
#include "tensor/dtype.h"

enum { SELF, INDICES, VALUES, ACCUMULATE, UNSAFE };

/* A view as it is needed when the work runs. */
struct part {
    uint32_t operand, rank;
    int64_t count, extent; /* elements: all, and from the first to the last */
    int64_t shape[OPERAND_RANK_MAX], stride[OPERAND_RANK_MAX];
};

struct plan {
    const struct transfer *transfer;
    aclDataType dtype;
    uint32_t bytes;
    bool accumulates, has_masks;
    bool is_in_front; /* dims that are not indexed lie between those that are */
    bool is_indexed[OPERAND_RANK_MAX];
    struct part self, values;
    uint32_t entry_count;
    struct index_entry entry[OPERAND_RANK_MAX]; /* those with elements */
};

static struct part part_of(const struct call *call, unsigned parameter)
{
    const struct tensor_view *view = &call->tensor[parameter];
    struct part part = {.operand = call->first_operand[parameter],
                        .rank = view->rank,
                        .count = view->count,
                        .extent = view->reach - view->offset + 1};
    memcpy(part.shape, view->shape, view->rank * sizeof view->shape[0]);
    memcpy(part.stride, view->stride, view->rank * sizeof view->stride[0]);
    return part;
}

/* One entry for the dims of self from *dim on; nothing where it stands for a whole one. */
static aclnnStatus add_entry(const struct call *call, struct plan *plan, uint64_t number, uint32_t *dim)
{
    const struct tensor_view *view = &call->values[INDICES].value.tensor[number];
    const char *api = call->function->operation.name;
    bool is_mask = view->dtype == ACL_BOOL && view->count > 0;
    const uint32_t dims = is_mask ? view->rank : 1, first = *dim;
    if (dims > plan->self.rank - first)
        return fail(
            ACLNN_ERR_PARAM_INVALID,
            "%s: indices has entries for more than %u dims; at most that many, which selfRef has, are "
            "expected, with one for each dim of a mask",
            api, plan->self.rank);
    *dim += dims;
    if (view->count == 0)
        return ACLNN_SUCCESS;
    struct index_entry *entry = &plan->entry[plan->entry_count++];
    index_describe(entry, call, INDICES, (int32_t)number);
    entry->first_dim = first;
    entry->size = is_mask || dims == 0 ? INT64_MAX : plan->self.shape[first];
    entry->step = is_mask || dims == 0 ? 1 : plan->self.stride[first];
    plan->has_masks = plan->has_masks || is_mask;
    for (uint32_t i = 0; i < dims; i++) {
        plan->is_indexed[first + i] = true;
        if (is_mask && view->shape[i] != plan->self.shape[first + i])
            return fail(ACLNN_ERR_PARAM_INVALID,
                        "%s: tensor %" PRIu64 " of indices, a mask, has size %" PRId64 " in dim %u; %" PRId64
                        ", the size of dim %u of selfRef, is expected",
                        api, number, view->shape[i], i, plan->self.shape[first + i], first + i);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus add_entries(const struct call *call, struct plan *plan)
{
    uint32_t dim = 0, first = OPERAND_RANK_MAX, last = 0, indexed = 0;
    for (uint64_t i = 0; i < call->values[INDICES].count; i++)
        TRY(add_entry(call, plan, i, &dim));
    for (uint32_t i = 0; i < plan->self.rank; i++) {
        if (!plan->is_indexed[i])
            continue;
        first = indexed == 0 ? i : first;
        last = i;
        indexed++;
    }
    /* A mask of rank 0 is over no dim. */
    plan->is_in_front = indexed == 0 ? plan->entry_count > 0 : last - first + 1 != indexed;
    return ACLNN_SUCCESS;
}

/* The shape that the entries have together, a mask being as long as count says; false where there is none. */
static bool broadcast_entries(const struct plan *plan, const int64_t *count, struct shape *shape)
{
    shape->rank = 0;
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        const struct index_entry *entry = &plan->entry[i];
        struct shape own = {.rank = entry->rank};
        memcpy(own.dim, entry->shape, entry->rank * sizeof entry->shape[0]);
        if (entry->dtype == ACL_BOOL)
            own = (struct shape){.rank = 1, .dim = {count[i]}};
        if (!broadcast(shape, &own, shape))
            return false;
    }
    return true;
}

/* The shape of self[indices], and the first dim of it that is the indices'. False where the rank is over 8.
 */
static bool result_shape(const struct plan *plan, const struct shape *indices, struct shape *result,
                         uint32_t *place)
{
    bool is_placed = plan->is_in_front || plan->entry_count == 0;
    *result = (struct shape){.rank = 0};
    *place = 0;
    if (is_placed)
        *result = *indices;
    for (uint32_t i = 0; i < plan->self.rank; i++) {
        if (plan->is_indexed[i] && is_placed)
            continue;
        uint32_t more = plan->is_indexed[i] ? indices->rank : 1;
        if (result->rank + more > OPERAND_RANK_MAX)
            return false;
        if (plan->is_indexed[i]) {
            *place = result->rank;
            is_placed = true;
            memcpy(result->dim + result->rank, indices->dim, more * sizeof indices->dim[0]);
        } else {
            result->dim[result->rank] = plan->self.shape[i];
        }
        result->rank += more;
    }
    return true;
}

/* Whether values broadcast to the shape, and no further. */
static bool fits(const struct part *values, const struct shape *shape)
{
    if (values->rank > shape->rank)
        return false;
    for (uint32_t i = 0; i < values->rank; i++)
        if (values->shape[i] != 1 && values->shape[i] != shape->dim[shape->rank - values->rank + i])
            return false;
    return true;
}

static aclnnStatus check_dtypes(const struct call *call)
{
    const struct call_values *list = &call->values[INDICES];
    const struct dtype_set *set = call->function->parameter[INDICES].dtypes;
    TRY(check_dtype(call, SELF));
    TRY(check_dtype(call, VALUES));
    for (uint64_t i = 0; i < list->count; i++) {
        const struct tensor_view *view = &list->value.tensor[i];
        bool is_in_set =
            (unsigned)view->dtype < 64 && (set->on[call->settings->product] >> view->dtype & 1) != 0;
        if (view->count > 0 && !is_in_set)
            return tell_dtype(call, INDICES, view->dtype);
    }
    return check_same_dtype(call, VALUES, SELF, NULL);
}

/* What a run needs, without what needs no check. */
static aclnnStatus read_call(const struct call *call, struct plan *plan)
{
    const struct call_values *list = &call->values[INDICES];
    const char *api = call->function->operation.name;
    TRY(check_dtypes(call));
    TRY(check_rank(call, SELF));
    TRY(check_rank(call, VALUES));
    for (uint64_t i = 0; i < list->count; i++)
        if (list->value.tensor[i].rank > OPERAND_RANK_MAX)
            return fail(ACLNN_ERR_PARAM_INVALID,
                        "%s: tensor %" PRIu64 " of indices has %u dims; at most %d are expected", api, i,
                        list->value.tensor[i].rank, OPERAND_RANK_MAX);
    if (list->count > call->tensor[SELF].rank)
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: indices has %" PRIu64
                    " entries; at most %u, one for each dim of selfRef, are expected",
                    api, list->count, call->tensor[SELF].rank);
    *plan = (struct plan){.transfer = transfer_of(call->settings->isa),
                          .dtype = call->tensor[SELF].dtype,
                          .bytes = dtype_bytes(call->tensor[SELF].dtype),
                          .accumulates = call->argument[ACCUMULATE].boolean,
                          .self = part_of(call, SELF),
                          .values = part_of(call, VALUES)};
    return add_entries(call, plan);
}

static aclnnStatus infer(const struct call *call, struct result *result)
{
    static const int64_t unknown[OPERAND_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    struct plan plan;
    struct shape indices, shape;
    uint32_t place;
    const char *api = call->function->operation.name;
    TRY(read_call(call, &plan));
    result_like(result, call, SELF);
    if (plan.self.count == 0 || plan.values.count == 0)
        return ACLNN_SUCCESS;
    /* A mask may have as many elements as the other indices: those of 1 go with all. */
    if (!broadcast_entries(&plan, unknown, &indices))
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: the tensors of indices do not broadcast together; sizes that are equal or 1 are "
                    "expected, aligned at the last dim",
                    api);
    if (!result_shape(&plan, &indices, &shape, &place))
        return fail(ACLNN_ERR_PARAM_INVALID,
                    "%s: selfRef[indices] has more than %d dims; at most that many "
                    "are expected",
                    api, OPERAND_RANK_MAX);
    if (!plan.has_masks && plan.entry_count > 0 && !fits(&plan.values, &shape))
        return tell_fit(call, VALUES, &shape, "selfRef[indices]");
    return ACLNN_SUCCESS;
}

/* Predicted, for one thread: indices that are read, and values that are moved or added. */
static uint64_t cost_ns(const struct plan *plan)
{
    uint64_t indices = 0, values = (uint64_t)plan->values.count;
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        uint64_t count = 1;
        for (uint32_t k = 0; k < plan->entry[i].rank; k++)
            count *= (uint64_t)plan->entry[i].shape[k];
        indices += count;
    }
    return indices * 4 + (values > indices ? values : indices) * (plan->accumulates ? 20 : 2);
}

static aclnnStatus plan(const struct call *call, const struct result *result)
{
    struct executor_content *content;
    struct plan made;
    void *place;
    (void)result;
    TRY(read_call(call, &made));
    if (made.self.count == 0 || made.values.count == 0 || made.entry_count == 0)
        return call_idle(call);
    TRY(call_begin(call, sizeof made, &content, &place));
    memcpy(place, &made, sizeof made);
    content->cost_ns = cost_ns(&made);
    call_finish(call, content);
    return ACLNN_SUCCESS;
}

static uint64_t elements_of(const struct shape *shape)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(count, (uint64_t)shape->dim[i], &count))
            return UINT64_MAX / 64; /* more than any memory */
    return count;
}

static int64_t mask_elements(const struct index_entry *entry)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < entry->rank; i++)
        count *= entry->shape[i];
    return count;
}

static bool needs_copy(const struct plan *plan, void *const *address)
{
    return ranges_meet(address[plan->self.operand], (uint64_t)plan->self.extent * plan->bytes,
                       address[plan->values.operand], (uint64_t)plan->values.extent * plan->bytes);
}

/* What run needs beside the plan: true positions of masks, values of their own, offsets, room for sorting. */
struct room {
    size_t masks, values, offsets, sorting; /* bytes */
};

static size_t lines(uint64_t bytes)
{
    return ((size_t)bytes + 63) & ~(size_t)63;
}

/* For masks that are true everywhere. Where one is not, there are less positions: the offsets of others
 * broadcast to them, or do not fit. */
static struct room room_of(const struct plan *plan, void *const *address)
{
    struct room room = {0};
    struct shape shape = {.rank = 0};
    uint64_t longest = 1;
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        const struct index_entry *entry = &plan->entry[i];
        uint64_t count = (uint64_t)mask_elements(entry);
        if (entry->dtype != ACL_BOOL)
            continue;
        room.masks += lines(count * sizeof(int64_t));
        longest = count > longest ? count : longest;
    }
    const int64_t ones[OPERAND_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    (void)broadcast_entries(plan, ones, &shape);
    uint64_t count = elements_of(&shape);
    if (plan->has_masks && (shape.rank == 0 || shape.dim[shape.rank - 1] == 1))
        count = __builtin_mul_overflow(count, longest, &count) ? UINT64_MAX / 64 : count;
    room.offsets = lines(count * sizeof(int64_t));
    room.sorting = plan->accumulates ? lines(index_sum_bytes(count)) : 0;
    room.values = needs_copy(plan, address) ? lines((uint64_t)plan->values.count * plan->bytes) : 0;
    return room;
}

static size_t scratch_bytes(const void *plan, void *const *address)
{
    const struct room room = room_of(plan, address);
    return room.masks + room.values + room.offsets + room.sorting;
}

/* Masks become lists of offsets, which lie one behind the other. */
static void read_masks(const struct plan *plan, void *const *address, unsigned char *place, int64_t *count,
                       const int64_t **list)
{
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        const struct index_entry *entry = &plan->entry[i];
        if (entry->dtype != ACL_BOOL)
            continue;
        int64_t *offset = (int64_t *)(void *)place;
        count[i] =
            index_read_mask(entry, address[entry->operand], plan->self.stride + entry->first_dim, offset);
        list[i] = offset;
        place += lines((uint64_t)mask_elements(entry) * sizeof(int64_t));
    }
}

static int read_indices(const struct plan *plan, void *const *address, const int64_t *count,
                        const int64_t *const *list, const struct shape *shape, int64_t *offset)
{
    for (uint32_t i = 0; i < plan->entry_count; i++) {
        const void *place = address[plan->entry[i].operand];
        struct index_entry entry = plan->entry[i];
        if (entry.dtype == ACL_BOOL) { /* offsets are all legal, and are to be taken as they are */
            entry.dtype = ACL_INT64;
            entry.rank = 1;
            entry.shape[0] = count[i];
            entry.stride[0] = 1;
            place = list[i];
        }
        int status = index_read(&entry, place, shape, i > 0, offset);
        if (status != 0)
            return status;
    }
    return 0;
}

static int tell_masks(void)
{
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "indices holds masks that are true at numbers of positions which do not broadcast "
                          "with each other or the other indices; equal ones or 1 are expected");
}

static int tell_values(const struct plan *plan, const struct shape *shape)
{
    return operation_fail(ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
                          "values holds %" PRId64 " elements, whose shape does not broadcast to the %" PRIu64
                          " that the masks of indices lead to",
                          plan->values.count, elements_of(shape));
}

/* The stride of values along a dim of the result; 0 where they broadcast. */
static int64_t values_stride(const struct part *values, const int64_t *stride, const struct shape *result,
                             uint32_t dim)
{
    const uint32_t missing = result->rank - values->rank;
    return dim < missing || values->shape[dim - missing] == 1 ? 0 : stride[dim - missing];
}

/* From where values are read: from memory of their own where selfRef shares theirs. */
static const void *copy_values(const struct plan *plan, void *const *address, unsigned char *copy,
                               int64_t stride[OPERAND_RANK_MAX])
{
    const struct part *values = &plan->values;
    struct move_axis axis[OPERAND_RANK_MAX];
    int64_t step = 1;
    memcpy(stride, values->stride, values->rank * sizeof stride[0]);
    if (!needs_copy(plan, address))
        return address[values->operand];
    for (uint32_t i = values->rank; i-- > 0; step *= values->shape[i]) {
        axis[i] = (struct move_axis){values->shape[i], values->stride[i], step};
        stride[i] = step;
    }
    move_axes(plan->transfer, axis, values->rank, plan->bytes, address[values->operand], copy);
    return copy;
}

static int run(const void *plan_memory, void *const *address, void *scratch)
{
    const struct plan *plan = plan_memory;
    const struct room room = room_of(plan, address);
    unsigned char *masks = scratch, *copy = masks + room.masks, *offsets = copy + room.values;
    int64_t count[OPERAND_RANK_MAX] = {0}, stride[OPERAND_RANK_MAX];
    const int64_t *list[OPERAND_RANK_MAX] = {0};
    struct shape indices, result;
    uint32_t place;
    read_masks(plan, address, masks, count, list);
    if (!broadcast_entries(plan, count, &indices))
        return tell_masks();
    if (!result_shape(plan, &indices, &result, &place) || !fits(&plan->values, &result))
        return tell_values(plan, &result);
    int64_t *offset = (int64_t *)(void *)offsets;
    int status = read_indices(plan, address, count, list, &indices, offset);
    if (status != 0 || elements_of(&indices) == 0)
        return status;
    struct index_walk walk = {.transfer = plan->transfer,
                              .dtype = plan->dtype,
                              .bytes = plan->bytes,
                              .puts = true,
                              .from = copy_values(plan, address, copy, stride),
                              .to = address[plan->self.operand],
                              .offset = offset,
                              .count = elements_of(&indices),
                              .extent = plan->self.extent};
    for (uint32_t i = 0; i < indices.rank; i++)
        index_add_position(&walk, indices.dim[i], values_stride(&plan->values, stride, &result, place + i));
    for (uint32_t i = 0, dim = plan->is_in_front ? indices.rank : 0; i < plan->self.rank; i++) {
        if (!plan->is_in_front && dim == place && plan->is_indexed[i])
            dim += indices.rank;
        if (!plan->is_indexed[i])
            index_add_slice(&walk, plan->self.shape[i], values_stride(&plan->values, stride, &result, dim++),
                            plan->self.stride[i]);
    }
    if (plan->accumulates)
        index_sum(&walk, offsets + room.offsets);
    else
        index_move(&walk);
    return 0;
}

static const struct parameter parameters[] = {
    [SELF] = BOTH("selfRef", &dtypes_real_scalars),
    [INDICES] = READ("indices", &dtypes_indices_or_masks, .kind = PARAMETER_TENSOR_LIST, .sample = "2:INT64"),
    [VALUES] = READ("values", &dtypes_real_scalars, .sample = "2"),
    [ACCUMULATE] = USUAL("accumulate", BOOL, "false"),
    [UNSAFE] = USUAL("unsafe", BOOL, "false"),
};

FUNCTION(aclnnIndexPutImpl,
         (aclTensor * selfRef, const aclTensorList *indices, const aclTensor *values, bool accumulate,
          bool unsafe),
         (ARG(selfRef), ARG(indices), ARG(values), ARG(accumulate), ARG(unsafe)), .stem = "index_put_impl",
         PARAMETERS(parameters), .family = FAMILY_INDEX, .promise = &promise_sum,
         .operation.scratch_bytes = scratch_bytes, .operation.run = run, .infer = infer, .plan = plan);
