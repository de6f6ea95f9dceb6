/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that is about to call the first phase of an operator.
 */
#include "aclnnop/aclnn_silu.h"
#include "objects.h"

int main(void)
{
    aclrtSetDevice(0);
    void *a = new_memory(), *b = new_memory();
    aclrtMemset(a, bytes, 0, bytes);
    aclTensor *self = new_tensor(a), *out = new_tensor(b);
    uint64_t workspaceSize;
    aclOpExecutor *executor;
    /* the block */
    aclrtResetDevice(0);
    return 0;
}
