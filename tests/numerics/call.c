/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "numerics/call.h"

#include <stdlib.h>
#include <string.h>

#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_swish.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "numerics/kernel_table.h"

static const aclDataType dtypes[ARITHMETICS] = {
    [ARITHMETIC_FP32] = ACL_FLOAT,
    [ARITHMETIC_FP16] = ACL_FLOAT16,
    [ARITHMETIC_BF16] = ACL_BF16,
    [ARITHMETIC_FP64] = ACL_DOUBLE,
};

struct view row_of(void *data, int64_t count)
{
    return (struct view){.shape = {1, count}, .stride = {count, 1}, .data = data};
}

static size_t bytes_of(const struct call *call)
{
    return (size_t)formats[call->task.dtype].bits / 8;
}

static int inputs_of(const struct call *call)
{
    return reference_inputs(call->task.stem);
}

static aclTensor *tensor_of(const struct call *call, const struct view *view)
{
    return aclCreateTensor(view->shape, CALL_RANK, dtypes[call->task.dtype], view->stride, 0, ACL_FORMAT_ND,
                           view->shape, CALL_RANK, view->data);
}

aclnnStatus launch(const struct call *call, aclrtStream stream)
{
    aclTensor *tensor[INPUTS_MAX + 1] = {NULL};
    for (int i = 0; i < inputs_of(call); i++)
        tensor[i] = tensor_of(call, &call->input[i]);
    aclTensor *output = tensor_of(call, &call->output);
    double slope = call->task.slope;
    aclScalar *scalar = aclCreateScalar(&slope, ACL_DOUBLE);
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    aclnnStatus status;
    switch (call->task.stem) {
    case HARDSWISH_BACKWARD:
        status = aclnnHardswishBackwardGetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnHardswishBackward(NULL, 0, executor, stream);
        break;
    case LEAKY_RELU_BACKWARD:
        status = aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], scalar, false, output, &bytes,
                                                        &executor);
        status = status ? status : aclnnLeakyReluBackward(NULL, 0, executor, stream);
        break;
    case SILU_BACKWARD:
        status = aclnnSiluBackwardGetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnSiluBackward(NULL, 0, executor, stream);
        break;
    case HARDSWISH:
        status = aclnnHardswishGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnHardswish(NULL, 0, executor, stream);
        break;
    case LEAKY_RELU:
        status = aclnnLeakyReluGetWorkspaceSize(tensor[0], scalar, output, &bytes, &executor);
        status = status ? status : aclnnLeakyRelu(NULL, 0, executor, stream);
        break;
    case HARDSWISH_BACKWARD_V2:
        status = aclnnHardswishBackwardV2GetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnHardswishBackwardV2(NULL, 0, executor, stream);
        break;
    case SILU:
        status = aclnnSiluGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnSilu(NULL, 0, executor, stream);
        break;
    case SWISH:
        status = aclnnSwishGetWorkspaceSize(tensor[0], scalar, output, &bytes, &executor);
        status = status ? status : aclnnSwish(NULL, 0, executor, stream);
        break;
    case SWISH_BACKWARD:
        status = aclnnSwishBackwardGetWorkspaceSize(tensor[0], tensor[1], scalar, output, &bytes, &executor);
        status = status ? status : aclnnSwishBackward(NULL, 0, executor, stream);
        break;
    case SMOOTH_L1_LOSS:
        status = aclnnSmoothL1LossGetWorkspaceSize(tensor[0], tensor[1], 0, call->task.beta, output, &bytes,
                                                   &executor);
        status = status ? status : aclnnSmoothL1Loss(NULL, 0, executor, stream);
        break;
    case RELU:
        status = aclnnReluGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnRelu(NULL, 0, executor, stream);
        break;
    case SIGMOID:
        status = aclnnSigmoidGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnSigmoid(NULL, 0, executor, stream);
        break;
    case SIGMOID_BACKWARD:
        status = aclnnSigmoidBackwardGetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnSigmoidBackward(NULL, 0, executor, stream);
        break;
    case TANH:
        status = aclnnTanhGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnTanh(NULL, 0, executor, stream);
        break;
    case TANH_BACKWARD:
        status = aclnnTanhBackwardGetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnTanhBackward(NULL, 0, executor, stream);
        break;
    case GELU:
        status = aclnnGeluGetWorkspaceSize(tensor[0], output, &bytes, &executor);
        status = status ? status : aclnnGelu(NULL, 0, executor, stream);
        break;
    case GELU_BACKWARD:
        status = aclnnGeluBackwardGetWorkspaceSize(tensor[0], tensor[1], output, &bytes, &executor);
        status = status ? status : aclnnGeluBackward(NULL, 0, executor, stream);
        break;
    case THRESHOLD_BACKWARD:
        status =
            aclnnThresholdBackwardGetWorkspaceSize(tensor[0], tensor[1], scalar, output, &bytes, &executor);
        status = status ? status : aclnnThresholdBackward(NULL, 0, executor, stream);
        break;
    default:
        /* With N of the task only none and mean are the same as here. */
        status = aclnnSmoothL1LossBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[2],
                                                           call->task.divisor == 1 ? 0 : 1, call->task.beta,
                                                           output, &bytes, &executor);
        status = status ? status : aclnnSmoothL1LossBackward(NULL, 0, executor, stream);
    }
    for (int i = 0; i < inputs_of(call); i++)
        aclDestroyTensor(tensor[i]);
    aclDestroyTensor(output);
    aclDestroyScalar(scalar);
    return status;
}

static char *element_of(const struct call *call, const struct view *view, int64_t row, int64_t column)
{
    row = view->shape[0] == 1 ? 0 : row;
    column = view->shape[1] == 1 ? 0 : column;
    return view->data + (row * view->stride[0] + column * view->stride[1]) * (int64_t)bytes_of(call);
}

uint64_t count_elements(const struct call *call)
{
    return (uint64_t)(call->output.shape[0] * call->output.shape[1]);
}

uint64_t count_differences(const struct call *call, enum accuracy accuracy)
{
    struct task task = call->task;
    if (task.dtype != ARITHMETIC_FP64)
        task.slope = (double)(float)task.slope;
    const struct kernel_parameters parameters = parameters_of(&task);
    kernel_function *run = kernel_table[call->task.stem][ISA_BASELINE]->run[accuracy][call->task.dtype];
    uint64_t differences = 0;
    for (int64_t row = 0; row < call->output.shape[0]; row++)
        for (int64_t column = 0; column < call->output.shape[1]; column++) {
            const void *input[INPUTS_MAX];
            for (int i = 0; i < inputs_of(call); i++)
                input[i] = element_of(call, &call->input[i], row, column);
            uint64_t wanted = 0;
            run(input, &wanted, 1, &parameters, false);
            differences += memcmp(element_of(call, &call->output, row, column), &wanted, bytes_of(call)) != 0;
        }
    return differences;
}
