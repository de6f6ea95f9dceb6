/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: the two phases, and executors.
 */
#include <math.h>
#include <string.h>

#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "fuzz/world.h"

static const uint32_t operand_counts[OPERATORS] = {3, 3, 4, 3};

static int phase_1(const struct operator_call *call, uint64_t *size, aclOpExecutor **executor)
{
    aclTensor *const *operand = call->operand;
    size = call->size_is_null ? NULL : size;
    executor = call->executor_is_null ? NULL : executor;
    switch (call->kind) {
    case HARDSWISH:
        return aclnnHardswishBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], size, executor);
    case SILU:
        return aclnnSiluBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], size, executor);
    case SMOOTH_L1:
        return aclnnSmoothL1LossBackwardGetWorkspaceSize(operand[0], operand[1], operand[2], call->reduction,
                                                         call->beta, operand[3], size, executor);
    default:
        return aclnnLeakyReluBackwardGetWorkspaceSize(operand[0], operand[1], call->slope,
                                                      call->self_is_result, operand[2], size, executor);
    }
}

static int phase_2(enum operator_kind kind, void *workspace, uint64_t bytes, aclOpExecutor *executor,
                   aclrtStream stream)
{
    switch (kind) {
    case HARDSWISH:
        return aclnnHardswishBackward(workspace, bytes, executor, stream);
    case SILU:
        return aclnnSiluBackward(workspace, bytes, executor, stream);
    case SMOOTH_L1:
        return aclnnSmoothL1LossBackward(workspace, bytes, executor, stream);
    default:
        return aclnnLeakyReluBackward(workspace, bytes, executor, stream);
    }
}

static void draw_attributes(struct world *world, struct operator_call *call)
{
    static const float betas[] = {1, 0.5F, 0, -0.0F, 1e-7F, 3.4e38F, 1e-45F, INFINITY, -1, NAN, 0.3F, 2};
    static const int64_t reductions[] = {0, 1, 2, 0, 1, 2, 3, -1, INT64_MAX, INT64_MIN};
    uint32_t choice = draw(world, 64);
    call->beta = betas[choice % (sizeof betas / sizeof betas[0])];
    call->reduction = reductions[draw(world, 64) % (sizeof reductions / sizeof reductions[0])];
    call->self_is_result = choice & 1;
    call->size_is_null = choice == 62;
    call->executor_is_null = choice == 63;
}

/* Makes the call and, when it is accepted, an executor of the world's. */
static struct executor *call_phase_1(struct world *world, const struct operator_call *call)
{
    uint64_t size = 12345;
    aclOpExecutor *const untouched = (aclOpExecutor *)(uintptr_t)54321;
    aclOpExecutor *handle = untouched;
    int expected = expect_phase_1(world, call);
    int status = phase_1(call, &size, &handle);
    DEMAND(expected == EXPECT_EITHER ? status == 0 || status == 161002 : status == expected,
           "phase 1 of %d gave %d, %d expected", call->kind, status, expected);
    if (status != 0) {
        DEMAND(size == 12345 && handle == untouched, "results were written");
        return NULL;
    }
    DEMAND(handle != NULL && handle != untouched, "no executor");
    struct executor *executor = &world->executor[draw(world, EXECUTORS)];
    if (executor->is_live)
        DEMAND(aclDestroyAclOpExecutor(executor->handle) == 0, "executor that is not needed any more");
    *executor = (struct executor){.handle = handle, .is_live = true, .call = *call};
    for (uint32_t i = 0; i < call->operand_count; i++)
        executor->view[i] = find_tensor(world, call->operand[i])->view;
    if (call->kind == LEAKY_RELU)
        executor->slope = expect_slope(find_scalar(world, call->slope), call, executor->view);
    return executor;
}

void step_phase_1(struct world *world)
{
    struct operator_call call = {.kind = (enum operator_kind)draw(world, OPERATORS)};
    call.operand_count = operand_counts[call.kind];
    for (uint32_t i = 0; i < call.operand_count; i++)
        call.operand[i] = draw_tensor(world);
    call.slope = draw_scalar(world);
    draw_attributes(world, &call);
    (void)call_phase_1(world, &call);
}

static void call_phase_2(struct world *world, enum operator_kind kind, aclOpExecutor *handle, void *workspace,
                         uint64_t bytes, aclrtStream stream)
{
    struct executor *executor = find_executor(world, handle);
    int expected = 161002;
    if (handle == NULL)
        expected = 161001;
    else if (executor != NULL && executor->call.kind == kind)
        expected = expect_phase_2(world, executor, workspace, bytes, stream);
    if (expected == 0)
        follow(world, stream);
    int status = phase_2(kind, workspace, bytes, handle, stream);
    DEMAND(status == expected, "phase 2 of %d gave %d, %d expected", kind, status, expected);
    if (executor == NULL)
        return;
    if (status == 0) {
        bool needs_memory = view_count(&executor->view[executor->call.operand_count - 1]) > 256;
        if (needs_memory) {
            /* The results must be there for compute to take most of them over: wait without comparing. */
            have_context(world);
            DEMAND(aclrtSynchronizeStream(stream) == 0, "stream");
        }
        (void)compute(world, executor);
        if (draw(world, 4) == 0)
            settle(world);
    }
    bool lost_its_workspace = executor->call.kind == kind && bytes > 0 && workspace == NULL;
    if (!executor->is_repeatable || lost_its_workspace)
        executor->is_live = false;
}

void step_phase_2(struct world *world)
{
    aclOpExecutor *handle = draw_executor(world);
    const struct executor *executor = find_executor(world, handle);
    uint32_t choice = draw(world, 64);
    enum operator_kind kind = executor != NULL && choice < 56 ? executor->call.kind : choice % OPERATORS;
    const struct block *block = &world->block[draw(world, BLOCKS)];
    static const uint64_t sizes[] = {1, 32, 511, 512, 513, UINT64_MAX, INT64_MAX, 64};
    bool has_workspace = choice % 4 == 1;
    void *workspace = has_workspace && choice % 8 != 5 ? behind(block->address, draw(world, 64)) : NULL;
    uint64_t bytes = has_workspace ? sizes[draw(world, 8)] : 0;
    call_phase_2(world, kind, handle, workspace, bytes, draw_stream(world));
}

void step_executor(struct world *world)
{
    aclOpExecutor *handle = draw_executor(world);
    struct executor *executor = find_executor(world, handle);
    bool destroys = draw(world, 3) == 0;
    int expected = handle == NULL ? 561103 : executor == NULL ? 561000 : 0;
    int status = destroys ? aclDestroyAclOpExecutor(handle) : aclSetAclOpExecutorRepeatable(handle);
    DEMAND(status == expected, "%d, %d expected", status, expected);
    if (executor != NULL && destroys)
        executor->is_live = false;
    else if (executor != NULL)
        executor->is_repeatable = true;
}

void step_address(struct world *world)
{
    aclOpExecutor *handle = draw_executor(world);
    aclTensor *tensor = draw_tensor(world);
    struct tensor *entry = find_tensor(world, tensor);
    struct executor *executor = find_executor(world, handle);
    const struct block *block = &world->block[draw(world, BLOCKS)];
    uint32_t choice = draw(world, 8);
    unsigned char *data = choice == 7 ? NULL : behind(block->address, draw(world, 32) * 2);
    size_t index = draw(world, 6);
    index = index == 5 ? (size_t)draw_word(world) : index;
    uint32_t set = draw(world, 3);
    static aclnnStatus (*const functions[3][2])(aclOpExecutor *, const size_t, aclTensor *,
                                                void *) = {{aclSetInputTensorAddr, AclSetInputTensorAddr},
                                                           {aclSetOutputTensorAddr, AclSetOutputTensorAddr},
                                                           {aclSetTensorAddr, AclSetTensorAddr}};
    int status = functions[set][choice & 1](handle, index, tensor, data);
    uint32_t count = executor == NULL ? 0
                     : set == 0       ? executor->call.operand_count - 1
                     : set == 1       ? 1
                                      : executor->call.operand_count;
    int expected = tensor == NULL     ? 561103
                   : entry == NULL    ? 161002
                   : handle == NULL   ? 561103
                   : executor == NULL ? 561000
                   : index >= count   ? 161002
                                      : 0;
    DEMAND(status == expected, "%d, %d expected", status, expected);
    if (entry != NULL)
        entry->view.data = data;
    if (status != 0)
        return;
    uint32_t operand = (uint32_t)index + (set == 1 ? executor->call.operand_count - 1 : 0);
    executor->call.operand[operand] = tensor;
    executor->view[operand].data = data;
}

/* A tensor of a whole call: of the shape, with strides and an offset of its own, over one block. */
static void make_operand(struct world *world, struct tensor *tensor, aclDataType dtype, uint32_t rank,
                         const int64_t *shape, bool may_broadcast)
{
    if (tensor->is_live)
        (void)aclDestroyTensor(tensor->handle);
    struct view *view = &tensor->view;
    *view = (struct view){.dtype = dtype, .rank = rank};
    uint32_t flags = draw(world, 256);
    for (uint32_t i = 0; i < rank; i++)
        view->shape[i] = may_broadcast && flags & 1u << (i & 3) && flags & 128 ? 1 : shape[i];
    int64_t step = flags & 16 ? 1 + draw(world, 3) : 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t dim = flags & 32 ? i : rank - 1 - i;
        view->stride[dim] = flags & 64 && may_broadcast && draw(world, 4) == 0 ? 0 : step;
        step *= view->shape[dim] > 0 ? view->shape[dim] : 1;
        step += flags & 16 ? draw(world, 3) : 0;
    }
    view->offset = draw(world, 4);
    const struct block *block = &world->block[draw(world, BLOCKS)];
    view->data = behind(block->address, 16 * draw(world, 4));
    if (flags & 8) { /* up to the block's end, or an element further */
        uint64_t reach = (uint64_t)view->offset + (draw(world, 4) != 0);
        for (uint32_t i = 0; i < rank; i++)
            reach += (uint64_t)(view->shape[i] > 0 ? view->shape[i] - 1 : 0) * (uint64_t)view->stride[i];
        view->data = behind(block->address, block->bytes - reach * aclDataTypeSize(dtype));
    }
    tensor->handle = aclCreateTensor(view->shape, rank, dtype, view->stride, view->offset, ACL_FORMAT_ND,
                                     view->shape, rank, view->data);
    DEMAND(tensor->handle != NULL, "tensor");
    tensor->is_live = true;
}

void step_whole_call(struct world *world)
{
    static const aclDataType dtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 17, 0, 70, 300, 2};
    struct operator_call call = {.kind = (enum operator_kind)draw(world, OPERATORS)};
    call.operand_count = operand_counts[call.kind];
    aclDataType dtype = dtypes[draw(world, call.kind == LEAKY_RELU ? 4 : 3)];
    int64_t shape[8];
    uint32_t rank = draw(world, 5);
    rank = rank == 4 ? 1 + draw(world, 8) : rank;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = sizes[draw(world, rank > 2 ? 4 : 12)];
    uint32_t first = draw(world, TENSORS - OPERANDS_MOST);
    for (uint32_t i = 0; i < call.operand_count; i++) {
        bool mixes = call.kind >= SMOOTH_L1 && draw(world, 4) == 0;
        bool is_output = i == call.operand_count - 1;
        make_operand(world, &world->tensor[first + i], mixes ? dtypes[draw(world, 3)] : dtype, rank, shape,
                     !is_output && call.kind >= SMOOTH_L1);
        call.operand[i] = world->tensor[first + i].handle;
    }
    /* In place, or an input that overlaps the output in part. */
    if (draw(world, 4) == 0)
        call.operand[draw(world, 2)] = call.operand[call.operand_count - 1];
    draw_attributes(world, &call);
    call.slope = world->scalar[draw(world, SCALARS)].handle;
    const struct executor *executor = call_phase_1(world, &call);
    if (executor == NULL)
        return;
    aclrtStream stream = world->stream[draw(world, STREAMS)].handle;
    if (find_stream(world, stream) == NULL)
        stream = world->stream[0].handle;
    call_phase_2(world, call.kind, executor->handle, NULL, 0, stream);
}
