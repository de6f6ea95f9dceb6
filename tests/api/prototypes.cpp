// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The type of every declared function, written down a second time: programs hold these functions in pointers,
// in unique_ptr deleters and in tables, so that a difference in one const breaks them. Tensors, executors and
// operators are here, the runtime in runtime_prototypes.cpp.
#include <cstdio>
#include <memory>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_ones.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_swish.h"
#include "aclnnop/aclnn_swish_backward.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "aclnnop/aclnn_zero.h"
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

static void expect_arithmetic()
{
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnAddGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnAdd);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnAddsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnAdds);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, uint64_t *,
                       aclOpExecutor **)>(aclnnInplaceAddGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceAdd);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, const aclScalar *, uint64_t *,
                       aclOpExecutor **)>(aclnnInplaceAddsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceAdds);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnSubGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSub);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnSubsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSubs);
    expect<aclnnStatus(aclTensor *, const aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceSubGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceSub);
    expect<aclnnStatus(aclTensor *, const aclScalar *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceSubsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceSubs);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnMulGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnMul);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnMulsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnMuls);
    expect<aclnnStatus(aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceMulGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceMul);
    expect<aclnnStatus(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceMulsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceMuls);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnDivGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnDiv);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnDivsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnDivs);
    expect<aclnnStatus(aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceDivGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceDiv);
    expect<aclnnStatus(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceDivsGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceDivs);
}

static void expect_operators()
{
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnHardswishBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnHardswishBackward);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnSiluBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSiluBackward);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclTensor *, int64_t, float, aclTensor *,
                       uint64_t *, aclOpExecutor **)>(aclnnSmoothL1LossBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSmoothL1LossBackward);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, bool, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnLeakyReluBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnLeakyReluBackward);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnHardswishGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnHardswish);
    expect<aclnnStatus(const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceHardswishGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceHardswish);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnLeakyReluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnLeakyRelu);
    expect<aclnnStatus(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceLeakyReluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceLeakyRelu);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnHardswishBackwardV2GetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnHardswishBackwardV2);
    expect<aclnnStatus(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnSiluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSilu);
    expect<aclnnStatus(const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnSwishGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSwish);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnSwishBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSwishBackward);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, int64_t, float, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnSmoothL1LossGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnSmoothL1Loss);
}

static void expect_activations()
{
    expect<aclnnStatus(const aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnReluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnRelu);
    expect<aclnnStatus(aclTensor *, uint64_t *, aclOpExecutor **)>(aclnnInplaceReluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnInplaceRelu);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnThresholdBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnThresholdBackward);
    expect<aclnnStatus(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnSigmoidGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnSigmoid);
    expect<aclnnStatus(aclTensor *, uint64_t *, aclOpExecutor **)>(aclnnInplaceSigmoidGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnInplaceSigmoid);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnSigmoidBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnSigmoidBackward);
    expect<aclnnStatus(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnTanhGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnTanh);
    expect<aclnnStatus(aclTensor *, uint64_t *, aclOpExecutor **)>(aclnnInplaceTanhGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnInplaceTanh);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnTanhBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnTanhBackward);
    expect<aclnnStatus(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnGeluGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnGelu);
    expect<aclnnStatus(const aclTensor *, const aclTensor *, const aclTensor *, uint64_t *,
                       aclOpExecutor **)>(aclnnGeluBackwardGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnGeluBackward);
}

static void expect_movement()
{
    expect<aclnnStatus(const aclTensor *, const aclDataType, aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnCastGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnCast);
    expect<aclnnStatus(aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceCopyGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, const aclrtStream)>(aclnnInplaceCopy);
    expect<aclnnStatus(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **)>(
        aclnnInplaceFillScalarGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceFillScalar);
    expect<aclnnStatus(aclTensor *, uint64_t *, aclOpExecutor **)>(aclnnInplaceZeroGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceZero);
    expect<aclnnStatus(const aclTensor *, uint64_t *, aclOpExecutor **)>(aclnnInplaceOneGetWorkspaceSize);
    expect<aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream)>(aclnnInplaceOne);
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
    expect_acl_meta();
    expect_aclnn_base();
    expect_operators();
    expect_activations();
    expect_arithmetic();
    expect_movement();
    if (!deleters_work()) {
        std::puts("a deleter did not do what it should");
        return 1;
    }
    return 0;
}
