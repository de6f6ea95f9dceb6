/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formulas of conversions between an fp32 and floats of 8 and of 4 bits, without branches. Those of 4 bits
 * have a byte each here, of which the upper half is not looked at.
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

/*
 * A byte of E8M0 is a power of two from 2^-127 on, 255 NaN. As PyTorch has it: the sign is dropped, ties go up,
 * and what is too large, or no number, is NaN.
 */
static inline uint8_t e8m0_bits(uint32_t bits)
{
    const uint32_t exponent = bits >> 23 & 0xFF, rest = bits & 0x7FFFFF;
    const uint32_t up = (uint32_t)(rest + (uint32_t)(exponent > 0) > 0x400000);
    return (uint8_t)(exponent == 0xFF ? 0xFF : exponent + up);
}

static inline uint32_t fp32_of_e8m0(uint8_t bits)
{
    const uint32_t power = bits == 0 ? 0x400000 : (uint32_t)bits << 23;
    return bits == 0xFF ? 0x7FC00000 : power;
}

/* E2M1 and E1M2 have nothing but numbers: beyond 6 and 1.75 it is these, NaN is 0; ties to even. */
static inline uint8_t e2m1_bits(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFFFFFF, magic = 0x4A800000; /* 2^22 */
    const uint32_t small = any_fp32_bits(fp32_from(size < 0x3F800000 ? size : 0) + fp32_from(magic)) - magic;
    const uint32_t usual =
        (size - 0x3F000000 + 0x1FFFFF + (size >> 22 & 1)) >> 22; /* exponents by 126 less */
    const uint32_t rounded = size < 0x3F800000 ? small : usual;
    const uint32_t number = (size >= 0x40C00000 ? 7 : rounded) | (bits >> 28 & 8); /* 6 */
    return (uint8_t)(size > 0x7F800000 ? 0 : number);
}

static inline uint8_t e1m2_bits(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFFFFFF, magic = 0x4A000000; /* 2^21 */
    const uint32_t small = any_fp32_bits(fp32_from(size < 0x3FE00000 ? size : 0) + fp32_from(magic)) - magic;
    const uint32_t number = (size >= 0x3FE00000 ? 7 : small) | (bits >> 28 & 8); /* 1.75 */
    return (uint8_t)(size > 0x7F800000 ? 0 : number);
}

static inline uint32_t fp32_of_e2m1(uint8_t bits)
{
    return any_fp32_bits(fp32_from((uint32_t)(bits & 7) << 22) * 0x1p126F) | (uint32_t)(bits & 8) << 28;
}

static inline uint32_t fp32_of_e1m2(uint8_t bits)
{
    return any_fp32_bits((float)(bits & 7) * 0.25F) | (uint32_t)(bits & 8) << 28;
}

/*
 * HIFLOAT8: a sign, a prefix, an exponent and a mantissa, of which the prefix says how many bits they have:
 *
 *     1 1 s e e e m    2^+-(8..15)         0 0 1 s m m m    2^+-1
 *     1 0 s e e m m    2^+-(4..7)          0 0 0 1 m m m    1
 *     0 1 s e m m m    2^+-(2..3)          0 0 0 0 m m m    0, and 2^(m - 23)
 *
 * The exponent is a sign and what follows a leading 1. There is no -0, whose code is NaN; 1.5 times 2^15 is
 * infinity. Ties are rounded away from 0; a size of which more than half is missing to the least one is 0.
 */
static inline uint32_t hifloat8_mantissa_bits(uint32_t distance, uint32_t field)
{
    const uint32_t bits = 3 - (uint32_t)(distance > 3) - (uint32_t)(distance > 7);
    return field < 127 - 15 ? 0 : bits;
}

static inline uint32_t hifloat8_distance(uint32_t field)
{
    return field > 127 ? field - 127 : 127 - field;
}

static inline uint8_t hifloat8_bits(uint32_t bits)
{
    const uint32_t size = bits & 0x7FFFFFFF;
    const uint32_t given = size >> 23;
    const uint32_t cut = 23 - hifloat8_mantissa_bits(hifloat8_distance(given), given);
    const uint32_t raised = size + ((uint32_t)1 << (cut - 1));
    const uint32_t least = 0x34800000; /* 2^-22 */
    const uint32_t rounded = size < least ? least : raised;
    const uint32_t field = rounded >> 23, distance = hifloat8_distance(field);
    const uint32_t kept = hifloat8_mantissa_bits(distance, field);
    const uint32_t mantissa = (rounded & 0x7FFFFF) >> (23 - kept), is_below = (uint32_t)(field < 127);
    const uint32_t far = 0x60 | is_below << 4 | (distance & 7) << 1 | mantissa;
    const uint32_t middle = 0x40 | is_below << 4 | (distance & 3) << 2 | mantissa;
    const uint32_t near = 0x20 | is_below << 4 | (distance & 1) << 3 | mantissa;
    const uint32_t next = 0x10 | is_below << 3 | mantissa;
    uint32_t body = distance == 0 ? 0x08 | mantissa : next;
    body = distance > 1 ? near : body;
    body = distance > 3 ? middle : body;
    body = distance > 7 ? far : body;
    body = field < 127 - 15 ? field - (127 - 23) : body;
    body = size >= 0x47200000 ? 0x6F : body; /* 40960 */
    body |= bits >> 24 & 0x80;
    body = size < 0x34000000 ? 0 : body; /* 2^-23 */
    return (uint8_t)(size > 0x7F800000 ? 0x80 : body);
}

static inline uint32_t fp32_of_hifloat8(uint8_t bits)
{
    const uint32_t body = bits & 0x7F;
    const uint32_t width = (uint32_t)(body >= 0x10) + (uint32_t)(body >= 0x20) + (uint32_t)(body >= 0x40) +
                           (uint32_t)(body >= 0x60);
    const uint32_t kept = 3 - (uint32_t)(body >= 0x40) - (uint32_t)(body >= 0x60);
    const uint32_t lead = ((uint32_t)1 << width) >> 1, stored = body >> kept & (((uint32_t)1 << width) - 1);
    const uint32_t distance = width == 0 ? 0 : lead | (stored & (lead - 1));
    const uint32_t field = (stored & lead) != 0 ? 127 - distance : 127 + distance;
    const uint32_t usual = field << 23 | (body & (((uint32_t)1 << kept) - 1)) << (23 - kept);
    const uint32_t small = body == 0 ? 0 : (body + 127 - 23) << 23;
    const uint32_t finite = body < 8 ? small : usual;
    const uint32_t number = (body == 0x6F ? 0x7F800000 : finite) | (uint32_t)(bits & 0x80) << 24;
    return bits == 0x80 ? 0x7FC00000 : number;
}

#endif
