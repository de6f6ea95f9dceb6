/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What mistakes are answered with: a status code, and a sentence that says which argument is wrong, what was
 * found and what is expected. Nothing is executed, and the program can go on.
 */
#include <stdio.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_silu_backward.h"

static int wrong;

/* Prints the answer to a mistake and compares its code with the one that the interface documents. */
static void expect(int expected, int status, const char *mistake)
{
    const char *message = aclGetRecentErrMsg();
    printf("%s\n  status %d\n  %s", mistake, status, message ? message : "(no message)\n");
    wrong += status != expected || !message;
}

int main(void)
{
    const int64_t shape[] = {4, 2}, other_shape[] = {4, 3}, strides[] = {2, 1};
    void *memory;
    uint64_t workspace_bytes;
    aclOpExecutor *executor;

    expect(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST),
           "memory before aclrtSetDevice");
    expect(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1000), "a device that is not there");
    if (aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
        return 1;
    expect(ACL_ERROR_INVALID_PARAM, aclrtFree(NULL), "freeing NULL");

    aclTensor *good = aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclTensor *integer = aclCreateTensor(shape, 2, ACL_INT64, strides, 0, ACL_FORMAT_ND, shape, 2, memory);
    aclTensor *wide =
        aclCreateTensor(other_shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, other_shape, 2, memory);
    expect(ACLNN_ERR_PARAM_NULLPTR,
           aclnnSiluBackwardGetWorkspaceSize(good, NULL, good, &workspace_bytes, &executor),
           "a tensor that is NULL");
    expect(ACLNN_ERR_PARAM_INVALID,
           aclnnSiluBackwardGetWorkspaceSize(good, integer, good, &workspace_bytes, &executor),
           "a dtype that the operator does not take");
    expect(ACLNN_ERR_PARAM_INVALID,
           aclnnSiluBackwardGetWorkspaceSize(good, wide, good, &workspace_bytes, &executor),
           "a shape that does not fit");
    aclDestroyTensor(wide);
    expect(ACLNN_ERR_PARAM_INVALID,
           aclnnSiluBackwardGetWorkspaceSize(good, wide, good, &workspace_bytes, &executor),
           "a tensor that was destroyed");
    expect(ACLNN_ERR_PARAM_INVALID, aclDestroyTensor(wide), "destroying it again");

    aclDestroyTensor(good);
    aclDestroyTensor(integer);
    aclrtFree(memory);
    aclrtResetDevice(0);
    printf("%d answers are not the documented ones\n", wrong);
    return wrong != 0;
}
