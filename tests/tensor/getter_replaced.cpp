// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// The same in a program that replaces the operators; under AddressSanitizer a mismatch would end this.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "getter_arrays.h"

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
    int status = take_and_release_arrays();
    if (allocations != GETTERS) {
        std::fprintf(stderr, "expected %d calls of operator new[], found %lu\n", GETTERS, allocations);
        return 4;
    }
    return status;
}
