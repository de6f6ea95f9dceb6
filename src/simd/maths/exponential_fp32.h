/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * e^x, 2^x, e^x - 1 and logarithms in registers of floats, each within 1 ulp: fused products, what the
 * last sums lose where that counts, and polynomials that scripts/maths_fp32.sollya prints.
 */
#ifndef BELAY_SIMD_MATHS_EXPONENTIAL_FP32_H
#define BELAY_SIMD_MATHS_EXPONENTIAL_FP32_H

#include "simd/maths/simple_fp32.h"

/* c[0] + c[1] x + ..., each step rounded once. */
static inline __attribute__((always_inline)) vector fp32_polynomial(vector x, const float *c, int count)
{
    vector sum = vector_of(c[count - 1]);
#pragma GCC unroll 16
    for (int i = count - 2; i >= 0; i--)
        sum = fused(sum, x, vector_of(c[i]));
    return sum;
}

#define FP32_POLYNOMIAL(x, coefficients) \
    fp32_polynomial(x, coefficients, (int)(sizeof(coefficients) / sizeof((coefficients)[0])))

/* Rounds |x| < 2^22 to a whole number, which the sum has in its low bits. */
static const float fp32_whole = 0x1.8p23F;

/* 2^k for whole numbers from -126 to 127. */
static inline vector fp32_power(vector k)
{
    return (vector)((vector_bits)(k + (fp32_whole + 127)) << 23);
}

/* value * 2^k rounded once, for value from 2^-3 to 4 and whole numbers |k| <= 250. */
static inline vector fp32_scaled(vector value, vector k)
{
#if defined(__AVX512F__)
    return (vector)_mm512_scalef_ps((__m512)value, (__m512)k);
#else
    vector half = (k * 0.5F + fp32_whole) - fp32_whole;
    return value * fp32_power(half) * fp32_power(k - half);
#endif
}

/* e^r = 1 + r + r^2 E(r), 2^-31.7, and what a number has beside k times ln 2. */
static const float fp32_e[] = {0x1p-1F,        0x1.555556p-3F,  0x1.555502p-5F,
                               0x1.110ff4p-7F, 0x1.6d2e0ep-10F, 0x1.a262bp-13F};
static const float fp32_ln2[] = {0x1.62e43p-1F, -0x1.05c61p-29F};

/* e^x = 2^k (1 + r + r^2 E(r)): from -105 on it is 0, from 90 on infinite. */
static inline vector fp32_maths_exp(vector x)
{
    x = vector_greatest(vector_of(-105), vector_least(vector_of(90), x));
    vector k = fused(x, vector_of(0x1.715476p0F), vector_of(fp32_whole)) - fp32_whole;
    vector r = fused_from(k, vector_of(fp32_ln2[0]), x); /* exact */
    r = fused_from(k, vector_of(fp32_ln2[1]), r);
    vector rest = fused(fp32_product(r, r), FP32_POLYNOMIAL(r, fp32_e), r);
    return fp32_scaled(1 + rest, k);
}

/* 2^x = 2^k 2^r with r = x - k, which is exact, |r| <= 1/2. */
static inline vector fp32_maths_exp2(vector x)
{
    /* 2^r = 1 + r P(r), 2^-27.6. */
    static const float coefficient[] = {0x1.62e43p-1F,  0x1.ebfbdep-3F,  0x1.c6af9ep-5F,
                                        0x1.3b2c58p-7F, 0x1.5ef4a2p-10F, 0x1.427918p-13F};
    x = vector_greatest(vector_of(-151), vector_least(vector_of(129), x));
    vector k = (x + fp32_whole) - fp32_whole, r = x - k;
    return fp32_scaled(fused(r, FP32_POLYNOMIAL(r, coefficient), vector_of(1)), k);
}

/* 2^k ((1 - 2^-k) + r + ...), of which the first sum's rest is kept; below -18 it is -1. */
static inline vector fp32_maths_expm1(vector x)
{
    vector limited = vector_greatest(vector_of(-18), vector_least(vector_of(90), x));
    vector k = fused(limited, vector_of(0x1.715476p0F), vector_of(fp32_whole)) - fp32_whole;
    vector exact = fused_from(k, vector_of(fp32_ln2[0]), limited);
    vector r = fused_from(k, vector_of(fp32_ln2[1]), exact);
    vector tail = fused(fp32_product(r, r), FP32_POLYNOMIAL(r, fp32_e),
                        fused_from(k, vector_of(fp32_ln2[1]), exact - r));
    vector power = fp32_power(vector_greatest(vector_of(-126), -k)), whole = 1 - power, sum = whole + r;
    tail += (1 - whole) - power; /* beyond 2^24 */
    vector value = fp32_scaled(sum + (((whole - sum) + r) + tail), k);
    return vector_choose(vector_is_0(x), x, value);
}

/* clang-format off */
/* About 1 / m for each 32nd of numbers 2^k m with 1 <= m < 2: c of 9 bits, 1 and 1/2 at the ends. */
static const float fp32_inverses[32] __attribute__((aligned(64))) = {
    0x1p0F, 0x1.e9p-1F, 0x1.dbp-1F, 0x1.cep-1F, 0x1.c1p-1F, 0x1.b5p-1F, 0x1.aap-1F, 0x1.9fp-1F, 0x1.95p-1F,
    0x1.8bp-1F, 0x1.82p-1F, 0x1.79p-1F, 0x1.7p-1F, 0x1.68p-1F, 0x1.6p-1F, 0x1.59p-1F, 0x1.52p-1F, 0x1.4bp-1F,
    0x1.44p-1F, 0x1.3ep-1F, 0x1.38p-1F, 0x1.32p-1F, 0x1.2dp-1F, 0x1.27p-1F, 0x1.22p-1F, 0x1.1dp-1F,
    0x1.18p-1F, 0x1.13p-1F, 0x1.0fp-1F, 0x1.0ap-1F, 0x1.06p-1F, 0x1p-1F};

/* Logarithms to one base: -log c in two parts, the first with 16 bits behind the point; log 2 in the same
 * way, so that k times the first is exact, and so is its sum with that of -log c; and log e. */
struct fp32_logarithms {
    const float *high, *low;
    float unit[2], factor[2];
};

static const float fp32_natural_high[32] __attribute__((aligned(64))) = {
    0, 0x1.788p-5F, 0x1.334p-4F, 0x1.a4ep-4F, 0x1.0ce8p-3F, 0x1.446p-3F, 0x1.7898p-3F, 0x1.ae3p-3F,
    0x1.e02p-3F, 0x1.09acp-2F, 0x1.2144p-2F, 0x1.396cp-2F, 0x1.522cp-2F, 0x1.68acp-2F, 0x1.7fbp-2F,
    0x1.944p-2F, 0x1.a94p-2F, 0x1.beacp-2F, 0x1.d49p-2F, 0x1.e7b4p-2F, 0x1.fb34p-2F, 0x1.078cp-1F,
    0x1.0ffcp-1F, 0x1.1a4ap-1F, 0x1.230cp-1F, 0x1.2bf2p-1F, 0x1.3502p-1F, 0x1.3e3cp-1F, 0x1.45bcp-1F,
    0x1.4f46p-1F, 0x1.5708p-1F, 0x1.62e4p-1F};
static const float fp32_natural_low[32] __attribute__((aligned(64))) = {
    0, 0x1.6568d6p-19F, -0x1.403f3ep-19F, 0x1.d902c6p-18F, -0x1.32333ep-23F, 0x1.5cee4ep-18F, 0x1.b0a88ap-20F,
    -0x1.ac84c6p-18F, 0x1.98c46cp-20F, -0x1.a8d194p-18F, 0x1.5b43aep-20F, 0x1.c6b378p-19F, -0x1.1f8c76p-18F,
    0x1.07d38ep-19F, -0x1.7109fap-20F, 0x1.434a04p-18F, -0x1.2c3752p-18F, 0x1.b3c4e4p-19F, 0x1.236f7ep-21F,
    0x1.61eed6p-21F, 0x1.8af7a4p-18F, -0x1.f59876p-22F, -0x1.57bd8cp-18F, 0x1.ce2de8p-19F, -0x1.e4e828p-18F,
    0x1.3f3084p-18F, 0x1.15b3b2p-18F, 0x1.0e463ep-19F, 0x1.88c992p-18F, -0x1.5f296cp-19F, -0x1.76511cp-19F,
    0x1.7f7d1cp-20F};
static const struct fp32_logarithms fp32_natural = {
    fp32_natural_high, fp32_natural_low, {0x1.62e4p-1F, 0x1.7f7d1cp-20F}, {1, 0}};

static const float fp32_binary_high[32] __attribute__((aligned(64))) = {
    0, 0x1.0fap-4F, 0x1.bb4p-4F, 0x1.2fap-3F, 0x1.83fp-3F, 0x1.d4p-3F, 0x1.0fa8p-2F, 0x1.365p-2F,
    0x1.5a58p-2F, 0x1.7f48p-2F, 0x1.a154p-2F, 0x1.c42cp-2F, 0x1.e7ep-2F, 0x1.042cp-1F, 0x1.14c6p-1F,
    0x1.239cp-1F, 0x1.32cp-1F, 0x1.4236p-1F, 0x1.52p-1F, 0x1.5fcep-1F, 0x1.6dep-1F, 0x1.7c38p-1F,
    0x1.8864p-1F, 0x1.9742p-1F, 0x1.a3e2p-1F, 0x1.b0bcp-1F, 0x1.bdcep-1F, 0x1.cb1ep-1F, 0x1.d5fp-1F,
    0x1.e3b2p-1F, 0x1.eee4p-1F, 0x1p0F};
static const float fp32_binary_low[32] __attribute__((aligned(64))) = {
    0, -0x1.672e68p-18F, 0x1.02f926p-20F, -0x1.cd2a4p-19F, 0x1.8266e2p-18F, -0x1.55e2dap-18F, 0x1.20112cp-20F,
    -0x1.daee34p-18F, -0x1.285c9p-18F, -0x1.d1a71ep-18F, -0x1.0ebd68p-18F, 0x1.5c4c68p-18F, -0x1.40358ep-19F,
    -0x1.5a32c2p-20F, -0x1.3e032ep-18F, -0x1.1b7f1p-19F, -0x1.1c8f12p-21F, -0x1.7ac51ap-18F, -0x1.a39fbep-18F,
    -0x1.8ec6c2p-20F, -0x1.eac382p-20F, -0x1.5b7606p-19F, -0x1.ff1d8ap-18F, 0x1.cdcdf4p-19F, 0x1.e95888p-18F,
    -0x1.46d9a8p-19F, 0x1.3b992cp-18F, -0x1.1df348p-20F, 0x1.1f27f4p-18F, 0x1.51bd56p-23F, -0x1.a3aa26p-18F,
    0};
static const struct fp32_logarithms fp32_binary = {
    fp32_binary_high, fp32_binary_low, {1, 0}, {0x1.715476p0F, 0x1.4ae0cp-26F}};

static const float fp32_decimal_high[32] __attribute__((aligned(64))) = {
    0, 0x1.47p-6F, 0x1.0aep-5F, 0x1.6dap-5F, 0x1.d32p-5F, 0x1.19cp-4F, 0x1.472p-4F, 0x1.75ap-4F, 0x1.a11p-4F,
    0x1.cd8p-4F, 0x1.f68p-4F, 0x1.104p-3F, 0x1.25b8p-3F, 0x1.3948p-3F, 0x1.4d4p-3F, 0x1.5f2p-3F, 0x1.716p-3F,
    0x1.83f8p-3F, 0x1.97p-3F, 0x1.a7ap-3F, 0x1.b89p-3F, 0x1.c9dp-3F, 0x1.d878p-3F, 0x1.ea6p-3F, 0x1.f998p-3F,
    0x1.0488p-2F, 0x1.0c68p-2F, 0x1.146cp-2F, 0x1.1afp-2F, 0x1.2338p-2F, 0x1.29f4p-2F, 0x1.344p-2F};
static const float fp32_decimal_low[32] __attribute__((aligned(64))) = {
    0, 0x1.5dbd2ep-19F, -0x1.384532p-20F, -0x1.0a988cp-18F, 0x1.996e1ap-20F, 0x1.fecf18p-20F,
    -0x1.15d608p-18F, 0x1.43aec6p-18F, -0x1.d3304ap-18F, 0x1.07fe94p-19F, 0x1.0b64e6p-19F, -0x1.8ff028p-18F,
    0x1.410ad8p-18F, -0x1.fe10d6p-20F, 0x1.fc13aep-18F, 0x1.a1af6p-19F, -0x1.798e4cp-18F, 0x1.133676p-18F,
    -0x1.724e3p-18F, -0x1.63ea1ep-18F, -0x1.983068p-19F, 0x1.e832e2p-18F, 0x1.877b8ep-18F, 0x1.d7937p-18F,
    0x1.fdb74ap-27F, 0x1.bfdf4ep-25F, -0x1.dc52a8p-19F, -0x1.90a68ep-18F, -0x1.6fe834p-18F, -0x1.4e9e4cp-18F,
    -0x1.3c7aaap-20F, 0x1.3509f8p-18F};
static const struct fp32_logarithms fp32_decimal = {
    fp32_decimal_high, fp32_decimal_low, {0x1.344p-2F, 0x1.3509f8p-18F}, {0x1.bcb7b2p-2F, -0x1.5b235ep-27F}};

/* clang-format on */

/*
 * log (x + lost), bias being 127 and what makes k whole, for positive, finite and normal x: with r = c m - 1,
 * |r| <= 1/32, it is k log 2 - log c + log e (r - r^2 / 2 + r^3 L(r)), within 0.6 ulp. What sums lose goes
 * into the next.
 */
static inline __attribute__((always_inline)) vector
fp32_logarithm(vector x, vector bias, vector lost, const struct fp32_logarithms *to_base, bool has_lost)
{
    /* 2^-32.3 of the logarithm. */
    static const float coefficient[] = {-0.5F, 0x1.5555ap-2F, -0x1.000674p-2F, 0x1.8ee05ep-3F};
    const vector_bits bits = (vector_bits)x, index = bits >> 18;
    vector k = (vector)((bits >> 23) + (vector_bits)vector_of(fp32_whole)) - bias;
    vector m = (vector)((bits & 0x007fffff) | 0x3f800000), inverse = vector_lookup(fp32_inverses, index);
    vector r = fused_minus(m, inverse, vector_of(1)), rest = vector_of(0);
    if (has_lost) {
        const vector power = fp32_power(vector_greatest(vector_of(-30), vector_least(vector_of(30), -k)));
        lost = fp32_product(lost, power * inverse);
        vector sum = r + lost;
        rest = lost - (sum - r);
        r = sum;
    }
    vector slope = FP32_POLYNOMIAL(r, coefficient), high = r;
    vector low = fused(k, vector_of(to_base->unit[1]), vector_lookup(to_base->low, index));
    if (to_base->factor[0] != 1) {
        const vector factor = vector_of(to_base->factor[0]);
        high = fp32_product(r, factor);
        low += fused(r, vector_of(to_base->factor[1]), fused_minus(r, factor, high));
        rest *= factor;
        slope *= factor;
    }
    low = fused(fp32_product(r, r), slope, has_lost ? rest + low : low);
    vector base = fused(k, vector_of(to_base->unit[0]), vector_lookup(to_base->high, index)),
           sum = base + high;
    return sum + (((base - sum) + high) + low);
}

/* value, but the limits at the ends of the domain of a logarithm of x. */
static inline vector fp32_logarithm_limits(vector x, vector value)
{
    const vector infinity = vector_of((float)INFINITY);
    value = vector_choose(vector_equal(x, infinity), x, value);
    value = vector_choose(vector_is_0(x), -infinity, value);
    return vector_choose(vector_greater(vector_of(0), x) | vector_is_nan(x), vector_of((float)NAN), value);
}

static inline __attribute__((always_inline)) vector fp32_logarithm_of(vector x,
                                                                      const struct fp32_logarithms *to_base)
{
    vector normal = x, bias = vector_of(fp32_whole + 127);
    const bool any_special = vector_any_flag(vector_above((vector_bits)x - 0x00800000, 0x7effffff));
    if (__builtin_expect(any_special, 0)) {
        const flags is_subnormal = vector_greater(vector_of(0x1p-126F), x);
        normal = vector_choose(is_subnormal, fp32_product(x, vector_of(0x1p23F)), x);
        bias = vector_choose(is_subnormal, vector_of(fp32_whole + 150), bias);
    }
    const vector value = fp32_logarithm(normal, bias, x, to_base, false);
    return __builtin_expect(any_special, 0) ? fp32_logarithm_limits(x, value) : value;
}

/* ln x, log2 x and log10 x are one function with three tables of -log c. */
static inline vector fp32_maths_log(vector x)
{
    return fp32_logarithm_of(x, &fp32_natural);
}

static inline vector fp32_maths_log2(vector x)
{
    return fp32_logarithm_of(x, &fp32_binary);
}

static inline vector fp32_maths_log10(vector x)
{
    return fp32_logarithm_of(x, &fp32_decimal);
}

/* ln (1 + x): the sum, and what that loses. */
static inline vector fp32_maths_log1p(vector x)
{
    struct vector_pair sum = vector_difference(x, vector_of(-1));
    vector value = fp32_logarithm(sum.high, vector_of(fp32_whole + 127), sum.low, &fp32_natural, true);
    if (__builtin_expect(vector_any_flag(vector_above((vector_bits)sum.high - 1, 0x7f7ffffe)), 0))
        value = fp32_logarithm_limits(sum.high, value);
    return vector_choose(vector_is_0(x), x, value);
}

/* log(1 + e^x): of e^x the float and what that lacks. Small ones are e^x - e^2x / 2, large ones x. */
static inline vector fp32_softplus_of(vector x)
{
    const vector limited = vector_greatest(vector_of(-105), vector_least(vector_of(18), x));
    const vector k = fused(limited, vector_of(0x1.715476p0F), vector_of(fp32_whole)) - fp32_whole;
    vector r = fused_from(k, vector_of(fp32_ln2[0]), limited);
    r = fused_from(k, vector_of(fp32_ln2[1]), r);
    const vector rest = fused(fp32_product(r, r), FP32_POLYNOMIAL(r, fp32_e), r), part = 1 + rest;
    const vector high = fp32_scaled(part, k), low = fp32_scaled(rest - (part - 1), k);
    const struct vector_pair sum = vector_difference(high, vector_of(-1));
    const vector value =
        fp32_logarithm(sum.high, vector_of(fp32_whole + 127), sum.low + low, &fp32_natural, true);
    const vector small = high + fused(high * -0.5F, high, low);
    return vector_choose(vector_greater(x, vector_of(17.5F)) | vector_is_nan(x), x,
                         vector_choose(vector_greater(vector_of(-12), x), small, value));
}

#endif
