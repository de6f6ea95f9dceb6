/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of SiLU over a range of x, in C++, with everything held by objects that give it back: an early
 * return or an exception leaks nothing. Each result is checked against the formula in long double.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_silu_backward.h"

namespace
{

/* A refused call as an exception that carries the library's sentence. */
void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    throw std::runtime_error(std::string(call) + " answers " + std::to_string(status) + ": " +
                             (message ? message : "(no message)"));
}

struct Device {
    explicit Device(int32_t device_number) : number(device_number)
    {
        check(aclrtSetDevice(device_number), "aclrtSetDevice");
    }
    ~Device()
    {
        aclrtResetDevice(number);
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    const int32_t number;
};

using Memory = std::unique_ptr<void, aclError (*)(void *)>;
using Tensor = std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)>;
using Stream = std::unique_ptr<void, aclError (*)(aclrtStream)>;

Memory allocate(uint64_t bytes)
{
    void *memory = nullptr;
    if (bytes > 0)
        check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return Memory(memory, aclrtFree);
}

Memory copy_to_device(const std::vector<float> &numbers)
{
    const size_t bytes = numbers.size() * sizeof numbers[0];
    Memory memory = allocate(bytes);
    check(aclrtMemcpy(memory.get(), bytes, numbers.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    return memory;
}

Tensor tensor_on(const Memory &memory, int64_t count)
{
    const int64_t stride = 1;
    Tensor tensor(aclCreateTensor(&count, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &count, 1, memory.get()),
                  aclDestroyTensor);
    check(tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    return tensor;
}

std::vector<float> silu_backward(const std::vector<float> &gradient, const std::vector<float> &x)
{
    const int64_t count = static_cast<int64_t>(x.size());
    std::vector<float> result(x.size());
    const size_t bytes = result.size() * sizeof result[0];
    const Device device(0);
    aclrtStream handle = nullptr;
    check(aclrtCreateStream(&handle), "aclrtCreateStream");
    const Stream stream(handle, aclrtDestroyStream);
    const Memory gradient_memory = copy_to_device(gradient), x_memory = copy_to_device(x),
                 out_memory = allocate(bytes);
    const Tensor gradient_tensor = tensor_on(gradient_memory, count), x_tensor = tensor_on(x_memory, count);
    const Tensor out_tensor = tensor_on(out_memory, count);

    uint64_t workspace_bytes = 0;
    aclOpExecutor *executor = nullptr;
    check(aclnnSiluBackwardGetWorkspaceSize(gradient_tensor.get(), x_tensor.get(), out_tensor.get(),
                                            &workspace_bytes, &executor),
          "aclnnSiluBackwardGetWorkspaceSize");
    const Memory workspace = allocate(workspace_bytes);
    check(aclnnSiluBackward(workspace.get(), workspace_bytes, executor, stream.get()), "aclnnSiluBackward");
    check(aclrtSynchronizeStream(stream.get()), "aclrtSynchronizeStream");
    check(aclrtMemcpy(result.data(), bytes, out_memory.get(), bytes, ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
    return result;
}

/* Within one unit in the last place, which is what the operator promises for fp32 by default. */
bool is_right(float result, float gradient, float x)
{
    const long double wide_x = static_cast<long double>(x), sigma = 1 / (1 + std::exp(-wide_x));
    const long double exact = static_cast<long double>(gradient) * sigma * (1 + wide_x * (1 - sigma));
    const float nearest = static_cast<float>(exact);
    return result >= std::nextafter(nearest, -INFINITY) && result <= std::nextafter(nearest, INFINITY);
}

} // namespace

int main()
{
    std::vector<float> x, gradient;
    for (int i = -40; i <= 40; i++) {
        x.push_back(0.25f * static_cast<float>(i));
        gradient.push_back(1 + 0.125f * static_cast<float>(i & 3));
    }
    try {
        const std::vector<float> result = silu_backward(gradient, x);
        int wrong = 0;
        for (size_t i = 0; i < x.size(); i++) {
            if (i % 8 == 0)
                std::printf("gradient %-5g x %-6g: %.9g\n", static_cast<double>(gradient[i]),
                            static_cast<double>(x[i]), static_cast<double>(result[i]));
            wrong += !is_right(result[i], gradient[i], x[i]);
        }
        std::printf("%d of %zu results are wrong\n", wrong, x.size());
        return wrong != 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
