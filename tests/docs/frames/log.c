/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that is about to run Log on numbers of which one is -1 and the others are 1.
 */
#include "aclnnop/aclnn_log.h"
#include "objects.h"

int main(void)
{
    aclrtSetDevice(0);
    float numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 1;
    numbers[5] = -1;
    void *a = new_memory(), *b = new_memory();
    aclrtMemcpy(a, bytes, numbers, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    uint64_t workspaceSize;
    aclOpExecutor *executor;
    aclnnLogGetWorkspaceSize(new_tensor(a), new_tensor(b), &workspaceSize, &executor);
    /* the block */
    aclrtSynchronizeDevice();
    return 0;
}
