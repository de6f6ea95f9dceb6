/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The 16-bit conversions: every decode against its definition in double arithmetic, and encodes against a
 * search for the nearest of all decodable values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl_base.h"

/* What the format means, without any of the bit work under test. */
static double meaning(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double magnitude = exponent == 0 ? ldexp((double)(bits & 1023), -24)
                                     : ldexp(1 + (double)(bits & 1023) / 1024, exponent - 15);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest magnitude of 0..0x7bff, ties to the even one, found by halving an interval. */
static uint32_t nearest(double magnitude)
{
    uint32_t low = 0, high = 0x7bff;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (meaning(middle) <= magnitude)
            low = middle;
        else
            high = middle;
    }
    double below = magnitude - meaning(low), above = meaning(high) - magnitude;
    if (below == above)
        return low % 2 == 0 ? low : high;
    return below < above ? low : high;
}

static void assert_encodes(uint32_t bits)
{
    float value = float_of(bits);
    uint32_t expected;
    if (isnan(value) || fabsf(value) >= 65520.0f)
        expected = 0x7bff;
    else
        expected = nearest(fabs((double)value));
    expected |= bits >> 16 & 0x8000;
    if (aclFloatToFloat16(value) != expected)
        fail_msg("float 0x%08x gives 0x%04x, not 0x%04x", bits, aclFloatToFloat16(value), expected);
}

static void every_code_decodes_to_its_meaning(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        float value = aclFloat16ToFloat((aclFloat16)bits);
        double expected = meaning(bits);
        assert_true((double)value == expected);
        assert_true(!signbit(value) == !signbit(expected));
    }
    assert_true(aclFloat16ToFloat(0x7c00) == 65536.0f);
    assert_true(aclFloat16ToFloat(0x7e00) == 98304.0f);
}

static void every_finite_code_survives_a_round_trip(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        if ((bits & 0x7fff) <= 0x7bff)
            assert_int_equal(aclFloatToFloat16(aclFloat16ToFloat((aclFloat16)bits)), bits);
    }
}

static void the_middle_between_two_codes_goes_to_the_even_one(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x7bff; code++) {
        float middle = (float)((meaning(code) + meaning(code + 1)) / 2);
        uint32_t bits;
        memcpy(&bits, &middle, sizeof bits);
        assert_int_equal(aclFloatToFloat16(middle), code % 2 == 0 ? code : code + 1);
        assert_int_equal(aclFloatToFloat16(float_of(bits - 1)), code);
        assert_int_equal(aclFloatToFloat16(float_of(bits + 1)), code + 1);
        assert_int_equal(aclFloatToFloat16(-middle), 0x8000 | (code % 2 == 0 ? code : code + 1));
    }
}

static void floats_of_all_magnitudes_encode_to_the_nearest(void **state)
{
    (void)state;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4093)
        assert_encodes((uint32_t)bits);
}

static void what_is_too_large_saturates_with_its_sign(void **state)
{
    (void)state;
    static const uint32_t edges[] = {0x477fefff, 0x477ff000, 0x477ff001, 0x7f7fffff, 0x7f800000,
                                     0x7f800001, 0x7fc00000, 0x7fffffff, 0x00000001, 0x33000000,
                                     0x32ffffff, 0x33000001, 0x387fffff, 0x38800000};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        assert_encodes(edges[i]);
        assert_encodes(edges[i] | 0x80000000);
    }
    assert_int_equal(aclFloatToFloat16(INFINITY), 0x7bff);
    assert_int_equal(aclFloatToFloat16(-INFINITY), 0xfbff);
    assert_int_equal(aclFloatToFloat16(float_of(0x7fc00000)), 0x7bff);
    assert_int_equal(aclFloatToFloat16(float_of(0xffc00000)), 0xfbff);
    assert_int_equal(aclFloatToFloat16(65519.996f), 0x7bff);
    assert_int_equal(aclFloatToFloat16(-0.0f), 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_decodes_to_its_meaning),
        cmocka_unit_test(every_finite_code_survives_a_round_trip),
        cmocka_unit_test(the_middle_between_two_codes_goes_to_the_even_one),
        cmocka_unit_test(floats_of_all_magnitudes_encode_to_the_nearest),
        cmocka_unit_test(what_is_too_large_saturates_with_its_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
