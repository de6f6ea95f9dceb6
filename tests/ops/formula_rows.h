/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The formulas of tests/ops/formula.c in long double, and a row for each function.
 */
#ifndef BELAY_TESTS_OPS_FORMULA_ROWS_H
#define BELAY_TESTS_OPS_FORMULA_ROWS_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { TENSORS_MAX = 4, NUMBERS_MAX = 4 };

typedef long double reference_function(const long double *x, const double *number);
typedef int64_t integer_function(const int64_t *x, const int64_t *number);
typedef bool beyond_function(const long double *x, const double *number);

struct row {
    const char *name;
    reference_function *reference;
    double number[NUMBERS_MAX]; /* scalars, doubles, integers and bools in the order of the call */
    double size;                /* of the elements; 0: 6 */
    integer_function *integers; /* NULL: of floats alone */
    unsigned absent;            /* a bit for each parameter that is NULL, whose x is infinite */
    beyond_function
        *is_beyond; /* where DOUBLE, or a sum, computed in doubles, meets other numbers on its way */
};

/* Defines reference_name: x[0], x[1], ... are the elements, n[0], ... the numbers. */
#define REFERENCE(name, ...)                                                   \
    static long double reference_##name(const long double *x, const double *n) \
    {                                                                          \
        (void)n;                                                               \
        return __VA_ARGS__;                                                    \
    }

/* e^x, which of no finite x is 0. */
static long double power_of_e(long double x)
{
    const long double power = expl(x);
    return power < 1e-4000L && isfinite(x) ? 1e-4000L : power;
}

static long double logistic(long double x)
{
    return x < 0 ? power_of_e(x) / (1 + power_of_e(x)) : 1 / (1 + power_of_e(-x));
}

REFERENCE(celu, x[0] > 0 ? x[0] : n[0] * expm1l(x[0] / n[0]))
REFERENCE(elu, x[0] > 0 ? n[1] * x[0] : (long double)n[0] * n[1] * expm1l(n[2] * x[0]))
REFERENCE(selu, 1.0507009873554804934193349852946L *
                    (x[0] > 0 ? x[0] : 1.6732632423543772848170429916717L * expm1l(x[0])))
REFERENCE(softplus, n[0] * x[0] > n[1] ? x[0] : log1pl(expl(n[0] * x[0])) / n[0])
REFERENCE(hardsigmoid, x[0] <= -3 ? 0 : x[0] >= 3 ? 1 : (x[0] + 3) / 6)
REFERENCE(hardshrink, fabsl(x[0]) <= fmaxl(n[0], 0) ? 0 : x[0])
REFERENCE(softshrink, x[0] > n[0] ? x[0] - n[0] : x[0] < -n[0] ? x[0] + n[0] : x[0] * 0)
REFERENCE(softsign, x[0] / (1 + fabsl(x[0])))
REFERENCE(log_sigmoid, x[0] < 0 ? x[0] - log1pl(expl(x[0])) : isinf(x[0]) ? 0 : -log1pl(power_of_e(-x[0])))
REFERENCE(mish, x[0] * tanhl(x[0] > 50 ? x[0] : log1pl(expl(x[0]))))
REFERENCE(fast_gelu, x[0] * logistic(1.702L * x[0]))
REFERENCE(gelu_v2, n[0] == 1 ? x[0] * logistic(2 * 0.797884560802865355879892119868763737L *
                                               (x[0] + 0.044715L * x[0] * x[0] * x[0]))
                             : x[0] * 0.5L * erfcl(-x[0] * 0.707106781186547524400844362104849039L))
REFERENCE(threshold, x[0] <= n[0] ? n[1] : x[0])

/* Gradients: x[0] is the gradient. */
REFERENCE(elu_backward, x[0] * (!(x[1] <= 0) ? (long double)n[1]
                                : n[3] != 0  ? n[2] * (x[1] + (long double)n[0] * n[1])
                                             : (long double)n[2] * n[0] * n[1] * power_of_e(x[1] * n[2])))
REFERENCE(selu_backward,
          x[0] * (x[1] <= 0 ? x[1] + 1.0507009873554804934193349852946L * 1.6732632423543772848170429916717L
                            : 1.0507009873554804934193349852946L))
REFERENCE(softplus_backward, n[0] * x[1] > n[1] ? x[0] : x[0] * logistic(n[0] * x[1]))
REFERENCE(hardtanh_backward, x[1] <= n[0] || x[1] >= n[1] ? 0 : x[0])
REFERENCE(hardsigmoid_backward, x[1] > -3 && x[1] < 3 ? x[0] / 6 : 0)
REFERENCE(shrink_backward, fabsl(x[1]) <= fmaxl(n[0], 0) ? 0 : x[0])
REFERENCE(logsigmoid_backward, x[0] * logistic(-x[1]))

static long double reference_mish_backward(const long double *x, const double *n)
{
    if (x[1] < -50)
        return x[0] * (power_of_e(x[1]) * (1 + x[1]));
    const long double t = tanhl(x[1] > 50 ? x[1] : log1pl(expl(x[1])));
    const long double rest = 1 / coshl(x[1] > 50 ? x[1] : log1pl(expl(x[1])));
    (void)n;
    return x[0] * (t + x[1] * logistic(x[1]) * rest * rest);
}

REFERENCE(fast_gelu_backward, x[0] * logistic(1.702L * x[1]) * (1 + 1.702L * x[1] * logistic(-1.702L * x[1])))

/* Sums of products cancel more than long double has. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

/* With the odd one of the two neighbours, so that rounding it again is as rounding once. */
static long double narrow(quad value)
{
    const long double near = (long double)value;
    const quad rest = value - near;
    uint64_t digits;
    memcpy(&digits, &near, sizeof digits);
    return rest != 0 && (digits & 1) == 0 ? nextafterl(near, rest > 0 ? INFINITY : -INFINITY) : near;
}

/* And integer_name, in unsigned arithmetic where it may wrap. */
#define INTEGERS(name, ...)                                           \
    static int64_t integer_##name(const int64_t *x, const int64_t *n) \
    {                                                                 \
        (void)n;                                                      \
        return (int64_t)(__VA_ARGS__);                                \
    }
#define U(value) ((uint64_t)(value))

REFERENCE(addcmul, narrow((quad)x[0] + (quad)n[0] * (quad)x[1] * (quad)x[2]))
/* Whether doubles that are multiplied are none any more, or lose digits. */
static bool leaves_doubles(long double product)
{
    return fabsl(product) > DBL_MAX || (product != 0 && fabsl(product) < 0x1p-960L);
}

static bool product_is_beyond(const long double *x, const double *n)
{
    return leaves_doubles(n[0] * x[1]) || leaves_doubles(n[0] * x[1] * x[2]);
}

static bool quotient_is_beyond(const long double *x, const double *n)
{
    /* Pairs divide what is far from both ends. */
    return fabsl(n[0] * x[1]) > 0x1p900L || fabsl(x[2]) > 0x1p900L || leaves_doubles(n[0] * x[1]) ||
           leaves_doubles(x[2]) || leaves_doubles(n[0] * x[1] / x[2]);
}

static bool way_is_beyond(const long double *x, const double *n)
{
    (void)n;
    return leaves_doubles(x[1] - x[0]) || leaves_doubles((x[1] - x[0]) * x[2]) ||
           leaves_doubles((x[1] - x[0]) * (1 - x[2]));
}

/* e^x is 0 far below 0, and NaN with an infinite gradient. */
static bool is_infinite_times_none(const long double *x, const double *n)
{
    (void)n;
    return isinf(x[0]) && x[1] < -1000;
}

INTEGERS(addcmul, U(x[0]) + U(n[0]) * U(x[1]) * U(x[2]))
REFERENCE(addcdiv, narrow((quad)x[0] + (quad)n[0] * (quad)x[1] / (quad)x[2]))

static int64_t integer_addcdiv(const int64_t *x, const int64_t *n)
{
    const double value = (double)x[0] + (double)n[0] * ((double)x[1] / (double)x[2]);
    return isnan(value) ? 0 : value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

/* From the nearer end, which counts where something is infinite. */
static long double reference_lerp(const long double *x, const double *n)
{
    const quad way = (quad)x[1] - x[0];
    (void)n;
    return narrow(fabsl(x[2]) < 0.5L ? x[0] + x[2] * way : x[1] - way * (1 - (quad)x[2]));
}

/* With one weight for all. */
static long double reference_lerps(const long double *x, const double *n)
{
    const long double given[] = {x[0], x[1], n[0]};
    return reference_lerp(given, n);
}

static bool lerps_is_beyond(const long double *x, const double *n)
{
    const long double given[] = {x[0], x[1], n[0]};
    return way_is_beyond(given, n);
}

REFERENCE(add_relu, narrow((quad)x[0] + (quad)n[0] * (quad)x[1]) <= 0
                        ? 0
                        : narrow((quad)x[0] + (quad)n[0] * (quad)x[1]))

/* n[3]: the bits of the dtype, of UINT8 9. */
static int64_t integer_add_relu(const int64_t *x, const int64_t *n)
{
    const uint64_t sum = U(x[0]) + U(n[0]) * U(x[1]), unused = 64 - U(n[3]);
    return n[3] == 9 ? (int64_t)(sum & 255) : (int64_t)(sum << unused) <= 0 ? 0 : (int64_t)sum;
}

REFERENCE(masked_scale, x[0] * x[1] * n[0])
REFERENCE(rsub, narrow((quad)x[1] - (quad)n[0] * (quad)x[0]))
INTEGERS(rsub, U(x[1]) - U(n[0]) * U(x[0]))
REFERENCE(add_v3, narrow((quad)x[1] + (quad)n[0] * (quad)x[0]))
INTEGERS(add_v3, U(x[1]) + U(n[0]) * U(x[0]))
REFERENCE(maximum, isnan(x[0]) || isnan(x[1]) ? NAN : x[1] > x[0] ? x[1] : x[0])
INTEGERS(maximum, x[1] > x[0] ? x[1] : x[0])
REFERENCE(minimum, isnan(x[0]) || isnan(x[1]) ? NAN : x[1] < x[0] ? x[1] : x[0])
INTEGERS(minimum, x[1] < x[0] ? x[1] : x[0])
REFERENCE(clamp, isnan(x[0]) || isnan(x[1]) || isnan(x[2]) ? NAN
                 : x[0] > x[2] || x[1] > x[2]              ? x[2]
                 : x[0] < x[1]                             ? x[1]
                                                           : x[0])
INTEGERS(clamp, x[0] > x[2] || x[1] > x[2] ? x[2] : x[0] < x[1] ? x[1] : x[0])

INTEGERS(and, x[0] & x[1])
/* By steps of one bit. */
static int64_t shifted(int64_t x, int64_t distance, bool is_left)
{
    if (distance < 0 || distance > 63)
        return is_left || x >= 0 ? 0 : -1;
    for (; distance > 0; distance--)
        x = is_left ? (int64_t)((uint64_t)x * 2) : (x - (x & 1)) / 2;
    return x;
}
INTEGERS(left_shift, shifted(x[0], x[1], true))

/* n[3] is 65 for UINT64, which has no sign. */
static int64_t integer_right_shift(const int64_t *x, const int64_t *n)
{
    const int64_t halved = n[3] == 65 && x[1] > 0 ? (int64_t)(U(x[0]) / 2) : x[0];
    return shifted(halved, halved == x[0] ? x[1] : x[1] - 1, false) & (n[3] == 65 && x[1] < 0 ? 0 : -1);
}

/* The greatest number that divides both, of small ones by looking for it. */
static int64_t integer_gcd(const int64_t *x, const int64_t *n)
{
    const uint64_t a = (uint64_t)(x[0] < 0 ? 0 - (uint64_t)x[0] : (uint64_t)x[0]),
                   b = (uint64_t)(x[1] < 0 ? 0 - (uint64_t)x[1] : (uint64_t)x[1]);
    (void)n;
    if (a == 0 || b == 0 || a == b)
        return (int64_t)(a | b);
    const int64_t parts[] = {(int64_t)(a > b ? a % b : a), (int64_t)(a > b ? b : b % a)};
    return integer_gcd(parts, n);
}
INTEGERS(or, x[0] | x[1])
INTEGERS(xor, x[0] ^ x[1])
INTEGERS(not, ~x[0])

REFERENCE(fmod, fmodl(x[0], x[1]))
INTEGERS(fmod, x[1] == 0 ? -1 : x[1] == -1 ? 0 : x[0] % x[1])

static long double reference_remainder(const long double *x, const double *n)
{
    const long double rest = reference_fmod(x, n);
    return rest != 0 && signbit(rest) != signbit(x[1]) ? rest + x[1] : rest;
}

static int64_t integer_remainder(const int64_t *x, const int64_t *n)
{
    const int64_t rest = x[1] == 0 ? x[0] : integer_fmod(x, n);
    return x[1] != 0 && rest != 0 && (rest ^ x[1]) < 0 ? rest + x[1] : rest;
}

/* Of numbers that are no integers, whose quotient is far from whole ones, or is one. */
REFERENCE(floored, isnan(x[0]) || (isinf(x[0]) && x[1] != 0) ? NAN
                   : isinf(x[1]) ? x[0] == 0 || signbit(x[0]) == signbit(x[1]) ? x[0] / x[1] : -1
                                 : floorl(narrow((quad)x[0] / (quad)x[1])))
REFERENCE(truncated, truncl(narrow((quad)x[0] / (quad)x[1])))

static int64_t end_of(int64_t x, int64_t bits)
{
    return x == 0 ? 0 : x > 0 ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1) : -(INT64_C(1) << (bits - 2)) * 2;
}

/* n[3]: the bits of the dtype, of UINT8 9. */
static int64_t integer_truncated(const int64_t *x, const int64_t *n)
{
    return x[1] == 0    ? n[3] == 9 ? x[0] == 0 ? 0 : 255 : end_of(x[0], n[3])
              : x[1] == -1 ? (int64_t)-U(x[0])
                        : x[0] / x[1];
}

static int64_t integer_floored(const int64_t *x, const int64_t *n)
{
    const int64_t quotient = integer_truncated(x, n);
    return x[1] != 0 && x[1] != -1 && x[0] % x[1] != 0 && (x[0] ^ x[1]) < 0 ? quotient - 1 : quotient;
}

REFERENCE(pow, powl(x[0], x[1]))

static int64_t integer_pow(const int64_t *x, const int64_t *n)
{
    uint64_t value = 1;
    (void)n;
    if (x[1] < 0)
        return x[0] == 1 || (x[0] == -1 && x[1] % 2 == 0) ? 1 : x[0] == -1 ? -1 : 0;
    for (int bit = 63; bit >= 0; bit--)
        value = value * value * ((x[1] >> bit & 1) != 0 ? U(x[0]) : 1);
    return (int64_t)value;
}

REFERENCE(atan2, atan2l(x[0], x[1]))
REFERENCE(logaddexp, isnan(x[0]) || isnan(x[1]) ? NAN
                     : x[0] == x[1]             ? x[0] + logl(2)
                                                : fmaxl(x[0], x[1]) + log1pl(expl(-fabsl(x[0] - x[1]))))
REFERENCE(logaddexp2, isnan(x[0]) || isnan(x[1]) ? NAN
                      : x[0] == x[1]             ? x[0] + 1
                                     : fmaxl(x[0], x[1]) + log1pl(exp2l(-fabsl(x[0] - x[1]))) / logl(2))

static long double reference_logit(const long double *x, const double *n)
{
    const float eps = (float)n[0];
    const long double z = !(eps >= 0)                ? x[0]
                          : x[0] < (double)eps       ? (long double)eps
                          : x[0] > (double)(1 - eps) ? (long double)(1 - eps)
                                                     : x[0];
    return logl(z / (1 - z));
}

static long double reference_logit_grad(const long double *x, const double *n)
{
    const float eps = (float)n[0];
    bool is_outside = eps >= 0 ? x[0] < (double)eps || x[0] > (double)(1 - eps) : x[0] < 0 || x[0] > 1;
    return is_outside ? eps >= 0 ? 0 : NAN : x[1] / (x[0] * (1 - x[0]));
}

static long double reference_gelu_backward(const long double *x, const double *n)
{
    const long double k = 0.797884560802865355879892119868763737L;
    const long double s = logistic(2 * k * (x[1] + 0.044715L * x[1] * x[1] * x[1]));
    const long double rest = logistic(-2 * k * (x[1] + 0.044715L * x[1] * x[1] * x[1]));
    const long double tanh_slope = s + x[1] * s * rest * 2 * k * (1 + 3 * 0.044715L * x[1] * x[1]);
    const long double slope =
        0.5L * erfcl(-x[1] * 0.707106781186547524400844362104849039L) + x[1] * k / 2 * expl(-x[1] * x[1] / 2);
    return x[0] * (fabsl(x[1]) > 60 ? x[1] > 0 : n[0] == 1 ? tanh_slope : slope); /* no rest far out */
}

/* By halves: erfc falls from 1 to less than 2^-60 between 0 and 6.5. */
static long double reference_erfinv(const long double *x, const double *n)
{
    long double low = 0, high = 6.5L;
    const long double size = fabsl(x[0]);
    (void)n;
    if (!(size < 1))
        return size == 1 ? x[0] * INFINITY : NAN;
    if (size < 1e-12L)
        return x[0] * 0.886226925452758013649083741670572591L;
    for (int i = 0; i < 90; i++) {
        const long double middle = (low + high) / 2;
        if (size < 0.5L ? erfl(middle) < size : erfcl(middle) > 1 - size)
            low = middle;
        else
            high = middle;
    }
    return copysignl(high, x[0]);
}

REFERENCE(nan_to_num, isnan(x[0]) ? n[0] : isinf(x[0]) ? n[x[0] > 0 ? 1 : 2] : x[0])
REFERENCE(xlogy, isnan(x[1]) ? NAN : x[0] == 0 ? 0 : x[0] * logl(x[1]))
INTEGERS(same, x[0])

static int64_t integer_hundreds(const int64_t *x, const int64_t *n)
{
    const int64_t rest = x[0] % 100, times = x[0] / 100;
    const int64_t way = rest > 50 || (rest == 50 && times % 2 != 0)     ? 1
                        : rest < -50 || (rest == -50 && times % 2 != 0) ? -1
                                                                        : 0;
    (void)n;
    return (int64_t)(U(times + way) * 100);
}

static long double reference_heaviside(const long double *x, const double *number)
{
    (void)number;
    return x[0] == 0 ? x[1] : x[0] > 0;
}

static int64_t integer_heaviside(const int64_t *x, const int64_t *number)
{
    (void)number;
    return x[0] == 0 ? x[1] : x[0] > 0;
}

static const struct row rows[] = {
    {"aclnnCelu", reference_celu, {1.5}, 6},
    {"aclnnInplaceCelu", reference_celu, {-0.75}, 6},
    {"aclnnElu", reference_elu, {1.5, 0.7, 1.1}, 6},
    {"aclnnInplaceElu", reference_elu, {1, 1, 1}, 30},
    {"aclnnSelu", reference_selu, {0}, 6},
    {"aclnnInplaceSelu", reference_selu, {0}, 6},
    {"aclnnSoftplus", reference_softplus, {1, 20}, 40},
    {"aclnnSoftplus", reference_softplus, {-0.3, 2}, 40},
    {"aclnnHardsigmoid", reference_hardsigmoid, {0}, 6},
    {"aclnnInplaceHardsigmoid", reference_hardsigmoid, {0}, 6},
    {"aclnnHardshrink", reference_hardshrink, {0.5}, 2},
    {"aclnnHardshrink", reference_hardshrink, {-0.5}, 2},
    {"aclnnSoftshrink", reference_softshrink, {0.5}, 2},
    {"aclnnSoftsign", reference_softsign, {0}, 6},
    {"aclnnLogSigmoid", reference_log_sigmoid, {0}, 40},
    {"aclnnLogSigmoidForward", reference_log_sigmoid, {0}, 6},
    {"aclnnMish", reference_mish, {0}, 20},
    {"aclnnInplaceMish", reference_mish, {0}, 400},
    {"aclnnFastGelu", reference_fast_gelu, {0}, 10},
    {"aclnnGeluV2", reference_gelu_v2, {0}, 6},
    {"aclnnGeluV2", reference_gelu_v2, {1}, 6},
    {"aclnnThreshold", reference_threshold, {0.1, 20}, 6},
    {"aclnnInplaceThreshold", reference_threshold, {0.1, 20}, 6},
    {"aclnnEluBackward", reference_elu_backward, {1.5, 0.7, 1.1, 0}, 6},
    {"aclnnEluBackward", reference_elu_backward, {1.5, 0.7, 1.1, 1}, 1},
    {"aclnnSeluBackward", reference_selu_backward, {0}, 1.5},
    {"aclnnSoftplusBackward", reference_softplus_backward, {1.5, 4}, 5, .is_beyond = is_infinite_times_none},
    {"aclnnHardtanhBackward", reference_hardtanh_backward, {-1.5, 2}, 6},
    {"aclnnHardsigmoidBackward", reference_hardsigmoid_backward, {0}, 6},
    {"aclnnHardshrinkBackward", reference_shrink_backward, {0.5}, 2},
    {"aclnnSoftshrinkBackward", reference_shrink_backward, {0.5}, 2},
    {"aclnnLogSigmoidBackward", reference_logsigmoid_backward, {0}, 40},
    {"aclnnMishBackward", reference_mish_backward, {0}, 20},
    {"aclnnFastGeluBackward", reference_fast_gelu_backward, {0}, 10},
    {"aclnnAddcmul", reference_addcmul, {-3.7}, 6, integer_addcmul, .is_beyond = product_is_beyond},
    {"aclnnInplaceAddcmul", reference_addcmul, {1}, 6, integer_addcmul, .is_beyond = product_is_beyond},
    {"aclnnAddcdiv", reference_addcdiv, {-3.7}, 6, integer_addcdiv, .is_beyond = quotient_is_beyond},
    {"aclnnInplaceAddcdiv", reference_addcdiv, {-0.001}, 6, integer_addcdiv, .is_beyond = quotient_is_beyond},
    {"aclnnLerp", reference_lerp, {0}, 2, .is_beyond = way_is_beyond},
    {"aclnnInplaceLerp", reference_lerp, {0}, 2, .is_beyond = way_is_beyond},
    {"aclnnLerps", reference_lerps, {0.1}, 6, .is_beyond = lerps_is_beyond},
    {"aclnnInplaceLerps", reference_lerps, {0.9}, 6, .is_beyond = lerps_is_beyond},
    {"aclnnLerps", reference_lerps, {0.5}, 6, .is_beyond = lerps_is_beyond},
    {"aclnnLerps", reference_lerps, {1}, 6, .is_beyond = lerps_is_beyond},
    {"aclnnAddRelu", reference_add_relu, {1.3}, 6, integer_add_relu},
    {"aclnnInplaceAddRelu", reference_add_relu, {-1}, 6, integer_add_relu},
    {"aclnnMaskedScale", reference_masked_scale, {1.25}, 6},
    {"aclnnRsub", reference_rsub, {1.3}, 6, integer_rsub},
    {"aclnnRsubs", reference_rsub, {2.375, -3.1}, 6, integer_rsub},
    {"aclnnAddV3", reference_add_v3, {2.375, -3.1}, 6, integer_add_v3},
    {"aclnnGcd", NULL, {0}, 6, integer_gcd},
    {"aclnnLeftShift", NULL, {0}, 6, integer_left_shift},
    {"aclnnLeftShifts", NULL, {3}, 6, integer_left_shift},
    {"aclnnLeftShifts", NULL, {-1}, 6, integer_left_shift},
    {"aclnnRightShift", NULL, {0}, 6, integer_right_shift},
    {"aclnnMaximum", reference_maximum, {0}, 6, integer_maximum},
    {"aclnnMinimum", reference_minimum, {0}, 6, integer_minimum},
    {"aclnnHeaviside", reference_heaviside, {0}, 6, integer_heaviside},
    {"aclnnClamp", reference_clamp, {-1.3, 2.7}, 6, integer_clamp},
    {"aclnnClamp", reference_clamp, {3, -1}, 6, integer_clamp},
    {"aclnnClamp", reference_clamp, {0, 2.7}, 6, integer_clamp, .absent = 2},
    {"aclnnClamp", reference_clamp, {-1.3, 0}, 6, integer_clamp, .absent = 4},
    {"aclnnClampMin", reference_maximum, {-1.3}, 6, integer_maximum},
    {"aclnnClampMax", reference_minimum, {-1.3}, 6, integer_minimum},
    {"aclnnInplaceClampMax", reference_minimum, {1.3}, 6, integer_minimum},
    {"aclnnClampTensor", reference_clamp, {0}, 6, integer_clamp},
    {"aclnnClampTensor", reference_clamp, {0}, 6, integer_clamp, .absent = 2},
    {"aclnnClampTensor", reference_clamp, {0}, 6, integer_clamp, .absent = 4},
    {"aclnnClampMinTensor", reference_maximum, {0}, 6, integer_maximum},
    {"aclnnInplaceClampMinTensor", reference_maximum, {0}, 6, integer_maximum},
    {"aclnnClampMaxTensor", reference_minimum, {0}, 6, integer_minimum},
    {"aclnnInplaceClampMaxTensor", reference_minimum, {0}, 6, integer_minimum},
    {"aclnnBitwiseAndTensor", NULL, {0}, 6, integer_and},
    {"aclnnInplaceBitwiseAndTensor", NULL, {0}, 6, integer_and},
    {"aclnnBitwiseAndScalar", NULL, {-75}, 6, integer_and},
    {"aclnnInplaceBitwiseAndScalar", NULL, {41}, 6, integer_and},
    {"aclnnBitwiseOrTensor", NULL, {0}, 6, integer_or},
    {"aclnnInplaceBitwiseOrTensor", NULL, {0}, 6, integer_or},
    {"aclnnBitwiseOrScalar", NULL, {-75}, 6, integer_or},
    {"aclnnInplaceBitwiseOrScalar", NULL, {41}, 6, integer_or},
    {"aclnnBitwiseXorTensor", NULL, {0}, 6, integer_xor},
    {"aclnnInplaceBitwiseXorTensor", NULL, {0}, 6, integer_xor},
    {"aclnnBitwiseXorScalar", NULL, {-75}, 6, integer_xor},
    {"aclnnInplaceBitwiseXorScalar", NULL, {41}, 6, integer_xor},
    {"aclnnBitwiseNot", NULL, {0}, 6, integer_not},
    {"aclnnBitwiseAndTensorOut", NULL, {0}, 6, integer_and},
    {"aclnnInplaceBitwiseAndTensorOut", NULL, {0}, 6, integer_and},
    {"aclnnFmodTensor", reference_fmod, {0}, 6, integer_fmod},
    {"aclnnInplaceFmodTensor", reference_fmod, {0}, 6, integer_fmod},
    {"aclnnFmodScalar", reference_fmod, {2.7}, 1e9, integer_fmod},
    {"aclnnFmodScalar", reference_fmod, {-1e-30}, 6, integer_fmod},
    {"aclnnInplaceFmodScalar", reference_fmod, {-3}, 100, integer_fmod},
    {"aclnnRemainderTensorTensor", reference_remainder, {0}, 6, integer_remainder},
    {"aclnnInplaceRemainderTensorTensor", reference_remainder, {0}, 6, integer_remainder},
    {"aclnnRemainderTensorScalar", reference_remainder, {-2.7}, 1e9, integer_remainder},
    {"aclnnInplaceRemainderTensorScalar", reference_remainder, {3}, 100, integer_remainder},
    {"aclnnRemainderScalarTensor", reference_remainder, {-100}, 6, integer_remainder},
    {"aclnnFloorDivide", reference_floored, {0}, 6, integer_floored},
    {"aclnnInplaceFloorDivide", reference_floored, {0}, 6, integer_floored},
    {"aclnnFloorDivides", reference_floored, {-0.3}, 6, integer_floored},
    {"aclnnInplaceFloorDivides", reference_floored, {3}, 100, integer_floored},
    {"aclnnDivMod", reference_truncated, {1}, 6, integer_truncated},
    {"aclnnInplaceDivMod", reference_truncated, {1}, 6, integer_truncated},
    {"aclnnDivMods", reference_truncated, {-0.3, 1}, 6, integer_truncated},
    {"aclnnInplaceDivMods", reference_truncated, {3, 1}, 100, integer_truncated},
    {"aclnnDivMod", reference_floored, {2}, 6, integer_floored},
    {"aclnnDivMods", reference_floored, {-7, 2}, 100, integer_floored},
    {"aclnnPowTensorTensor", reference_pow, {0}, 6, integer_pow},
    {"aclnnInplacePowTensorTensor", reference_pow, {0}, 60, integer_pow},
    {"aclnnPowTensorScalar", reference_pow, {2}, 6, integer_pow},
    {"aclnnPowTensorScalar", reference_pow, {3}, 6, integer_pow},
    {"aclnnPowTensorScalar", reference_pow, {0.5}, 6},
    {"aclnnPowTensorScalar", reference_pow, {-1}, 6, integer_pow},
    {"aclnnPowTensorScalar", reference_pow, {1.5}, 200},
    {"aclnnInplacePowTensorScalar", reference_pow, {-2.7}, 6},
    {"aclnnPowScalarTensor", reference_pow, {2}, 20, integer_pow},
    {"aclnnPowScalarTensor", reference_pow, {10.1}, 300},
    {"aclnnAtan2", reference_atan2, {0}, 6},
    {"aclnnInplaceAtan2", reference_atan2, {0}, 6},
    {"aclnnLogAddExp", reference_logaddexp, {0}, 6},
    {"aclnnLogAddExp2", reference_logaddexp2, {0}, 40},
    {"aclnnNanToNum", reference_nan_to_num, {1.5, 2.25, -3.5}, 6, integer_same},
    {"aclnnInplaceNanToNum", reference_nan_to_num, {0, 1e30F, -0x1p120}, 6, integer_same},
    {"aclnnErfinv", reference_erfinv, {0}, 1.1},
    {"aclnnErfinv", reference_erfinv, {0}, 1e-30},
    {"aclnnInplaceErfinv", reference_erfinv, {0}, 1},
    {"aclnnXLogYTensor", reference_xlogy, {0}, 6},
    {"aclnnInplaceXLogYTensor", reference_xlogy, {0}, 1e-3},
    {"aclnnXLogYScalarSelf", reference_xlogy, {2.5}, 6},
    {"aclnnXLogYScalarSelf", reference_xlogy, {0}, 6},
    {"aclnnXLogYScalarOther", reference_xlogy, {2.7}, 6},
    {"aclnnInplaceXLogYScalarOther", reference_xlogy, {0}, 6},
    {"aclnnLogit", reference_logit, {-1}, 1.2},
    {"aclnnLogit", reference_logit, {0.01}, 1.2},
    {"aclnnLogitGrad", reference_logit_grad, {-1}, 1.2},
    {"aclnnLogitGrad", reference_logit_grad, {0.01}, 1.2},
    {"aclnnGeluBackwardV2", reference_gelu_backward, {0}, 6},
    {"aclnnGeluBackwardV2", reference_gelu_backward, {1}, 6},
    {"aclnnRoundDecimals", NULL, {2}, 6, integer_same},
    {"aclnnInplaceRoundDecimals", NULL, {-2}, 6, integer_hundreds},
    {"aclnnHardtanh", reference_clamp, {-1, 1}, 6, integer_clamp},
    {"aclnnHardtanh", reference_clamp, {2, -1}, 6, integer_clamp},
    {"aclnnInplaceHardtanh", reference_clamp, {0, 6}, 6, integer_clamp},
};

#endif
