/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The reference in MPFR: sums and products are exact at 700 bits, quotients and exponentials carry a rounding
 * error of 2^-700 that is made one-sided, and the end is one rounding to the dtype.
 */

#include <math.h>

#include "numerics/family_judge.h"
#include "numerics/reference_rounding.h"

enum { PRECISION = 700 };

static void hardswish(mpfr_t result, double g, double x, bool is_open)
{
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_mul_ui(result, result, 2, MPFR_RNDN);
    mpfr_add_ui(result, result, 3, MPFR_RNDN);
    if (x > 3 || (is_open && x == 3))
        mpfr_set_ui(result, 6, MPFR_RNDN);
    if (x < -3 || (is_open && x == -3))
        mpfr_set_ui(result, 0, MPFR_RNDN);
    mpfr_mul_d(result, result, g, MPFR_RNDN);
    mpfr_t six;
    mpfr_init2(six, 53);
    mpfr_set_ui(six, 6, MPFR_RNDN);
    divide(result, result, six);
    mpfr_clear(six);
}

static void hardswish_forward(mpfr_t result, double x)
{
    mpfr_t six;
    mpfr_init2(six, 53);
    mpfr_set_ui(six, 6, MPFR_RNDN);
    mpfr_set_d(result, x, MPFR_RNDN);
    if (x <= -3) {
        mpfr_set_ui(result, 0, MPFR_RNDN);
    } else if (x < 3) {
        mpfr_add_ui(result, result, 3, MPFR_RNDN);
        mpfr_mul_d(result, result, x, MPFR_RNDN);
        divide(result, result, six);
    }
    mpfr_clear(six);
}

static void silu(mpfr_t result, double g, double x)
{
    if (isinf(x) || isnan(x)) {
        mpfr_set_nan(result);
        return;
    }
    mpfr_t u, sum;
    mpfr_inits2(PRECISION, u, sum, (mpfr_ptr)0);
    /* Beyond these ends only the side of 1 or 0 matters, and e^x would cost the more the larger x is. */
    x = x > 1000 ? 1000 : x < -1000 ? -1000 : x;
    mpfr_set_d(u, x, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_add_d(result, u, x, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_mul(result, result, u, MPFR_RNDN); /* e^x (1 + x + e^x) / (1 + e^x)^2 */
    mpfr_add_ui(sum, u, 1, MPFR_RNDN);
    mpfr_sqr(sum, sum, MPFR_RNDN);
    mpfr_div(result, result, sum, MPFR_RNDN);
    mpfr_mul_d(result, result, g, MPFR_RNDN);
    mpfr_clears(u, sum, (mpfr_ptr)0);
}

/* x / (1 + e^-y) */
static void swish(mpfr_t result, double x, double y)
{
    mpfr_t u;
    mpfr_init2(u, PRECISION);
    /* As above; an infinite y is one. */
    if (!isinf(y))
        y = y > 1000 ? 1000 : y < -1000 ? -1000 : y;
    mpfr_set_d(u, -y, MPFR_RNDN);
    mpfr_exp(u, u, MPFR_RNDN);
    mpfr_add_ui(u, u, 1, MPFR_RNDN);
    mpfr_set_d(result, x, MPFR_RNDN);
    divide(result, result, u);
    mpfr_clear(u);
}

static void smooth_l1(mpfr_t result, const struct task *task, double g, double x, double t)
{
    mpfr_t divisor;
    mpfr_init2(divisor, PRECISION);
    mpfr_set_uj(divisor, task->divisor, MPFR_RNDN);
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_sub_d(result, result, t, MPFR_RNDN);
    if (mpfr_nan_p(result) ||
        mpfr_cmpabs(result, (mpfr_set_flt(divisor, task->beta, MPFR_RNDN), divisor)) < 0) {
        mpfr_mul_d(result, result, g, MPFR_RNDN);
        mpfr_set_flt(divisor, task->beta, MPFR_RNDN);
        mpfr_t elements;
        mpfr_init2(elements, 64);
        mpfr_set_uj(elements, task->divisor, MPFR_RNDN);
        mpfr_mul(divisor, divisor, elements, MPFR_RNDN);
        mpfr_clear(elements);
    } else {
        if (!mpfr_zero_p(result)) {
            int sign = mpfr_sgn(result);
            mpfr_set_si(result, sign, MPFR_RNDN);
        }
        mpfr_mul_d(result, result, g, MPFR_RNDN);
        mpfr_set_uj(divisor, task->divisor, MPFR_RNDN);
    }
    divide(result, result, divisor);
    mpfr_clear(divisor);
}

static void smooth_l1_loss(mpfr_t result, double x, double t, double beta)
{
    mpfr_t other;
    mpfr_init2(other, PRECISION);
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_sub_d(result, result, t, MPFR_RNDN);
    mpfr_abs(result, result, MPFR_RNDN);
    mpfr_set_d(other, beta, MPFR_RNDN);
    if (!mpfr_nan_p(result) && mpfr_cmp(result, other) < 0) {
        mpfr_sqr(result, result, MPFR_RNDN);
        mpfr_mul_2ui(other, other, 1, MPFR_RNDN);
        divide(result, result, other);
    } else {
        mpfr_div_2ui(other, other, 1, MPFR_RNDN);
        mpfr_sub(result, result, other, MPFR_RNDN);
    }
    mpfr_clear(other);
}

uint64_t reference_mpfr(const struct task *task, const uint64_t *input)
{
    if (is_of_other_family(task->stem))
        return family_judge_of(task->stem)->mpfr(task, input);
    const struct format *format = &formats[task->dtype];
    const bool is_unary = reference_inputs(task->stem) == 1;
    double g = value_of(format, input[0]), x = value_of(format, input[is_unary ? 0 : 1]);
    mpfr_t result;
    mpfr_init2(result, PRECISION);
    switch (task->stem) {
    case HARDSWISH_BACKWARD:
    case HARDSWISH_BACKWARD_V2:
        hardswish(result, g, x, task->stem == HARDSWISH_BACKWARD_V2);
        break;
    case HARDSWISH:
        hardswish_forward(result, x);
        break;
    case LEAKY_RELU:
    case LEAKY_RELU_BACKWARD:
        mpfr_set_d(result, g, MPFR_RNDN);
        if (!(x > 0))
            mpfr_mul_d(result, result, task->slope, MPFR_RNDN);
        break;
    case SMOOTH_L1_LOSS:
        smooth_l1_loss(result, g, x, fabs((double)task->beta));
        break;
    case SILU:
        swish(result, x, x);
        break;
    case SWISH:
        swish(result, x, task->slope == 0 ? 0 : task->slope * x); /* exact */
        break;
    case SWISH_BACKWARD:
        silu(result, g, task->slope * x);
        break;
    case SILU_BACKWARD:
        silu(result, g, x);
        break;
    default:
        smooth_l1(result, task, g, x, value_of(format, input[2]));
    }
    uint64_t bits = round_mpfr(format, result);
    mpfr_clear(result);
    return bits;
}
