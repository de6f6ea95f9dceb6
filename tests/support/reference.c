/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The operators' formulas in MPFR, and the float formats.
 */
#include "support/reference.h"

#include <math.h>
#include <string.h>

/* A binary format: precision in bits, exponent of the smallest subnormal, exponent of the overflow threshold.
 */
struct format {
    int precision;
    int smallest;
    int overflow;
    int bytes;
};

static struct format format_of(aclDataType dtype)
{
    switch (dtype) {
    case ACL_FLOAT16:
        return (struct format){11, -24, 16, 2};
    case ACL_BF16:
        return (struct format){8, -133, 128, 2};
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
        return (struct format){53, -1074, 1024, 8};
    default:
        return (struct format){24, -149, 128, 4};
    }
}

double reference_load(aclDataType dtype, const void *element)
{
    if (dtype == ACL_DOUBLE) {
        double value;
        memcpy(&value, element, sizeof value);
        return value;
    }
    if (dtype == ACL_FLOAT) {
        float value;
        memcpy(&value, element, sizeof value);
        return (double)value;
    }
    uint16_t bits;
    memcpy(&bits, element, sizeof bits);
    int fraction_bits = dtype == ACL_FLOAT16 ? 10 : 7;
    int exponent_mask = dtype == ACL_FLOAT16 ? 0x1F : 0xFF;
    int fraction = bits & ((1 << fraction_bits) - 1);
    int exponent = (bits >> fraction_bits) & exponent_mask;
    double magnitude;
    if (exponent == exponent_mask)
        magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp(fraction, format_of(dtype).smallest);
    else
        magnitude = ldexp(fraction + (1 << fraction_bits), format_of(dtype).smallest + exponent - 1);
    return bits >> 15 ? -magnitude : magnitude;
}

void reference_round(mpfr_ptr value, aclDataType dtype)
{
    if (!mpfr_regular_p(value))
        return;
    struct format format = format_of(dtype);
    mpfr_exp_t unit = mpfr_get_exp(value) - format.precision;
    if (unit < format.smallest)
        unit = format.smallest;
    mpfr_mul_2si(value, value, (long)-unit, MPFR_RNDN);
    mpfr_rint(value, value, MPFR_RNDN); /* ties to even */
    mpfr_mul_2si(value, value, (long)unit, MPFR_RNDN);
    if (mpfr_regular_p(value) && mpfr_get_exp(value) > format.overflow)
        mpfr_set_inf(value, mpfr_signbit(value) ? -1 : 1);
}

/* The encoding of a value that the format holds exactly, from its sign, exponent and fraction. */
static uint64_t encode(mpfr_srcptr value, struct format format)
{
    int fraction_bits = format.precision - 1;
    int sign_place = format.bytes * 8 - 1;
    uint64_t exponent_ones = ((UINT64_C(1) << (sign_place - fraction_bits)) - 1) << fraction_bits;
    uint64_t sign = mpfr_signbit(value) ? UINT64_C(1) << sign_place : 0;
    if (mpfr_nan_p(value))
        return exponent_ones | UINT64_C(1) << (fraction_bits - 1);
    if (mpfr_inf_p(value))
        return sign | exponent_ones;
    if (mpfr_zero_p(value))
        return sign;
    mpfr_exp_t unit = mpfr_get_exp(value) - format.precision;
    bool is_subnormal = unit < format.smallest;
    if (is_subnormal)
        unit = format.smallest;
    mpfr_t scaled;
    mpfr_init2(scaled, 64);
    mpfr_mul_2si(scaled, value, (long)-unit, MPFR_RNDN);
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    uint64_t whole = mpfr_get_uj(scaled, MPFR_RNDN);
    mpfr_clear(scaled);
    uint64_t exponent = is_subnormal ? 0 : (uint64_t)(unit - format.smallest);
    /* A normal whole has its hidden bit set, which adds the missing 1 to the exponent field. */
    return sign | ((exponent << fraction_bits) + whole);
}

void reference_store(aclDataType dtype, mpfr_srcptr value, void *element)
{
    struct format format = format_of(dtype);
    mpfr_t rounded;
    mpfr_init2(rounded, mpfr_get_prec(value));
    mpfr_set(rounded, value, MPFR_RNDN);
    reference_round(rounded, dtype);
    uint64_t bits = encode(rounded, format);
    mpfr_clear(rounded);
    memcpy(element, &bits, (size_t)format.bytes);
    if (dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128)
        memset((char *)element + format.bytes, 0, (size_t)format.bytes);
}

void reference_store_double(aclDataType dtype, double value, void *element)
{
    mpfr_t exact;
    mpfr_init2(exact, 64);
    mpfr_set_d(exact, value, MPFR_RNDN);
    reference_store(dtype, exact, element);
    mpfr_clear(exact);
}

void reference_hardswish(mpfr_ptr result, double x)
{
    mpfr_set_d(result, x, MPFR_RNDN);
    if (x <= -3) {
        mpfr_set_zero(result, 1);
    } else if (x < 3) {
        mpfr_add_ui(result, result, 3, MPFR_RNDN);
        mpfr_mul_d(result, result, x, MPFR_RNDN);
        mpfr_div_ui(result, result, 6, MPFR_RNDN);
    }
}

void reference_hardswish_backward(mpfr_ptr result, double gradient, double x)
{
    if (isnan(x)) {
        mpfr_set_nan(result);
    } else if (x < -3 || x > 3) {
        mpfr_set_d(result, gradient, MPFR_RNDN);
        mpfr_mul_si(result, result, x > 3, MPFR_RNDN);
    } else {
        mpfr_set_d(result, x, MPFR_RNDN);
        mpfr_mul_ui(result, result, 2, MPFR_RNDN);
        mpfr_add_ui(result, result, 3, MPFR_RNDN);
        mpfr_mul_d(result, result, gradient, MPFR_RNDN);
        mpfr_div_ui(result, result, 6, MPFR_RNDN);
    }
}

void reference_hardswish_backward_v2(mpfr_ptr result, double gradient, double x)
{
    if (x == 3 || x == -3)
        x *= 2; /* the same as further out */
    reference_hardswish_backward(result, gradient, x);
}

/* s'(x) = sigma + x sigma (1 - sigma), all terms to REFERENCE_BITS bits: what cancels at the root is a few of
 * them. */
static void silu_derivative(mpfr_ptr result, double x)
{
    if (fabs(x) >
        100000) { /* beyond the formats' reach, and beyond MPFR's exponent: only side and sign matter */
        mpfr_set_si(result, x > 0, MPFR_RNDN);
        mpfr_t rest;
        mpfr_init2(rest, REFERENCE_BITS);
        mpfr_set_si_2exp(rest, x > 0 ? 1 : -1, x > 0 ? -REFERENCE_BITS + 1 : -200000, MPFR_RNDN);
        mpfr_add(result, result, rest, MPFR_RNDN);
        mpfr_clear(rest);
        return;
    }
    mpfr_t sigma, rest;
    mpfr_inits2(REFERENCE_BITS, sigma, rest, (mpfr_ptr)NULL);
    mpfr_set_d(sigma, -x, MPFR_RNDN);
    mpfr_exp(sigma, sigma, MPFR_RNDN); /* u = e^-x */
    mpfr_add_ui(rest, sigma, 1, MPFR_RNDN);
    mpfr_div(rest, sigma, rest, MPFR_RNDN); /* 1 - sigma = u / (1 + u), without cancellation */
    mpfr_add_ui(sigma, sigma, 1, MPFR_RNDN);
    mpfr_ui_div(sigma, 1, sigma, MPFR_RNDN);
    mpfr_mul_d(rest, rest, x, MPFR_RNDN);
    mpfr_add_ui(rest, rest, 1, MPFR_RNDN);
    mpfr_mul(result, sigma, rest, MPFR_RNDN);
    mpfr_clears(sigma, rest, (mpfr_ptr)NULL);
}

void reference_silu_backward(mpfr_ptr result, double gradient, double x)
{
    if (isnan(x) || isinf(x)) {
        mpfr_set_nan(result);
        return;
    }
    silu_derivative(result, x);
    mpfr_mul_d(result, result, gradient, MPFR_RNDN);
}

void reference_silu(mpfr_ptr result, double x)
{
    reference_swish(result, x, 1);
}

/* x / (1 + e^-y); beyond some thousands only the side of x or 0 matters, and e^-y would cost the more. */
void reference_swish(mpfr_ptr result, double x, double beta)
{
    mpfr_t y;
    mpfr_init2(y, REFERENCE_BITS);
    mpfr_set_d(y, x, MPFR_RNDN);
    mpfr_mul_d(y, y, -beta, MPFR_RNDN);
    if (beta == 0)
        mpfr_set_zero(y, 1);
    if (mpfr_number_p(y) && mpfr_cmp_si(y, 600) > 0)
        mpfr_set_si(y, 600, MPFR_RNDN);
    if (mpfr_number_p(y) && mpfr_cmp_si(y, -600) < 0)
        mpfr_set_si(y, -600, MPFR_RNDN);
    mpfr_exp(y, y, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_div(result, result, y, MPFR_RNDN);
    mpfr_clear(y);
}

/* The derivative is that of silu at the double y, which beta x is for an x and a beta of 24 bits. */
void reference_swish_backward(mpfr_ptr result, double gradient, double x, double beta)
{
    reference_silu_backward(result, gradient, beta * x);
}

void reference_smooth_l1_loss(mpfr_ptr result, double x, double target, double beta)
{
    mpfr_t bound;
    mpfr_init2(bound, REFERENCE_BITS);
    mpfr_set_d(bound, beta, MPFR_RNDN);
    mpfr_abs(bound, bound, MPFR_RNDN);
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_sub_d(result, result, target, MPFR_RNDN);
    mpfr_abs(result, result, MPFR_RNDN);
    if (!mpfr_nan_p(result)) {
        bool is_inner = mpfr_cmp(result, bound) < 0;
        if (is_inner) {
            mpfr_sqr(result, result, MPFR_RNDN);
            mpfr_div(result, result, bound, MPFR_RNDN);
            mpfr_div_ui(result, result, 2, MPFR_RNDN);
        } else {
            mpfr_div_ui(bound, bound, 2, MPFR_RNDN);
            mpfr_sub(result, result, bound, MPFR_RNDN);
        }
    }
    mpfr_clear(bound);
}

void reference_smooth_l1_loss_backward(mpfr_ptr result, double gradient, double x, double target, double beta,
                                       uint64_t divisor)
{
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_sub_d(result, result, target, MPFR_RNDN);
    mpfr_t scale;
    mpfr_init2(scale, REFERENCE_BITS);
    mpfr_set_uj(scale, divisor, MPFR_RNDN);
    if (!mpfr_nan_p(result)) {
        mpfr_t bound;
        mpfr_init2(bound, REFERENCE_BITS);
        mpfr_set_d(bound, beta, MPFR_RNDN);
        if (mpfr_cmpabs(result, bound) < 0)
            mpfr_mul(scale, scale, bound, MPFR_RNDN);
        else if (!mpfr_zero_p(result))
            mpfr_set_si(result, mpfr_signbit(result) ? -1 : 1, MPFR_RNDN);
        mpfr_clear(bound);
    }
    mpfr_mul_d(result, result, gradient, MPFR_RNDN);
    mpfr_div(result, result, scale, MPFR_RNDN);
    mpfr_clear(scale);
}

void reference_leaky_relu(mpfr_ptr result, double x, double slope)
{
    reference_leaky_relu_backward(result, x, x, slope);
}

void reference_leaky_relu_backward(mpfr_ptr result, double gradient, double x, double slope)
{
    mpfr_set_d(result, gradient, MPFR_RNDN);
    if (!(x > 0))
        mpfr_mul_d(result, result, slope, MPFR_RNDN);
}
