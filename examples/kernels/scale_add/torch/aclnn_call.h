/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * ACLNN_CALL(aclnnName, arguments...): the two phases of a function of a package on the current stream of PyTorch for
 * Ascend. Tensors become aclTensors; numbers go as they are.
 */
#ifndef ACLNN_CALL_H
#define ACLNN_CALL_H

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>
#include <tuple>

#include <ATen/ATen.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "torch_npu/csrc/core/npu/NPUStream.h"

namespace aclnn_call
{
/* The function, in one of the packages that ASCEND_CUSTOM_OPP_PATH names. */
inline void *find(const char *name)
{
    const char *packages = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    std::istringstream list(packages != nullptr ? packages : "");
    for (std::string package; std::getline(list, package, ':');)
        if (void *library = dlopen((package + "/op_api/lib/libcust_opapi.so").c_str(), RTLD_LAZY))
            if (void *found = dlsym(library, name))
                return found;
    TORCH_CHECK(false, name, " is in no package of ASCEND_CUSTOM_OPP_PATH");
}

inline aclTensor *convert(const at::Tensor &tensor)
{
    const aclDataType dtype = tensor.scalar_type() == at::kFloat      ? ACL_FLOAT
                              : tensor.scalar_type() == at::kHalf     ? ACL_FLOAT16
                              : tensor.scalar_type() == at::kBFloat16 ? ACL_BF16
                              : tensor.scalar_type() == at::kInt      ? ACL_INT32
                              : tensor.scalar_type() == at::kLong     ? ACL_INT64
                                                                      : ACL_DT_UNDEFINED;
    const int64_t storage = static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size());
    return aclCreateTensor(tensor.sizes().data(), tensor.sizes().size(), dtype, tensor.strides().data(),
                           tensor.storage_offset(), ACL_FORMAT_ND, &storage, 1,
                           const_cast<void *>(tensor.storage().data()));
}
template <typename T> T convert(T value)
{
    return value;
}

inline void release(aclTensor *tensor)
{
    aclDestroyTensor(tensor);
}
template <typename T> void release(T)
{
}

template <typename... Types> void call(void *plan, void *run, const Types &...argument)
{
    auto converted = std::make_tuple(convert(argument)...);
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    const int planned = std::apply(
        [&](auto... each) {
            return reinterpret_cast<aclnnStatus (*)(decltype(each)..., uint64_t *, aclOpExecutor **)>(plan)(
                each..., &bytes, &executor);
        },
        converted);
    at::Tensor workspace;
    if (planned == 0 && bytes > 0)
        workspace = at::empty({static_cast<int64_t>(bytes)},
                              at::TensorOptions(at::kByte).device(c10::DeviceType::PrivateUse1));
    const int status =
        planned != 0 ? planned
                     : reinterpret_cast<aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream)>(run)(
                           bytes > 0 ? workspace.data_ptr() : nullptr, bytes, executor,
                           c10_npu::getCurrentNPUStream().stream());
    std::apply([](auto... each) { (release(each), ...); }, converted);
    TORCH_CHECK(status == 0, aclGetRecentErrMsg());
}
} // namespace aclnn_call

#define ACLNN_CALL(name, ...)                                                                           \
    do {                                                                                                \
        static void *const plan = ::aclnn_call::find(#name "GetWorkspaceSize"), *const run =            \
                                                                                    ::aclnn_call::find( \
                                                                                        #name);         \
        ::aclnn_call::call(plan, run, __VA_ARGS__);                                                     \
    } while (0)

#endif
