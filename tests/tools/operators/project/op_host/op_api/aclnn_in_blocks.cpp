/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* A function of the project's own around the one that is written for it: a weight without elements is none. */
#include "aclnn_in_blocks.h"

extern "C" {
aclnnStatus aclnnInnerInBlocksGetWorkspaceSize(const aclTensor *x, const aclTensor *wOptional,
                                               const aclTensor *out, uint64_t *workspaceSize,
                                               aclOpExecutor **executor);
aclnnStatus aclnnInnerInBlocks(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream);

aclnnStatus aclnnInBlocksGetWorkspaceSize(const aclTensor *x, const aclTensor *wOptional,
                                          const aclTensor *out, uint64_t *workspaceSize,
                                          aclOpExecutor **executor)
{
    int64_t *dims = nullptr;
    uint64_t count = 0;
    if (wOptional != nullptr && aclGetViewShape(wOptional, &dims, &count) == 0 && count == 1 && dims[0] == 0)
        wOptional = nullptr;
    delete[] dims;
    return aclnnInnerInBlocksGetWorkspaceSize(x, wOptional, out, workspaceSize, executor);
}

aclnnStatus aclnnInBlocks(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                          aclrtStream stream)
{
    return aclnnInnerInBlocks(workspace, workspaceSize, executor, stream);
}
}
