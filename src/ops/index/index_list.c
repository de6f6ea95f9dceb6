/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Lists of indices and masks: which dims they are into, and which positions they lead to.
 */
#include <inttypes.h>
#include <string.h>

#include "ops/check.h"
#include "ops/index/index.h"
#include "ops/nest.h"
#include "runtime/streams/fault.h"

/* One entry for the dims of the tensor from *dim on; nothing where it stands for a whole one. */
static aclnnStatus add_entry(const struct call *call, unsigned tensor, unsigned list, uint64_t number,
                             struct index_entries *entries, uint32_t *dim)
{
    const struct tensor_view *view = &call->values[list].value.tensor[number];
    const struct parameter *parameter = call->function->parameter;
    const bool is_mask = view->dtype == ACL_BOOL && view->count > 0;
    const uint32_t dims = is_mask ? view->rank : 1, first = *dim;
    if (view->rank > OPERAND_RANK_MAX)
        return refuse(call, "tensor %" PRIu64 " of %s has %u dims; at most %d are expected", number,
                      parameter[list].name, view->rank, OPERAND_RANK_MAX);
    if (dims > entries->shape.rank - first)
        return refuse(call,
                      "%s has entries for more than %u dims; at most that many, which %s has, are expected, "
                      "with one for each dim of a mask",
                      parameter[list].name, entries->shape.rank, parameter[tensor].name);
    *dim += dims;
    if (view->count == 0)
        return ACLNN_SUCCESS;
    struct index_entry *entry = &entries->entry[entries->count++];
    index_describe(entry, call, list, (int32_t)number);
    entry->first_dim = first;
    entry->size = is_mask || dims == 0 ? INT64_MAX : entries->shape.dim[first];
    entry->step = is_mask || dims == 0 ? 1 : entries->stride[first];
    entries->has_masks = entries->has_masks || is_mask;
    for (uint32_t i = 0; i < dims; i++) {
        entries->is_indexed[first + i] = true;
        if (is_mask && view->shape[i] != entries->shape.dim[first + i])
            return refuse(call,
                          "tensor %" PRIu64 " of %s, a mask, has size %" PRId64 " in dim %u; %" PRId64
                          ", the size of dim %u of %s, is expected",
                          number, parameter[list].name, view->shape[i], i, entries->shape.dim[first + i],
                          first + i, parameter[tensor].name);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus index_describe_list(const struct call *call, unsigned tensor, unsigned list,
                                struct index_entries *entries)
{
    const struct tensor_view *view = &call->tensor[tensor];
    uint32_t dim = 0, first = OPERAND_RANK_MAX, last = 0, indexed = 0;
    if (call->values[list].count > view->rank)
        return refuse(call, "%s has %" PRIu64 " entries; at most %u, one for each dim of %s, are expected",
                      call_name(call, list), call->values[list].count, view->rank, call_name(call, tensor));
    *entries = (struct index_entries){.shape = shape_of(view)};
    memcpy(entries->stride, view->stride, view->rank * sizeof view->stride[0]);
    for (uint64_t i = 0; i < call->values[list].count; i++)
        TRY(add_entry(call, tensor, list, i, entries, &dim));
    for (uint32_t i = 0; i < view->rank; i++) {
        if (!entries->is_indexed[i])
            continue;
        first = indexed == 0 ? i : first;
        last = i;
        indexed++;
    }
    /* A mask of rank 0 is over no dim. */
    entries->is_in_front = indexed == 0 ? entries->count > 0 : last - first + 1 != indexed;
    return ACLNN_SUCCESS;
}

/* The shape that the entries have together, a mask being as long as count says; false where there is none. */
static bool broadcast_entries(const struct index_entries *entries, const int64_t *count, struct shape *shape)
{
    shape->rank = 0;
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct index_entry *entry = &entries->entry[i];
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
static bool find_result(const struct index_entries *entries, struct index_found *found)
{
    const struct shape *indices = &found->indices;
    bool is_placed = entries->is_in_front || entries->count == 0;
    struct shape *result = &found->result;
    *result = is_placed ? *indices : (struct shape){.rank = 0};
    found->place = 0;
    for (uint32_t i = 0; i < entries->shape.rank; i++) {
        if (entries->is_indexed[i] && is_placed)
            continue;
        const uint32_t more = entries->is_indexed[i] ? indices->rank : 1;
        if (result->rank + more > OPERAND_RANK_MAX)
            return false;
        if (entries->is_indexed[i])
            found->place = result->rank;
        is_placed = is_placed || entries->is_indexed[i];
        memcpy(result->dim + result->rank, entries->is_indexed[i] ? indices->dim : &entries->shape.dim[i],
               more * sizeof result->dim[0]);
        result->rank += more;
    }
    return true;
}

static const int64_t ones[OPERAND_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};

aclnnStatus index_infer(const struct call *call, unsigned tensor, unsigned list,
                        const struct index_entries *entries, struct index_found *found)
{
    const char *name = call_name(call, list);
    if (!broadcast_entries(entries, ones, &found->indices))
        return refuse(call,
                      "the tensors of %s do not broadcast together; sizes that are equal or 1 are expected, "
                      "aligned at the last dim",
                      name);
    if (!find_result(entries, found))
        return refuse(call, "%s[%s] has more than %d dims; at most that many are expected",
                      call_name(call, tensor), name, OPERAND_RANK_MAX);
    return ACLNN_SUCCESS;
}

uint64_t index_elements(const struct shape *shape)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (__builtin_mul_overflow(count, (uint64_t)shape->dim[i], &count))
            return UINT64_MAX / 64;
    return count;
}

static uint64_t entry_elements(const struct index_entry *entry)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < entry->rank; i++)
        count *= (uint64_t)entry->shape[i];
    return count;
}

size_t index_mask_bytes(const struct index_entries *entries)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < entries->count; i++)
        if (entries->entry[i].dtype == ACL_BOOL)
            bytes += whole_lines(entry_elements(&entries->entry[i]) * sizeof(int64_t));
    return bytes;
}

/* For masks that are true everywhere. Where one is not, there are less positions: the offsets of others
 * broadcast to them, or do not fit. */
uint64_t index_positions_max(const struct index_entries *entries)
{
    struct shape shape = {.rank = 0};
    uint64_t longest = 1;
    for (uint32_t i = 0; i < entries->count; i++) {
        const uint64_t count = entry_elements(&entries->entry[i]);
        longest = entries->entry[i].dtype == ACL_BOOL && count > longest ? count : longest;
    }
    (void)broadcast_entries(entries, ones, &shape);
    uint64_t count = index_elements(&shape);
    if (entries->has_masks && (shape.rank == 0 || shape.dim[shape.rank - 1] == 1))
        count = __builtin_mul_overflow(count, longest, &count) ? UINT64_MAX / 64 : count;
    return count;
}

/* Writes the offset of each element of a mask that is true, in row-major order, in a tensor with these
 * strides of the dims that the mask is over; returns how many there are. */
static int64_t read_mask(const struct index_entry *entry, const unsigned char *mask, const int64_t *step,
                         int64_t *offset)
{
    struct nest nest;
    int64_t count = 0;
    nest_begin(&nest, 2);
    for (uint32_t i = 0; i < entry->rank; i++)
        nest_add(&nest, entry->shape[i], (const int64_t[]){entry->stride[i], step[i]});
    struct nest_place place = nest_place_at(&nest, 0);
    for (uint64_t i = 0; i < nest.count; i++) {
        if (mask[place.offset[0]] != 0)
            offset[count++] = place.offset[1];
        nest_advance(&nest, &place, 1);
    }
    return count;
}

int index_count(const struct index_entries *entries, void *const *address, unsigned char *room,
                struct index_found *found)
{
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct index_entry *entry = &entries->entry[i];
        if (entry->dtype != ACL_BOOL)
            continue;
        int64_t *offset = (int64_t *)(void *)room;
        found->count[i] =
            read_mask(entry, address[entry->operand], entries->stride + entry->first_dim, offset);
        found->list[i] = offset;
        room += whole_lines(entry_elements(entry) * sizeof(int64_t));
    }
    if (!broadcast_entries(entries, found->count, &found->indices))
        return operation_fail(
            ACL_ERROR_RT_VECTOR_CORE_EXCEPTION,
            "indices holds masks that are true at numbers of positions which do not broadcast "
            "with each other or the other indices; equal ones or 1 are expected");
    if (!find_result(entries, found))
        found->result.rank = 0;
    return 0;
}

int index_find(const struct index_entries *entries, void *const *address, const struct index_found *found,
               int64_t *offset)
{
    int status = 0;
    for (uint32_t i = 0; i < entries->count && status == 0; i++) {
        const void *place = address[entries->entry[i].operand];
        struct index_entry entry = entries->entry[i];
        if (entry.dtype == ACL_BOOL) { /* offsets are all legal, and are to be taken as they are */
            entry.dtype = ACL_INT64;
            entry.rank = 1;
            entry.shape[0] = found->count[i];
            entry.stride[0] = 1;
            place = found->list[i];
        }
        status = index_read(&entry, place, &found->indices, i > 0, offset);
    }
    return status;
}

void index_set_dims(struct index_walk *walk, const struct index_entries *entries,
                    const struct index_found *found, const int64_t *stride)
{
    const struct shape *indices = &found->indices;
    for (uint32_t i = 0; i < indices->rank; i++)
        index_add_position(walk, indices->dim[i], stride[found->place + i]);
    for (uint32_t i = 0, dim = entries->is_in_front ? indices->rank : 0; i < entries->shape.rank; i++) {
        if (!entries->is_in_front && dim == found->place && entries->is_indexed[i])
            dim += indices->rank;
        if (entries->is_indexed[i])
            continue;
        const int64_t direct = stride[dim++], indexed = entries->stride[i];
        index_add_slice(walk, entries->shape.dim[i], walk->puts ? direct : indexed,
                        walk->puts ? indexed : direct);
    }
}
