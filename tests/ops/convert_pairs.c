/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion between every two dtypes at every level: all elements of 8 and 16 bits, and of longer ones
 * special values and a million others, half of which lie where a rounding or a bound decides.
 */
#include "ops/transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/bits.h"
#include "support/conversion.h"
#include "support/random.h"
#include "support/sanitizer.h"

/* Sanitizers slow the reference down; the values are drawn anew all the same. */
enum { BLOCKS = UNDER_SANITIZER ? 40 : 1000 };

static _Alignas(64) unsigned char source[CONVERT_MAX * 16], expected[CONVERT_MAX * 16],
    found[CONVERT_MAX * 16 + 1];

/* The first count elements of source, to every other dtype. */
static void assert_converted(aclDataType from, size_t count)
{
    size_t from_bytes = conversion_bytes(from);
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType to = conversion_dtypes[k];
        size_t bytes = conversion_bytes(to);
        if (to == from)
            continue;
        for (size_t i = 0; i < count; i++)
            conversion_reference(source + i * from_bytes, from, expected + i * bytes, to);
        for (enum isa_level level = ISA_BASELINE; level <= processor_level(); level++) {
            found[count * bytes] = 0xA5;
            transfer_of(level)->convert(source, from, found, to, count);
            assert_int_equal(found[count * bytes], 0xA5);
            if (memcmp(found, expected, count * bytes) == 0)
                continue;
            for (size_t i = 0; i < count; i++) {
                uint64_t value[2] = {0}, want[2] = {0}, got[2] = {0};
                memcpy(value, source + i * from_bytes, from_bytes);
                memcpy(want, expected + i * bytes, bytes);
                memcpy(got, found + i * bytes, bytes);
                if (memcmp(want, got, sizeof want) != 0)
                    fail_msg(
                        "dtype %d to %d at level %d: %016llx %016llx became %016llx %016llx, not %016llx "
                        "%016llx",
                        from, to, level, (unsigned long long)value[1], (unsigned long long)value[0],
                        (unsigned long long)got[1], (unsigned long long)got[0], (unsigned long long)want[1],
                        (unsigned long long)want[0]);
            }
        }
    }
}

static void every_element_of_8_and_16_bits_is_converted(void **state)
{
    (void)state;
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType from = conversion_dtypes[k];
        size_t bytes = conversion_bytes(from);
        if (bytes > 2)
            continue;
        for (uint32_t first = 0; first < 1u << 8 * bytes; first += CONVERT_MAX) {
            for (uint32_t i = 0; i < CONVERT_MAX; i++) {
                uint32_t element = first + i;
                memcpy(source + i * bytes, &element, bytes);
            }
            assert_converted(from, CONVERT_MAX);
        }
    }
}

/* An fp64 whose exponent lies where the other dtypes end, and every other one next to a number or a tie. */
static uint64_t draw_fp64(void)
{
    uint64_t bits = random_bits();
    static const int ranges[][2] = {{-1074, 1024}, {-160, 140}, {-30, 20}, {-2, 66}};
    const int *range = ranges[bits & 3];
    int64_t exponent = range[0] + (int64_t)((bits >> 2 & 0xFFFF) % (uint64_t)(range[1] - range[0]));
    uint64_t field = exponent < -1022 ? 0 : (uint64_t)(exponent + 1023);
    uint64_t fraction = random_bits() >> 12;
    int kept = (int)(bits >> 20 & 63);
    if (bits >> 30 & 1 && kept < 52) {
        uint64_t half = UINT64_C(1) << (51 - kept);
        fraction = (fraction & ~(2 * half - 1)) + half + (bits >> 32 & 3) - 1;
    }
    return (bits & UINT64_C(1) << 63) | field << 52 | (fraction & (UINT64_MAX >> 12));
}

static uint64_t draw_integer(void)
{
    uint64_t bits = random_bits(), value = random_bits() >> (bits & 63);
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

static uint64_t draw(aclDataType dtype, uint32_t block, uint32_t i)
{
    switch (dtype) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
        if (block == 0)
            return special_of(true, i);
        return i % 2 == 0 ? random_bits() >> 32 : fp32_bits((float)fp64_from(draw_fp64()));
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        if (block == 0)
            return special_of(false, i);
        return i % 8 == 0 ? random_bits() : draw_fp64();
    default:
        if (block > 0 || i >= 6 * 64)
            return draw_integer();
        return (i % 2 != 0 ? UINT64_MAX : 1) * ((UINT64_C(1) << i / 6) + i / 2 % 3 - 1);
    }
}

static void numbers_of_32_and_64_bits_are_converted(void **state)
{
    (void)state;
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        aclDataType from = conversion_dtypes[k];
        size_t bytes = conversion_bytes(from);
        bool is_complex = from == ACL_COMPLEX64 || from == ACL_COMPLEX128;
        if (bytes <= 2)
            continue;
        for (uint32_t block = 0; block < BLOCKS; block++) {
            for (uint32_t i = 0; i < CONVERT_MAX; i++) {
                uint64_t part = draw(from, block, i), other = draw(from, block, i * 7 % CONVERT_MAX);
                size_t half = is_complex ? bytes / 2 : bytes;
                memcpy(source + i * bytes, &part, half);
                if (is_complex)
                    memcpy(source + i * bytes + half, &other, half);
            }
            assert_converted(from, CONVERT_MAX);
        }
    }
}

/* Vector body and tail agree, and nothing is written behind. */
static void all_lengths_convert_alike(void **state)
{
    (void)state;
    const size_t lengths[] = {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, CONVERT_MAX - 1};
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        size_t bytes = conversion_bytes(conversion_dtypes[k]);
        for (unsigned n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
            for (size_t i = 0; i < lengths[n] * bytes; i++)
                source[i] = (unsigned char)random_bits();
            assert_converted(conversion_dtypes[k], lengths[n]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_of_8_and_16_bits_is_converted),
        cmocka_unit_test(numbers_of_32_and_64_bits_are_converted),
        cmocka_unit_test(all_lengths_convert_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
