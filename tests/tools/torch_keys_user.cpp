// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Stands for a library that asks PyTorch for the set of keys.
#include <string>
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
