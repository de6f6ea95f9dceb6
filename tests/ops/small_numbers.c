/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 and of 4 bits: every code of every format as a number, and every number of 16 bits, all middles
 * and what lies next to them as the code that a search through all codes finds, at each level for conversions
 * and in each rounding for those that quantising functions write; the scales of MX blocks by their formula.
 */
#include "ops/quantise/formats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ops/transfer.h"
#include "support/conversion.h"
#include "support/random.h"
#include "tensor/dtype.h"

static const aclDataType dtypes[] = {ACL_HIFLOAT8,    ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0,
                                     ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2, ACL_INT4};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0], CODES = 256 };

static unsigned codes_of(aclDataType dtype)
{
    return dtype == ACL_INT4 || dtype == ACL_FLOAT4_E2M1 || dtype == ACL_FLOAT4_E1M2 ? 16 : CODES;
}

/* As its dot field says how the other bits are shared out. */
static double value_of_hifloat8(unsigned code)
{
    static const struct {
        unsigned prefix, prefix_bits, exponent_bits;
    } fields[] = {{3, 2, 4}, {2, 2, 3}, {1, 2, 2}, {1, 3, 1}, {1, 4, 0}};
    const unsigned body = code & 127;
    const double sign = code > 127 ? -1 : 1;
    if (code == 0x80)
        return (double)NAN;
    if (body == 0x6F)
        return sign * (double)INFINITY;
    for (unsigned i = 0; i < 5; i++) {
        const unsigned left = 7 - fields[i].prefix_bits, mantissa_bits = left - fields[i].exponent_bits;
        if (body >> left != fields[i].prefix)
            continue;
        const double mantissa = 1 + ldexp(body % (1U << mantissa_bits), -(int)mantissa_bits);
        if (fields[i].exponent_bits == 0)
            return sign * mantissa;
        const unsigned field = body >> mantissa_bits & ((1U << fields[i].exponent_bits) - 1),
                       top = 1U << (fields[i].exponent_bits - 1);
        const int distance = (int)(field % top + top);
        return sign * ldexp(mantissa, field >= top ? -distance : distance);
    }
    return body == 0 ? 0 : sign * ldexp(1, (int)body - 23);
}

static double value_of(aclDataType dtype, unsigned code)
{
    static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const double sign = code % 16 > 7 ? -1 : 1;
    const bool is_e4m3 = dtype == ACL_FLOAT8_E4M3FN;
    if (dtype == ACL_HIFLOAT8)
        return value_of_hifloat8(code);
    if (dtype == ACL_FLOAT8_E8M0)
        return code == 255 ? (double)NAN : ldexp(1, (int)code - 127);
    if (dtype == ACL_FLOAT4_E2M1)
        return sign * e2m1[code % 8];
    if (dtype == ACL_FLOAT4_E1M2)
        return sign * (code % 8) / 4;
    if (dtype == ACL_INT4)
        return code > 7 ? (double)code - 16 : code;
    const unsigned bits = is_e4m3 ? 3 : 2, body = code & 127, field = body >> bits;
    const double mantissa = body % (1U << bits), one = 1U << bits, side = code > 127 ? -1 : 1;
    if (is_e4m3 ? body == 127 : body > 0x7C)
        return (double)NAN;
    if (!is_e4m3 && body == 0x7C)
        return side * (double)INFINITY;
    const int bias = is_e4m3 ? 7 : 15;
    return side *
           ldexp(field == 0 ? mantissa : one + mantissa, (field == 0 ? 1 : (int)field) - bias - (int)bits);
}

static bool is_finite(double value)
{
    return value - value == 0;
}

static double distance(double a, double b)
{
    return fabs(a - b);
}

/* The code whose number the rounding means: the one with the even code of two that are as near, or the greater;
 * finite ones alone. Signed zeros are told apart, where there are two. */
static unsigned searched(aclDataType dtype, enum rounding rounding, double value)
{
    int best = -1;
    for (unsigned code = 0; code < codes_of(dtype); code++) {
        const double here = value_of(dtype, code);
        if (!is_finite(here) || (here == 0 && signbit(here) != signbit(value) && dtype != ACL_HIFLOAT8) ||
            (here != 0 && signbit(here) != signbit(value)))
            continue;
        const double before = best < 0 ? 0 : value_of(dtype, (unsigned)best);
        bool is_better;
        switch (rounding) {
        case ROUNDING_FLOOR:
            is_better = here <= value && (best < 0 || here > before);
            break;
        case ROUNDING_CEIL:
            is_better = here >= value && (best < 0 || here < before);
            break;
        case ROUNDING_TRUNC:
            is_better = fabs(here) <= fabs(value) && (best < 0 || fabs(here) > fabs(before));
            break;
        case ROUNDING_RINT:
            is_better = best < 0 || distance(here, value) < distance(before, value) ||
                        (distance(here, value) == distance(before, value) && code % 2 == 0);
            break;
        default:
            is_better = best < 0 || distance(here, value) < distance(before, value) ||
                        (distance(here, value) == distance(before, value) && fabs(here) > fabs(before));
            break;
        }
        best = is_better ? (int)code : best;
    }
    assert_true(best >= 0);
    return (unsigned)best;
}

/* HIFLOAT8 has no code order in which neighbours differ in their last bit: its ties go to the even multiple of
 * what it can tell there. */
static unsigned searched_even(double value)
{
    const unsigned up = searched(ACL_HIFLOAT8, ROUNDING_ROUND, value),
                   down = searched(ACL_HIFLOAT8, ROUNDING_TRUNC, value);
    const double more = value_of(ACL_HIFLOAT8, up), less = value_of(ACL_HIFLOAT8, down);
    if (up == down || distance(more, value) != distance(less, value))
        return up;
    return fmod(fabs(less) / fabs(more - less), 2) == 0 ? down : up;
}

/* What a code is for quantising functions. */
static unsigned encoded(aclDataType dtype, enum rounding rounding, double value)
{
    const struct number_format *format = number_format_of(dtype);
    const double near = value > format->most ? format->most : value < -format->most ? -format->most : value;
    if (value != value)
        return dtype == ACL_FLOAT8_E4M3FN ? 0x7F : dtype == ACL_FLOAT8_E5M2 ? 0x7E : 0;
    if (dtype == ACL_HIFLOAT8 && rounding == ROUNDING_RINT)
        return searched_even(near);
    return searched(dtype, rounding, near);
}

/* What it is for conversions. */
static unsigned converted(aclDataType dtype, double value)
{
    if (dtype == ACL_INT4) {
        const double whole = trunc(value);
        if (value >= 0x1p63) /* the greatest INT64 */
            return 15;
        return !is_finite(value) || fabs(whole) >= 0x1p62 ? 0 : (unsigned)((int64_t)whole & 15);
    }
    if (dtype == ACL_FLOAT8_E8M0)
        return !is_finite(value) || fabs(value) >= 0x1.8p127 ? 255
               : fabs(value) <= 0x1p-127                     ? 0
                                                             : searched(dtype, ROUNDING_ROUND, fabs(value));
    if (dtype == ACL_HIFLOAT8 && value != value)
        return 0x80;
    if (dtype == ACL_HIFLOAT8 && fabs(value) >= 40960)
        return value < 0 ? 0xEF : 0x6F;
    return encoded(dtype, dtype == ACL_HIFLOAT8 ? ROUNDING_ROUND : ROUNDING_RINT, value);
}

/* E8M0 of FLOAT's subnormal numbers is by halves of the least that is not. */
static bool is_below_all(aclDataType dtype, double value)
{
    return dtype == ACL_FLOAT8_E8M0 && fabs(value) < 0x1p-126;
}

static void codes_are_numbers_at_each_level(void **state)
{
    (void)state;
    uint8_t code[CODES];
    for (unsigned i = 0; i < CODES; i++)
        code[i] = (uint8_t)i;
    for (unsigned d = 0; d < DTYPES; d++)
        for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
            double found[CODES];
            float single[CODES];
            transfer_of(level)->convert(code, dtypes[d], found, ACL_DOUBLE, codes_of(dtypes[d]));
            transfer_of(level)->convert(code, dtypes[d], single, ACL_FLOAT, codes_of(dtypes[d]));
            for (unsigned i = 0; i < codes_of(dtypes[d]); i++) {
                const double wanted = value_of(dtypes[d], i);
                if (wanted != wanted ? found[i] == found[i] : memcmp(&found[i], &wanted, sizeof wanted) != 0)
                    fail_msg("%s: code %u is %g and not %g", dtype_name(dtypes[d]), i, found[i], wanted);
                assert_true((double)single[i] == wanted || wanted != wanted);
            }
        }
}

static void assert_converted(aclDataType dtype, const float *value, size_t count)
{
    for (enum isa_level level = ISA_BASELINE; level <= processor_kernel_level(); level++) {
        uint8_t found[CONVERT_MAX];
        transfer_of(level)->convert(value, ACL_FLOAT, found, dtype, count);
        for (size_t i = 0; i < count; i++)
            if (!is_below_all(dtype, (double)value[i]) && found[i] != converted(dtype, (double)value[i]) &&
                !(value[i] != value[i] && dtype == ACL_FLOAT8_E5M2 && (found[i] & 127) == 127) &&
                !(value[i] != value[i] && dtype == ACL_FLOAT8_E4M3FN && (found[i] & 127) == 127) &&
                !(dtype == ACL_FLOAT8_E5M2 && fabs((double)value[i]) >= 61440))
                fail_msg("%s at level %d: %a is %u and not %u", dtype_name(dtype), (int)level,
                         (double)value[i], found[i], converted(dtype, (double)value[i]));
    }
}

static void assert_encoded(aclDataType dtype, const float *value, size_t count)
{
    for (int rounding = ROUNDING_RINT; number_format_of(dtype) != NULL && rounding <= ROUNDING_HYBRID;
         rounding++) {
        double wide[CONVERT_MAX];
        uint8_t found[CONVERT_MAX];
        for (size_t i = 0; i < count; i++)
            wide[i] = (double)value[i];
        numbers_encode(number_format_of(dtype), (enum rounding)rounding, wide, count, found);
        for (size_t i = 0; i < count; i++) {
            if (dtype == ACL_INT4) { /* signed bytes, of which -8 is one too */
                const double all[] = {nearbyint(wide[i]), round(wide[i]), floor(wide[i]),
                                      ceil(wide[i]),      trunc(wide[i]), round(wide[i])};
                const double near = all[rounding] < -8 ? -8 : all[rounding] > 7 ? 7 : all[rounding];
                assert_int_equal((int8_t)found[i], near != near ? 0 : (int)near);
                continue;
            }
            const unsigned wanted = encoded(dtype, (enum rounding)rounding, wide[i]);
            if (found[i] != wanted)
                fail_msg("%s, rounding %d: %a is %u and not %u", dtype_name(dtype), rounding, wide[i],
                         found[i], wanted);
        }
    }
}

static void numbers_of_16_bits_get_the_code_that_a_search_finds(void **state)
{
    enum { STEP = 64 };
    static const aclDataType from[] = {ACL_FLOAT16, ACL_BF16};
    (void)state;
    for (unsigned f = 0; f < 2; f++)
        for (unsigned first = 0; first < 65536; first += CONVERT_MAX) {
            uint16_t bits[CONVERT_MAX];
            float value[CONVERT_MAX], some[CONVERT_MAX / STEP * 8];
            size_t count = 0;
            for (unsigned i = 0; i < CONVERT_MAX; i++)
                bits[i] = (uint16_t)(first + i);
            transfer_of(ISA_BASELINE)->convert(bits, from[f], value, ACL_FLOAT, CONVERT_MAX);
            for (unsigned i = 0; i < CONVERT_MAX; i++)
                if (i % STEP < 4 || random_below(STEP) < 4)
                    some[count < sizeof some / sizeof some[0] - 1 ? count++ : count] = value[i];
            for (unsigned d = 0; d < DTYPES; d++) {
                assert_converted(dtypes[d], some, count);
                assert_encoded(dtypes[d], some, count);
            }
        }
}

static void middles_and_their_neighbours(void **state)
{
    (void)state;
    for (unsigned d = 0; d < DTYPES; d++)
        for (unsigned code = 0; code < codes_of(dtypes[d]); code++)
            for (unsigned other = 0; other < codes_of(dtypes[d]);
                 other += dtypes[d] == ACL_HIFLOAT8 ? 1 : 255) {
                const unsigned next = dtypes[d] == ACL_HIFLOAT8 ? other : (code + 1) % codes_of(dtypes[d]);
                const double a = value_of(dtypes[d], code), b = value_of(dtypes[d], next);
                const bool is_far = dtypes[d] == ACL_HIFLOAT8 && (a < 0 || b < a || b > 2 * a + 0x1p-22);
                if (!is_finite(a) || !is_finite(b) || is_far)
                    continue;
                const float middle = (float)((a + b) / 2);
                const float all[] = {middle,  nextafterf(middle, 0), nextafterf(middle, 1e9F), (float)a,
                                     -middle, -nextafterf(middle, 0)};
                assert_converted(dtypes[d], all, 6);
                assert_encoded(dtypes[d], all, 6);
            }
}

/* Of what FLOAT does not hold, the nearest all the same. */
static void wide_numbers_are_rounded_once(void **state)
{
    (void)state;
    const double near = 1 + 0x1p-4 - 0x1p-40; /* just below the middle of 1 and 1.125 */
    const int64_t whole = (INT64_C(17) << 40) - 1, least = (INT64_C(1) << 40) + 5;
    uint8_t found;
    transfer_of(ISA_BASELINE)->convert(&near, ACL_DOUBLE, &found, ACL_HIFLOAT8, 1);
    assert_int_equal(found, 0x08);
    transfer_of(ISA_BASELINE)->convert(&whole, ACL_INT64, &found, ACL_FLOAT8_E8M0, 1);
    assert_int_equal(found, 127 + 44);
    transfer_of(ISA_BASELINE)->convert(&least, ACL_INT64, &found, ACL_INT4, 1);
    assert_int_equal(found, 5);
}

static void halves_are_packed_and_unpacked(void **state)
{
    uint8_t code[16], packed[8], again[16];
    (void)state;
    for (unsigned i = 0; i < 16; i++)
        code[i] = (uint8_t)(15 - i);
    numbers_pack(code, 16, packed);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(packed[i], (15 - 2 * i) | (14 - 2 * i) << 4);
    numbers_unpack(packed, 16, again);
    assert_memory_equal(again, code, sizeof code);
}

static void roundings_have_names(void **state)
{
    static const char *const names[] = {"rint", "round", "floor", "ceil", "trunc", "hybrid"};
    enum rounding rounding;
    (void)state;
    for (int i = 0; i < 6; i++) {
        assert_true(rounding_read(names[i], &rounding));
        assert_int_equal(rounding, i);
    }
    assert_true(rounding_read(NULL, &rounding));
    assert_int_equal(rounding, ROUNDING_RINT);
    assert_false(rounding_read("nearest", &rounding));
    assert_null(number_format_of(ACL_FLOAT));
}

/* The scale that the rules say, by whole powers of two. */
static int scale_of(aclDataType dtype, enum mx_rule rule, double greatest, double most)
{
    const struct number_format *format = number_format_of(dtype);
    int exponent;
    if (!is_finite(greatest))
        return 255;
    if (greatest == 0)
        return 0;
    if (rule == MX_EXPONENT) {
        frexp(greatest, &exponent);
        return exponent - 1 - format->emax + 127 < 0 ? 0 : exponent - 1 - format->emax + 127;
    }
    const double quotient = greatest / (most > 0 ? most : format->most), whole = frexp(quotient, &exponent);
    return exponent - 1 + (whole > 0.5) + 127 > 254 ? 254 : exponent - 1 + (whole > 0.5) + 127;
}

static void scales_of_blocks(void **state)
{
    static const struct {
        aclDataType dtype;
        enum mx_rule rule;
        float greatest, most, least;
        int scale;
    } rows[] = {
        {ACL_FLOAT8_E4M3FN, MX_EXPONENT, 7.6F, 0, 0, 121},
        {ACL_FLOAT8_E4M3FN, MX_QUOTIENT, 7.6F, 0, 0, 122},
        {ACL_FLOAT8_E5M2, MX_EXPONENT, 7.6F, 0, 0, 114},
        {ACL_FLOAT4_E2M1, MX_EXPONENT, 7.6F, 0, 0, 127},
        {ACL_FLOAT4_E2M1, MX_QUOTIENT_OF_FLOAT4, 7.6F, 6, 0, 128},
        {ACL_FLOAT4_E2M1, MX_QUOTIENT_OF_FLOAT4, 7.6F, 7, 0, 128},
        {ACL_FLOAT4_E2M1, MX_QUOTIENT_OF_FLOAT4, 7.6F, 8, 0, 127},
        {ACL_FLOAT4_E2M1, MX_QUOTIENT_OF_FLOAT4, 12, 0, 0, 128},
        {ACL_FLOAT4_E2M1, MX_EXPONENT, 0.731F, 0, 0, 124},
        {ACL_FLOAT8_E4M3FN, MX_EXPONENT, 0, 0, 0, 0},
        {ACL_FLOAT8_E4M3FN, MX_QUOTIENT, 0, 0, 448, 127},
        {ACL_FLOAT8_E4M3FN, MX_QUOTIENT, 449, 0, 0, 128},
        {ACL_FLOAT8_E4M3FN, MX_QUOTIENT, (float)INFINITY, 0, 0, 255},
        {ACL_FLOAT8_E5M2, MX_EXPONENT, 0x1p-120F, 0, 0, 0},

    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(mx_scale_of_block(number_format_of(rows[i].dtype), rows[i].rule, rows[i].greatest,
                                           rows[i].most, rows[i].least),
                         rows[i].scale);
    /* A quotient below all that FLOAT has whole: 1 from half of 2^-126 on, and 0 of FLOAT4. */
    const struct number_format *e4m3 = number_format_of(ACL_FLOAT8_E4M3FN);
    assert_int_equal(mx_scale_of_block(e4m3, MX_QUOTIENT, 448 * 0x1.8p-127F, 0, 0), 1);
    assert_int_equal(mx_scale_of_block(e4m3, MX_QUOTIENT, 448 * 0x1p-127F, 0, 0), 0);
    assert_int_equal(
        mx_scale_of_block(number_format_of(ACL_FLOAT4_E2M1), MX_QUOTIENT_OF_FLOAT4, 6 * 0x1.8p-127F, 0, 0),
        0);
    for (unsigned k = 0; k < 65536; k++) {
        const uint32_t bits = (uint32_t)k << 15; /* positive ones, of half as many bits again as BFLOAT16 */
        float greatest;
        memcpy(&greatest, &bits, sizeof greatest);
        if (greatest != greatest || greatest < 0x1p-100F)
            continue;
        for (unsigned d = 0; d < DTYPES; d++) {
            const struct number_format *format = number_format_of(dtypes[d]);
            if (format == NULL || format->is_whole || dtypes[d] == ACL_HIFLOAT8)
                continue;
            assert_int_equal(mx_scale_of_block(format, MX_EXPONENT, greatest, 0, 0),
                             scale_of(dtypes[d], MX_EXPONENT, (double)greatest, 0));
            assert_int_equal(mx_scale_of_block(format, MX_QUOTIENT, greatest, 0, 0),
                             scale_of(dtypes[d], MX_QUOTIENT, (double)greatest, 0));
        }
    }
}

/* The block of the page: {1, -2.5, 3.3, .07, 6.9, -7.6}. */
static void a_block_is_encoded(void **state)
{
    static const double block[] = {1, -2.5, 3.3, 0.07, 6.9, -7.6, -0.0, 0};
    static const uint8_t e4m3[] = {0x68, 0xF2, 0x75, 0x49, 0x7E, 0xFE, 0x80, 0},
                         e2m1[] = {2, 0xC, 5, 0, 7, 0xF, 8, 0}, none[8] = {0};
    uint8_t found[8];
    (void)state;
    mx_encode_block(number_format_of(ACL_FLOAT8_E4M3FN), ROUNDING_RINT, 121, block, 8, found);
    assert_memory_equal(found, e4m3, 8);
    mx_encode_block(number_format_of(ACL_FLOAT4_E2M1), ROUNDING_RINT, 127, block, 8, found);
    assert_memory_equal(found, e2m1, 8);
    mx_encode_block(number_format_of(ACL_FLOAT4_E2M1), ROUNDING_RINT, 255, block, 8, found);
    assert_memory_equal(found, none, 8);
    assert_true(mx_factor(0) == 0x1p127 && mx_factor(254) == 0x1p-127);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_numbers_at_each_level),
        cmocka_unit_test(numbers_of_16_bits_get_the_code_that_a_search_finds),
        cmocka_unit_test(middles_and_their_neighbours),
        cmocka_unit_test(wide_numbers_are_rounded_once),
        cmocka_unit_test(halves_are_packed_and_unpacked),
        cmocka_unit_test(roundings_have_names),
        cmocka_unit_test(scales_of_blocks),
        cmocka_unit_test(a_block_is_encoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
