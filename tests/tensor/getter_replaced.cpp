// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Arrays from the getters are released with delete[] in C++; under AddressSanitizer a mismatch would end
// this.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "aclnn/acl_meta.h"

static unsigned long allocations;

// Counts: the library must come here in a program that replaces the operators.
void *operator new[](std::size_t bytes)
{
    allocations++;
    void *memory = std::malloc(bytes > 0 ? bytes : 1);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

void operator delete[](void *memory) noexcept
{
    std::free(memory);
}

void operator delete[](void *memory, std::size_t) noexcept
{
    std::free(memory);
}

int main()
{
    const int64_t dims[] = {2, 3};
    aclTensor *tensor = aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    int64_t *values = nullptr;
    uint64_t count = 0;
    if (aclGetViewShape(tensor, &values, &count) != 0 || count != 2 || values[1] != 3)
        return 1;
    delete[] values;
    if (aclGetViewStrides(tensor, &values, &count) != 0 || count != 2 || values[0] != 3)
        return 2;
    delete[] values;
    if (aclGetStorageShape(tensor, &values, &count) != 0 || count != 0 || values == nullptr)
        return 3;
    delete[] values;
    if (allocations != 3) {
        std::fprintf(stderr, "expected 3 calls of operator new[], found %lu\n", allocations);
        return 4;
    }
    return aclDestroyTensor(tensor);
}
