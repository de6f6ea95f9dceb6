/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that has memory and a stream, and no operator.
 */
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"

int main(void)
{
    const size_t bytes = 4096;
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    void *result;
    float *loss;
    aclrtMalloc(&result, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMallocHost((void **)&loss, bytes);
    memset(loss, 0, bytes);
    aclrtMemset(result, bytes, 0, bytes);
    {
        /* the block */
    }
    aclrtSynchronizeStream(stream);
    aclrtFreeHost(loss);
    aclrtFree(result);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    return 0;
}
