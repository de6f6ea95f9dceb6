/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "tensor/tensor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/failure.h"

static struct scalar_value decode(const void *value, aclDataType dtype)
{
    unsigned char bytes[24];
    memcpy(bytes + 1, value, 16); /* from an odd address */
    aclScalar *scalar = aclCreateScalar(bytes + 1, dtype);
    assert_non_null(scalar);
    memset(bytes, 0xaa, sizeof bytes);
    struct scalar_value copy;
    assert_true(scalar_read(scalar, &copy));
    assert_int_equal(copy.dtype, dtype);
    assert_int_equal(aclDestroyScalar(scalar), 0);
    return copy;
}

static double decode_code(uint32_t code, aclDataType dtype)
{
    unsigned char bytes[16] = {0};
    memcpy(bytes, &code, sizeof code);
    return decode(bytes, dtype).value.real;
}

static void assert_same(double value, double expected)
{
    if (isnan(expected))
        assert_true(isnan(value));
    else
        assert_true(value == expected && signbit(value) == signbit(expected));
}

static void integers_keep_their_value_and_sign(void **state)
{
    (void)state;
    int64_t minus_one[2] = {-1, -1};
    assert_int_equal(decode(minus_one, ACL_INT8).value.integer, -1);
    assert_int_equal(decode(minus_one, ACL_INT16).value.integer, -1);
    assert_int_equal(decode(minus_one, ACL_INT32).value.integer, -1);
    assert_int_equal(decode(minus_one, ACL_INT64).value.integer, -1);
    assert_true(decode(minus_one, ACL_UINT8).value.natural == UINT8_MAX);
    assert_true(decode(minus_one, ACL_UINT16).value.natural == UINT16_MAX);
    assert_true(decode(minus_one, ACL_UINT32).value.natural == UINT32_MAX);
    assert_true(decode(minus_one, ACL_UINT64).value.natural == UINT64_MAX);
    int64_t least[2] = {INT64_MIN, 0};
    assert_true(decode(least, ACL_INT64).value.integer == INT64_MIN);
}

static void a_bool_is_one_byte_and_true_when_it_is_not_0(void **state)
{
    (void)state;
    unsigned char value[16] = {0, 1, 1, 1};
    assert_int_equal(decode(value, ACL_BOOL).value.integer, 0);
    value[0] = 2;
    assert_int_equal(decode(value, ACL_BOOL).value.integer, 1);
}

static void floats_and_doubles_keep_every_value(void **state)
{
    (void)state;
    static const float values[] = {0.0f,      -0.0f,    1.0f,    -0.1f,     0x1p-149f,  -0x1.8p-140f,
                                   0x1p-126f, INFINITY, 3.4e38f, -INFINITY, (float)NAN, 0x1.fffffep0f};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        unsigned char bytes[16] = {0};
        memcpy(bytes, &values[i], sizeof values[i]);
        assert_same(decode(bytes, ACL_FLOAT).value.real, (double)values[i]);
        memcpy(bytes + 4, &values[(i + 1) % 12], sizeof values[i]);
        struct scalar_value complex_value = decode(bytes, ACL_COMPLEX64);
        assert_same(complex_value.value.complex_[0], (double)values[i]);
        assert_same(complex_value.value.complex_[1], (double)values[(i + 1) % 12]);
    }
    double pair[2] = {0x1.23456789abcdep-1060, -0.0};
    assert_same(decode(pair, ACL_DOUBLE).value.real, pair[0]);
    assert_same(decode(pair, ACL_COMPLEX128).value.complex_[0], pair[0]);
    assert_same(decode(pair, ACL_COMPLEX128).value.complex_[1], pair[1]);
}

/* The value as a textbook would work it out: no bit tricks shared with the code under test. */
static double ieee(uint32_t code, int exponent_bits, int mantissa_bits, int bias, bool has_infinity)
{
    int top = (1 << exponent_bits) - 1;
    int exponent = (int)(code >> mantissa_bits) & top;
    double fraction = (double)(code & ((1u << mantissa_bits) - 1)) / (1 << mantissa_bits);
    double sign = code >> (exponent_bits + mantissa_bits) & 1 ? -1.0 : 1.0;
    if (has_infinity && exponent == top)
        return fraction == 0 ? sign * (double)INFINITY : (double)NAN;
    return sign * (exponent == 0 ? fraction * pow(2, 1 - bias) : (1 + fraction) * pow(2, exponent - bias));
}

static void every_code_of_the_16_bit_formats_is_exact(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x10000; code++) {
        assert_same(decode_code(code, ACL_FLOAT16), ieee(code, 5, 10, 15, true));
        assert_same(decode_code(code, ACL_BF16), ieee(code, 8, 7, 127, true));
    }
}

static void every_code_of_the_small_formats_is_exact(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x100; code++) {
        assert_same(decode_code(code, ACL_FLOAT8_E5M2), ieee(code, 5, 2, 15, true));
        assert_same(decode_code(code, ACL_FLOAT8_E4M3FN),
                    (code & 0x7f) == 0x7f ? (double)NAN : ieee(code, 4, 3, 7, false));
        assert_same(decode_code(code, ACL_FLOAT8_E8M0), code == 255 ? (double)NAN : pow(2, (int)code - 127));
        /* The bits above the format are not part of it. */
        assert_same(decode_code(code, ACL_FLOAT6_E3M2), ieee(code & 63, 3, 2, 3, false));
        assert_same(decode_code(code, ACL_FLOAT6_E2M3), ieee(code & 63, 2, 3, 1, false));
        assert_same(decode_code(code, ACL_FLOAT4_E2M1), ieee(code & 15, 2, 1, 1, false));
        assert_same(decode_code(code, ACL_FLOAT4_E1M2), ieee(code & 15, 1, 2, 1, false));
    }
    assert_same(decode_code(0x7e, ACL_FLOAT8_E4M3FN), 448);
    assert_same(decode_code(0x1f, ACL_FLOAT6_E3M2), 28);
    assert_same(decode_code(0x1f, ACL_FLOAT6_E2M3), 7.5);
    assert_same(decode_code(0x7, ACL_FLOAT4_E2M1), 6);
    assert_same(decode_code(0x7, ACL_FLOAT4_E1M2), 1.75);
}

static void hifloat8_covers_38_powers_of_two_in_rising_order_of_magnitude(void **state)
{
    (void)state;
    bool is_seen[38] = {false};
    for (uint32_t code = 0; code < 0x80; code++) {
        double value = decode_code(code, ACL_HIFLOAT8);
        double negative = decode_code(code | 0x80, ACL_HIFLOAT8);
        if (code == 0) {
            assert_same(value, 0.0);
            assert_true(isnan(negative));
            continue;
        }
        assert_same(negative, -value);
        for (uint32_t other = 0; other < code; other++)
            assert_true(decode_code(other, ACL_HIFLOAT8) != value);
        if (code == 0x6f) {
            assert_same(value, (double)INFINITY);
            continue;
        }
        int exponent;
        double fraction = frexp(value, &exponent) * 2;
        exponent--;
        assert_in_range(exponent + 22, 0, 37);
        if (fraction == 1)
            is_seen[exponent + 22] = true;
        /* Three bits of mantissa up to 2^3, two up to 2^7, one above, none below 2^-15. */
        int size = abs(exponent);
        double step = exponent < -15 ? 1 : size < 4 ? 8 : size < 8 ? 4 : 2;
        assert_true((fraction - 1) * step == floor((fraction - 1) * step));
    }
    for (int i = 0; i < 38; i++)
        assert_true(is_seen[i]);
    assert_same(decode_code(0x6e, ACL_HIFLOAT8), 32768);
    assert_same(decode_code(0x08, ACL_HIFLOAT8), 1);
    assert_same(decode_code(0x11, ACL_HIFLOAT8), 2.25);
    assert_same(decode_code(0x19, ACL_HIFLOAT8), 0.5625);
    assert_same(decode_code(0x01, ACL_HIFLOAT8), 0x1p-22);
}

static void creation_refuses_null_and_what_is_no_number(void **state)
{
    (void)state;
    static const int refused[] = {
        ACL_DT_UNDEFINED, ACL_STRING, ACL_INT4, ACL_UINT1, ACL_COMPLEX32, 5, 42, 1000, -7};
    double value[2] = {0, 0};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_null(aclCreateScalar(value, (aclDataType)refused[i]));
        assert_sentence("aclCreateScalar: dataType is ");
    }
    assert_null(aclCreateScalar(NULL, ACL_FLOAT));
    assert_sentence("aclCreateScalar: value is NULL");
}

static void slots_of_destroyed_scalars_are_used_again(void **state)
{
    (void)state;
    float value = 1;
    for (int i = 0; i < 1000; i++) {
        aclScalar *object = aclCreateScalar(&value, ACL_FLOAT);
        assert_true(((uintptr_t)object & 0xffffff) < 64);
        assert_int_equal(aclDestroyScalar(object), 0);
    }
}

static void destroying_null_is_fine_and_anything_else_must_be_a_live_scalar(void **state)
{
    (void)state;
    float value = 1;
    struct scalar_value copy;
    assert_int_equal(aclDestroyScalar(NULL), 0);
    aclScalar *scalar = aclCreateScalar(&value, ACL_FLOAT);
    assert_int_equal(aclDestroyScalar(scalar), 0);
    assert_failure(aclDestroyScalar(scalar), 161002, "aclDestroyScalar: scalar was destroyed");
    assert_failure(aclDestroyScalar((aclScalar *)(void *)&value), 161002, "is not a handle of this library");
    assert_false(scalar_read(scalar, &copy));
    assert_false(scalar_read(NULL, &copy));
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_failure(aclDestroyScalar((aclScalar *)tensor), 161002, "is a tensor");
    assert_string_equal(scalar_fault((aclScalar *)tensor), "is a tensor");
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_keep_their_value_and_sign),
        cmocka_unit_test(a_bool_is_one_byte_and_true_when_it_is_not_0),
        cmocka_unit_test(floats_and_doubles_keep_every_value),
        cmocka_unit_test(every_code_of_the_16_bit_formats_is_exact),
        cmocka_unit_test(every_code_of_the_small_formats_is_exact),
        cmocka_unit_test(hifloat8_covers_38_powers_of_two_in_rising_order_of_magnitude),
        cmocka_unit_test(creation_refuses_null_and_what_is_no_number),
        cmocka_unit_test(slots_of_destroyed_scalars_are_used_again),
        cmocka_unit_test(destroying_null_is_fine_and_anything_else_must_be_a_live_scalar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
