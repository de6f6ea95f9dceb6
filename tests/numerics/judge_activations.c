/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Results of the activations as doubles, by libm, and in 16 bits the factors of gradients.
 */
#include <math.h>

#include "numerics/family_judge.h"
#include "numerics/reference_activations.h"

static double logistic(double x)
{
    double u = exp(-fabs(x));
    return (x < 0 ? u : 1) / (1 + u);
}

/* Twice the argument of tanh in gelu, and x times its derivative. */
static const long double gelu_linear = 1.595769121605730711759775423829576L;

static double gelu(double x)
{
    const long double near = (long double)fmin(fmax(x, -20), 20);
    long double v = gelu_linear * near * (1 + 0.044715L * near * near);
    double u = exp((double)-fabsl(v)), slack = (double)(-fabsl(v) - (long double)(double)-fabsl(v));
    u += u * slack;
    double p = (x < 0 ? u : 1) / (1 + u);
    return isnan(x) || x == -(double)INFINITY ? (double)NAN : x * p;
}

static double gelu_derivative(double x)
{
    const long double near = (long double)fmin(fmax(x, -20), 20);
    long double v = gelu_linear * near * (1 + 0.044715L * near * near);
    long double slope = gelu_linear * near * (1 + 3 * 0.044715L * near * near);
    double u = exp((double)-fabsl(v)), slack = (double)(-fabsl(v) - (long double)(double)-fabsl(v));
    u += u * slack;
    double rest = (double)(1 + (long double)u + (x < 0 ? slope : slope * (long double)u));
    /* Too near to the root for what u is good for. */
    if (x < 0 && fabs(rest) < 0x1p-6)
        return (double)NAN;
    double derivative = (x < 0 ? u : 1) * rest / ((1 + u) * (1 + u));
    if (isnan(x))
        return x;
    return isinf(x) ? (x > 0 ? 1 : 0) : x == 0 ? 0.5 : derivative;
}

/* x <= threshold, or a signed number's magnitude: what only copies is as the integer reference has it. */
static void approximate(const struct task *task, const double *g, const double *x, size_t count,
                        double *value)
{
    switch (task->stem) {
    case RELU:
        for (size_t i = 0; i < count; i++)
            value[i] = x[i] <= 0 ? 0 : x[i];
        break;
    case THRESHOLD_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = x[i] <= task->slope ? 0 : g[i];
        break;
    case SIGMOID:
        for (size_t i = 0; i < count; i++)
            value[i] = logistic(x[i]);
        break;
    case TANH:
        for (size_t i = 0; i < count; i++)
            value[i] = tanh(x[i]);
        break;
    case GELU:
        for (size_t i = 0; i < count; i++)
            value[i] = gelu(x[i]);
        break;
    case GELU_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * gelu_derivative(x[i]);
        break;
    case SIGMOID_BACKWARD:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * x[i] * (1 - x[i]);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            value[i] = g[i] * (1 - x[i] * x[i]);
    }
}

static bool has_factor(enum reference_operator stem)
{
    return stem == SIGMOID_BACKWARD || stem == TANH_BACKWARD || stem == GELU_BACKWARD;
}

/* By w = e^u: (1 + t) / 2 + x (1 - t^2) u' / 2 = w^2 ((w^2 + 1) + 2 x u') / (w^2 + 1)^2. */
static void gelu_factor(mpfr_t result, double x)
{
    mpfr_t square, constant;
    mpfr_inits2(300, square, constant, (mpfr_ptr)0);
    x = fmin(fmax(x, -30), 30);
    mpfr_const_pi(constant, MPFR_RNDN);
    mpfr_ui_div(constant, 8, constant, MPFR_RNDN);
    mpfr_sqrt(constant, constant, MPFR_RNDN);
    mpfr_t argument, slope;
    mpfr_inits2(300, argument, slope, (mpfr_ptr)0);
    mpfr_set_d(argument, x, MPFR_RNDN);
    mpfr_sqr(argument, argument, MPFR_RNDN);
    mpfr_mul_ui(argument, argument, 44715, MPFR_RNDN);
    mpfr_div_ui(argument, argument, 1000000, MPFR_RNDN);
    mpfr_mul_ui(slope, argument, 3, MPFR_RNDN);
    mpfr_add_ui(argument, argument, 1, MPFR_RNDN);
    mpfr_add_ui(slope, slope, 1, MPFR_RNDN);
    mpfr_mul(constant, constant, (mpfr_set_d(square, x, MPFR_RNDN), square), MPFR_RNDN);
    mpfr_mul(argument, argument, constant, MPFR_RNDN);
    mpfr_mul(slope, slope, constant, MPFR_RNDN);
    mpfr_exp(square, argument, MPFR_RNDN);
    mpfr_add_ui(argument, square, 1, MPFR_RNDN);
    mpfr_add(slope, slope, argument, MPFR_RNDN);
    mpfr_mul(slope, slope, square, MPFR_RNDN);
    mpfr_sqr(argument, argument, MPFR_RNDN);
    mpfr_div(result, slope, argument, MPFR_RNDZ);
    mpfr_clears(square, constant, argument, slope, (mpfr_ptr)0);
}

static bool factor(mpfr_t result, enum reference_operator stem, double x)
{
    if (isnan(x)) {
        mpfr_set_nan(result);
        return true;
    }
    if (stem == GELU_BACKWARD) {
        gelu_factor(result, x);
        if (isinf(x))
            mpfr_set_d(result, x > 0 ? 1 : 0, MPFR_RNDN);
        return x == 0 || isinf(x);
    }
    mpfr_t square; /* exact */
    mpfr_init2(square, 64);
    mpfr_set_d(square, x, MPFR_RNDN);
    mpfr_sqr(square, square, MPFR_RNDN);
    int inexact;
    if (stem == TANH_BACKWARD)
        inexact = mpfr_ui_sub(result, 1, square, MPFR_RNDZ);
    else
        inexact = isinf(x) ? mpfr_set_inf(result, -1), 0 : mpfr_d_sub(result, x, square, MPFR_RNDZ);
    mpfr_clear(square);
    return inexact == 0;
}

const struct family_judge activations_judge = {
    .integer = reference_integer_activations,
    .mpfr = reference_mpfr_activations,
    .approximate = approximate,
    .has_factor = has_factor,
    .factor = factor,
};
