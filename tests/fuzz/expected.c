/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which status a call of an operator gets: the rules that all of them share, over the table of contracts.
 */
#include <string.h>

#include "fuzz/contract.h"

__extension__ typedef __int128 wide;

enum { NULLPTR = 161001, INVALID = 161002, RUNTIME = 361001, SEARCH_MOST = 1 << 20 };

uint64_t view_count(const struct view *view)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] == 0)
            return 0;
    for (uint32_t i = 0; i < view->rank; i++)
        count *= (uint64_t)view->shape[i];
    return count;
}

/* The last element; -1 where that is beyond 2^63 - 1 or the view cannot be. */
static int64_t view_reach(const struct view *view)
{
    wide reach = view->offset, count = 1;
    bool is_empty = false;
    for (uint32_t i = 0; i < view->rank; i++) {
        if (view->shape[i] < 0 || view->stride[i] < 0)
            return -1;
        is_empty |= view->shape[i] == 0;
    }
    if (view->offset < 0)
        return -1;
    for (uint32_t i = 0; i < view->rank && !is_empty; i++) {
        count *= view->shape[i];
        reach += (wide)(view->shape[i] - 1) * view->stride[i];
        if (count > INT64_MAX || reach > INT64_MAX)
            return -1;
    }
    return (int64_t)reach;
}

static uint32_t element_bytes(aclDataType dtype)
{
    return (uint32_t)aclDataTypeSize(dtype);
}

static bool shapes_equal(const struct view *a, const struct view *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

bool broadcast_inputs(const struct operator_call *call, struct view *const *view, struct view *shape)
{
    const struct contract *contract = contract_of(call->kind);
    *shape = (struct view){.rank = 0};
    for (uint32_t i = 0; i < contract->operand_count; i++)
        if ((i != contract->output || contract->is_in_place) && view[i]->rank > shape->rank)
            shape->rank = view[i]->rank;
    for (uint32_t k = 1; k <= shape->rank; k++) {
        int64_t size = 1;
        for (uint32_t i = 0; i < contract->operand_count; i++) {
            if (i == contract->output && !contract->is_in_place)
                continue;
            int64_t own = k <= view[i]->rank ? view[i]->shape[view[i]->rank - k] : 1;
            if (own != 1 && size != 1 && own != size)
                return false;
            size = own != 1 ? own : size;
        }
        shape->shape[shape->rank - k] = size;
    }
    return true;
}

int64_t place_of(const struct view *view, uint32_t rank, const int64_t *index)
{
    int64_t place = view->offset;
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] != 1)
            place += index[rank - view->rank + i] * view->stride[i];
    return place;
}

bool next_index(const struct view *view, int64_t *index)
{
    for (uint32_t i = view->rank; i-- > 0;) {
        if (++index[i] < view->shape[i])
            return true;
        index[i] = 0;
    }
    return false;
}

/* 0: no, 1: yes, -1: not looked into. */
static int overlaps_itself(const struct view *view)
{
    uint64_t count = view_count(view);
    bool is_nested = true, is_done[DIMS_MOST] = {false};
    wide reach = 0;
    for (uint32_t i = 0; i < view->rank && count > 1; i++)
        if (view->shape[i] > 1 && view->stride[i] == 0)
            return 1;
    for (uint32_t n = 0; n < view->rank; n++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < view->rank; i++)
            if (!is_done[i] && (least == UINT32_MAX || view->stride[i] < view->stride[least]))
                least = i;
        is_done[least] = true;
        if (view->shape[least] <= 1)
            continue;
        is_nested = is_nested && view->stride[least] > reach;
        reach += (wide)(view->shape[least] - 1) * view->stride[least];
    }
    if (count <= 1 || is_nested)
        return 0;
    if (count > SEARCH_MOST)
        return 0;
    if (count > 2000)
        return -1;
    int64_t place[2000], index[DIMS_MOST] = {0};
    uint32_t length = 0;
    do {
        int64_t at = place_of(view, view->rank, index);
        for (uint32_t i = 0; i < length; i++)
            if (place[i] == at)
                return 1;
        place[length++] = at;
    } while (next_index(view, index));
    return 0;
}

static bool shapes_are_good(const struct operator_call *call, struct view *const *view)
{
    const struct contract *contract = contract_of(call->kind);
    const struct view *output = view[contract->output];
    bool broadcasts = contract->broadcasts || (call->kind == SILU_BACKWARD && strcmp(product(), "950") == 0);
    struct view shape;
    if (broadcasts && !broadcast_inputs(call, view, &shape))
        return false;
    if (contract->reduces && call->reduction != 0)
        return view_reach(&shape) >= 0 && view_count(output) == 1;
    if (broadcasts)
        return shapes_equal(&shape, output);
    for (uint32_t i = 0; i < contract->operand_count; i++)
        if (!shapes_equal(view[i], output))
            return false;
    return true;
}

int expect_phase_1(struct world *world, const struct operator_call *call)
{
    const struct contract *contract = contract_of(call->kind);
    struct view *view[OPERANDS_MOST];
    if (call->size_is_null || call->executor_is_null ||
        (contract->scalar == SCALAR_NEEDED && call->scalar == NULL) ||
        (contract->has_alpha && call->alpha == NULL))
        return NULLPTR;
    for (uint32_t i = 0; i < contract->operand_count; i++)
        if (call->operand[i] == NULL)
            return NULLPTR;
    for (uint32_t i = 0; i < contract->operand_count; i++) {
        struct tensor *tensor = find_tensor(world, call->operand[i]);
        if (tensor == NULL || view_reach(&tensor->view) < 0)
            return INVALID;
        view[i] = &tensor->view;
    }
    const struct scalar *scalar = contract->scalar != SCALAR_NONE ? find_scalar(world, call->scalar) : NULL;
    if (contract->scalar != SCALAR_NONE && call->scalar != NULL && scalar == NULL)
        return INVALID;
    struct operator_call judged = *call;
    judged.alpha_found = contract->has_alpha ? find_scalar(world, call->alpha) : NULL;
    if (contract->has_alpha && judged.alpha_found == NULL)
        return INVALID;
    if (!contract->accepts(&judged, view, scalar))
        return INVALID;
    for (uint32_t i = 0; i < contract->operand_count; i++)
        if (view[i]->rank > 8 && !contract->has_any_rank)
            return INVALID;
    if (contract->has_loss_attributes && (call->reduction < 0 || call->reduction > 2 || !(call->beta >= 0)))
        return INVALID;
    if (!shapes_are_good(call, view))
        return INVALID;
    if (call->kind == FILL || call->kind == ZERO || call->kind == ONE ||
        (call->kind == COPY && view_count(view[1 - contract->output]) == 1))
        return 0; /* where elements share memory they are the same number */
    int overlaps = overlaps_itself(view[contract->output]);
    return overlaps == 1 ? INVALID : overlaps == 0 ? 0 : EXPECT_EITHER;
}

uint64_t work_of(const struct executor *executor)
{
    const struct contract *contract = contract_of(executor->call.kind);
    struct view inputs, views[OPERANDS_MOST], *view[OPERANDS_MOST];
    if (!contract->reduces || executor->call.reduction == 0)
        return view_count(&executor->view[contract->output]);
    for (uint32_t i = 0; i < contract->operand_count; i++) {
        views[i] = executor->view[i];
        view[i] = &views[i];
    }
    (void)broadcast_inputs(&executor->call, view, &inputs);
    return view_count(&inputs);
}

unsigned char *operand_data(struct world *world, const struct executor *executor, uint32_t index)
{
    const struct tensor *tensor = find_tensor(world, executor->call.operand[index]);
    return tensor != NULL ? tensor->view.data : executor->view[index].data;
}

enum { WORKSPACE_ALIGNMENT = 32 };

/* The status for a live executor of the right operator. */
int expect_phase_2(struct world *world, const struct executor *executor, const void *workspace,
                   uint64_t workspace_bytes, aclrtStream stream)
{
    int32_t device = 0;
    const struct operator_call *call = &executor->call;
    if (workspace_bytes > 0 && workspace == NULL)
        return NULLPTR;
    /* A stream that is named works without a current context. */
    const struct stream *named = find_stream(world, stream);
    if (named != NULL)
        device = world->context[named->context].device;
    else if (!takes_work(world, stream, &device))
        return RUNTIME;
    const unsigned char *bytes = (const unsigned char *)workspace;
    if (workspace_bytes > 0) {
        const struct block *block = find_block(world, bytes);
        if (block == NULL || block->place != PLACE_DEVICE || block->device != device ||
            workspace_bytes > block->bytes - (uint64_t)(bytes - block->address) ||
            (uintptr_t)bytes % WORKSPACE_ALIGNMENT != 0)
            return INVALID;
    }
    const struct contract *contract = contract_of(call->kind);
    if (view_count(&executor->view[contract->output]) == 0)
        return 0;
    for (uint32_t i = 0; i < contract->operand_count; i++) {
        const struct view *view = &executor->view[i];
        if (view_count(view) == 0) /* of a sum */
            continue;
        const unsigned char *data = operand_data(world, executor, i);
        const struct block *block = find_block(world, data);
        uint32_t size = element_bytes(view->dtype);
        if (block == NULL || (uintptr_t)data % size != 0 ||
            (block->place == PLACE_DEVICE && block->device != device))
            return INVALID;
        int64_t reach = view_reach(view);
        if (((wide)reach + 1) * size > (wide)(block->bytes - (uint64_t)(data - block->address)))
            return INVALID;
        const unsigned char *first = data + view->offset * size, *end = data + (reach + 1) * size;
        if (workspace_bytes > 0 && bytes < end && first < bytes + workspace_bytes)
            return INVALID;
    }
    return 0;
}
