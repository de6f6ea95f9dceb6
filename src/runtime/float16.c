/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion between fp32 and the host's 16-bit floats, as the vendor's helpers do it: a format without
 * infinities and NaN. Encoding rounds to nearest, ties to even, and saturates: infinities, NaN and all beyond
 * become 65504 with their sign. Decoding reads the top exponent as one more binade: 0x7c00 is 65536. Integer
 * arithmetic alone, so that no rounding mode or flush to zero of the caller matters.
 */
#include <string.h>

#include "acl/acl_base.h"

enum { LARGEST = 0x7bff };

aclFloat16 aclFloatToFloat16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000;
    uint32_t magnitude = bits & 0x7fffffff;

    if (magnitude >= 0x477ff000) /* 65520, the middle between 65504 and what would be 65536 */
        return (aclFloat16)(sign | LARGEST);
    if (magnitude < 0x33000000) /* below 2^-25, half of the smallest subnormal number */
        return (aclFloat16)sign;

    uint32_t exponent = magnitude >> 23;
    uint32_t significand = (magnitude & 0x7fffff) | 0x800000;
    /* Subnormal results count units of 2^-24: the significand, in units of 2^(exponent - 150), loses
     * 126 - exponent bits. Normal ones lose 13 and carry the biased exponent, less the implicit bit. */
    uint32_t shift = exponent < 113 ? 126 - exponent : 13;
    uint32_t quotient = significand >> shift;
    uint32_t remainder = significand & ((1u << shift) - 1);
    uint32_t half = 1u << (shift - 1);
    quotient += remainder > half || (remainder == half && (quotient & 1) != 0);
    /* A carry out of the significand raises the exponent, as it should. */
    uint32_t base = exponent < 113 ? 0 : (exponent - 113) << 10;
    return (aclFloat16)(sign | (base + quotient));
}

float aclFloat16ToFloat(aclFloat16 value)
{
    uint32_t sign = (uint32_t)(value & 0x8000) << 16;
    uint32_t exponent = value >> 10 & 31;
    uint32_t fraction = value & 0x3ff;
    uint32_t bits;
    if (exponent != 0) {
        bits = sign | (exponent + 112) << 23 | fraction << 13;
    } else if (fraction != 0) {
        /* fraction units of 2^-24: the highest bit set becomes the implicit one. */
        uint32_t top = 31u - (uint32_t)__builtin_clz(fraction);
        bits = sign | (top + 103) << 23 | (fraction << (23 - top) & 0x7fffff);
    } else {
        bits = sign;
    }
    float result;
    memcpy(&result, &bits, sizeof result);
    return result;
}
