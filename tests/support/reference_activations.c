/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
#include "support/reference_activations.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "support/allowance.h"
#include "support/conversion.h"

/* e^-745 beside 1; and of complex numbers the squares of the least numbers beside 1. */
enum { WIDE_BITS = 1400, COMPLEX_BITS = 2600 };

static bool is_complex(aclDataType dtype)
{
    return dtype == ACL_COMPLEX64 || dtype == ACL_COMPLEX128;
}

bool reference_is_float(aclDataType dtype)
{
    return dtype == ACL_FLOAT || dtype == ACL_FLOAT16 || dtype == ACL_BF16 || dtype == ACL_DOUBLE ||
           is_complex(dtype);
}

aclDataType reference_promote(aclDataType a, aclDataType b)
{
    bool is_double = a == ACL_DOUBLE || b == ACL_DOUBLE || a == ACL_COMPLEX128 || b == ACL_COMPLEX128;
    if (is_complex(a) || is_complex(b))
        return is_double ? ACL_COMPLEX128 : ACL_COMPLEX64;
    return a == b ? a : is_double ? ACL_DOUBLE : ACL_FLOAT;
}

/* 1 / (1 + e^-x); far out only the side of 0 or 1 matters. */
static void logistic(mpfr_ptr result, double x)
{
    mpfr_set_d(result, fmax(fmin(-x, 2000), -2000), MPFR_RNDN);
    if (isnan(x) || isinf(x))
        mpfr_set_d(result, -x, MPFR_RNDN);
    mpfr_exp(result, result, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

/* c (x + 3^is_slope 0.044715 x^3) with c = sqrt(2 / pi). */
static void gelu_argument(mpfr_ptr result, double x, bool is_slope)
{
    mpfr_t c;
    mpfr_init2(c, WIDE_BITS);
    mpfr_set_d(result, x, MPFR_RNDN);
    mpfr_pow_ui(result, result, 3, MPFR_RNDN);
    mpfr_mul_ui(result, result, is_slope ? 3 * 44715 : 44715, MPFR_RNDN);
    mpfr_div_ui(result, result, 1000000, MPFR_RNDN);
    mpfr_add_d(result, result, x, MPFR_RNDN);
    mpfr_const_pi(c, MPFR_RNDN);
    mpfr_ui_div(c, 2, c, MPFR_RNDN);
    mpfr_sqrt(c, c, MPFR_RNDN);
    mpfr_mul(result, result, c, MPFR_RNDN);
    mpfr_clear(c);
}

/* x (1 + t) / 2, or (1 + t) / 2 + x u' (1 - t^2) / 2, with t = tanh u. */
static void gelu(mpfr_ptr result, double x, bool is_derivative)
{
    if (isnan(x) || (isinf(x) && !is_derivative)) {
        mpfr_set_d(result, x < 0 ? (double)NAN : x, MPFR_RNDN);
        return;
    }
    double near = fmax(fmin(x, 20), -20); /* further out results are 0 or 1, or x times them */
    mpfr_t slope;
    mpfr_init2(slope, WIDE_BITS);
    gelu_argument(result, near, false);
    mpfr_tanh(result, result, MPFR_RNDN);
    mpfr_sqr(slope, result, MPFR_RNDN);
    mpfr_ui_sub(slope, 1, slope, MPFR_RNDN);
    mpfr_add_ui(result, result, 1, MPFR_RNDN);
    if (is_derivative) {
        mpfr_t factor;
        mpfr_init2(factor, WIDE_BITS);
        gelu_argument(factor, near, true); /* x u' */
        mpfr_mul(slope, slope, factor, MPFR_RNDN);
        mpfr_add(result, result, slope, MPFR_RNDN);
        mpfr_clear(factor);
    } else {
        mpfr_mul_d(result, result, x, MPFR_RNDN);
    }
    mpfr_div_ui(result, result, 2, MPFR_RNDN);
    if (isinf(x))
        mpfr_set_d(result, x > 0, MPFR_RNDN);
    mpfr_clear(slope);
}

static void real_result(mpfr_ptr result, enum activation activation, const double *x, double threshold)
{
    switch (activation) {
    case ACTIVATION_RELU:
        mpfr_set_d(result, isnan(x[0]) || x[0] > 0 ? x[0] : 0, MPFR_RNDN);
        break;
    case ACTIVATION_THRESHOLD_BACKWARD:
        mpfr_set_d(result, x[1] <= threshold ? 0 : x[0], MPFR_RNDN);
        break;
    case ACTIVATION_SIGMOID:
        logistic(result, x[0]);
        break;
    case ACTIVATION_SIGMOID_BACKWARD:
        mpfr_set_d(result, -x[1], MPFR_RNDN);
        mpfr_add_ui(result, result, 1, MPFR_RNDN);
        mpfr_mul_d(result, result, x[1], MPFR_RNDN);
        mpfr_mul_d(result, result, x[0], MPFR_RNDN);
        break;
    case ACTIVATION_TANH:
        mpfr_set_d(result, x[0], MPFR_RNDN);
        mpfr_tanh(result, result, MPFR_RNDN);
        break;
    case ACTIVATION_TANH_BACKWARD:
        mpfr_set_d(result, x[1], MPFR_RNDN);
        mpfr_sqr(result, result, MPFR_RNDN);
        mpfr_ui_sub(result, 1, result, MPFR_RNDN);
        mpfr_mul_d(result, result, x[0], MPFR_RNDN);
        break;
    case ACTIVATION_GELU:
        gelu(result, x[0], false);
        break;
    case ACTIVATION_GELU_BACKWARD:
        gelu(result, x[1], true);
        mpfr_mul_d(result, result, x[0], MPFR_RNDN);
        break;
    }
}

/* 1 / (1 + e^-a (cos b - i sin b)). */
static void complex_logistic(mpfr_t *result, const double *z)
{
    const double a = z[0], b = z[1];
    if (isinf(a) && !isfinite(b)) {
        mpfr_set_d(result[0], a > 0, MPFR_RNDN);
        mpfr_set_zero(result[1], 1);
        return;
    }
    if (isnan(a) || !isfinite(b)) {
        mpfr_set_nan(result[0]);
        mpfr_set_nan(result[1]);
        if (b == 0)
            mpfr_set_d(result[1], b, MPFR_RNDN);
        return;
    }
    mpfr_t e, norm;
    mpfr_inits2(COMPLEX_BITS, e, norm, (mpfr_ptr)0);
    mpfr_set_d(e, fmax(fmin(-a, 2000), -2000), MPFR_RNDN);
    mpfr_exp(e, e, MPFR_RNDN);
    mpfr_set_d(norm, b, MPFR_RNDN);
    mpfr_sin_cos(result[1], result[0], norm, MPFR_RNDN);
    mpfr_mul(result[1], result[1], e, MPFR_RNDN);
    mpfr_mul(result[0], result[0], e, MPFR_RNDN);
    mpfr_add_ui(result[0], result[0], 1, MPFR_RNDN);
    mpfr_sqr(norm, result[0], MPFR_RNDN);
    mpfr_fma(norm, result[1], result[1], norm, MPFR_RNDN);
    mpfr_div(result[0], result[0], norm, MPFR_RNDN);
    mpfr_div(result[1], result[1], norm, MPFR_RNDN);
    if (b == 0)
        mpfr_set_d(result[1], b, MPFR_RNDN);
    mpfr_clears(e, norm, (mpfr_ptr)0);
}

/* (sinh a cosh a + i sin b cos b) / (sinh^2 a + cos^2 b). */
static void complex_tanh(mpfr_t *result, const double *z)
{
    if (!isfinite(z[0]) || !isfinite(z[1])) {
        double complex value;
        memcpy(&value, z, sizeof value);
        value = ctanh(value);
        mpfr_set_d(result[0], creal(value), MPFR_RNDN);
        mpfr_set_d(result[1], cimag(value), MPFR_RNDN);
        return;
    }
    mpfr_t hyperbolic[2], circular[2], norm;
    mpfr_inits2(COMPLEX_BITS, hyperbolic[0], hyperbolic[1], circular[0], circular[1], norm, (mpfr_ptr)0);
    mpfr_set_d(norm, fmax(fmin(z[0], 2000), -2000), MPFR_RNDN); /* beyond them the result is the same */
    mpfr_sinh_cosh(hyperbolic[0], hyperbolic[1], norm, MPFR_RNDN);
    mpfr_set_d(norm, z[1], MPFR_RNDN);
    mpfr_sin_cos(circular[0], circular[1], norm, MPFR_RNDN);
    mpfr_sqr(norm, hyperbolic[0], MPFR_RNDN);
    mpfr_fma(norm, circular[1], circular[1], norm, MPFR_RNDN);
    mpfr_mul(result[0], hyperbolic[0], hyperbolic[1], MPFR_RNDN);
    mpfr_mul(result[1], circular[0], circular[1], MPFR_RNDN);
    for (int part = 0; part < 2; part++)
        mpfr_div(result[part], result[part], norm, MPFR_RNDN);
    mpfr_clears(hyperbolic[0], hyperbolic[1], circular[0], circular[1], norm, (mpfr_ptr)0);
}

/* sum += factor a b c */
static void add_product(mpfr_ptr sum, double factor, double a, double b, double c)
{
    mpfr_t product;
    mpfr_init2(product, 200);
    mpfr_set_d(product, a, MPFR_RNDN);
    mpfr_mul_d(product, product, b, MPFR_RNDN);
    mpfr_mul_d(product, product, c, MPFR_RNDN);
    mpfr_mul_d(product, product, factor, MPFR_RNDN);
    mpfr_add(sum, sum, product, MPFR_RNDN);
    mpfr_clear(product);
}

/* The formula's steps. */
static void gradient_steps(double *result, const double *g, const double *y)
{
    const double p = y[0] * (1 - y[0]) + y[1] * y[1], q = y[1] * (1 - 2 * y[0]);
    result[0] = g[0] * p + g[1] * q;
    result[1] = g[1] * p - g[0] * q;
}

/* g times the conjugate of y (1 - y), multiplied out. */
static void complex_gradient(mpfr_t *result, const double *g, const double *y)
{
    const double a = y[0], b = y[1];
    if (!isfinite(g[0]) || !isfinite(g[1]) || !isfinite(a) || !isfinite(b)) {
        double steps[2];
        gradient_steps(steps, g, y);
        mpfr_set_d(result[0], steps[0], MPFR_RNDN);
        mpfr_set_d(result[1], steps[1], MPFR_RNDN);
        return;
    }
    for (int part = 0; part < 2; part++) {
        const double c = g[part], d = part == 0 ? g[1] : -g[0];
        mpfr_set_zero(result[part], 1);
        add_product(result[part], 1, c, a, 1);
        add_product(result[part], -1, c, a, a);
        add_product(result[part], 1, c, b, b);
        add_product(result[part], 1, d, b, 1);
        add_product(result[part], -2, d, a, b);
    }
}

/* g times the conjugate of 1 - y^2, step by step and multiplied out. */
static void tanh_gradient_steps(double *result, const double *g, const double *y)
{
    const double p = 1 - (y[0] * y[0] - y[1] * y[1]), q = 2 * y[0] * y[1];
    result[0] = g[0] * p - g[1] * q;
    result[1] = g[0] * q + g[1] * p;
}

static void complex_tanh_gradient(mpfr_t *result, const double *g, const double *y)
{
    const double a = y[0], b = y[1];
    if (!isfinite(g[0]) || !isfinite(g[1]) || !isfinite(a) || !isfinite(b)) {
        double steps[2];
        tanh_gradient_steps(steps, g, y);
        mpfr_set_d(result[0], steps[0], MPFR_RNDN);
        mpfr_set_d(result[1], steps[1], MPFR_RNDN);
        return;
    }
    for (int part = 0; part < 2; part++) {
        const double c = g[part], d = part == 0 ? -g[1] : g[0];
        mpfr_set_zero(result[part], 1);
        add_product(result[part], 1, c, 1, 1);
        add_product(result[part], -1, c, a, a);
        add_product(result[part], 1, c, b, b);
        add_product(result[part], 2, d, a, b);
    }
}

/* What docs/accuracy.md allows DOUBLE and parts of complex numbers. */
static void allow(enum activation activation, double (*value)[2], const void *result, aclDataType arithmetic,
                  struct allowance *allowance)
{
    const double *g = value[0], *y = value[1];
    const bool is_gradient =
        activation == ACTIVATION_SIGMOID_BACKWARD || activation == ACTIVATION_TANH_BACKWARD;
    if (arithmetic == ACL_DOUBLE && (is_gradient || activation == ACTIVATION_SIGMOID))
        allow_units(allowance, 2, result, arithmetic);
    if (arithmetic == ACL_DOUBLE && is_gradient && !(fabs(y[0]) <= 1)) { /* what no forward gives */
        const double size = fabs(y[0]);
        allowance->has_steps = true;
        allowance->steps[0] = activation == ACTIVATION_TANH_BACKWARD ? (g[0] * (1 - size)) * (1 + size)
                                                                     : g[0] * y[0] * (1 - y[0]);
    }
    if (!is_complex(arithmetic))
        return;
    allow_units(allowance, 1, result, arithmetic);
    double size = 0;
    if (is_gradient) {
        const double a = fabs(y[0]), b = fabs(y[1]);
        if (activation == ACTIVATION_TANH_BACKWARD) {
            size = (fabs(g[0]) + fabs(g[1])) * (1 + a * a + b * b + 2 * a * b);
            tanh_gradient_steps(allowance->steps, g, y);
        } else {
            size = (fabs(g[0]) + fabs(g[1])) * (a + a * a + b * b + b + 2 * a * b);
            gradient_steps(allowance->steps, g, y);
        }
        allowance->has_steps = !isfinite(size);
    } else {
        double part[2];
        const aclDataType part_dtype = arithmetic == ACL_COMPLEX128 ? ACL_DOUBLE : ACL_FLOAT;
        for (size_t i = 0; i < 2; i++)
            part[i] =
                reference_load(part_dtype, (const unsigned char *)result + i * conversion_bytes(part_dtype));
        size = hypot(part[0], part[1]);
    }
    const double unit = activation == ACTIVATION_TANH ? 0x1p-48 : 0x1p-50;
    for (int i = 0; i < 2 && isfinite(size); i++)
        allowance->error[i] += size * unit + 0x1p-1072;
}

void reference_activation(enum activation activation, const void *const *input,
                          const aclDataType *input_dtype, aclDataType arithmetic, double threshold,
                          void *output, aclDataType output_dtype)
{
    const int inputs = activation == ACTIVATION_RELU || activation == ACTIVATION_SIGMOID ||
                               activation == ACTIVATION_TANH || activation == ACTIVATION_GELU
                           ? 1
                           : 2;
    const bool is_wide = arithmetic == ACL_DOUBLE || arithmetic == ACL_COMPLEX128;
    const aclDataType part_dtype = !is_complex(arithmetic) ? arithmetic : is_wide ? ACL_DOUBLE : ACL_FLOAT;
    const size_t part_bytes = conversion_bytes(part_dtype);
    double value[2][2] = {{0}};
    unsigned char bytes[16];
    for (int i = 0; i < inputs; i++) {
        conversion_reference(input[i], input_dtype[i], bytes, arithmetic);
        for (int part = 0; part <= is_complex(arithmetic); part++)
            value[i][part] = reference_load(part_dtype, bytes + (size_t)part * part_bytes);
    }
    mpfr_t result[2];
    mpfr_inits2(is_complex(arithmetic) ? COMPLEX_BITS : WIDE_BITS, result[0], result[1], (mpfr_ptr)0);
    if (!is_complex(arithmetic)) {
        const double real[] = {value[0][0], value[1][0]};
        real_result(result[0], activation, real, threshold);
    } else if (activation == ACTIVATION_SIGMOID) {
        complex_logistic(result, value[0]);
    } else if (activation == ACTIVATION_TANH) {
        complex_tanh(result, value[0]);
    } else if (activation == ACTIVATION_TANH_BACKWARD) {
        complex_tanh_gradient(result, value[0], value[1]);
    } else {
        complex_gradient(result, value[0], value[1]);
    }
    for (int part = 0; part <= is_complex(arithmetic); part++)
        reference_store(part_dtype, result[part], bytes + (size_t)part * part_bytes);
    mpfr_clears(result[0], result[1], (mpfr_ptr)0);
    struct allowance allowance = {.has_steps = false};
    allow(activation, value, bytes, arithmetic, &allowance);
    store_unless_allowed(bytes, arithmetic, &allowance, output, output_dtype);
}
