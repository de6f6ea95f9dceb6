/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Mistakes in the two phases of operators.
 */
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "check/misuse.h"

aclTensor *tensor(int64_t count, int64_t stride, int64_t offset, void *data)
{
    int64_t storage = 1024;
    return aclCreateTensor(&count, 1, ACL_FLOAT, &stride, offset, ACL_FORMAT_ND, &storage, 1, data);
}

static aclOpExecutor *prepare(aclTensor *gradient, aclTensor *self, aclTensor *out)
{
    uint64_t workspace;
    aclOpExecutor *executor = NULL;
    aclnnHardswishBackwardGetWorkspaceSize(gradient, self, out, &workspace, &executor);
    return executor;
}

void launch_on(void *data, int64_t count, int64_t offset)
{
    aclOpExecutor *executor =
        prepare(tensor(count, 1, offset, data), tensor(count, 1, offset, data), tensor(count, 1, 0, block));
    aclnnHardswishBackward(NULL, 0, executor, stream);
}

aclOpExecutor *prepare_well(void)
{
    return prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

/* A block on the other device; the current one stays. */
static void *block_elsewhere(void)
{
    void *elsewhere = NULL;
    aclrtSetDevice(1);
    aclrtMalloc(&elsewhere, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtSetDevice(0);
    return elsewhere;
}

static void null_as_operand(void)
{
    prepare(NULL, tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

static void forged_operand(void)
{
    prepare((aclTensor *)forged(), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

static void scalar_as_operand(void)
{
    float value = 1;
    aclTensor *scalar = (aclTensor *)(void *)aclCreateScalar(&value, ACL_FLOAT);
    prepare(tensor(4, 1, 0, block), scalar, tensor(4, 1, 0, block));
}

static void tensor_as_scalar(void)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclnnLeakyReluGetWorkspaceSize(tensor(4, 1, 0, block), (aclScalar *)(void *)tensor(4, 1, 0, block),
                                   tensor(4, 1, 0, block), &workspace, &executor);
}

static void null_as_executor(void)
{
    aclnnHardswishBackward(NULL, 0, NULL, stream);
}

static void operand_that_was_destroyed(void)
{
    aclTensor *once = tensor(4, 1, 0, block);
    aclDestroyTensor(once);
    prepare(tensor(4, 1, 0, block), once, tensor(4, 1, 0, block));
}

static void executor_of_another_operator(void)
{
    aclOpExecutor *executor = prepare_well();
    aclnnSiluBackward(NULL, 0, executor, stream);
}

static void forged_executor(void)
{
    aclnnHardswishBackward(NULL, 0, (aclOpExecutor *)forged(), stream);
}

static void executor_that_has_run(void)
{
    aclOpExecutor *executor = prepare_well();
    aclnnHardswishBackward(NULL, 0, executor, stream);
    aclnnHardswishBackward(NULL, 0, executor, stream);
}

static void workspace_on_the_host(void)
{
    static char host[64];
    aclOpExecutor *executor = prepare_well();
    aclnnHardswishBackward(host, sizeof host, executor, stream);
}

static void no_workspace(void)
{
    aclnnHardswishBackward(NULL, 64, prepare_well(), stream);
}

/* BELAY_WORKSPACE makes phase 1 ask for some. */
static void less_workspace(void)
{
    aclnnHardswishBackward(NULL, 0, prepare_well(), stream);
}

static void workspace_past_the_block(void)
{
    aclnnHardswishBackward((char *)block + BLOCK_BYTES - 64, 128, prepare_well(), stream);
}

static void workspace_over_an_operand(void)
{
    aclnnHardswishBackward(block, 64, prepare_well(), stream);
}

static void workspace_off_alignment(void)
{
    aclnnHardswishBackward((char *)block + BLOCK_BYTES / 2 + 4, 64, prepare_well(), stream);
}

static void workspace_that_was_freed(void)
{
    void *workspace;
    aclrtMalloc(&workspace, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(workspace);
    aclnnHardswishBackward(workspace, 64, prepare_well(), stream);
}

static void workspace_of_another_device(void)
{
    aclnnHardswishBackward(block_elsewhere(), 64, prepare_well(), stream);
}

static void view_beyond_the_block(void)
{
    launch_on(block, 4, 1 << 20);
}

static void view_that_cannot_be(void)
{
    prepare(tensor(4, -1, 0, block), tensor(4, 1, 0, block), tensor(4, 1, 0, block));
}

/* 2^61 elements further, in bytes beyond 2^63. */
static void view_that_wraps(void)
{
    launch_on(block, 4, INT64_C(1) << 61);
}

static void host_memory_as_operand(void)
{
    static float host[1024];
    launch_on(host, 4, 0);
}

static void operand_without_an_address(void)
{
    launch_on(NULL, 4, 0);
}

static void operand_that_was_freed(void)
{
    void *freed;
    aclrtMalloc(&freed, BLOCK_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtFree(freed);
    launch_on(freed, 4, 0);
}

static void operand_on_another_device(void)
{
    launch_on(block_elsewhere(), 4, 0);
}

static void output_with_stride_0(void)
{
    prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(4, 0, 0, block));
}

static void misaligned_address(void)
{
    launch_on((char *)block + 2, 4, 0);
}

/* No context, but that of a device that has been reset; the operands are the other one's. */
static void launch_without_a_context(void)
{
    aclOpExecutor *executor = prepare_well();
    aclrtSetDevice(1);
    aclrtResetDevice(1);
    aclnnHardswishBackward(NULL, 0, executor, NULL);
}

static void dtype_that_is_not_taken(void)
{
    const int64_t shape[] = {4};
    aclTensor *integers = aclCreateTensor(shape, 1, ACL_INT32, NULL, 0, ACL_FORMAT_ND, shape, 1, block);
    prepare(tensor(4, 1, 0, block), integers, tensor(4, 1, 0, block));
}

static void output_of_another_shape(void)
{
    prepare(tensor(4, 1, 0, block), tensor(4, 1, 0, block), tensor(5, 1, 0, block));
}

static void attribute_out_of_range(void)
{
    uint64_t workspace;
    aclOpExecutor *executor;
    aclTensor *some = tensor(4, 1, 0, block);
    aclnnSmoothL1LossBackwardGetWorkspaceSize(some, some, some, 7, 1, some, &workspace, &executor);
}

static void no_place_for_the_result(void)
{
    aclTensor *some = tensor(4, 1, 0, block);
    aclnnHardswishBackwardGetWorkspaceSize(some, some, some, NULL, NULL);
}

static void tensor_without_dims(void)
{
    aclCreateTensor(NULL, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 1, block);
}

const struct mistake operator_mistakes[] = {
    {"DC-001-null", null_as_operand},
    {"DC-001-operand", forged_operand},
    {"DC-001-kind", scalar_as_operand},
    {"DC-001-scalar", tensor_as_scalar},
    {"DC-001-executor", null_as_executor},
    {"DC-002-operand", operand_that_was_destroyed},
    {"DC-003", executor_of_another_operator},
    {"DC-003-forged", forged_executor},
    {"DC-003-twice", executor_that_has_run},
    {"DC-004", workspace_on_the_host},
    {"DC-004-null", no_workspace},
    {"DC-004-less", less_workspace},
    {"DC-004-past", workspace_past_the_block},
    {"DC-004-over", workspace_over_an_operand},
    {"DC-004-align", workspace_off_alignment},
    {"DC-004-freed", workspace_that_was_freed},
    {"DC-004-device", workspace_of_another_device},
    {"DC-005", view_beyond_the_block},
    {"DC-005-never", view_that_cannot_be},
    {"DC-005-wraps", view_that_wraps},
    {"DC-006", host_memory_as_operand},
    {"DC-006-null", operand_without_an_address},
    {"DC-006-freed", operand_that_was_freed},
    {"DC-006-device", operand_on_another_device},
    {"DC-014", output_with_stride_0},
    {"DC-019", misaligned_address},
    {"DC-021-operator", launch_without_a_context},
    {"DC-023-dtype", dtype_that_is_not_taken},
    {"DC-023-shape", output_of_another_shape},
    {"DC-023-attribute", attribute_out_of_range},
    {"DC-023-result", no_place_for_the_result},
    {"DC-023-tensor", tensor_without_dims},
};

const size_t operator_mistake_count = sizeof operator_mistakes / sizeof operator_mistakes[0];
