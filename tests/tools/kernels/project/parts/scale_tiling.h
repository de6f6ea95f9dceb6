// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Belay authors
//
// What the host tells the kernel.
#pragma once
#include <cstdint>

struct ScaleTiling {
    uint32_t count;
    float by;
};
