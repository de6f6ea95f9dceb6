/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Views: the gradient is read transposed, the result overwrites x in place, and one executor is used for
 * several sets of numbers by giving its tensors new addresses.
 */
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"

enum { ROWS = 2, COLUMNS = 3, COUNT = ROWS * COLUMNS, BATCHES = 3 };

static void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory;
    check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return memory;
}

static aclTensor *tensor_on(float *memory, int64_t row_stride, int64_t column_stride)
{
    const int64_t shape[] = {ROWS, COLUMNS}, strides[] = {row_stride, column_stride}, storage[] = {COUNT};
    aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, storage, 1, memory);
    check(tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    return tensor;
}

int main(void)
{
    float gradient[BATCHES][COUNT], x[BATCHES][COUNT], result[BATCHES][COUNT], slope = 0.25f;
    for (int i = 0; i < BATCHES; i++)
        for (int j = 0; j < COUNT; j++) {
            gradient[i][j] = (float)(1 + i * COUNT + j);
            x[i][j] = (float)((j + i) % 3 - 1);
        }

    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    float *gradient_memory = allocate(sizeof gradient), *x_memory = allocate(sizeof x);
    check(aclrtMemcpy(gradient_memory, sizeof gradient, gradient, sizeof gradient, ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
    check(aclrtMemcpy(x_memory, sizeof x, x, sizeof x, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");

    /* The gradient lies column by column, so its rows are one element apart. */
    aclTensor *gradient_tensor = tensor_on(gradient_memory, 1, ROWS),
              *x_tensor = tensor_on(x_memory, COLUMNS, 1);
    aclScalar *slope_scalar = aclCreateScalar(&slope, ACL_FLOAT);
    check(slope_scalar ? ACL_SUCCESS : 1, "aclCreateScalar");
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    check(aclnnLeakyReluBackwardGetWorkspaceSize(gradient_tensor, x_tensor, slope_scalar, false, x_tensor,
                                                 &workspace_bytes, &executor),
          "aclnnLeakyReluBackwardGetWorkspaceSize");
    void *workspace = workspace_bytes > 0 ? allocate(workspace_bytes) : NULL;

    /* An executor runs once, unless it is told in time that it will be run again. */
    check(aclSetAclOpExecutorRepeatable(executor), "aclSetAclOpExecutorRepeatable");
    for (int i = 0; i < BATCHES; i++) {
        check(aclSetInputTensorAddr(executor, 0, gradient_tensor, gradient_memory + i * COUNT),
              "aclSetInputTensorAddr");
        check(aclSetInputTensorAddr(executor, 1, x_tensor, x_memory + i * COUNT), "aclSetInputTensorAddr");
        check(aclSetOutputTensorAddr(executor, 0, x_tensor, x_memory + i * COUNT), "aclSetOutputTensorAddr");
        check(aclnnLeakyReluBackward(workspace, workspace_bytes, executor, stream), "aclnnLeakyReluBackward");
    }
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    check(aclDestroyAclOpExecutor(executor), "aclDestroyAclOpExecutor");
    check(aclrtMemcpy(result, sizeof result, x_memory, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");

    int wrong = 0;
    for (int i = 0; i < BATCHES; i++)
        for (int j = 0; j < COUNT; j++) {
            float g = gradient[i][j / COLUMNS + j % COLUMNS * ROWS];
            wrong += result[i][j] != (x[i][j] > 0 ? g : g * slope);
            printf("%6g%s", (double)result[i][j], j % COLUMNS == COLUMNS - 1 ? "\n" : " ");
        }

    aclDestroyScalar(slope_scalar);
    aclDestroyTensor(gradient_tensor);
    aclDestroyTensor(x_tensor);
    aclrtFree(gradient_memory);
    aclrtFree(x_memory);
    if (workspace)
        aclrtFree(workspace);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    printf("%d of %d results are wrong\n", wrong, BATCHES * COUNT);
    return wrong != 0;
}
