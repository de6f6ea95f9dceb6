/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include <math.h>

#include "numerics/reference.h"

const struct format formats[ARITHMETICS] = {
    [ARITHMETIC_FP32] = {"fp32", 32, 23, 8},
    [ARITHMETIC_FP16] = {"fp16", 16, 10, 5},
    [ARITHMETIC_BF16] = {"bf16", 16, 7, 8},
    [ARITHMETIC_FP64] = {"fp64", 64, 52, 11},
};

double value_of(const struct format *format, uint64_t bits)
{
    uint64_t magnitude = bits & magnitude_mask(format);
    double value = (double)NAN;
    if (magnitude == infinity_bits(format)) {
        value = (double)INFINITY;
    } else if (magnitude < infinity_bits(format)) {
        uint64_t fraction = magnitude & (((uint64_t)1 << format->fraction_bits) - 1);
        int exponent = (int)(magnitude >> format->fraction_bits);
        if (exponent > 0)
            fraction |= (uint64_t)1 << format->fraction_bits;
        else
            exponent = 1;
        value = ldexp((double)fraction, exponent - 1 + lowest_exponent(format));
    }
    return bits >> (format->bits - 1) ? -value : value;
}
