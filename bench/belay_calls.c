/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors over a workload's memory, and the calls of its operator.
 */
#include "belay_calls.h"

#include <stdio.h>
#include <stdlib.h>

#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

struct belay_calls {
    enum operation operation;
    aclTensor *tensor[OPERANDS];
    aclScalar *slope;
    aclrtStream stream;
};

void belay_check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "bench: %s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(2);
}

void belay_start(void)
{
    belay_check(aclInit(NULL), "aclInit");
    belay_check(aclrtSetDevice(0), "aclrtSetDevice");
}

aclrtStream belay_create_stream(void)
{
    aclrtStream stream;
    belay_check(aclrtCreateStream(&stream), "aclrtCreateStream");
    return stream;
}

void *belay_allocate(size_t bytes)
{
    void *memory;
    belay_check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return memory;
}

void belay_free(void *memory)
{
    belay_check(aclrtFree(memory), "aclrtFree");
}

struct belay_calls *belay_prepare(const struct workload *workload, aclrtStream stream)
{
    static const aclDataType types[DTYPES] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    struct belay_calls *calls = calloc(1, sizeof *calls);
    belay_check(calls ? ACL_SUCCESS : 1, "calloc");
    calls->operation = workload->operation;
    calls->stream = stream;
    float slope = (float)NEGATIVE_SLOPE;
    calls->slope = aclCreateScalar(&slope, ACL_FLOAT);
    belay_check(calls->slope ? ACL_SUCCESS : 1, "aclCreateScalar");
    for (enum operand operand = 0; operand < OPERANDS; operand++) {
        if (!operation_has_operand(workload->operation, operand))
            continue;
        const struct view *view = &workload->view[operand];
        calls->tensor[operand] =
            aclCreateTensor(view->shape, (uint64_t)view->rank, types[workload->dtype], view->stride,
                            view->offset, ACL_FORMAT_ND, &view->storage, 1, workload->memory[operand]);
        belay_check(calls->tensor[operand] ? ACL_SUCCESS : 1, "aclCreateTensor");
    }
    return calls;
}

void belay_release(struct belay_calls *calls)
{
    for (enum operand operand = 0; operand < OPERANDS; operand++)
        if (calls->tensor[operand])
            aclDestroyTensor(calls->tensor[operand]);
    aclDestroyScalar(calls->slope);
    free(calls);
}

static inline int submit(const struct belay_calls *calls)
{
    aclTensor *const *tensor = calls->tensor;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    int status;
    /* Contiguous or not, these operators need no workspace; a case that did would fail in phase 2. */
    switch (calls->operation) {
    case SILU:
        status = aclnnSiluBackwardGetWorkspaceSize(tensor[GRADIENT], tensor[SELF], tensor[OUT],
                                                   &workspace_bytes, &executor);
        return status ? status : aclnnSiluBackward(NULL, workspace_bytes, executor, calls->stream);
    case HARDSWISH:
        status = aclnnHardswishBackwardGetWorkspaceSize(tensor[GRADIENT], tensor[SELF], tensor[OUT],
                                                        &workspace_bytes, &executor);
        return status ? status : aclnnHardswishBackward(NULL, workspace_bytes, executor, calls->stream);
    case LEAKY_RELU:
        status = aclnnLeakyReluBackwardGetWorkspaceSize(tensor[GRADIENT], tensor[SELF], calls->slope, false,
                                                        tensor[OUT], &workspace_bytes, &executor);
        return status ? status : aclnnLeakyReluBackward(NULL, workspace_bytes, executor, calls->stream);
    default:
        status =
            aclnnSmoothL1LossBackwardGetWorkspaceSize(tensor[GRADIENT], tensor[SELF], tensor[TARGET], 0,
                                                      (float)BETA, tensor[OUT], &workspace_bytes, &executor);
        return status ? status : aclnnSmoothL1LossBackward(NULL, workspace_bytes, executor, calls->stream);
    }
}

void belay_run(void *bytes, uint64_t repetitions)
{
    const struct belay_calls *calls = bytes;
    for (uint64_t i = 0; i < repetitions; i++) {
        int status = submit(calls);
        if (status || (status = aclrtSynchronizeStream(calls->stream)) != 0)
            belay_check(status, operation_name(calls->operation));
    }
}

void belay_submit(struct belay_calls *calls)
{
    int status = submit(calls);
    if (status)
        belay_check(status, operation_name(calls->operation));
}

void belay_wait(aclrtStream stream)
{
    belay_check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}
