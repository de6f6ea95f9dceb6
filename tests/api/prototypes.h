/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How the type of a function is compared, in C++ because that can compare types.
 */
#ifndef BELAY_TESTS_API_PROTOTYPES_H
#define BELAY_TESTS_API_PROTOTYPES_H

#include <type_traits>

// Compares the type and takes the address, so that the function must also be there when the program is
// linked.
template <typename Expected, typename Actual> void expect(Actual *function)
{
    static_assert(std::is_same<Expected, Actual>::value, "a function's type is not the documented one");
    void *volatile address = reinterpret_cast<void *>(function);
    (void)address;
}

// The functions of the runtime.
void expect_runtime();

// Those of collectives.
void expect_hccl();

#endif
