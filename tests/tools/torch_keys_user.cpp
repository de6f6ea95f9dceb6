// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Stands for a library that asks PyTorch for the set of keys, and for one whose threads sleep.
#include <string>
#include <sys/select.h>
#include <thread>
#include <unordered_set>

namespace c10
{
namespace CachingAllocator
{
struct AcceleratorAllocatorConfig {
    __attribute__((visibility("default"))) static std::unordered_set<std::string> &getMutableKeys();
};
} // namespace CachingAllocator
} // namespace c10

extern "C" __attribute__((visibility("default"))) void *ask_for_keys();

void *ask_for_keys()
{
    std::unordered_set<std::string> &keys =
        c10::CachingAllocator::AcceleratorAllocatorConfig::getMutableKeys();
    __asm__ volatile("" : : "r"(&keys) : "memory"); // so that the call is no jump, which would hide who asks
    return &keys;
}

extern "C" __attribute__((visibility("default"))) int call_select(int count, fd_set *readable,
                                                                  struct timeval *timeout);

int call_select(int count, fd_set *readable, struct timeval *timeout)
{
    int found = select(count, readable, nullptr, nullptr, timeout);
    __asm__ volatile("" : "+r"(found)); // no jump either
    return found;
}

// As a library may while it is loaded, it waits for a thread that sleeps: meanwhile the loader's lock is held.
__attribute__((constructor)) static void sleep_in_a_thread()
{
    std::thread thread([] {
        struct timeval timeout = {0, 1};
        select(0, nullptr, nullptr, nullptr, &timeout);
    });
    thread.join();
}
