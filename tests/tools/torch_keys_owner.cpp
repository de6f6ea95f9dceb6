// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Stands for PyTorch's libc10.so: the set of keys, and the function that gives access to it.
#include <string>
#include <unordered_set>

extern "C" __attribute__((visibility("default"))) std::unordered_set<std::string> keys_of_test;
std::unordered_set<std::string> keys_of_test;

namespace c10
{
namespace CachingAllocator
{
struct __attribute__((visibility("default"))) AcceleratorAllocatorConfig {
    static std::unordered_set<std::string> &getMutableKeys();
};

std::unordered_set<std::string> &AcceleratorAllocatorConfig::getMutableKeys()
{
    return keys_of_test;
}
} // namespace CachingAllocator
} // namespace c10
