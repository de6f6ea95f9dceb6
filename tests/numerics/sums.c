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
enum kind { ONE_SIZE, SOME_SIZES, MANY_SIZES, ALL_SIZES, ALIKE, EVERYTHING, KINDS };

static uint64_t draw(struct generator *generator, const struct format *format, enum kind kind, uint64_t other)
{
    static const int sizes[KINDS] = {4, 24, 60, 230, 4, 0};
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

/* The sum in units of 2^-298, and what is counted; special elements have no part in either. */
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
        flags->counted++;
        mpz_mul_2exp(other, bound, 1);
        if (beta == 0)
            set_units(other, 1);
        mpz_addmul(sum, d, other);
    }
    mpz_clears(d, other, bound, NULL);
}

static void set_bins(mpz_t value, struct exact_sum *sum)
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
    struct exact_sum flags = {.counted = 0};
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
            set_bins(got, &sum);
            if (mpz_cmp(wanted, got) != 0)
                print_error("%s, kind %d, %zu elements, beta %a, %s: another sum\n", format->name, (int)kind,
                            count, (double)beta, isa_level_name((enum isa_level)level));
            assert_int_equal(mpz_cmp(wanted, got), 0);
            assert_int_equal(sum.is_nan, flags.is_nan);
            assert_true(sum.is_nan || sum.is_infinite == flags.is_infinite);
            if (beta > 0 && !isinf(beta))
                assert_int_equal(sum.counted, flags.counted);
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
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep0F, 0x1p-110F},
              {ARITHMETIC_FP32, 0x1.fffffep0F, -0x1.fffffep-33F, 0x1p-110F},
              {ARITHMETIC_FP16, 0x1.ffcp3F, -0x1.ffcp3F, 0x1p-13F},
              {ARITHMETIC_BF16, 0x1.fep3F, -0x1.fep3F, 0x1p-16F}};
    static uint64_t x[COUNT_MAX], t[COUNT_MAX];
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
                exact_sum_carry(&sum);
                exact_sum_carry(&slow);
                assert_memory_equal(sum.bin, slow.bin, sizeof sum.bin);
                assert_int_equal(sum.counted, slow.counted);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_of_a_sum_is_there),
        cmocka_unit_test(many_equal_elements_fill_no_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
