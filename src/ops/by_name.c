/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What operators that are called by their names have in common.
 */
#include "ops/by_name.h"

#include "acl/acl_rt.h"
#include "base/error.h"
#include "runtime/memory/device_memory.h"

void by_name_free(void *memory)
{
    if (memory != NULL)
        memory_free(NULL, MEMORY_DEVICE, memory);
}

int by_name_run(second_phase *run, uint64_t bytes, aclOpExecutor *executor, aclrtStream stream)
{
    void *workspace = NULL;
    if (bytes > 0)
        TRY(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    const int status = run(workspace, bytes, executor, stream);
    by_name_free(workspace);
    return status;
}

aclTensor *by_name_tensor(const struct named_operand *operand, void *address)
{
    int64_t stride[TENSOR_DESC_RANK_MAX], step = 1;
    for (int32_t k = operand->view.rank; k-- > 0; step *= operand->view.dims[k])
        stride[k] = step;
    return aclCreateTensor(operand->view.dims, (uint64_t)operand->view.rank, operand->view.dtype, stride, 0,
                           ACL_FORMAT_ND, operand->view.dims, (uint64_t)operand->view.rank, address);
}
