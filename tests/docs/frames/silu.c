/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that is about to call the second phase of an operator, with a workspace.
 */
#include "aclnnop/aclnn_silu.h"
#include "objects.h"

int main(void)
{
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    void *a = new_memory(), *b = new_memory(), *workspace = new_memory();
    aclrtMemset(a, bytes, 0, bytes);
    uint64_t workspaceSize;
    aclOpExecutor *executor;
    aclnnSiluGetWorkspaceSize(new_tensor(a), new_tensor(b), &workspaceSize, &executor);
    workspaceSize = bytes;
    /* the block */
    return 0;
}
