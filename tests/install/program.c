/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program of someone else's project, in plain C: out = gradOutput where self > 0, gradOutput / 4 elsewhere.
 */
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"

int main(void)
{
    const int64_t shape[] = {4}, strides[] = {1};
    float slope = 0.25f;
    const float gradient[] = {2, 3, 4, 5}, x[] = {1, -1, 2, -2};
    float result[4] = {0};
    void *memory[3];
    uint64_t bytes;
    aclOpExecutor *executor;
    aclrtStream stream;
    aclTensor *tensor[3];
    int status = aclInit(NULL);
    if (status == ACL_SUCCESS)
        status = aclrtSetDevice(0);
    if (status == ACL_SUCCESS)
        status = aclrtCreateStream(&stream);
    for (int i = 0; i < 3 && status == ACL_SUCCESS; i++) {
        status = aclrtMalloc(&memory[i], sizeof result, ACL_MEM_MALLOC_HUGE_FIRST);
        if (status == ACL_SUCCESS)
            status = aclrtMemcpy(memory[i], sizeof result, i == 0 ? gradient : x, sizeof result,
                                 ACL_MEMCPY_HOST_TO_DEVICE);
        tensor[i] = aclCreateTensor(shape, 1, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 1, memory[i]);
    }
    aclScalar *scalar = aclCreateScalar(&slope, ACL_FLOAT);
    if (status == ACL_SUCCESS)
        status = aclnnLeakyReluBackwardGetWorkspaceSize(tensor[0], tensor[1], scalar, false, tensor[2],
                                                        &bytes, &executor);
    if (status == ACL_SUCCESS)
        status = aclnnLeakyReluBackward(NULL, bytes, executor, stream);
    if (status == ACL_SUCCESS)
        status = aclrtSynchronizeStream(stream);
    if (status == ACL_SUCCESS)
        status = aclrtMemcpy(result, sizeof result, memory[2], sizeof result, ACL_MEMCPY_DEVICE_TO_HOST);
    printf("status %d: %g %g %g %g\n", status, (double)result[0], (double)result[1], (double)result[2],
           (double)result[3]);
    return !(status == ACL_SUCCESS && result[0] == 2 && result[1] == 0.75f && result[2] == 4 &&
             result[3] == 1.25f);
}
