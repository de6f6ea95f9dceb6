// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// Arrays from the getters are released with delete[] in C++, with the operators of the C++ runtime or a
// sanitizer.
#include "getter_arrays.h"

int main()
{
    return take_and_release_arrays();
}
