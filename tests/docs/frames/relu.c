/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that is about to run Relu of a into b and of b into c.
 */
#include "aclnnop/aclnn_relu.h"
#include "objects.h"

int main(void)
{
    aclrtSetDevice(0);
    aclrtStream first, second;
    aclrtCreateStream(&first);
    aclrtCreateStream(&second);
    aclrtStream stream = first;
    aclrtEvent event;
    aclrtCreateEvent(&event);
    void *a = new_memory(), *b = new_memory(), *c = new_memory(), *host;
    aclrtMallocHost(&host, bytes);
    aclTensor *self = new_tensor(a), *middle = new_tensor(b), *out = new_tensor(c);
    uint64_t workspaceSize;
    aclOpExecutor *first_executor, *second_executor, *executor;
    aclnnReluGetWorkspaceSize(self, middle, &workspaceSize, &first_executor);
    aclnnReluGetWorkspaceSize(middle, out, &workspaceSize, &second_executor);
    aclnnReluGetWorkspaceSize(self, middle, &workspaceSize, &executor);
    /* the block */
    aclrtSynchronizeDevice();
    return 0;
}
