// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Those programs of unordered.cpp in which the host itself does something under queued work.
#include "unordered.h"

#include <future>
#include <thread>

namespace unordered
{

// The host and queued work.

void written_workspace()
{
    float *workspace = device();
    std::vector<float> host(COUNT);
    relu_with(workspace, first);
    if (mended)
        synchronise();
    CALL(aclrtMemcpy(workspace, BYTES, host.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    synchronise();
}

void freed_workspace()
{
    float *workspace = device();
    relu_with(workspace, first);
    if (mended)
        synchronise();
    CALL(aclrtFree(workspace));
    synchronise();
}

void read_back_early()
{
    float *a = device(), *b = device();
    std::vector<float> host(COUNT);
    relu(a, b, first);
    if (mended)
        synchronise();
    CALL(aclrtMemcpy(host.data(), BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    synchronise();
}

void overwritten_input()
{
    float *a = device(), *b = device();
    std::vector<float> host(COUNT);
    relu(a, b, first);
    if (mended)
        synchronise();
    CALL(aclrtMemcpy(a, BYTES, host.data(), BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    synchronise();
}

// The source of a copy that is queued is overwritten by another copy.
void overwritten_source()
{
    float *a = device(), *b = device(), *host = pinned();
    copy_to_device(a, host, first);
    if (mended)
        order(first, second);
    copy_to_host(host, b, second);
    synchronise();
    CALL(aclrtFreeHost(host));
}

void set_early()
{
    float *a = device(), *b = device();
    relu(a, b, first);
    if (mended)
        CALL(aclrtSynchronizeDevice());
    CALL(aclrtMemset(a, BYTES, 1, BYTES));
    synchronise();
}

// A query is a wait only when its answer is that the work is complete: no mistake either way.
void query_until_complete()
{
    float *a = device(), *b = device();
    std::vector<float> host(COUNT);
    relu(a, b, first);
    CALL(aclrtRecordEvent(event, first));
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    while (mended && status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
        CALL(aclrtQueryEventStatus(event, &status));
    CALL(aclrtMemcpy(host.data(), BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    synchronise();
}

// Another thread waits for the stream, and the main one for that thread.
void thread_that_waits()
{
    float *a = device(), *b = device();
    std::vector<float> host(COUNT);
    relu(a, b, first);
    std::thread([] {
        CALL(aclrtSetDevice(0));
        if (mended)
            CALL(aclrtSynchronizeStream(first));
    }).join();
    CALL(aclrtMemcpy(host.data(), BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    synchronise();
}

void freed_early()
{
    float *a = device(), *b = device();
    relu(a, b, first);
    if (mended)
        synchronise();
    CALL(aclrtFree(b));
    synchronise();
}

void freed_host_early()
{
    float *a = device(), *host = pinned();
    copy_to_device(a, host, first);
    if (mended)
        synchronise();
    CALL(aclrtFreeHost(host));
    synchronise();
}

// Memory of the program, registered: queued copies read it until the program has waited.
alignas(4096) float registered[COUNT];

void overwritten_registered()
{
    float *a = device();
    CALL(aclrtHostRegister(registered, BYTES, ACL_HOST_REGISTER_MAPPED, nullptr));
    copy_to_device(a, registered, first);
    if (mended)
        order_host();
    registered[COUNT - 1] = 1;
    synchronise();
    CALL(aclrtHostUnregister(registered));
}

// The same buffer for two copies.
void filled_again()
{
    float *a = device(), *b = device(), *host = pinned();
    copy_to_device(a, host, first);
    if (mended)
        order_host();
    host[7] += 1;
    copy_to_device(b, host, first);
    synchronise();
    CALL(aclrtFreeHost(host));
}

void unregistered_early()
{
    float *a = device();
    CALL(aclrtHostRegister(registered, BYTES, ACL_HOST_REGISTER_MAPPED, nullptr));
    copy_to_device(a, registered, first);
    if (mended)
        synchronise();
    CALL(aclrtHostUnregister(registered));
    synchronise();
}

// No mistakes: what changes the source is work behind the copy, or a function of the program behind it.
void changed_in_order()
{
    float *a = device(), *b = device();
    CALL(aclrtHostRegister(registered, BYTES, ACL_HOST_REGISTER_MAPPED, nullptr));
    CALL(aclrtMemset(b, BYTES, 1, BYTES));
    copy_to_device(a, registered, first);
    copy_to_host(registered, b, first);
    copy_to_device(a, registered, first);
    CALL(aclrtLaunchHostFunc(
        first, [](void *) { registered[0] = 5; }, nullptr));
    copy_to_device(a, registered, first);
    synchronise();
    CALL(aclrtHostUnregister(registered));
}

// No mistake: a function that the stream waits for lets another thread fill the memory first.
void filled_behind_a_gate()
{
    static std::promise<void> filled;
    float *a = device(), *b = device(), *host = pinned();
    CALL(aclrtLaunchHostFunc(
        first, [](void *) { filled.get_future().wait(); }, nullptr));
    copy_to_device(a, host, first);
    std::thread([&] {
        CALL(aclrtSetDevice(0));
        CALL(aclrtMemcpy(host, BYTES, b, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        filled.set_value();
    }).join();
    synchronise();
    CALL(aclrtFreeHost(host));
}

// No mistake: whoever waits for a number is submitted first, and who waits for that has waited for both.
void ordered_by_a_number()
{
    float *flag = device(), *a = device(), *b = device();
    std::vector<float> host(COUNT);
    CALL(aclrtValueWait(flag, 1, ACL_STREAM_WAIT_VALUE_EQ, second));
    relu(a, b, second);
    relu(b, a, first);
    CALL(aclrtValueWrite(flag, 1, 0, first));
    CALL(aclrtSynchronizeStream(second));
    CALL(aclrtMemcpy(host.data(), BYTES, a, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    synchronise();
}

} // namespace unordered
