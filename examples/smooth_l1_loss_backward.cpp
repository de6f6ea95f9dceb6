/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Broadcast and reduction: a batch of predictions against one row of targets, the mean of the loss, and a
 * gradient that is a single number. Descriptors are destroyed as soon as phase 2 has returned, while the work
 * is still queued: the executor holds copies.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"

namespace
{

enum Reduction : int64_t { NONE, MEAN, SUM };

void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s answers %d: %s\n", call, status, message ? message : "(no message)");
    std::exit(1);
}

/* A tensor with its memory; contiguous, whatever its rank. */
struct Array {
    Array(const std::vector<float> &numbers, const std::vector<int64_t> &shape)
        : bytes(numbers.size() * sizeof numbers[0])
    {
        std::vector<int64_t> strides(shape.size());
        int64_t stride = 1;
        for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
            strides[i] = stride;
        check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclrtMemcpy(memory, bytes, numbers.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
                                 shape.data(), shape.size(), memory);
        check(tensor ? ACL_SUCCESS : 1, "aclCreateTensor");
    }
    ~Array()
    {
        aclrtFree(memory);
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    size_t bytes;
    void *memory = nullptr;
    aclTensor *tensor = nullptr;
};

} // namespace

int main()
{
    const int64_t rows = 3, columns = 4;
    const float beta = 0.5f;
    const std::vector<float> prediction = {0, 0.25f, 2, -1, 1, 1, 1, 1, -2, 0.75f, 1.25f, 3};
    const std::vector<float> target = {0, 0.5f, 1, 0};
    std::vector<float> result(prediction.size());

    check(aclrtSetDevice(0), "aclrtSetDevice");
    {
        /* No dims at all is a single number; {4} meets {3, 4} as the same row three times. */
        const Array gradient({2}, {}), self(prediction, {rows, columns}), row(target, {columns});
        const Array out(result, {rows, columns});
        uint64_t workspace_bytes = 0;
        aclOpExecutor *executor = nullptr;
        check(aclnnSmoothL1LossBackwardGetWorkspaceSize(gradient.tensor, self.tensor, row.tensor, MEAN, beta,
                                                        out.tensor, &workspace_bytes, &executor),
              "aclnnSmoothL1LossBackwardGetWorkspaceSize");
        void *workspace = nullptr;
        if (workspace_bytes > 0)
            check(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        check(aclnnSmoothL1LossBackward(workspace, workspace_bytes, executor, nullptr),
              "aclnnSmoothL1LossBackward");
        for (const Array *array : {&gradient, &self, &row, &out})
            check(aclDestroyTensor(array->tensor), "aclDestroyTensor");
        check(aclrtSynchronizeStream(nullptr), "aclrtSynchronizeStream");
        check(aclrtMemcpy(result.data(), out.bytes, out.memory, out.bytes, ACL_MEMCPY_DEVICE_TO_HOST),
              "aclrtMemcpy");
        if (workspace)
            aclrtFree(workspace);
    }
    aclrtResetDevice(0);

    int wrong = 0;
    for (size_t i = 0; i < result.size(); i++) {
        /* These numbers are chosen so that the difference is exact; the quotient is rounded once. */
        const double difference =
            static_cast<double>(prediction[i]) - static_cast<double>(target[i % columns]);
        const double slope = std::fabs(difference) < static_cast<double>(beta)
                                 ? difference / static_cast<double>(beta)
                                 : (difference > 0) - (difference < 0);
        const float expected = static_cast<float>(2 * slope / static_cast<double>(rows * columns));
        std::printf("%9.6f%s", static_cast<double>(result[i]), i % columns == columns - 1 ? "\n" : " ");
        wrong += !(result[i] == expected);
    }
    std::printf("%d of %zu results are wrong\n", wrong, result.size());
    return wrong != 0;
}
