/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sums of smooth L1 have every bit: those that kernels of each level make of elements of all sizes are
 * equal to sums of integers (GMP), not only after rounding.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "numerics/draw.h"
#include "ops/exact_sum.h"
#include "runtime/processor.h"
#include "simd/kernel.h"

KERNEL_LEVELS(smooth_l1_loss);

enum { COUNT_MAX = 5000, UNIT = 149 };

/* As at the top of the operator's file. */
struct parameters {
    float beta;
    bool is_mean;
};

/* How an array is drawn: numbers of one size, of some sizes and of all, and bits. */
enum kind { ONE_SIZE, SOME_SIZES, MORE_SIZES, MANY_SIZES, ALL_SIZES, ALIKE, EVERYTHING, KINDS };

static uint64_t draw(struct generator *generator, const struct format *format, enum kind kind, uint64_t other)
{
    static const int sizes[KINDS] = {4, 24, 46, 60, 230, 4, 0};
    uint64_t random = draw_bits(generator);
    if (kind == EVERYTHING)
        return draw_element(generator, format);
    if (kind == ALIKE && random % 4 != 0)
        return other ^ (random >> 32 & 7);
    int exponent = (int)(random % (uint64_t)sizes[kind]) - sizes[kind] / 2;
    double value = ldexp((double)(random >> 11) * 0x1p-52 + 1, exponent);
    return bits_of(format, random >> 10 & 1 ? -value : value);
}

/* x in units of 2^-149, which every number of fp32 and less is a multiple of. */
static void set_units(mpz_t units, double x)
{
    mpz_set_d(units, ldexp(x, UNIT));
}

/* The sum in units of 2^-298, less beta^2 for each element beyond beta; special ones have no part in it. */
static void reference_sum(const struct format *format, const uint64_t *x, const uint64_t *t, size_t count,
                          double beta, mpz_t sum, struct exact_sum *flags)
{
    mpz_t d, other, bound;
    mpz_inits(d, other, bound, NULL);
    mpz_set_ui(sum, 0);
    if (isfinite(beta))
        set_units(bound, beta);
    for (size_t i = 0; i < count; i++) {
        double a = value_of(format, x[i]), b = value_of(format, t[i]);
        if (!isfinite(a) || !isfinite(b)) {
            flags->is_nan = flags->is_nan || isnan(a - b) || isinf(beta);
            flags->is_infinite = flags->is_infinite || true;
            continue;
        }
        if (isinf(beta))
            continue;
        set_units(d, a);
        set_units(other, b);
        mpz_sub(d, d, other);
        mpz_abs(d, d);
        if (mpz_cmp(d, bound) < 0) {
            mpz_addmul(sum, d, d);
            continue;
        }
        mpz_mul_2exp(other, bound, 1);
        if (beta == 0)
            set_units(other, 1);
        mpz_addmul(sum, d, other);
        mpz_submul(sum, bound, bound);
    }
    mpz_clears(d, other, bound, NULL);
}

/* What the sum is worth: less beta^2 for each element that is counted. Kernels may count those beyond beta,
 * or take it off at once. */
static void set_worth(mpz_t value, struct exact_sum *sum, double beta)
{
    exact_sum_carry(sum);
    mpz_set_ui(value, 0);
    for (int k = EXACT_SUM_BINS; k-- > 0;) {
        mpz_mul_2exp(value, value, 32);
        if (sum->bin[k] >= 0)
            mpz_add_ui(value, value, (unsigned long)sum->bin[k]);
        else
            mpz_sub_ui(value, value, (unsigned long)-sum->bin[k]);
    }
    if (isinf(beta))
        return;
    mpz_t square;
    mpz_init(square);
    set_units(square, beta);
    mpz_mul(square, square, square);
    mpz_mul_2exp(square, square, -EXACT_SUM_LOWEST - 2 * UNIT);
    mpz_submul_ui(value, square, sum->counted);
    mpz_clear(square);
}

static void check(enum arithmetic dtype, enum kind kind, size_t count, float beta,
                  struct generator *generator)
{
    const struct format *format = &formats[dtype];
    const size_t bytes = (size_t)format->bits / 8;
    static uint64_t bits[2][COUNT_MAX];
    static uint64_t arrays[2][COUNT_MAX];
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < 2; j++) {
            bits[j][i] = draw(generator, format, kind, bits[0][i]);
            memcpy((char *)arrays[j] + i * bytes, &bits[j][i], bytes);
        }
    mpz_t wanted, got;
    mpz_inits(wanted, got, NULL);
    struct exact_sum flags = {.added = 0};
    reference_sum(format, bits[0], bits[1], count, fabs((double)beta), wanted, &flags);
    mpz_mul_2exp(wanted, wanted, -EXACT_SUM_LOWEST - 2 * UNIT);
    const struct parameters parameters = {beta, false};
    for (int level = 0; level <= (int)processor_level(); level++) {
        /* In one piece, and in two. */
        for (size_t first = 0; first <= count; first += count / 3 + 1) {
            const void *const head[] = {arrays[0], arrays[1]};
            const void *const tail[] = {(char *)arrays[0] + first * bytes, (char *)arrays[1] + first * bytes};
            struct exact_sum sum = {.added = 0};
            smooth_l1_loss_kernels[level]->reduce[dtype](head, first, &parameters, &sum);
            smooth_l1_loss_kernels[level]->reduce[dtype](tail, count - first, &parameters, &sum);
            set_worth(got, &sum, fabs((double)beta));
            if (mpz_cmp(wanted, got) != 0)
                print_error("%s, kind %d, %zu elements, beta %a, %s: another sum\n", format->name, (int)kind,
                            count, (double)beta, isa_level_name((enum isa_level)level));
            assert_int_equal(mpz_cmp(wanted, got), 0);
            assert_int_equal(sum.is_nan, flags.is_nan);
            assert_true(sum.is_nan || sum.is_infinite == flags.is_infinite);
        }
    }
    mpz_clears(wanted, got, NULL);
}

static void every_bit_of_a_sum_is_there(void **state)
{
    (void)state;
    static const float betas[] = {1, 0, 0.3F, 0x1p-20F, 1e-45F, 1e30F, 3.4e38F, INFINITY, -0.0F, 7, 1e-30F};
    static const size_t counts[] = {0, 1, 2, 7, 31, 32, 33, 64, 1000, 1023, 1024, 1025, COUNT_MAX};
    struct generator generator = {.state = 5};
    for (int dtype = 0; dtype < ARITHMETIC_FP64; dtype++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                for (size_t k = 0; k < sizeof betas / sizeof *betas; k++)
                    check((enum arithmetic)dtype, (enum kind)kind, counts[i], betas[k], &generator);
}

static void many_equal_elements_fill_no_sum(void **state)
{
    (void)state;
    /* The greatest sums that doubles or integers may hold: all bits set, in as many elements as are looked at
     * at a time, with one that takes the unit down as far as it goes; and differences that are no doubles. */
    static const struct {
        enum arithmetic dtype;
        float greatest, target, least;
    } of[] = {{ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep0F, 0x1p-18F},
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep0F, 0x1p-70F},
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep-33F, 0x1p-70F},
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep0F, 0x1p-110F},
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep-33F, 0x1p-110F},
              {ARITHMETIC_FP16, 0x1.ffcp3F, -0x1.ffcp3F, 0x1p-13F},
              {ARITHMETIC_BF16, 0x1.fep3F, -0x1.fep3F, 0x1p-16F}};
    static uint64_t x[COUNT_MAX], t[COUNT_MAX];
    mpz_t wanted, got;
    mpz_inits(wanted, got, NULL);
    for (size_t row = 0; row < sizeof of / sizeof *of; row++) {
        const enum arithmetic dtype = of[row].dtype;
        const struct format *format = &formats[dtype];
        const size_t bytes = (size_t)format->bits / 8;
        for (size_t i = 0; i < COUNT_MAX; i++) {
            const uint64_t bits[] = {bits_of(format, (double)of[row].greatest),
                                     bits_of(format, (double)(i == 7 ? of[row].least : of[row].target))};
            memcpy((char *)x + i * bytes, &bits[0], bytes);
            memcpy((char *)t + i * bytes, &bits[1], bytes);
        }
        const void *const input[] = {x, t};
        for (int level = 0; level <= (int)processor_level(); level++)
            for (int half = 0; half < 2; half++) {
                const struct parameters parameters = {(half ? 2.5F : 2) * of[row].greatest, false};
                struct exact_sum sum = {.added = 0}, slow = {.added = 0};
                smooth_l1_loss_kernels[level]->reduce[dtype](input, COUNT_MAX, &parameters, &sum);
                for (size_t i = 0; i < COUNT_MAX; i++) {
                    const void *const one[] = {(char *)x + i * bytes, (char *)t + i * bytes};
                    smooth_l1_loss_kernels[level]->reduce[dtype](one, 1, &parameters, &slow);
                }
                set_worth(got, &sum, (double)parameters.beta);
                set_worth(wanted, &slow, (double)parameters.beta);
                assert_int_equal(mpz_cmp(wanted, got), 0);
            }
    }
    mpz_clears(wanted, got, NULL);
}

/* Ordinary elements with one that is not among them, wherever in what is added at a time: the way that was
 * right for those before is not for that one. */
static void one_element_unlike_all_others_is_noticed(void **state)
{
    (void)state;
    static const float unlike[] = {
        0x1p-149F,  -0x1.8p-126F, 0x1.234568p-40F, 0x1.fffffep-25F,  0x1.000002p-13F, 0x1p-24F,  -0x1.fep7F,
        0x1.fep12F, 0x1.ffcp15F,  0x1.fffffep30F,  -0x1.fffffep127F, INFINITY,        -INFINITY, NAN};
    static const float betas[] = {1, 0.3F, 0x1p-20F, 1000, 1e30F};
    static float x[COUNT_MAX], t[COUNT_MAX];
    struct generator generator = {.state = 11};
    mpz_t wanted, got;
    mpz_inits(wanted, got, NULL);
    for (int dtype = 0; dtype < ARITHMETIC_FP64; dtype++)
        for (size_t k = 0; k < sizeof unlike / sizeof *unlike * 5 * 4; k++) {
            const struct format *format = &formats[dtype];
            const size_t bytes = (size_t)format->bits / 8, place = draw_bits(&generator) % COUNT_MAX;
            const struct parameters parameters = {betas[k % 5], false};
            const bool is_self = k / 5 % 2 == 0;
            for (size_t i = 0; i < COUNT_MAX; i++)
                for (int j = 0; j < 2; j++) {
                    uint64_t bits = draw(&generator, format, ONE_SIZE, 0);
                    if (i == place && (j == 0) == is_self)
                        bits = bits_of(format, (double)unlike[k / 20]);
                    /* The other one is 0, so that the difference has what this one has. */
                    else if (i == place && k / 10 % 2 == 0)
                        bits = 0;
                    memcpy((char *)(j == 0 ? x : t) + i * bytes, &bits, bytes);
                }
            const void *const input[] = {x, t};
            struct exact_sum slow = {.added = 0};
            for (size_t i = 0; i < COUNT_MAX; i++) {
                const void *const one[] = {(char *)x + i * bytes, (char *)t + i * bytes};
                smooth_l1_loss_kernels[0]->reduce[dtype](one, 1, &parameters, &slow);
            }
            set_worth(wanted, &slow, (double)parameters.beta);
            for (int level = 0; level <= (int)processor_level(); level++) {
                struct exact_sum sum = {.added = 0};
                smooth_l1_loss_kernels[level]->reduce[dtype](input, COUNT_MAX, &parameters, &sum);
                set_worth(got, &sum, (double)parameters.beta);
                assert_int_equal(mpz_cmp(wanted, got), 0);
                assert_int_equal(sum.is_nan, slow.is_nan);
                assert_int_equal(sum.is_infinite, slow.is_infinite);
            }
        }
    mpz_clears(wanted, got, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_a_sum_is_there),
        cmocka_unit_test(many_equal_elements_fill_no_sum),
        cmocka_unit_test(one_element_unlike_all_others_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
