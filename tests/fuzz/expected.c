/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The contract of the operators, written once more and in another way than the library has it: which status a
 * call gets, and what it computes.
 */
#include <math.h>
#include <string.h>

#include "fuzz/world.h"
#include "support/reference.h"

__extension__ typedef __int128 wide;

enum { NULLPTR = 161001, INVALID = 161002, RUNTIME = 361001, SEARCH_MOST = 1 << 20, COMPUTE_MOST = 256 };

static const char *product(void)
{
    const char *name = aclrtGetSocName();
    return strstr(name, "950") != NULL ? "950" : strstr(name, "910A") != NULL ? "910A" : "910B";
}

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

static bool is_narrow_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 ||
           (dtype == ACL_BF16 && strcmp(product(), "910A") != 0);
}

static bool is_float(aclDataType dtype)
{
    return is_narrow_float(dtype) || dtype == ACL_DOUBLE;
}

static aclDataType promote_floats(aclDataType a, aclDataType b)
{
    if (a == b)
        return a;
    return a == ACL_DOUBLE || b == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
}

static bool shapes_equal(const struct view *a, const struct view *b)
{
    return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof a->shape[0]) == 0;
}

/* Whether the views broadcast together to the shape of the last one. */
static bool broadcast_to_last(struct view *const *view, uint32_t inputs)
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < inputs; i++)
        rank = view[i]->rank > rank ? view[i]->rank : rank;
    const struct view *output = view[inputs];
    if (output->rank != rank)
        return false;
    for (uint32_t k = 1; k <= rank; k++) {
        int64_t size = 1;
        for (uint32_t i = 0; i < inputs; i++) {
            int64_t own = k <= view[i]->rank ? view[i]->shape[view[i]->rank - k] : 1;
            if (own != 1 && size != 1 && own != size)
                return false;
            size = own != 1 ? own : size;
        }
        if (output->shape[rank - k] != size)
            return false;
    }
    return true;
}

static int64_t place_of(const struct view *view, uint32_t rank, const int64_t *index)
{
    int64_t place = view->offset;
    for (uint32_t i = 0; i < view->rank; i++)
        if (view->shape[i] != 1)
            place += index[rank - view->rank + i] * view->stride[i];
    return place;
}

static bool next_index(const struct view *view, int64_t *index)
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

static bool dtypes_are_good(struct world *world, const struct operator_call *call, struct view *const *view)
{
    aclDataType first = view[0]->dtype, self = view[1]->dtype, output = view[call->operand_count - 1]->dtype;
    bool mixes = strcmp(product(), "950") == 0 && call->kind == SILU;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        bool is_output = i == call->operand_count - 1;
        if (call->kind != LEAKY_RELU ? !is_narrow_float(view[i]->dtype)
                                     : !is_output && !is_float(view[i]->dtype))
            return false;
    }
    if (call->kind == LEAKY_RELU) {
        const struct scalar *slope = find_scalar(world, call->slope);
        if (slope->dtype == ACL_BF16 && strcmp(product(), "910A") == 0)
            return false;
        if (slope->dtype != ACL_FLOAT && slope->dtype != ACL_FLOAT16 && slope->dtype != ACL_BF16 &&
            slope->dtype != ACL_DOUBLE && slope->dtype != ACL_INT8 && slope->dtype != ACL_INT16 &&
            slope->dtype != ACL_INT32 && slope->dtype != ACL_INT64 && slope->dtype != ACL_UINT8 &&
            slope->dtype != ACL_BOOL)
            return false;
        if (call->self_is_result && slope->value < 0)
            return false;
        return is_float(output) || output == ACL_COMPLEX64 || output == ACL_COMPLEX128;
    }
    if (call->kind == SMOOTH_L1)
        return true;
    if (first == self)
        return output == self;
    return mixes && output == ACL_FLOAT;
}

int expect_phase_1(struct world *world, const struct operator_call *call)
{
    struct view *view[OPERANDS_MOST];
    if (call->size_is_null || call->executor_is_null || (call->kind == LEAKY_RELU && call->slope == NULL))
        return NULLPTR;
    for (uint32_t i = 0; i < call->operand_count; i++)
        if (call->operand[i] == NULL)
            return NULLPTR;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        struct tensor *tensor = find_tensor(world, call->operand[i]);
        if (tensor == NULL || view_reach(&tensor->view) < 0)
            return INVALID;
        view[i] = &tensor->view;
    }
    if (call->kind == LEAKY_RELU && find_scalar(world, call->slope) == NULL)
        return INVALID;
    if (!dtypes_are_good(world, call, view))
        return INVALID;
    for (uint32_t i = 0; i < call->operand_count; i++)
        if (view[i]->rank > 8)
            return INVALID;
    if (call->kind == SMOOTH_L1 && (call->reduction < 0 || call->reduction > 2 || !(call->beta >= 0)))
        return INVALID;
    uint32_t inputs = call->operand_count - 1;
    bool broadcasts = call->kind == SMOOTH_L1 || call->kind == LEAKY_RELU ||
                      (call->kind == SILU && strcmp(product(), "950") == 0);
    if (broadcasts ? !broadcast_to_last(view, inputs)
                   : !shapes_equal(view[0], view[1]) || !shapes_equal(view[2], view[1]))
        return INVALID;
    int overlaps = overlaps_itself(view[inputs]);
    return overlaps == 1 ? INVALID : overlaps == 0 ? 0 : EXPECT_EITHER;
}

double expect_slope(const struct scalar *scalar, const struct operator_call *call, const struct view *view)
{
    if (call->kind != LEAKY_RELU)
        return 0;
    return promote_floats(view[0].dtype, view[1].dtype) == ACL_DOUBLE ? (double)scalar->value
                                                                      : (double)(float)scalar->value;
}

unsigned char *operand_data(struct world *world, const struct executor *executor, uint32_t index)
{
    const struct tensor *tensor = find_tensor(world, executor->call.operand[index]);
    return tensor != NULL ? tensor->view.data : executor->view[index].data;
}

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
            workspace_bytes > block->bytes - (uint64_t)(bytes - block->address))
            return INVALID;
    }
    if (view_count(&executor->view[call->operand_count - 1]) == 0)
        return 0;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        const struct view *view = &executor->view[i];
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

static void formula(mpfr_ptr result, const struct executor *executor, const double *input, uint64_t count)
{
    const struct operator_call *call = &executor->call;
    if (call->kind == HARDSWISH)
        reference_hardswish_backward(result, input[0], input[1]);
    else if (call->kind == SILU)
        reference_silu_backward(result, input[0], input[1]);
    else if (call->kind == SMOOTH_L1)
        reference_smooth_l1_loss_backward(result, input[0], input[1], input[2], (double)call->beta,
                                          call->reduction == 1 ? count : 1);
    else
        reference_leaky_relu_backward(result, input[0], input[1], executor->slope);
}

bool compute(struct world *world, const struct executor *executor)
{
    static unsigned char before[BLOCKS][BLOCK_LARGE];
    uint32_t inputs = executor->call.operand_count - 1;
    const struct view *output = &executor->view[inputs];
    uint64_t count = view_count(output), done = 0;
    struct block *block[OPERANDS_MOST];
    unsigned char *data[OPERANDS_MOST];
    if (count == 0)
        return false;
    aclDataType arithmetic = executor->view[0].dtype;
    for (uint32_t i = 0; i <= inputs; i++) {
        data[i] = operand_data(world, executor, i);
        block[i] = find_block(world, data[i]);
        memcpy(before[block[i] - world->block], block[i]->shadow, block[i]->bytes);
        arithmetic = i < inputs ? promote_floats(arithmetic, executor->view[i].dtype) : arithmetic;
    }
    mpfr_t result;
    mpfr_init2(result, REFERENCE_BITS);
    int64_t index[DIMS_MOST] = {0};
    uint32_t size = element_bytes(output->dtype);
    uint64_t step = count > COMPUTE_MOST ? count / COMPUTE_MOST : 1;
    do {
        uint64_t to = (uint64_t)(data[inputs] - block[inputs]->address) +
                      (uint64_t)place_of(output, output->rank, index) * size;
        if (done++ % step != 0) {
            memcpy(block[inputs]->shadow + to, block[inputs]->address + to, size);
            continue;
        }
        double input[OPERANDS_MOST];
        for (uint32_t i = 0; i < inputs; i++) {
            uint64_t from = (uint64_t)(data[i] - block[i]->address) +
                            (uint64_t)place_of(&executor->view[i], output->rank, index) *
                                element_bytes(executor->view[i].dtype);
            input[i] = reference_load(executor->view[i].dtype, before[block[i] - world->block] + from);
        }
        formula(result, executor, input, count);
        reference_round(result, arithmetic);
        reference_store(output->dtype, result, block[inputs]->shadow + to);
    } while (next_index(output, index));
    mpfr_clear(result);
    return step > 1;
}
