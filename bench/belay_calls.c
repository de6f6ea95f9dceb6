/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tensors over a workload's memory, and the calls of its operator.
 */
#include "belay_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "ops/function.h"
#include "subjects.h"

struct belay_calls {
    const struct subject *subject;
    int index; /* one of the gradients, or GRADIENTS */
    const struct function *function;
    union argument argument[PARAMETERS_MAX]; /* in the order of the call */
    void *workspace;
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

const struct belay_objects belay_objects = {aclCreateTensor, aclCreateScalar, aclDestroyTensor,
                                            aclDestroyScalar};

static aclTensor *create_tensor(const struct belay_objects *objects, const struct workload *workload,
                                enum operand operand)
{
    const struct view *view = &workload->view[operand];
    aclDataType type = subject_dtype(operand == OUT ? workload->out_dtype : workload->dtype);
    aclTensor *tensor =
        objects->create_tensor(view->shape, (uint64_t)view->rank, type, view->stride, view->offset,
                               ACL_FORMAT_ND, &view->storage, 1, workload->memory[operand]);
    belay_check(tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    return tensor;
}

/* An INT64 where the usual value or the tensor is of integers, otherwise a FLOAT, which 16-bit tensors have
 * exactly all the same. */
static aclScalar *create_scalar(const struct belay_objects *objects, const struct parameter *parameter,
                                double value, enum dtype dtype)
{
    if (parameter->is_optional)
        return NULL;
    bool is_integer = dtype >= INT32 || (parameter->usual && strstr(parameter->usual, ":INT64"));
    int64_t integer = (int64_t)value;
    float real = (float)value;
    aclScalar *scalar =
        is_integer ? objects->create_scalar(&integer, ACL_INT64) : objects->create_scalar(&real, ACL_FLOAT);
    belay_check(scalar ? ACL_SUCCESS : 1, "aclCreateScalar");
    return scalar;
}

void belay_create_arguments(const struct belay_objects *objects, const struct workload *workload,
                            union argument *argument)
{
    const struct function *function = subject_description(workload->subject);
    const double *attribute = workload->subject->attribute;
    enum operand input = FIRST;
    for (uint32_t i = 0; i < function->parameter_count; i++, argument++) {
        const struct parameter *parameter = &function->parameter[i];
        *argument = (union argument){0};
        if (parameter_is_tensor(parameter)) {
            enum operand operand = parameter_is_read(parameter) ? input++ : OUT;
            argument->tensor = create_tensor(objects, workload, operand);
        } else if (parameter->kind == PARAMETER_DTYPE) {
            argument->int64 = subject_dtype(workload->out_dtype);
        } else {
            double value = *attribute++;
            if (parameter->kind == PARAMETER_SCALAR)
                argument->scalar = create_scalar(objects, parameter, value, workload->dtype);
            else if (parameter->kind == PARAMETER_FLOAT)
                argument->fp32 = (float)value;
            else if (parameter->kind == PARAMETER_DOUBLE)
                argument->fp64 = value;
            else if (parameter->kind == PARAMETER_BOOL)
                argument->boolean = value != 0;
            else
                argument->int64 = parameter->choices ? workload->is_reduced : (int64_t)value;
        }
    }
}

void belay_destroy_arguments(const struct belay_objects *objects, const struct subject *subject,
                             const union argument *argument)
{
    const struct function *function = subject_description(subject);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (parameter_is_tensor(&function->parameter[i]))
            objects->destroy_tensor(argument[i].tensor);
        else if (function->parameter[i].kind == PARAMETER_SCALAR && argument[i].scalar)
            objects->destroy_scalar(argument[i].scalar);
}

static struct belay_calls *create_calls(const struct workload *workload, aclrtStream stream)
{
    struct belay_calls *calls = calloc(1, sizeof *calls);
    belay_check(calls ? ACL_SUCCESS : 1, "calloc");
    calls->subject = workload->subject;
    while (calls->index < GRADIENTS && subject_at(calls->index) != workload->subject)
        calls->index++;
    calls->function = subject_description(workload->subject);
    calls->stream = stream;
    belay_create_arguments(&belay_objects, workload, calls->argument);
    return calls;
}

bool belay_accepts(const struct workload *workload)
{
    struct belay_calls *calls = create_calls(workload, NULL);
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    int status = function_plan_anew(calls->function, calls->argument, &workspace_bytes, &executor);
    if (status == ACL_SUCCESS)
        belay_check(aclDestroyAclOpExecutor(executor), "aclDestroyAclOpExecutor");
    belay_release(calls);
    return status == ACL_SUCCESS;
}

struct belay_calls *belay_prepare(const struct workload *workload, aclrtStream stream)
{
    struct belay_calls *calls = create_calls(workload, stream);
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    belay_check(function_plan_anew(calls->function, calls->argument, &workspace_bytes, &executor),
                workload->subject->api);
    if (workspace_bytes > 0)
        calls->workspace = belay_allocate(workspace_bytes);
    belay_check(calls->function->launch(calls->workspace, workspace_bytes, executor, stream),
                workload->subject->api);
    belay_wait(stream);
    return calls;
}

void belay_release(struct belay_calls *calls)
{
    belay_destroy_arguments(&belay_objects, calls->subject, calls->argument);
    if (calls->workspace)
        belay_free(calls->workspace);
    free(calls);
}

static inline int submit(const struct belay_calls *calls)
{
    const union argument *argument = calls->argument;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    int status;
    /*
     * The gradients, whose smallest calls are measured, as programs call them. They need no workspace,
     * contiguous or not; a case that did would fail in phase 2.
     */
    switch (calls->index) {
    case SILU:
        status =
            aclnnSiluBackwardGetWorkspaceSize(argument[0].tensor, argument[1].tensor,
                                              (aclTensor *)argument[2].tensor, &workspace_bytes, &executor);
        return status ? status : aclnnSiluBackward(NULL, workspace_bytes, executor, calls->stream);
    case HARDSWISH:
        status = aclnnHardswishBackwardGetWorkspaceSize(argument[0].tensor, argument[1].tensor,
                                                        (aclTensor *)argument[2].tensor, &workspace_bytes,
                                                        &executor);
        return status ? status : aclnnHardswishBackward(NULL, workspace_bytes, executor, calls->stream);
    case LEAKY_RELU:
        status = aclnnLeakyReluBackwardGetWorkspaceSize(
            argument[0].tensor, argument[1].tensor, argument[2].scalar, false,
            (aclTensor *)argument[4].tensor, &workspace_bytes, &executor);
        return status ? status : aclnnLeakyReluBackward(NULL, workspace_bytes, executor, calls->stream);
    case SMOOTH_L1:
        status = aclnnSmoothL1LossBackwardGetWorkspaceSize(
            argument[0].tensor, argument[1].tensor, argument[2].tensor, 0, argument[4].fp32,
            (aclTensor *)argument[5].tensor, &workspace_bytes, &executor);
        return status ? status : aclnnSmoothL1LossBackward(NULL, workspace_bytes, executor, calls->stream);
    default:
        /* What their functions do, but that these make the array of arguments anew. */
        status = function_plan(calls->function, calls->argument, &workspace_bytes, &executor);
        return status ? status
                      : calls->function->launch(calls->workspace, workspace_bytes, executor, calls->stream);
    }
}

void belay_run(void *bytes, uint64_t repetitions)
{
    const struct belay_calls *calls = bytes;
    for (uint64_t i = 0; i < repetitions; i++) {
        int status = submit(calls);
        if (status || (status = aclrtSynchronizeStream(calls->stream)) != 0)
            belay_check(status, calls->subject->api);
    }
}

void belay_submit(struct belay_calls *calls)
{
    int status = submit(calls);
    if (status)
        belay_check(status, calls->subject->api);
}

void belay_wait(aclrtStream stream)
{
    belay_check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}
