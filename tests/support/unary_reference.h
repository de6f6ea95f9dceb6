/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The exact results of functions of one number, by MPFR: what pointwise/unary.h names as references.
 */
#ifndef BELAY_TESTS_SUPPORT_UNARY_REFERENCE_H
#define BELAY_TESTS_SUPPORT_UNARY_REFERENCE_H

#include <math.h>
#include <mpfr.h>

#include "ops/loops/elementwise.h"

typedef int reference_function(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);

/* What MPFR lacks or means otherwise. Each gives the sign of result - exact, as MPFR's functions do. */
static inline int reference_frac(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_inf_p(x)) {
        mpfr_set_nan(result);
        return 0;
    }
    int ternary = mpfr_frac(result, x, rounding);
    if (mpfr_zero_p(result))
        mpfr_set_zero(result, 1);
    return ternary;
}

static inline int reference_reciprocal(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_ui_div(result, 1, x, rounding);
}

/* 1 / sqrt(-0) is 1 / -0. */
static inline int reference_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int ternary = mpfr_rec_sqrt(result, x, rounding);
    if (mpfr_zero_p(x))
        mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
    return ternary;
}

/* sin(pi r) / (pi x) with r what is left of x beside a multiple of 2; to more bits than anything needs. */
static inline int reference_sinc(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t wide, below;
    if (!mpfr_number_p(x)) {
        mpfr_set_nan(result);
        return 0;
    }
    if (mpfr_zero_p(x))
        return mpfr_set_ui(result, 1, rounding);
    if (mpfr_integer_p(x))
        return mpfr_set_ui(result, 0, rounding);
    mpfr_init2(wide, 400);
    mpfr_init2(below, 400);
    mpfr_set_ui(below, 2, rounding);
    mpfr_fmod(wide, x, below, rounding);
    mpfr_const_pi(below, rounding);
    mpfr_mul(wide, wide, below, rounding);
    mpfr_mul(below, below, x, rounding);
    mpfr_sin(wide, wide, rounding);
    int ternary = mpfr_div(result, wide, below, rounding);
    mpfr_clears(wide, below, (mpfr_ptr)NULL);
    return ternary;
}

static inline int reference_sign(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_si(result, mpfr_nan_p(x) ? 0 : mpfr_sgn(x), rounding);
}

/* pi below 0. */
static inline int reference_angle(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_nan_p(x)) {
        mpfr_set_nan(result);
        return 0;
    }
    return mpfr_sgn(x) < 0 ? mpfr_const_pi(result, rounding) : mpfr_set_ui(result, 0, rounding);
}

static inline int reference_isfinite(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_ui(result, mpfr_number_p(x) != 0, rounding);
}

static inline int reference_isinf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_ui(result, mpfr_inf_p(x) != 0, rounding);
}

static inline int reference_isposinf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_ui(result, mpfr_inf_p(x) && mpfr_sgn(x) > 0, rounding);
}

static inline int reference_isneginf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_ui(result, mpfr_inf_p(x) && mpfr_sgn(x) < 0, rounding);
}

/* MPFR's exponents are one above those of 1.m 2^e. */
struct unary_format {
    const char *name;
    size_t bytes;
    int precision, least, greatest;
};
static const struct unary_format unary_formats[ARITHMETICS] = {
    [ARITHMETIC_FP32] = {"fp32", 4, 24, -148, 128},
    [ARITHMETIC_FP16] = {"fp16", 2, 11, -23, 16},
    [ARITHMETIC_BF16] = {"bf16", 2, 8, -132, 128},
    [ARITHMETIC_FP64] = {"fp64", 8, 53, -1073, 1024},
};

/* The exact result rounded once. */
static inline double unary_nearest(reference_function *function, enum arithmetic dtype, double x)
{
    const struct unary_format *format = &unary_formats[dtype];
    mpfr_t argument, result;
    mpfr_init2(argument, 53);
    mpfr_init2(result, format->precision);
    mpfr_set_d(argument, x, MPFR_RNDN); /* before the range is that of the results */
    mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    mpfr_set_emin(format->least);
    mpfr_set_emax(format->greatest);
    int ternary = function(result, argument, MPFR_RNDN);
    ternary = mpfr_check_range(result, ternary, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    double value = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    mpfr_clears(argument, result, (mpfr_ptr)NULL);
    return value;
}

/* How far a finite result of fp64 is from the exact one, in units of the exact one's last place. */
static inline double unary_error_in_ulp(reference_function *function, double x, double result)
{
    mpfr_t argument, exact;
    mpfr_init2(argument, 53);
    mpfr_init2(exact, 160);
    mpfr_set_d(argument, x, MPFR_RNDN);
    function(exact, argument, MPFR_RNDN);
    mpfr_exp_t place = mpfr_get_exp(exact) - 53;
    mpfr_sub_d(exact, exact, result, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, place < -1074 ? 1074 : -place, MPFR_RNDN);
    double error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    mpfr_clears(argument, exact, (mpfr_ptr)NULL);
    return error;
}

#endif
