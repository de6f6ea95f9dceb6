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

extern "C" __attribute__((visibility("default"))) std::unordered_set<std::string> &ask_for_keys();

std::unordered_set<std::string> &ask_for_keys()
{
    std::unordered_set<std::string> &keys =
        c10::CachingAllocator::AcceleratorAllocatorConfig::getMutableKeys();
    static size_t asked; // so that the call is no jump, which would hide who asks
    asked += keys.size();
    return keys;
}
