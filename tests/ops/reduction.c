/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The quotient of an exact sum, against MPFR: every bit of it, and whether anything is lost behind them. And
 * which sums are divided among threads.
 */
#include "ops/reduction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <mpfr.h>
#include <stdatomic.h>

#include "ops/pointwise/elementwise_plan.h"
#include "runtime/workers.h"
#include "support/random.h"

/* More than the numerator and the divisor have bits. */
enum { EXACT_BITS = 2000 };

/* To 53 bits towards zero, the last one set where that is not all. */
static double rounded_to_odd(mpfr_srcptr numerator, mpfr_srcptr denominator)
{
    mpfr_t quotient;
    mpfr_init2(quotient, 53);
    bool is_inexact = mpfr_div(quotient, numerator, denominator, MPFR_RNDZ) != 0;
    double value = mpfr_get_d(quotient, MPFR_RNDZ);
    mpfr_clear(quotient);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= is_inexact;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static double reference(const struct exact_sum *sum, double subtrahend, double divisor, uint64_t count)
{
    mpfr_t numerator, term;
    mpfr_init2(numerator, EXACT_BITS);
    mpfr_init2(term, EXACT_BITS);
    mpfr_set_zero(numerator, 1);
    for (int k = 0; k < EXACT_SUM_BINS; k++) {
        mpfr_set_sj_2exp(term, sum->bin[k], 32 * k + EXACT_SUM_LOWEST, MPFR_RNDZ);
        mpfr_add(numerator, numerator, term, MPFR_RNDZ);
    }
    mpfr_set_d(term, subtrahend, MPFR_RNDZ);
    mpfr_mul_d(term, term, (double)(sum->counted >> 32) * 0x1p32, MPFR_RNDZ);
    mpfr_sub(numerator, numerator, term, MPFR_RNDZ);
    mpfr_set_d(term, subtrahend, MPFR_RNDZ);
    mpfr_mul_d(term, term, (double)(sum->counted & 0xffffffff), MPFR_RNDZ);
    mpfr_sub(numerator, numerator, term, MPFR_RNDZ);
    mpfr_set_uj(term, count, MPFR_RNDZ);
    mpfr_mul_d(term, term, divisor, MPFR_RNDZ);
    double value = mpfr_zero_p(numerator) ? 0 : rounded_to_odd(numerator, term);
    mpfr_clear(numerator);
    mpfr_clear(term);
    return value;
}

static void assert_quotient(const struct exact_sum *sum, double subtrahend, double divisor, uint64_t count)
{
    double found = exact_sum_quotient(sum, subtrahend, divisor, count);
    double expected = reference(sum, subtrahend, divisor, count);
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("(sum - %a * %llu) / (%a * %llu) is %a, and not %a", subtrahend,
                 (unsigned long long)sum->counted, divisor, (unsigned long long)count, expected, found);
}

/* All exponents that sums have, as many terms of each sign as leave the sum positive. */
static void every_bit_of_a_quotient_is_there(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        struct exact_sum sum = {.added = 0};
        int exponent = (int)(random_next(&seed) % 500) - 290, terms = (int)(random_next(&seed) % 4) + 1;
        double subtrahend = 0;
        for (int k = 0; k < terms; k++)
            exact_sum_add(&sum, ldexp((double)(random_next(&seed) >> 40) + 1,
                                      exponent - 24 - (int)(random_next(&seed) % 60 < 40 ? 0 : k)));
        if (i % 3 == 0) { /* what is taken away is less than a term */
            sum.counted = (random_next(&seed) >> (random_next(&seed) % 40 + 20)) + 1;
            subtrahend = ldexp((double)(random_next(&seed) >> 40) + 1, exponent - 24 - 24 - 44);
            subtrahend = subtrahend < 0x1p-318 ? 0 : subtrahend;
        }
        if (i % 5 == 0)
            exact_sum_carry(&sum);
        double divisor = ldexp((double)(random_next(&seed) >> (random_next(&seed) % 24 + 40)) + 1,
                               (int)(random_next(&seed) % 250) - 148);
        uint64_t count = (random_next(&seed) >> (random_next(&seed) % 63 + 1)) + 1;
        assert_quotient(&sum, subtrahend, divisor, count);
    }
}

/* Where the last bit, or the one that says that something is lost, decides. */
static void quotients_at_their_edges_are_right(void **state)
{
    (void)state;
    static const uint64_t counts[] = {
        1, 2, 3, 5, 7, (UINT64_C(1) << 54) - 1, UINT64_C(1) << 54, (UINT64_C(1) << 54) + 1, INT64_MAX};
    static const int exponents[] = {-320, -319, -299, -298, -289, -288, -266, -1, 0, 1, 200};
    for (unsigned e = 0; e < sizeof exponents / sizeof exponents[0]; e++)
        for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (int width = 1; width < 64; width++)
                for (int low = -1; low <= 1; low++) {
                    struct exact_sum sum = {.added = 0};
                    uint64_t significand = (UINT64_C(1) << width) + (uint64_t)low;
                    exact_sum_add_scaled(&sum, significand, exponents[e], false);
                    assert_quotient(&sum, 0, 1, counts[c]);
                    assert_quotient(&sum, 0, 3, counts[c]);
                }
}

static void sums_of_nothing_and_differences_of_nothing_are_zero(void **state)
{
    (void)state;
    struct exact_sum sum = {.counted = 5};
    assert_quotient(&sum, 0, 3, 7);
    exact_sum_add(&sum, 5 * 0.375);
    assert_quotient(&sum, 0.375, 3, 7);
    exact_sum_add(&sum, 0);
    exact_sum_add(&sum, 0x1p-298);
    assert_quotient(&sum, 0.375, 3, 7);
}

enum { ELEMENTS = 40000, CHUNK = 1 << 12 };
static _Atomic size_t largest;

static void note_and_add(const void *const *input, size_t count, const void *parameters,
                         struct exact_sum *sum)
{
    (void)parameters;
    size_t before = largest;
    while (before < count && !atomic_compare_exchange_weak(&largest, &before, count))
        ;
    for (size_t i = 0; i < count; i++) {
        const float value = ((const float *)input[0])[i];
        sum->is_infinite = sum->is_infinite || isinf(value);
        sum->is_nan = sum->is_nan || isnan(value);
        if (isfinite(value))
            exact_sum_add(sum, (double)value);
    }
}

static double mean(const struct exact_sum *sum, uint64_t count, const void *parameters)
{
    (void)parameters;
    return exact_sum_quotient(sum, 0, 1, count);
}

/* The mean of numbers that are all 0.75 but for one. */
static void assert_mean(float one, float wanted)
{
    static float input[ELEMENTS], output;
    void *const address[] = {input, &output};
    for (size_t i = 0; i < ELEMENTS; i++)
        input[i] = i == 2 * CHUNK + 5 ? one : 0.75f;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct elementwise_plan plan = {
            .reduce = note_and_add,
            .finish = mean,
            .transfer = transfer_of(ISA_BASELINE),
            .arithmetic = ACL_FLOAT,
            .result = ACL_FLOAT,
            .arithmetic_bytes = sizeof(float),
            .input_count = 1,
            .axis_count = 1,
            .count = ELEMENTS,
            .chunk = CHUNK,
            .chunks_at_once = 1,
            .cost_ns = is_long ? UINT64_MAX : 0,
            .operand = {[0] = {.dtype = ACL_FLOAT, .bytes = 4, .is_linear = true, .extent = ELEMENTS},
                        [OUTPUT] = {.dtype = ACL_FLOAT, .bytes = 4, .address = 1, .extent = 1}},
            .axis = {{ELEMENTS, {1}}},
        };
        /* Asked before, as the first loop finds out where there is one thread alone. */
        bool is_divided = is_long && workers_pay(plan.cost_ns);
        largest = 0;
        assert_int_equal(reduction_run(&plan, address, NULL), 0);
        assert_true(isnan(wanted) ? isnan(output) : output == wanted);
        assert_int_equal(largest, is_divided ? CHUNK : ELEMENTS);
    }
}

static void long_sums_are_divided_and_short_ones_are_not(void **state)
{
    (void)state;
    assert_mean(0.75f, 0.75f);
}

static void one_chunk_with_an_infinity_or_nan_decides_the_sum(void **state)
{
    (void)state;
    assert_mean(INFINITY, INFINITY);
    assert_mean(NAN, NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_a_quotient_is_there),
        cmocka_unit_test(quotients_at_their_edges_are_right),
        cmocka_unit_test(sums_of_nothing_and_differences_of_nothing_are_zero),
        cmocka_unit_test(long_sums_are_divided_and_short_ones_are_not),
        cmocka_unit_test(one_chunk_with_an_infinity_or_nan_decides_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
