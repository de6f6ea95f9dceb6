/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which types instructions take on A2 and A3 (arch 2201), as far as all that is known agrees: what a device's compiler
 * refuses is refused here. Later products take more; there it is theirs to judge.
 */
#ifndef ASCENDC_DTYPES_H
#define ASCENDC_DTYPES_H

#include "ascendc/types.h"

namespace AscendC
{
enum class Takes { FLOATS, NUMBERS, INTEGERS, WORDS };

template <typename T> constexpr bool takes(Takes which)
{
    constexpr bool is_known = __NPU_ARCH__ != 2201;
    constexpr bool is_whole = std::is_integral_v<T> && (sizeof(T) == 2 || sizeof(T) == 4);
    constexpr bool is_real = std::is_same_v<T, half> || std::is_same_v<T, float>;
    switch (which) {
    case Takes::FLOATS:
        return is_known || is_real;
    case Takes::NUMBERS:
        return is_known || is_real || is_whole;
    case Takes::INTEGERS:
        return is_known || is_whole;
    default:
        return is_known || sizeof(T) == 2 || sizeof(T) == 4;
    }
}

#define BELAY_SAYS_FLOATS "half or float is expected on this product; Cast turns others into these"
#define BELAY_SAYS_NUMBERS \
    "half, float or an integer of 16 or 32 bits is expected on this product; Cast turns others into these"
#define BELAY_SAYS_INTEGERS \
    "an integer of 16 or 32 bits is expected on this product; ReinterpretCast looks at others as these"
#define BELAY_SAYS_WORDS \
    "elements of 16 or 32 bits are expected on this product; ReinterpretCast looks at others as these"
#define BELAY_TAKES(name, type, sort) static_assert(takes<type>(Takes::sort), #name ": " BELAY_SAYS_##sort)
} // namespace AscendC

#endif
