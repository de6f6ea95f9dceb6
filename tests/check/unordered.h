// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// What the programs of unordered.cpp and unordered_host.cpp have in common.
#ifndef BELAY_CHECK_UNORDERED_H
#define BELAY_CHECK_UNORDERED_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_relu.h"
#include "must.h"

namespace unordered
{

constexpr int64_t COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(float);

extern bool mended;
extern aclrtStream first, second;
extern aclrtEvent event;

// Device memory with numbers in it, unless it is to have none.
inline float *device(size_t bytes = BYTES, bool is_filled = true)
{
    void *memory = nullptr;
    CALL(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    if (is_filled)
        CALL(aclrtMemset(memory, bytes, 0, bytes));
    return static_cast<float *>(memory);
}

inline float *pinned()
{
    void *memory = nullptr;
    CALL(aclrtMallocHost(&memory, BYTES));
    std::memset(memory, 0, BYTES);
    return static_cast<float *>(memory);
}

inline aclTensor *view(float *data, std::vector<int64_t> shape = {COUNT}, std::vector<int64_t> strides = {1},
                       int64_t offset = 0)
{
    aclTensor *tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), offset,
                                        ACL_FORMAT_ND, shape.data(), shape.size(), data);
    if (tensor == nullptr)
        std::exit(3);
    return tensor;
}

inline void relu(aclTensor *from, aclTensor *to, aclrtStream stream)
{
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnReluGetWorkspaceSize(from, to, &bytes, &executor));
    CALL(aclnnRelu(nullptr, 0, executor, stream));
    CALL(aclDestroyTensor(from));
    CALL(aclDestroyTensor(to));
}

// With a workspace, which is the operator's until it has ended.
inline void relu_with(float *workspace, aclrtStream stream)
{
    aclTensor *from = view(device()), *to = view(device());
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    CALL(aclnnReluGetWorkspaceSize(from, to, &bytes, &executor));
    CALL(aclnnRelu(workspace, BYTES, executor, stream));
    CALL(aclDestroyTensor(from));
    CALL(aclDestroyTensor(to));
}

inline void relu(float *from, float *to, aclrtStream stream)
{
    relu(view(from), view(to), stream);
}

inline void copy_to_device(void *to, const void *from, aclrtStream stream)
{
    CALL(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream));
}

inline void copy_to_host(void *to, const void *from, aclrtStream stream)
{
    CALL(aclrtMemcpyAsync(to, BYTES, from, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream));
}

inline void order(aclrtStream before, aclrtStream after)
{
    CALL(aclrtRecordEvent(event, before));
    CALL(aclrtStreamWaitEvent(after, event));
}

inline void synchronise()
{
    CALL(aclrtSynchronizeStream(first));
    CALL(aclrtSynchronizeStream(second));
}

// The host waits for an event behind what is queued.
inline void order_host()
{
    CALL(aclrtRecordEvent(event, first));
    CALL(aclrtSynchronizeEvent(event));
}

// Those of unordered_host.cpp.
void written_workspace();
void freed_workspace();
void read_back_early();
void overwritten_input();
void overwritten_source();
void set_early();
void query_until_complete();
void thread_that_waits();
void freed_early();
void freed_host_early();
void overwritten_registered();
void filled_again();
void unregistered_early();
void changed_in_order();
void filled_behind_a_gate();
void ordered_by_a_number();

} // namespace unordered

#endif
