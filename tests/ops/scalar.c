/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Scalars as floats, against what the processor's own conversions give in the default environment, and the
 * same in another one.
 */
#include "ops/scalar.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/bits.h"
#include "support/conversion.h"
#include "support/random.h"

static struct scalar_value real(double value)
{
    return (struct scalar_value){.dtype = ACL_DOUBLE, .value.real = value};
}

static struct scalar_value integer(int64_t value)
{
    return (struct scalar_value){.dtype = ACL_INT64, .value.integer = value};
}

static void assert_rounded(double value)
{
    struct scalar_value scalar = real(value);
    volatile float narrow = (float)value;
    assert_int_equal(fp64_bits(scalar_to_fp32(&scalar)), fp64_bits((double)narrow));
    assert_int_equal(fp64_bits(scalar_to_fp64(&scalar)), fp64_bits(value));
}

static void doubles_round_to_floats_once(void **state)
{
    (void)state;
    const double values[] = {0.0,
                             -0.0,
                             1.0,
                             0.01,
                             -0.3,
                             1e-40,
                             0x1p-149,
                             0x1p-150,
                             0x1.8p-150,
                             0x1p-151,
                             0x1p-1074,
                             0x1p-126,
                             0x1p127,
                             (double)FLT_MAX,
                             0x1.ffffffp127,
                             0x1.fffffefffffffp127,
                             1e308,
                             -1e308,
                             (double)INFINITY,
                             -(double)INFINITY,
                             DBL_MIN};
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        assert_rounded(values[i]);
    for (unsigned i = 0; i < 200000; i++) {
        /* Exponents around the range of fp32, subnormals included; half of the fractions near a tie. */
        uint64_t bits = random_bits(), exponent = 1023 - 160 + random_bits() % 300;
        uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
        if (i % 2 == 0)
            fraction = (fraction & ~((UINT64_C(1) << 29) - 1)) + (UINT64_C(1) << 28) + random_bits() % 3 - 1;
        double value =
            fp64_from((bits & (UINT64_C(1) << 63)) | exponent << 52 | (fraction & ((UINT64_C(1) << 52) - 1)));
        assert_rounded(value);
    }
}

static void integers_round_once(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        int64_t value = (int64_t)random_bits() >> random_bits() % 64;
        if (i % 2 == 0 && value > INT64_C(1) << 40)
            value = (value >> 39 << 39) + (INT64_C(1) << 38) + (int64_t)(random_bits() % 3) - 1;
        struct scalar_value scalar = integer(value);
        volatile float narrow = (float)value;
        volatile double wide = (double)value;
        assert_int_equal(fp64_bits(scalar_to_fp32(&scalar)), fp64_bits((double)narrow));
        assert_int_equal(fp64_bits(scalar_to_fp64(&scalar)), fp64_bits(wide));

        scalar = (struct scalar_value){.dtype = ACL_UINT64, .value.natural = (uint64_t)value};
        narrow = (float)(uint64_t)value;
        assert_int_equal(fp64_bits(scalar_to_fp32(&scalar)), fp64_bits((double)narrow));
    }
    static const aclDataType naturals[] = {ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64};
    static const aclDataType integers[] = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_BOOL};
    for (size_t i = 0; i < sizeof naturals / sizeof naturals[0]; i++) {
        struct scalar_value scalar = {.dtype = naturals[i], .value.natural = 200};
        assert_int_equal(fp64_bits(scalar_to_fp64(&scalar)), fp64_bits(200));
    }
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        struct scalar_value scalar = {.dtype = integers[i], .value.integer = 1};
        assert_int_equal(fp64_bits(scalar_to_fp32(&scalar)), fp64_bits(1));
    }
    struct scalar_value least = integer(INT64_MIN), zero = integer(0);
    assert_int_equal(fp64_bits(scalar_to_fp32(&least)), fp64_bits(-0x1p63));
    assert_int_equal(fp64_bits(scalar_to_fp64(&zero)), 0);
}

static void every_nan_becomes_the_canonical_one(void **state)
{
    (void)state;
    struct scalar_value scalar = real(fp64_from(UINT64_C(0xFFF0000000000001)));
    assert_int_equal(fp64_bits(scalar_to_fp32(&scalar)), UINT64_C(0x7FF8000000000000));
    assert_int_equal(fp64_bits(scalar_to_fp64(&scalar)), UINT64_C(0x7FF8000000000000));
}

static void the_sign_is_that_of_the_stored_value(void **state)
{
    (void)state;
    const struct {
        struct scalar_value scalar;
        bool is_negative;
    } cases[] = {
        {real(-1), true},
        {real(-0x1p-1074), true}, /* 0 as a float */
        {real(-(double)INFINITY), true},
        {real(-0.0), false},
        {real(0), false},
        {real(fp64_from(UINT64_C(0xFFF8000000000000))), false}, /* NaN with a sign */
        {real((double)INFINITY), false},
        {integer(-1), true},
        {integer(INT64_MIN), true},
        {integer(0), false},
        {{.dtype = ACL_BOOL, .value.integer = 1}, false},
        {{.dtype = ACL_UINT8, .value.natural = 255}, false},
        {{.dtype = ACL_UINT64, .value.natural = UINT64_MAX}, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (scalar_is_negative(&cases[i].scalar) != cases[i].is_negative)
            fail_msg("case %u", i);
}

static void zero_or_more_is_told_for_every_kind_of_float(void **state)
{
    (void)state;
    assert_true(fp32_is_zero_or_more(0.0f));
    assert_true(fp32_is_zero_or_more(-0.0f));
    assert_true(fp32_is_zero_or_more(1.0f));
    assert_true(fp32_is_zero_or_more(0x1p-149f));
    assert_true(fp32_is_zero_or_more(INFINITY));
    assert_false(fp32_is_zero_or_more(-0x1p-149f));
    assert_false(fp32_is_zero_or_more(-1.0f));
    assert_false(fp32_is_zero_or_more(-INFINITY));
    assert_false(fp32_is_zero_or_more(NAN));
    assert_false(fp32_is_zero_or_more(-NAN));
}

static void the_rounding_mode_of_the_caller_does_not_matter(void **state)
{
    (void)state;
    struct scalar_value scalar = real(0.01), large = integer(INT64_MAX);
    double slope = scalar_to_fp32(&scalar), wide = scalar_to_fp32(&large);
    fesetround(FE_UPWARD);
    double slope_upward = scalar_to_fp32(&scalar), wide_upward = scalar_to_fp32(&large);
    fesetround(FE_TOWARDZERO);
    double slope_to_zero = scalar_to_fp32(&scalar), wide_to_zero = scalar_to_fp32(&large);
    fesetround(FE_TONEAREST);
    assert_int_equal(fp64_bits(slope_upward), fp64_bits(slope));
    assert_int_equal(fp64_bits(slope_to_zero), fp64_bits(slope));
    assert_int_equal(fp64_bits(wide_upward), fp64_bits(wide));
    assert_int_equal(fp64_bits(wide_to_zero), fp64_bits(wide));
}

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

/* As elements are, for scalars as aclCreateScalar keeps them, in any environment. */
static void assert_converted(const struct scalar_value *scalar, aclDataType wide)
{
    for (int k = 0; k < CONVERSION_DTYPES; k++) {
        _Alignas(16) unsigned char expected[16] = {0}, found[16] = {0};
        aclDataType dtype = conversion_dtypes[k];
        if (is_complex(wide) == is_complex(dtype) || !is_complex(wide))
            conversion_reference(&scalar->value, wide, expected, dtype);
        scalar_convert(scalar, dtype, found);
        assert_memory_equal(found, expected, sizeof found);
    }
}

static void scalars_become_what_elements_do(void **state)
{
    (void)state;
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (unsigned i = 0; i < 100000; i++) {
        int64_t value = (int64_t)random_bits() >> random_bits() % 64;
        struct scalar_value whole = integer(value);
        struct scalar_value number = real((double)value * 0x1p-8);
        struct scalar_value natural = {.dtype = ACL_UINT32, .value.natural = (uint64_t)value};
        struct scalar_value pair = {.dtype = ACL_COMPLEX64,
                                    .value.complex_ = {(double)value * 0x1p-20, (double)value * 0x1p70}};
        number.dtype = i % 2 == 0 ? ACL_FLOAT : ACL_DOUBLE;
        fesetround(modes[i % 4]);
        assert_converted(&whole, ACL_INT64);
        assert_converted(&number, ACL_DOUBLE);
        assert_converted(&natural, ACL_UINT64);
        assert_converted(&pair, ACL_COMPLEX128);
        assert_int_equal(fegetround(), modes[i % 4]);
        fesetround(FE_TONEAREST);
    }
}

static void a_scalar_that_is_nan_becomes_the_canonical_one(void **state)
{
    (void)state;
    struct scalar_value scalar = real(fp64_from(UINT64_C(0xFFF0000000000001)));
    struct scalar_value pair = {.dtype = ACL_COMPLEX128, .value.complex_ = {scalar.value.real, 1}};
    uint64_t found[2] = {0};
    scalar_convert(&scalar, ACL_DOUBLE, found);
    assert_int_equal(found[0], UINT64_C(0x7FF8000000000000));
    scalar_convert(&pair, ACL_COMPLEX128, found);
    assert_int_equal(found[0], UINT64_C(0x7FF8000000000000));
    assert_int_equal(found[1], UINT64_C(0x3FF0000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_round_to_floats_once),
        cmocka_unit_test(integers_round_once),
        cmocka_unit_test(every_nan_becomes_the_canonical_one),
        cmocka_unit_test(the_sign_is_that_of_the_stored_value),
        cmocka_unit_test(zero_or_more_is_told_for_every_kind_of_float),
        cmocka_unit_test(the_rounding_mode_of_the_caller_does_not_matter),
        cmocka_unit_test(scalars_become_what_elements_do),
        cmocka_unit_test(a_scalar_that_is_nan_becomes_the_canonical_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
