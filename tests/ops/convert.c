/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversions between floating-point dtypes, against a search for the nearest value: a reference that knows
 * the formats by their decoding alone.
 */
#include "ops/transfer.h"
#include "tensor/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/bits.h"
#include "support/random.h"

/* Every level that the processor has is tested in turn. */
static enum isa_level level;

static void convert(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, size_t count)
{
    transfer_of(level)->convert(from, from_dtype, to, to_dtype, count);
    if (count > 1)
        return;
    /* A single element goes another way than those of a whole vector. */
    enum { COPIES = 33 };
    _Alignas(16) unsigned char copies[COPIES * 8], found[COPIES * 16];
    size_t from_bytes = dtype_bytes(from_dtype), to_bytes = dtype_bytes(to_dtype);
    for (size_t i = 0; i < COPIES; i++)
        memcpy(copies + i * from_bytes, from, from_bytes);
    transfer_of(level)->convert(copies, from_dtype, found, to_dtype, COPIES);
    for (size_t i = 0; i < COPIES; i++)
        if (memcmp(found + i * to_bytes, to, to_bytes) != 0)
            fail_msg("element %zu of %d differs", i, COPIES);
}

/* A 16-bit code's value; infinity has the value that the next finite number would have. */
static double decode(uint32_t code, unsigned fraction_bits, int bias)
{
    uint32_t fraction = code & ((1u << fraction_bits) - 1);
    int exponent = (int)((code & 0x7FFF) >> fraction_bits);
    double magnitude = exponent == 0
                           ? ldexp(fraction, 1 - bias - (int)fraction_bits)
                           : ldexp(fraction + (1u << fraction_bits), exponent - bias - (int)fraction_bits);
    return code & 0x8000 ? -magnitude : magnitude;
}

/* The nearest code by bisection; codes of one sign rise with their values. */
static uint16_t nearest(double value, unsigned fraction_bits, int bias)
{
    uint32_t infinity = 0x7FFFu >> fraction_bits << fraction_bits, sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return (uint16_t)(infinity | 1u << (fraction_bits - 1));
    double magnitude = fabs(value);
    uint32_t below = 0, above = infinity;
    if (magnitude >= decode(infinity, fraction_bits, bias))
        return (uint16_t)(sign | infinity);
    while (above - below > 1) {
        uint32_t middle = (below + above) / 2;
        if (decode(middle, fraction_bits, bias) <= magnitude)
            below = middle;
        else
            above = middle;
    }
    /* Both distances are exact: neighbours of a double within a factor of two, or subnormal ones of the code.
     */
    double down = magnitude - decode(below, fraction_bits, bias);
    double up = decode(above, fraction_bits, bias) - magnitude;
    uint32_t code = down < up || (down == up && below % 2 == 0) ? below : above;
    return (uint16_t)(sign | code);
}

static uint16_t nearest_fp16(double value)
{
    return nearest(value, 10, 15);
}

static uint16_t nearest_bf16(double value)
{
    return nearest(value, 7, 127);
}

static bool is_nan16(uint32_t code, unsigned fraction_bits)
{
    return (code & 0x7FFF) > 0x7FFFu >> fraction_bits << fraction_bits;
}

static bool is_infinite16(uint32_t code, unsigned fraction_bits)
{
    return (code & 0x7FFF) == 0x7FFFu >> fraction_bits << fraction_bits;
}

static void assert_widened(aclDataType dtype, unsigned fraction_bits, int bias)
{
    for (uint32_t code = 0; code < 65536; code++) {
        uint16_t source = (uint16_t)code;
        float single;
        double wide;
        convert(&source, dtype, &single, ACL_FLOAT, 1);
        convert(&source, dtype, &wide, ACL_DOUBLE, 1);
        if (is_nan16(code, fraction_bits)) {
            assert_true(isnan(single) && isnan(wide));
            continue;
        }
        double expected = decode(code, fraction_bits, bias);
        if (is_infinite16(code, fraction_bits))
            expected = copysign((double)INFINITY, expected);
        if ((double)single != expected || wide != expected || !signbit(single) != !signbit(expected) ||
            !signbit(wide) != !signbit(expected))
            fail_msg("%04x became %a and %a", code, (double)single, wide);
    }
}

static void every_16_bit_number_widens_exactly(void **state)
{
    (void)state;
    assert_widened(ACL_FLOAT16, 10, 15);
    assert_widened(ACL_BF16, 7, 127);
}

static void every_16_bit_number_becomes_the_nearest_of_the_other_kind(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 65536; code++) {
        uint16_t source = (uint16_t)code, found;
        convert(&source, ACL_FLOAT16, &found, ACL_BF16, 1);
        double value = is_nan16(code, 10) ? (double)NAN : decode(code, 10, 15);
        if (is_infinite16(code, 10))
            value = copysign((double)INFINITY, value);
        assert_int_equal(found, nearest_bf16(value));
        convert(&source, ACL_BF16, &found, ACL_FLOAT16, 1);
        value = is_nan16(code, 7) ? (double)NAN : decode(code, 7, 127);
        assert_int_equal(found, nearest_fp16(value));
    }
}

static void assert_narrowed(double value)
{
    uint16_t half, brain;
    convert(&value, ACL_DOUBLE, &half, ACL_FLOAT16, 1);
    convert(&value, ACL_DOUBLE, &brain, ACL_BF16, 1);
    if (half != nearest_fp16(value) || brain != nearest_bf16(value))
        fail_msg("%a became fp16 %04x, not %04x, and bf16 %04x, not %04x", value, half, nearest_fp16(value),
                 brain, nearest_bf16(value));
    float single;
    convert(&value, ACL_DOUBLE, &single, ACL_FLOAT, 1);
    volatile float expected = (float)value;
    assert_int_equal(fp32_bits(single), isnan(value) ? 0x7FC00000 : fp32_bits(expected));
    convert(&single, ACL_FLOAT, &half, ACL_FLOAT16, 1);
    convert(&single, ACL_FLOAT, &brain, ACL_BF16, 1);
    if (half != nearest_fp16((double)single) || brain != nearest_bf16((double)single))
        fail_msg("%a became fp16 %04x and bf16 %04x", (double)single, half, brain);
}

static void narrowing_rounds_once_to_the_nearest_and_to_even(void **state)
{
    (void)state;
    const double values[] = {0.0,         -0.0,           65504,         65519.999,        65520,
                             65536,       1e300,          -1e300,        (double)INFINITY, -(double)INFINITY,
                             (double)NAN, -(double)NAN,   0x1p-1074,     0x1p-24,          0x1p-25,
                             0x1.8p-25,   0x1p-133,       0x1p-134,      0x1.8p-134,       0x1.fep127,
                             0x1.ffp127,  0x1.feffffp127, 0x1.ffffffp127};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_narrowed(values[i]);
    /* The middle between two neighbours of each kind, a little less, and a little more. */
    for (uint32_t code = 0; code < 0x7F80; code += 1 + code % 3) {
        double half = code < 0x7C00 ? (decode(code, 10, 15) + decode(code + 1, 10, 15)) / 2 : 1;
        double brain = (decode(code, 7, 127) + decode(code + 1, 7, 127)) / 2;
        for (int step = -1; step <= 1; step++) {
            assert_narrowed(step == 0 ? half : nextafter(half, step * 1e9));
            assert_narrowed(-(step == 0 ? brain : nextafter(brain, step * 1e300)));
        }
    }
    for (unsigned i = 0; i < 100000; i++)
        assert_narrowed(
            fp64_from((random_bits() & ~(UINT64_C(0x7FF) << 52)) | (1023 - 160 + random_bits() % 300) << 52));
}

static void nan_of_any_kind_becomes_the_canonical_one(void **state)
{
    (void)state;
    const uint32_t singles[] = {0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFC00000};
    for (unsigned i = 0; i < 4; i++) {
        float value = fp32_from(singles[i]);
        uint16_t half, brain;
        convert(&singles[i], ACL_FLOAT, &half, ACL_FLOAT16, 1);
        convert(&singles[i], ACL_FLOAT, &brain, ACL_BF16, 1);
        assert_true(isnan(value));
        assert_int_equal(half, 0x7E00);
        assert_int_equal(brain, 0x7FC0);
    }
    const uint64_t doubles[] = {UINT64_C(0x7FF0000000000001), UINT64_C(0xFFF8000000000000)};
    for (unsigned i = 0; i < 2; i++) {
        uint16_t half, brain;
        uint32_t single;
        convert(&doubles[i], ACL_DOUBLE, &half, ACL_FLOAT16, 1);
        convert(&doubles[i], ACL_DOUBLE, &brain, ACL_BF16, 1);
        convert(&doubles[i], ACL_DOUBLE, &single, ACL_FLOAT, 1);
        assert_int_equal(half, 0x7E00);
        assert_int_equal(brain, 0x7FC0);
        assert_int_equal(single, 0x7FC00000);
    }
}

/* The same values through every length and dtype: vector body and tail agree, and nothing is written behind.
 */
static void all_lengths_convert_alike(void **state)
{
    (void)state;
    const aclDataType real[] = {ACL_FLOAT16, ACL_BF16, ACL_FLOAT, ACL_DOUBLE};
    const aclDataType target[] = {ACL_FLOAT16, ACL_BF16,      ACL_FLOAT,
                                  ACL_DOUBLE,  ACL_COMPLEX64, ACL_COMPLEX128};
    const size_t bytes[] = {2, 2, 4, 8, 8, 16};
    static _Alignas(16) unsigned char source[CONVERT_MAX * 8], found[CONVERT_MAX * 16 + 16], one[16];
    for (unsigned from = 0; from < 4; from++) {
        for (size_t i = 0; i < CONVERT_MAX; i++) {
            double value = (double)(int64_t)(random_bits() % 4001 - 2000) / 64;
            if (real[from] == ACL_DOUBLE)
                memcpy(source + 8 * i, &value, 8);
            else
                convert(&value, ACL_DOUBLE, source + bytes[from] * i, real[from], 1);
        }
        for (unsigned to = 0; to < 6; to++) {
            if (real[from] == target[to])
                continue;
            const size_t lengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100, CONVERT_MAX - 1, CONVERT_MAX};
            for (unsigned n = 0; n < sizeof lengths / sizeof lengths[0]; n++) {
                memset(found, 0xA5, sizeof found);
                convert(source, real[from], found, target[to], lengths[n]);
                for (size_t i = 0; i < lengths[n]; i++) {
                    convert(source + bytes[from] * i, real[from], one, target[to], 1);
                    assert_memory_equal(found + bytes[to] * i, one, bytes[to]);
                }
                for (unsigned i = 0; i < 16; i++)
                    assert_int_equal(found[bytes[to] * lengths[n] + i], 0xA5);
            }
        }
    }
}

static void complex_numbers_get_an_imaginary_part_of_plus_zero(void **state)
{
    (void)state;
    uint16_t minus_two = 0xC000;
    uint32_t pair[2] = {1, 1};
    convert(&minus_two, ACL_FLOAT16, pair, ACL_COMPLEX64, 1);
    assert_int_equal(pair[0], fp32_bits(-2.0f));
    assert_int_equal(pair[1], 0);
    double value = -0.1, wide[2] = {1, 1};
    convert(&value, ACL_DOUBLE, wide, ACL_COMPLEX128, 1);
    assert_true(wide[0] == -0.1 && wide[1] == 0 && !signbit(wide[1]));
    convert(&value, ACL_DOUBLE, pair, ACL_COMPLEX64, 1);
    assert_int_equal(pair[0], fp32_bits(-0.1f));
    assert_int_equal(pair[1], 0);
    float single = 0.1f;
    convert(&single, ACL_FLOAT, wide, ACL_COMPLEX128, 1);
    assert_true(wide[0] == (double)0.1f && wide[1] == 0 && !signbit(wide[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_16_bit_number_widens_exactly),
        cmocka_unit_test(every_16_bit_number_becomes_the_nearest_of_the_other_kind),
        cmocka_unit_test(narrowing_rounds_once_to_the_nearest_and_to_even),
        cmocka_unit_test(nan_of_any_kind_becomes_the_canonical_one),
        cmocka_unit_test(all_lengths_convert_alike),
        cmocka_unit_test(complex_numbers_get_an_imaginary_part_of_plus_zero),
    };
    int failed = 0;
    for (level = ISA_BASELINE; level <= processor_kernel_level(); level++)
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
