// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The type of every function but the operators', written down a second time: programs hold these functions in
// pointers, in unique_ptr deleters and in tables, so that a difference in one const breaks them. Tensors and
// executors are here, the runtime in runtime_prototypes.cpp, collectives in hccl_prototypes.cpp; operators
// are compared with their descriptions (operator_signatures.c).
#include <cstdio>
#include <memory>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "api/prototypes.h"

static void expect_acl_meta()
{
    expect<aclTensor *(const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t, aclFormat,
                       const int64_t *, uint64_t, void *)>(aclCreateTensor);
    expect<aclScalar *(void *, aclDataType)>(aclCreateScalar);
    expect<aclIntArray *(const int64_t *, uint64_t)>(aclCreateIntArray);
    expect<aclFloatArray *(const float *, uint64_t)>(aclCreateFloatArray);
    expect<aclBoolArray *(const bool *, uint64_t)>(aclCreateBoolArray);
    expect<aclTensorList *(const aclTensor *const *, uint64_t)>(aclCreateTensorList);
    expect<aclScalarList *(const aclScalar *const *, uint64_t)>(aclCreateScalarList);
    expect<aclnnStatus(const aclTensor *)>(aclDestroyTensor);
    expect<aclnnStatus(const aclScalar *)>(aclDestroyScalar);
    expect<aclnnStatus(const aclIntArray *)>(aclDestroyIntArray);
    expect<aclnnStatus(const aclFloatArray *)>(aclDestroyFloatArray);
    expect<aclnnStatus(const aclBoolArray *)>(aclDestroyBoolArray);
    expect<aclnnStatus(const aclTensorList *)>(aclDestroyTensorList);
    expect<aclnnStatus(const aclScalarList *)>(aclDestroyScalarList);
    expect<aclnnStatus(const aclTensor *, int64_t **, uint64_t *)>(aclGetViewShape);
    expect<aclnnStatus(const aclTensor *, int64_t **, uint64_t *)>(aclGetStorageShape);
    expect<aclnnStatus(const aclTensor *, int64_t **, uint64_t *)>(aclGetViewStrides);
    expect<aclnnStatus(const aclTensor *, int64_t *)>(aclGetViewOffset);
    expect<aclnnStatus(const aclTensor *, aclFormat *)>(aclGetFormat);
    expect<aclnnStatus(const aclTensor *, aclDataType *)>(aclGetDataType);
    expect<aclnnStatus(const aclIntArray *, uint64_t *)>(aclGetIntArraySize);
    expect<aclnnStatus(const aclFloatArray *, uint64_t *)>(aclGetFloatArraySize);
    expect<aclnnStatus(const aclBoolArray *, uint64_t *)>(aclGetBoolArraySize);
    expect<aclnnStatus(const aclTensorList *, uint64_t *)>(aclGetTensorListSize);
    expect<aclnnStatus(const aclScalarList *, uint64_t *)>(aclGetScalarListSize);
    expect<aclnnStatus(aclTensor *, const int64_t *, uint64_t, aclDataType, const int64_t *, int64_t,
                       aclFormat, const int64_t *, uint64_t, void *)>(aclInitTensor);
    expect<aclnnStatus(aclOpExecutor *)>(aclSetAclOpExecutorRepeatable);
    expect<aclnnStatus(aclOpExecutor *)>(aclDestroyAclOpExecutor);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(AclSetInputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(AclSetOutputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        AclSetDynamicInputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        AclSetDynamicOutputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(AclSetTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        AclSetDynamicTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(aclSetInputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(aclSetOutputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        aclSetDynamicInputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        aclSetDynamicOutputTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, const size_t, aclTensor *, void *)>(aclSetTensorAddr);
    expect<aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *)>(
        aclSetDynamicTensorAddr);
    expect<aclnnStatus(aclTensor *, void *)>(aclSetRawTensorAddr);
    expect<aclnnStatus(const aclTensor *, void **)>(aclGetRawTensorAddr);
    expect<aclnnStatus(const char *, const char *, aclTensor **, size_t, size_t, aclrtStream)>(
        aclDumpOpTensors);
}

static void expect_aclnn_base()
{
    expect<aclnnStatus(const char *)>(aclnnInit);
    expect<aclnnStatus()>(aclnnFinalize);
}

// What programs do with the functions.
static bool deleters_work()
{
    int64_t dims[] = {2, 3};
    std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)> tensor(
        aclCreateTensor(dims, 2, aclDataType::ACL_FLOAT, nullptr, 0, aclFormat::ACL_FORMAT_ND, dims, 2,
                        nullptr),
        aclDestroyTensor);
    std::unique_ptr<void, aclError (*)(void *)> memory(nullptr, aclrtFree);
    auto status = ACL_SUCCESS; // an int, so that a status can be assigned to it
    status = aclrtFree(nullptr);
    return tensor != nullptr && memory == nullptr && status == ACL_ERROR_INVALID_PARAM && OK == ACLNN_SUCCESS;
}

int main()
{
    expect_runtime();
    expect_hccl();
    expect_acl_meta();
    expect_aclnn_base();
    if (!deleters_work()) {
        std::puts("a deleter did not do what it should");
        return 1;
    }
    return 0;
}
