/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Steps of a fuzzed program: the two phases, and executors.
 */
#include <math.h>
#include <string.h>

#include "fuzz/contract.h"

/* Sums over views with strides of 0 can be of as many terms as one likes: more are not asked for. */
enum { WORK_MOST = 1 << 20 };

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
    if (call->kind == CAST)
        call->dtype = drawn_dtypes[draw(world, DRAWN_ALL)];
}

/* Makes the call and, when it is accepted, an executor of the world's. */
static struct executor *call_phase_1(struct world *world, const struct operator_call *call)
{
    uint64_t size = 12345;
    aclOpExecutor *const untouched = (aclOpExecutor *)(uintptr_t)54321;
    aclOpExecutor *handle = untouched;
    const struct contract *contract = contract_of(call->kind);
    int expected = expect_phase_1(world, call);
    int status =
        contract->phase_1(call, call->size_is_null ? NULL : &size, call->executor_is_null ? NULL : &handle);
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
    for (uint32_t i = 0; i < contract->operand_count; i++)
        executor->view[i] = find_tensor(world, call->operand[i])->view;
    if (contract->scalar != SCALAR_NONE && call->scalar != NULL)
        executor->scalar = *find_scalar(world, call->scalar);
    if (contract->has_alpha)
        executor->alpha = *find_scalar(world, call->alpha);
    return executor;
}

void step_phase_1(struct world *world)
{
    struct operator_call call = {.kind = (enum operator_kind)draw(world, OPERATORS)};
    for (uint32_t i = 0; i < contract_of(call.kind)->operand_count; i++)
        call.operand[i] = draw_tensor(world);
    call.scalar = draw_scalar(world);
    if (contract_of(call.kind)->has_alpha)
        call.alpha = draw_scalar(world);
    draw_attributes(world, &call);
    (void)call_phase_1(world, &call);
}

static void call_phase_2(struct world *world, enum operator_kind kind, aclOpExecutor *handle, void *workspace,
                         uint64_t bytes, aclrtStream stream)
{
    struct executor *executor = find_executor(world, handle);
    int expected = 161002;
    if (executor != NULL && work_of(executor) > WORK_MOST)
        return;
    if (handle == NULL)
        expected = 161001;
    else if (executor != NULL && executor->call.kind == kind)
        expected = expect_phase_2(world, executor, workspace, bytes, stream);
    if (expected == 0)
        follow(world, stream);
    int status = contract_of(kind)->phase_2(workspace, bytes, handle, stream);
    DEMAND(status == expected, "phase 2 of %d gave %d, %d expected", kind, status, expected);
    if (executor == NULL)
        return;
    if (status == 0) {
        if (work_of(executor) > COMPUTE_MOST || is_within_bound(executor)) {
            /* The results must be there for compute to take some of them over: wait without comparing. */
            have_context(world);
            DEMAND(aclrtSynchronizeStream(stream) == 0, "stream");
        }
        compute(world, executor);
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
    uint32_t place = choice % 16 == 9 ? draw(world, 64) : 32 * draw(world, 2);
    void *workspace = has_workspace && choice % 8 != 5 ? behind(block->address, place) : NULL;
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

/* Which operand an index means among the inputs (0), the outputs (1), or all. */
static bool operand_at(const struct contract *contract, uint32_t set, size_t index, uint32_t *operand)
{
    for (*operand = 0; *operand < contract->operand_count; ++*operand) {
        bool is_output = *operand == contract->output;
        bool counts = set == 0 ? !is_output || contract->is_in_place : set == 2 || is_output;
        if (counts && index-- == 0)
            return true;
    }
    return false;
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
    uint32_t operand = 0;
    bool is_in_range = executor != NULL && operand_at(contract_of(executor->call.kind), set, index, &operand);
    int expected = tensor == NULL     ? 561103
                   : entry == NULL    ? 161002
                   : handle == NULL   ? 561103
                   : executor == NULL ? 561000
                   : !is_in_range     ? 161002
                                      : 0;
    DEMAND(status == expected, "%d, %d expected", status, expected);
    if (entry != NULL)
        entry->view.data = data;
    if (status != 0)
        return;
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
        /* Then an output may overlap itself. */
        if (flags & 64 && flags & 4 && !may_broadcast)
            view->stride[dim] = 1 + draw(world, 16);
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

/* A scalar as only some operators take it. */
static void make_complex(struct world *world, struct scalar *scalar)
{
    static const float values[][2] = {{1.5F, 0}, {0, 2}, {-0.0F, 0}, {INFINITY, NAN}};
    if (scalar->is_live)
        (void)aclDestroyScalar(scalar->handle);
    *scalar = (struct scalar){.dtype = ACL_COMPLEX64};
    const float *value = values[draw(world, 4)];
    scalar->value = (long double)value[0];
    memcpy(scalar->bytes, value, sizeof values[0]);
    scalar->handle = aclCreateScalar(scalar->bytes, scalar->dtype);
    DEMAND(scalar->handle != NULL, "scalar");
    scalar->is_live = true;
}

/* What only some operators have; those that came first draw nothing more. */
static void draw_rest(struct world *world, const struct contract *contract, struct operator_call *call,
                      const struct tensor *output)
{
    struct scalar *scalar = &world->scalar[draw(world, SCALARS)];
    if (call->kind >= HARDSWISH && contract->scalar != SCALAR_NONE && draw(world, 8) == 0)
        make_complex(world, scalar);
    call->scalar = scalar->handle;
    if (contract->has_alpha)
        call->alpha = world->scalar[draw(world, SCALARS)].handle;
    if (call->kind == CAST && draw(world, 8) != 0)
        call->dtype = output->view.dtype;
}

void step_whole_call(struct world *world)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 17, 0, 70, 300, 2};
    struct operator_call call = {.kind = (enum operator_kind)draw(world, OPERATORS)};
    const struct contract *contract = contract_of(call.kind);
    aclDataType dtype = drawn_dtypes[draw(world, contract->drawn)];
    int64_t shape[8];
    uint32_t rank = draw(world, 5);
    rank = rank == 4 ? 1 + draw(world, 8) : rank;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = sizes[draw(world, rank > 2 ? 4 : 12)];
    bool is_sum = contract->reduces && draw(world, 2) != 0;
    uint32_t first = draw(world, TENSORS - OPERANDS_MOST);
    for (uint32_t i = 0; i < contract->operand_count; i++) {
        bool mixes = contract->mixed > 0 && draw(world, 4) == 0;
        bool is_output = i == contract->output;
        make_operand(world, &world->tensor[first + i],
                     mixes ? drawn_dtypes[draw(world, contract->mixed)] : dtype,
                     is_output && is_sum ? 0 : rank, shape, !is_output && contract->broadcasts);
        call.operand[i] = world->tensor[first + i].handle;
    }
    /* In place, or an input that overlaps the output in part. */
    if (draw(world, 4) == 0)
        call.operand[draw(world, 2)] = call.operand[contract->output];
    draw_attributes(world, &call);
    if (is_sum)
        call.reduction = 1 + (call.reduction & 1);
    draw_rest(world, contract, &call, &world->tensor[first + contract->output]);
    const struct executor *executor = call_phase_1(world, &call);
    if (executor == NULL)
        return;
    aclrtStream stream = world->stream[draw(world, STREAMS)].handle;
    if (find_stream(world, stream) == NULL)
        stream = world->stream[0].handle;
    call_phase_2(world, call.kind, executor->handle, NULL, 0, stream);
}
