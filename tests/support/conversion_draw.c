/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "support/conversion_draw.h"

#include <stdbool.h>
#include <string.h>

#include "support/bits.h"
#include "support/conversion.h"
#include "support/random.h"

enum { SPECIALS = 1024 };

/* An fp64 whose exponent lies where the other dtypes end, and every other one next to a number or a tie. */
static uint64_t draw_fp64(uint64_t *state)
{
    uint64_t bits = random_next(state);
    static const int ranges[][2] = {{-1074, 1024}, {-160, 140}, {-30, 20}, {-2, 66}};
    const int *range = ranges[bits & 3];
    int64_t exponent = range[0] + (int64_t)((bits >> 2 & 0xFFFF) % (uint64_t)(range[1] - range[0]));
    uint64_t field = exponent < -1022 ? 0 : (uint64_t)(exponent + 1023);
    uint64_t fraction = random_next(state) >> 12;
    int kept = (int)(bits >> 20 & 63);
    if (bits >> 30 & 1 && kept < 52) {
        uint64_t half = UINT64_C(1) << (51 - kept);
        fraction = (fraction & ~(2 * half - 1)) + half + (bits >> 32 & 3) - 1;
    }
    return (bits & UINT64_C(1) << 63) | field << 52 | (fraction & (UINT64_MAX >> 12));
}

static uint64_t draw_integer(uint64_t *state)
{
    uint64_t bits = random_next(state), value = random_next(state) >> (bits & 63);
    int lost = (int)(bits >> 6 & 63);
    if (bits >> 12 & 1)
        value = (value >> lost << lost) + (UINT64_C(1) << lost >> 1) + (bits >> 13 & 3) - 1;
    return bits >> 20 & 1 ? 0 - value : value;
}

static const uint64_t special_fp64[] = {
    0,
    UINT64_C(0x0000000000000001),
    UINT64_C(0x000FFFFFFFFFFFFF),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x7FEFFFFFFFFFFFFF),
    UINT64_C(0x7FF0000000000000),
    UINT64_C(0x7FF0000000000001),
    UINT64_C(0x7FF8000000000000),
    UINT64_C(0x7FFFFFFFFFFFFFFF),
};
static const uint32_t special_fp32[] = {0,          1,          0x7FFFFF,   0x800000,  0x7F7FFFFF,
                                        0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF};

/* The powers of two and what lies next to them, which are the bounds of integers. */
static uint64_t special_of(bool is_fp32, uint32_t number)
{
    uint64_t sign = number & 1;
    number /= 2;
    if (is_fp32) {
        uint32_t count = sizeof special_fp32 / sizeof special_fp32[0];
        uint32_t bits = number < count ? special_fp32[number]
                                       : ((127 + (number - count) / 3 % 68) << 23) + (number - count) % 3 - 1;
        return bits | sign << 31;
    }
    uint32_t count = sizeof special_fp64 / sizeof special_fp64[0];
    uint64_t bits = number < count
                        ? special_fp64[number]
                        : ((UINT64_C(1023) + (number - count) / 3 % 68) << 52) + (number - count) % 3 - 1;
    return bits | sign << 63;
}

/* One part of a complex number, or a real one. */
static uint64_t draw_part(uint64_t *state, aclDataType dtype, uint64_t number)
{
    switch (dtype) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        if (number < SPECIALS)
            return special_of(true, (uint32_t)number);
        return number % 2 == 0 ? random_next(state) >> 32 : fp32_bits((float)fp64_from(draw_fp64(state)));
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        if (number < SPECIALS)
            return special_of(false, (uint32_t)number);
        return number % 8 == 0 ? random_next(state) : draw_fp64(state);
    default:
        if (number >= 6 * 64)
            return draw_integer(state);
        return (number % 2 != 0 ? UINT64_MAX : 1) * ((UINT64_C(1) << number / 6) + number / 2 % 3 - 1);
    }
}

void conversion_draw(uint64_t *state, aclDataType dtype, uint64_t number, void *element)
{
    bool is_complex = dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
    size_t bytes = conversion_bytes(dtype) / (is_complex ? 2 : 1);
    uint64_t part = draw_part(state, dtype, number);
    memcpy(element, &part, bytes);
    if (is_complex) {
        part = draw_part(state, dtype, number < SPECIALS ? number * 7 % SPECIALS : number);
        memcpy((char *)element + bytes, &part, bytes);
    }
}
