/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The shortest whole program: one operator on one tensor, from host memory to host memory, in C.
 *
 *   gcc hardswish_backward.c -I$ASCEND_HOME_PATH/include -L$ASCEND_HOME_PATH/lib64 \
 *       -lascendcl -lnnopbase -lopapi
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_hardswish_backward.h"

enum { COUNT = 8 };

/* Ends the program, with the library's own sentence, when a call did not succeed. */
static void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    exit(1);
}

/* A copy of the numbers in device memory. */
static void *to_device(const float *numbers)
{
    void *memory;
    check(aclrtMalloc(&memory, COUNT * sizeof *numbers, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    check(aclrtMemcpy(memory, COUNT * sizeof *numbers, numbers, COUNT * sizeof *numbers,
                      ACL_MEMCPY_HOST_TO_DEVICE),
          "aclrtMemcpy");
    return memory;
}

/* A tensor of 4 rows and 2 columns, last index fastest, on this memory. */
static aclTensor *tensor_on(void *memory)
{
    const int64_t shape[] = {4, 2}, strides[] = {2, 1};
    aclTensor *tensor = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, memory);
    check(tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    return tensor;
}

int main(void)
{
    const float gradient[COUNT] = {1, 1, 1, 1, 2, 2, 2, 2},
                x[COUNT] = {-4, -3, -1.5f, 0, 1.5f, 3, 4, INFINITY};
    /* Below -3 the derivative is 0, above 3 it is 1, and x / 3 + 1 / 2 in between, both ends included. */
    const float expected[COUNT] = {0, -0.5f, 0, 0.5f, 2, 3, 2, 2};
    float result[COUNT];

    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");

    void *gradient_memory = to_device(gradient), *x_memory = to_device(x), *out_memory = to_device(gradient);
    aclTensor *gradient_tensor = tensor_on(gradient_memory), *x_tensor = tensor_on(x_memory);
    aclTensor *out_tensor = tensor_on(out_memory);

    /* Phase 1 checks the arguments and says how much workspace the work needs. */
    uint64_t workspace_bytes;
    aclOpExecutor *executor;
    check(aclnnHardswishBackwardGetWorkspaceSize(gradient_tensor, x_tensor, out_tensor, &workspace_bytes,
                                                 &executor),
          "aclnnHardswishBackwardGetWorkspaceSize");
    void *workspace = NULL;
    if (workspace_bytes > 0)
        check(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");

    /* Phase 2 queues the work; the result is there when the stream has come to its end. */
    check(aclnnHardswishBackward(workspace, workspace_bytes, executor, stream), "aclnnHardswishBackward");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    check(aclrtMemcpy(result, sizeof result, out_memory, sizeof result, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");

    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        printf("gradient %4g, x %4g: %4g\n", (double)gradient[i], (double)x[i], (double)result[i]);
        wrong += result[i] != expected[i];
    }

    aclDestroyTensor(gradient_tensor);
    aclDestroyTensor(x_tensor);
    aclDestroyTensor(out_tensor);
    aclrtFree(gradient_memory);
    aclrtFree(x_memory);
    aclrtFree(out_memory);
    if (workspace)
        aclrtFree(workspace);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    printf("%d of %d results are wrong\n", wrong, COUNT);
    return wrong != 0;
}
