/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Functions that frameworks look up beside the operators and call around each of them. No header declares
 * them, and there is nothing that they would have to do: executors hold no memory that would be kept for the
 * next one, no operator draws numbers from a state of the process, and no kernel is chosen again.
 */
#include <stdbool.h>

#include "aclnn/acl_meta.h"

#pragma GCC visibility push(default)
int InitHugeMemThreadLocal(void *argument, bool flag);
void UnInitHugeMemThreadLocal(void *argument, bool flag);
void ReleaseHugeMem(void *argument, bool flag);
aclnnStatus aclnnSetPytorchRandom(int32_t mode);
int aclnnReselectStaticKernel(void);
int aclnnReselectStaticKernelWithPath(const char *path);
#pragma GCC visibility pop

int InitHugeMemThreadLocal(void *argument, bool flag)
{
    (void)argument, (void)flag;
    return 0;
}

void UnInitHugeMemThreadLocal(void *argument, bool flag)
{
    (void)argument, (void)flag;
}

void ReleaseHugeMem(void *argument, bool flag)
{
    (void)argument, (void)flag;
}

aclnnStatus aclnnSetPytorchRandom(int32_t mode)
{
    (void)mode;
    return ACLNN_SUCCESS;
}

int aclnnReselectStaticKernel(void)
{
    return 0;
}

int aclnnReselectStaticKernelWithPath(const char *path)
{
    (void)path;
    return 0;
}
