/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A program that destroys a tensor twice and does not free its memory.
 */
#include "acl/acl.h"
#include "aclnn/aclnn_base.h"

void *load(size_t size);
void release(aclTensor *tensor);

void *load(size_t size)
{
    void *memory;
    aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
    return memory;
}

void release(aclTensor *tensor)
{
    aclDestroyTensor(tensor);
}

int main(void)
{
    aclrtSetDevice(0);
    for (int i = 0; i < 3; i++) {
        const int64_t shape[] = {250};
        aclTensor *tensor =
            aclCreateTensor(shape, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 1, load(1000));
        release(tensor);
        if (i == 0)
            release(tensor);
    }
    return 0;
}
