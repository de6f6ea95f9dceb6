/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of Sigmoid and its gradient for complex numbers, on every level, against MPFR: at random, and
 * next to the zeros of the parts and the poles, where formulas cancel, and at angles of all sizes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/draw.h"
#include "base/processor.h"
#include "simd/vector/kernel.h"
#include "support/reference_activations.h"
#include "support/sanitizer.h"

KERNEL_LEVELS(sigmoid);
KERNEL_LEVELS(sigmoid_backward);

enum { COUNT = UNDER_SANITIZER ? 301 : 1501, INPUTS = 2 };

/* Real and imaginary parts. */
static double numbers[INPUTS][COUNT][2];

/* 0 to 1. */
static double draw_share(struct generator *generator)
{
    return ldexp((double)(draw_bits(generator) >> 11), -53);
}

/* An angle of any size, or next to a multiple of half a turn's half. */
static double draw_angle(struct generator *generator)
{
    const double pi = 3.141592653589793, share = draw_share(generator);
    const uint64_t choice = draw_bits(generator);
    switch (choice % 4) {
    case 0:
        return ldexp(1 + share, (int)(choice >> 8 & 1023));
    case 1:
        return pi / 2 * (double)(choice >> 8 & 255) + ldexp(share - 0.5, -(int)(choice >> 16 & 63));
    case 2:
        return ldexp(1 + share, -(int)(choice >> 8 & 1023));
    default:
        return 20 * share;
    }
}

/* The double next to ln(-cos b), where the real part of sigmoid is 0; or any number. */
static double draw_real_part(struct generator *generator, double b)
{
    mpfr_t cosine;
    mpfr_init2(cosine, 200);
    mpfr_set_d(cosine, b, MPFR_RNDN);
    mpfr_cos(cosine, cosine, MPFR_RNDN);
    mpfr_neg(cosine, cosine, MPFR_RNDN);
    mpfr_log(cosine, cosine, MPFR_RNDN); /* NaN where the cosine is positive */
    double a = mpfr_get_d(cosine, MPFR_RNDN);
    mpfr_clear(cosine);
    const uint64_t choice = draw_bits(generator);
    if (isnan(a) || choice % 4 == 0)
        return (draw_share(generator) - 0.5) * ldexp(1, (int)(choice >> 8) % 12);
    return choice % 4 == 1 ? nextafter(a, 0) : a;
}

static void draw_numbers(struct generator *generator, bool is_fp32)
{
    const struct format *format = &formats[is_fp32 ? ARITHMETIC_FP32 : ARITHMETIC_FP64];
    for (int i = 0; i < COUNT; i++) {
        double b = draw_angle(generator);
        double a = draw_real_part(generator, is_fp32 ? (double)(float)b : b);
        const double sigmoid[2] = {a, draw_bits(generator) % 2 ? b : -b};
        for (int part = 0; part < 2; part++) {
            numbers[0][i][part] = sigmoid[part];
            numbers[1][i][part] = sigmoid[part];
            if (i % 5 == 0)
                numbers[0][i][part] = value_of(format, draw_element(generator, format));
            if (i % 3 == 0)
                numbers[1][i][part] = value_of(format, draw_element(generator, format));
        }
    }
}

/* The number of results that are not as near to those of MPFR as is promised. */
static int judge(enum activation activation, const struct kernels *const *levels, int level,
                 aclDataType dtype)
{
    static unsigned char given[INPUTS][COUNT * 16], found[COUNT * 16];
    const bool is_fp32 = dtype == ACL_COMPLEX64;
    const size_t bytes = is_fp32 ? 8 : 16;
    int wrong = 0;
    for (int j = 0; j < INPUTS; j++)
        for (size_t i = 0; i < COUNT; i++) {
            const float narrow[] = {(float)numbers[j][i][0], (float)numbers[j][i][1]};
            memcpy(given[j] + i * bytes, is_fp32 ? (const void *)narrow : (const void *)numbers[j][i], bytes);
        }
    const void *const input[INPUTS_MAX] = {given[0], given[1], given[1]};
    const enum arithmetic arithmetic = is_fp32 ? ARITHMETIC_COMPLEX64 : ARITHMETIC_COMPLEX128;
    levels[level]->exact[arithmetic](input, found, COUNT, NULL, false);
    for (size_t i = 0; i < COUNT; i++) {
        const void *const element[] = {given[0] + i * bytes, given[1] + i * bytes};
        const aclDataType dtypes[] = {dtype, dtype};
        unsigned char wanted[16];
        memcpy(wanted, found + i * bytes, bytes);
        reference_activation(activation, element, dtypes, dtype, 0, wanted, dtype);
        if (memcmp(found + i * bytes, wanted, bytes) != 0 && wrong++ < 3)
            print_error("%s, %d bytes: wrong at %a %a, %a %a\n", isa_level_name((enum isa_level)level),
                        (int)bytes, numbers[0][i][0], numbers[0][i][1], numbers[1][i][0], numbers[1][i][1]);
    }
    return wrong;
}

static void judge_all(enum activation activation, const struct kernels *const *levels)
{
    struct generator generator = {.state = 5};
    for (int is_fp32 = 0; is_fp32 < 2; is_fp32++) {
        draw_numbers(&generator, is_fp32 != 0);
        for (int level = 0; level <= (int)processor_kernel_level(); level++)
            assert_int_equal(judge(activation, levels, level, is_fp32 ? ACL_COMPLEX64 : ACL_COMPLEX128), 0);
    }
}

static void sigmoids_of_complex_numbers_are_within_their_bound(void **state)
{
    (void)state;
    judge_all(ACTIVATION_SIGMOID, sigmoid_kernels);
}

static void gradients_of_complex_numbers_are_within_their_bound(void **state)
{
    (void)state;
    judge_all(ACTIVATION_SIGMOID_BACKWARD, sigmoid_backward_kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigmoids_of_complex_numbers_are_within_their_bound),
        cmocka_unit_test(gradients_of_complex_numbers_are_within_their_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
