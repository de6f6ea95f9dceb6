/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formulas of conversions between an fp32 and floats of 8 bits, without branches.
 */
#ifndef BELAY_OPS_CONVERT_FLOAT8_H
#define BELAY_OPS_CONVERT_FLOAT8_H

#include "simd/loops/convert.h"

/*
 * Conversions as PyTorch 2.14 makes them on the CPU. E4M3FN has no infinity, and what is beyond its greatest
 * number, 448, infinity too, becomes that (up to 2.9 it was NaN); E5M2 is the upper half of an fp16, with
 * infinity. Both keep the sign, also of NaN; where the result is subnormal, a power of two that has its last
 * bit is added, so that the processor rounds there.
 */
static inline uint8_t e4m3fn_bits(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFFFFFF, magic = 0x46800000; /* 2^14 */
    const uint32_t small = any_fp32_bits(fp32_from(size) + fp32_from(magic)) - magic;
    const uint32_t usual = (size - 0x3C000000 + 0x7FFFF + (size >> 20 & 1)) >> 20; /* exponents by 120 less */
    const uint32_t rounded = size < 0x3C800000 ? small : usual;                    /* 2^-6 */
    const uint32_t large = size > 0x7F800000 ? 0x7F : 0x7E;
    return (uint8_t)((size >= 0x43E00000 ? large : rounded) | (bits >> 24 & 0x80)); /* 448 */
}

static inline uint8_t e5m2_bits(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFFFFFF, magic = 0x43000000; /* 2^7 */
    const uint32_t small = any_fp32_bits(fp32_from(size) + fp32_from(magic)) - magic;
    const uint32_t usual = (size - 0x38000000 + 0xFFFFF + (size >> 21 & 1)) >> 21; /* exponents by 112 less */
    const uint32_t rounded = size < 0x38800000 ? small : usual;                    /* 2^-14 */
    const uint32_t large = size > 0x7F800000 ? 0x7F : 0x7C;
    return (uint8_t)((size >= 0x47800000 ? large : rounded) | (bits >> 24 & 0x80)); /* 65536 */
}

static inline uint32_t fp32_of_e4m3fn(uint8_t bits)
{
    const uint32_t size = bits & 0x7F;
    const uint32_t value = any_fp32_bits(fp32_from(size << 20) * 0x1p120F) | (uint32_t)(bits & 0x80) << 24;
    return size == 0x7F ? 0x7FC00000 : value;
}

static inline uint32_t fp32_of_e5m2(uint8_t bits)
{
    const uint32_t size = bits & 0x7F;
    const uint32_t value = any_fp32_bits(fp32_from(size << 21) * 0x1p112F);
    const uint32_t number = (size == 0x7C ? 0x7F800000 : value) | (uint32_t)(bits & 0x80) << 24;
    return size > 0x7C ? 0x7FC00000 : number;
}

#endif
