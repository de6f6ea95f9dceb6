/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The activations in MPFR, from their formulas as they are printed where those do not cancel: sums and
 * products of doubles are exact at 2500 bits.
 */
#include <math.h>

#include "numerics/reference_activations.h"
#include "numerics/reference_rounding.h"

static mpfr_prec_t precision(const struct task *task)
{
    return task->dtype == ARITHMETIC_FP64 ? 2500 : 900;
}

static void sigmoid(mpfr_t result, double x)
{
    /* Beyond these ends results are 0 and 1, and e^x would cost the more. */
    mpfr_set_d(result, isinf(x) ? -x : -fmin(fmax(x, -1000), 1000), MPFR_RNDN);
    if (isnan(x))
        mpfr_set_nan(result);
    mpfr_exp(result, result, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_t one;
    mpfr_init2(one, 53);
    mpfr_set_ui(one, 1, MPFR_RNDN);
    divide(result, one, result);
    mpfr_clear(one);
}

/* 1 + tanh u and 1 - tanh^2 u, with u = sqrt(2 / pi) (x + 0.044715 x^3), from w = e^u: 2 w^2 / (w^2 + 1) and
 * 4 w^2 / (w^2 + 1)^2. */
struct gelu_parts {
    mpfr_t sum, difference, constant;
};

static void gelu_parts_set(struct gelu_parts *parts, double x, mpfr_prec_t bits)
{
    mpfr_inits2(bits, parts->sum, parts->difference, parts->constant, (mpfr_ptr)0);
    mpfr_t u;
    mpfr_init2(u, bits);
    mpfr_const_pi(parts->constant, MPFR_RNDN);
    mpfr_ui_div(parts->constant, 2, parts->constant, MPFR_RNDN);
    mpfr_sqrt(parts->constant, parts->constant, MPFR_RNDN);
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_pow_ui(u, u, 3, MPFR_RNDN);
    mpfr_mul_ui(u, u, 44715, MPFR_RNDN);
    mpfr_div_ui(u, u, 1000000, MPFR_RNDN);
    mpfr_add_d(u, u, x, MPFR_RNDN);
    mpfr_mul(u, u, parts->constant, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_sqr(u, u, MPFR_RNDN);
    mpfr_add_ui(parts->difference, u, 1, MPFR_RNDN);
    mpfr_div(parts->sum, u, parts->difference, MPFR_RNDN);
    mpfr_div(parts->difference, parts->sum, parts->difference, MPFR_RNDN);
    mpfr_mul_ui(parts->sum, parts->sum, 2, MPFR_RNDN);
    mpfr_mul_ui(parts->difference, parts->difference, 4, MPFR_RNDN);
    mpfr_clear(u);
}

static void gelu_parts_clear(struct gelu_parts *parts)
{
    mpfr_clears(parts->sum, parts->difference, parts->constant, (mpfr_ptr)0);
}

static void gelu(mpfr_t result, double x)
{
    struct gelu_parts parts;
    if (isinf(x) || isnan(x)) {
        mpfr_set_d(result, x > 0 ? x : (double)NAN, MPFR_RNDN);
        return;
    }
    gelu_parts_set(&parts, fmin(fmax(x, -30), 30), mpfr_get_prec(result));
    mpfr_mul_d(result, parts.sum, x, MPFR_RNDN);
    mpfr_div_ui(result, result, 2, MPFR_RNDN);
    gelu_parts_clear(&parts);
}

/* (1 + t) / 2 + x (1 - t^2) u' / 2 */
static void gelu_derivative(mpfr_t result, double x)
{
    struct gelu_parts parts;
    if (isinf(x) || isnan(x)) {
        mpfr_set_d(result, isnan(x) ? x : x > 0 ? 1 : 0, MPFR_RNDN);
        return;
    }
    x = fmin(fmax(x, -30), 30);
    gelu_parts_set(&parts, x, mpfr_get_prec(result));
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_sqr(result, result, MPFR_RNDN);
    mpfr_mul_ui(result, result, 3 * 44715, MPFR_RNDN);
    mpfr_div_ui(result, result, 1000000, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_mul(result, result, parts.constant, MPFR_RNDN);
    mpfr_mul_d(result, result, x, MPFR_RNDN);
    mpfr_mul(result, result, parts.difference, MPFR_RNDN);
    mpfr_add(result, result, parts.sum, MPFR_RNDN);
    mpfr_div_ui(result, result, 2, MPFR_RNDN);
    gelu_parts_clear(&parts);
}

uint64_t reference_mpfr_activations(const struct task *task, const uint64_t *input)
{
    const struct format *format = &formats[task->dtype];
    double g = value_of(format, input[0]), x = value_of(format, input[reference_inputs(task->stem) - 1]);
    mpfr_t result;
    mpfr_init2(result, precision(task));
    switch (task->stem) {
    case RELU:
        mpfr_set_d(result, isnan(x) ? x : x > 0 ? x : 0, MPFR_RNDN);
        break;
    case THRESHOLD_BACKWARD:
        mpfr_set_d(result, x <= task->slope ? 0 : g, MPFR_RNDN);
        break;
    case SIGMOID:
        sigmoid(result, x);
        break;
    case TANH:
        mpfr_set_d(result, isinf(x) ? x : fmin(fmax(x, -100), 100), MPFR_RNDN);
        if (isnan(x))
            mpfr_set_nan(result);
        mpfr_tanh(result, result, MPFR_RNDN);
        break;
    case GELU:
        gelu(result, x);
        break;
    case GELU_BACKWARD:
        gelu_derivative(result, x);
        mpfr_mul_d(result, result, g, MPFR_RNDN);
        break;
    case SIGMOID_BACKWARD:
        mpfr_set_d(result, -x, MPFR_RNDN);
        mpfr_add_ui(result, result, 1, MPFR_RNDN);
        mpfr_mul_d(result, result, x, MPFR_RNDN);
        mpfr_mul_d(result, result, g, MPFR_RNDN);
        break;
    default: /* the gradient of tanh */
        mpfr_set_d(result, x, MPFR_RNDN);
        mpfr_sqr(result, result, MPFR_RNDN);
        mpfr_ui_sub(result, 1, result, MPFR_RNDN);
        mpfr_mul_d(result, result, g, MPFR_RNDN);
    }
    uint64_t bits = round_mpfr(format, result);
    mpfr_clear(result);
    return bits;
}
