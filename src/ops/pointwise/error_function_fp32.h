/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * erf x and erfc x in registers of floats, within 1 ulp: polynomials around some numbers n, from tables.
 */
#ifndef BELAY_OPS_POINTWISE_ERROR_FUNCTION_FP32_H
#define BELAY_OPS_POINTWISE_ERROR_FUNCTION_FP32_H

#include "simd/maths/exponential_fp32.h"

/* erf n, what that float lacks, and the coefficients of (erf (n + r) - erf n) / r, of 0 less 1 and up to 1/4:
 * scripts/maths_fp32.sollya, 2^-31.7 of 1 at most. */
static const float fp32_erf_table[8][16] __attribute__((aligned(64))) = {
    {0x0p0F, 0x1.1af54ep-2F, 0x1.0a7ef6p-1F, 0x1.6c1c98p-1F, 0x1.af767ap-1F, 0x1.d8865ep-1F, 0x1.eea556p-1F,
     0x1.f92d08p-1F, 0x1.fd9ae2p-1F, 0x1.ff4048p-1F, 0x1.ffcaa8p-1F, 0x1.fff2dp-1F, 0x1.fffd1ap-1F,
     0x1.ffff7p-1F, 0x1.ffffe8p-1F, 0x1.fffffcp-1F},
    {0x0p0F, 0x1.196b04p-29F, -0x1.f38916p-28F, -0x1.4c5e34p-26F, 0x1.d04222p-27F, -0x1.9d508p-27F,
     -0x1.1d90a4p-26F, -0x1.00e552p-26F, -0x1.7b0d44p-26F, -0x1.3f9ccap-26F, 0x1.e9937ep-26F,
     -0x1.3eeb0ap-27F, 0x1.8826cp-26F, -0x1.82606ap-27F, -0x1.de5534p-26F, 0x1.78b8f2p-28F},
    {0x1.06eba8p-3F, 0x1.0f5d16p0F, 0x1.c1efcap-1F, 0x1.492e42p-1F, 0x1.a911fp-2F, 0x1.e4653p-3F,
     0x1.e72372p-4F, 0x1.b0553p-5F, 0x1.529b9ep-6F, 0x1.d4143ap-8F, 0x1.1d8318p-9F, 0x1.3360dp-11F,
     0x1.2408fp-13F, 0x1.e9b6p-16F, 0x1.6a599p-18F, 0x1.d93724p-21F},
    {-0x1.330a34p-21F, -0x1.0f5d16p-2F, -0x1.c1efcap-2F, -0x1.edc564p-2F, -0x1.a911fp-2F, -0x1.2ebf3ep-2F,
     -0x1.6d5a96p-3F, -0x1.7a4a8ap-4F, -0x1.529b9ep-5F, -0x1.074b6p-6F, -0x1.64e3dcp-8F, -0x1.a6a51ap-10F,
     -0x1.b60d66p-12F, -0x1.8de3dep-14F, -0x1.3d0e5ep-16F, -0x1.bb9602p-19F},
    {-0x1.811e46p-2F, -0x1.3c96c6p-2F, -0x1.2bf456p-3F, 0x1.b6fb14p-6F, 0x1.1b61ap-3F, 0x1.571c7cp-3F,
     0x1.1c2a7cp-3F, 0x1.71498ap-4F, 0x1.8b0becp-5F, 0x1.63efd8p-6F, 0x1.119ceap-7F, 0x1.69cc2cp-9F,
     0x1.9db02p-11F, 0x1.9a97dcp-13F, 0x1.62bbcp-15F, 0x1.0b667cp-17F},
    {-0x1.500dd8p-11F, 0x1.040dccp-3F, 0x1.76f12ep-3F, 0x1.349ac2p-3F, 0x1.1b6026p-4F, -0x1.939234p-8F,
     -0x1.6d594ap-5F, -0x1.8a0e22p-5F, -0x1.1a2d44p-5F, -0x1.38aae4p-6F, -0x1.1a8a5ep-7F, -0x1.ab0b96p-9F,
     -0x1.11c594p-10F, -0x1.2c76dcp-12F, -0x1.1bfceap-14F, -0x1.d34462p-17F},
    {0x1.e37708p-4F, 0x1.466baep-4F, 0x1.e03328p-8F, -0x1.b39178p-5F, -0x1.1a7fp-4F, -0x1.8199cep-5F,
     -0x1.eb30a8p-7F, 0x1.a92868p-8F, 0x1.aa42ap-7F, 0x1.5caeacp-7F, 0x1.91c556p-8F, 0x1.6b377cp-9F,
     0x1.0ce11p-10F, 0x1.4d3d4cp-12F, 0x1.5e2872p-14F, 0x1.38409ep-16F},
    {-0x1.3abbf4p-6F, -0x1.4a165ap-5F, -0x1.977c18p-5F, -0x1.b6b5d2p-6F, 0x1.2be23p-8F, 0x1.5a4a3cp-6F,
     0x1.3b7b4ap-6F, 0x1.26795cp-7F, 0x1.0a38f2p-11F, -0x1.785ab4p-9F, -0x1.6dba78p-9F, -0x1.b3137ap-10F,
     -0x1.85353ap-11F, -0x1.1708ap-12F, -0x1.4a8e56p-14F, -0x1.06e344p-16F}};

/* Beyond 3.96 it is 1. */
static inline vector fp32_maths_erf(vector x)
{
    const float quarters = 0x1.8p21F; /* whose last place is 1/4 */
    vector size = vector_least(vector_of(3.96F), vector_absolute(x));
    const flags is_near = vector_greater(vector_of(0.25F), size);
    vector sum = vector_choose(is_near, vector_of(quarters), vector_least(vector_of(3.8F), size) + quarters);
    const vector_bits index = (vector_bits)sum;
    vector r = size - (sum - quarters), slope = vector_lookup_16(fp32_erf_table[7], index);
#pragma GCC unroll 8
    for (int i = 6; i > 2; i--)
        slope = fused(slope, r, vector_lookup_16(fp32_erf_table[i], index));
    vector low = fused(slope, fp32_product(r, r), vector_lookup_16(fp32_erf_table[1], index));
    vector base = vector_choose(is_near, size, vector_lookup_16(fp32_erf_table[0], index));
    return vector_times_sign(base + fused(vector_lookup_16(fp32_erf_table[2], index), r, low), x);
}

/* The table for g(x) = e^(x^2) erfc x, by the first bits of x + 1 from 1 to 11.2: a number n, g(n), what that
 * float lacks, and the coefficients of (g(n + r) - g(n)) / r: scripts/maths_fp32.sollya, 2^-29.1 of g at
 * most. */
static const float fp32_erfc_table[10][16] __attribute__((aligned(64))) = {
    {0x1.4p0F, 0x1.cp0F, 0x1.2p1F, 0x1.6p1F, 0x1.cp1F, 0x1.2p2F, 0x1.6p2F, 0x1.ap2F, 0x1p3F, 0x1.4p3F, 0, 0,
     0x1p-3F, 0x1.8p-2F, 0x1.4p-1F, 0x1.cp-1F},
    {0x1.78a692p-2F, 0x1.23cfc2p-2F, 0x1.d94446p-3F, 0x1.8c9eb6p-3F, 0x1.3e0a9ap-3F, 0x1.f5b2ap-4F,
     0x1.9d8a9p-4F, 0x1.5f75c4p-4F, 0x1.1ea8c4p-4F, 0x1.cbe832p-5F, 0, 0, 0x1.bf16fp-1F, 0x1.5f28aep-1F,
     0x1.1d16b6p-1F, 0x1.db747ep-2F},
    {0x1.38767ap-30F, 0x1.e3b8fcp-27F, 0x1.ac4f26p-28F, 0x1.1fe4fap-28F, -0x1.7c45bcp-29F, 0x1.273d32p-30F,
     -0x1.baf61ap-29F, 0x1.74b8b8p-31F, 0x1.368b28p-37F, -0x1.9a3b7p-35F, 0, 0, -0x1.f4e0a6p-26F,
     -0x1.c35b54p-29F, -0x1.fd8542p-27F, 0x1.c81358p-27F},
    {-0x1.abaacep-3F, -0x1.0c3d54p-3F, -0x1.6a70d2p-4F, -0x1.030578p-4F, -0x1.5285d2p-5F, -0x1.aa3eb6p-6F,
     -0x1.238ca8p-6F, -0x1.a6e2dp-7F, -0x1.1a5882p-7F, -0x1.6c55c8p-8F, 0, 0, -0x1.d1f52ep-1F,
     -0x1.3a5c68p-1F, -0x1.babd0ep-2F, -0x1.4369f6p-2F},
    {0x1.b56f4ap-4F, 0x1.c8d0dp-5F, 0x1.061568p-5F, 0x1.43b98cp-6F, 0x1.5d5818p-7F, 0x1.62c12ep-8F,
     0x1.95252cp-9F, 0x1.f75ef8p-10F, 0x1.141094p-10F, 0x1.1f3dfp-11F, 0, 0, 0x1.84d84ap-1F, 0x1.d28c0ep-2F,
     0x1.257742p-2F, 0x1.80ef9p-3F},
    {-0x1.9b62ep-5F, -0x1.6cb344p-6F, -0x1.6886e8p-7F, -0x1.84ea46p-8F, -0x1.5e5f64p-9F, -0x1.21903p-10F,
     -0x1.1593dep-11F, -0x1.28751ep-12F, -0x1.0bfd84p-13F, -0x1.c2cb54p-15F, 0, 0, -0x1.163ca8p-1F,
     -0x1.2e8152p-2F, -0x1.59c498p-3F, -0x1.9d5876p-4F},
    {0x1.689afap-6F, 0x1.1361cap-7F, 0x1.da5446p-9F, 0x1.c2c4e8p-10F, 0x1.562464p-11F, 0x1.d00016p-13F,
     0x1.774c5p-14F, 0x1.59b0c8p-15F, 0x1.02495p-16F, 0x1.5ffd3p-18F, 0, 0, 0x1.620eb6p-2F, 0x1.611a74p-3F,
     0x1.72d41ap-4F, 0x1.982fp-5F},
    {-0x1.29cf06p-7F, -0x1.8ddef8p-9F, -0x1.28e1dcp-10F, -0x1.f8660cp-12F, -0x1.450c4ap-13F, -0x1.6bf758p-15F,
     -0x1.fbff4ap-17F, -0x1.95e3bep-18F, -0x1.eeec5ap-20F, -0x1.0feb22p-21F, 0, 0, -0x1.98a44ep-3F,
     -0x1.7d2954p-4F, -0x1.6d564cp-5F, -0x1.7782d2p-6F},
    {0x1.d8bfacp-9F, 0x1.136f4p-10F, 0x1.7172c4p-12F, 0x1.153f04p-13F, 0x1.3658bap-15F, 0x1.1f0892p-17F,
     0x1.4d99bap-19F, 0x1.cc4966p-21F, 0x1.e1dd9ep-23F, 0x1.dea20ap-25F, 0, 0, 0x1.b938e4p-4F, 0x1.7a0814p-5F,
     0x1.568146p-6F, 0x1.4809fep-7F},
    {-0x1.4edf44p-10F, -0x1.bf9ba8p-13F, -0x1.afddc6p-13F, -0x1.7def58p-15F, -0x1.3d4c36p-17F,
     -0x1.0be618p-19F, 0x1.58a0e4p-24F, 0x1.d2c2f8p-24F, -0x1.b9363p-26F, -0x1.52d038p-29F, 0, 0,
     -0x1.2e0ba8p-4F, 0x1.846646p-8F, -0x1.4a4486p-6F, -0x1.1b00e4p-8F}};

/* e^(-x^2) g(|x|), where the square's float and what that lacks are the exponent; 2 less that below 0. */
static inline vector fp32_maths_erfc(vector x)
{
    const vector size = vector_least(vector_of(10.2F), vector_absolute(x)), square = fp32_product(size, size);
    const vector_bits index = (vector_bits)(size + 1) >> 21;
    const vector k = fused_from(square, vector_of(0x1.715476p0F), vector_of(fp32_whole)) - fp32_whole;
    const vector exact = fused_minus(k, vector_of(-fp32_ln2[0]), square);
    const vector small = fused_from(k, vector_of(fp32_ln2[1]), -fused_minus(size, size, square));
    const vector r = exact + small;
    const vector tail = fused(fp32_product(r, r), FP32_POLYNOMIAL(r, fp32_e), (exact - r) + small);
    const vector power = r + tail; /* 2^k (1 + power) */
    const vector way = size - vector_lookup_16(fp32_erfc_table[0], index),
                 base = vector_lookup_16(fp32_erfc_table[1], index);
    vector slope = vector_lookup_16(fp32_erfc_table[9], index);
#pragma GCC unroll 8
    for (int i = 8; i > 2; i--)
        slope = fused(slope, way, vector_lookup_16(fp32_erfc_table[i], index));
    const vector rest = fused(slope, way, vector_lookup_16(fp32_erfc_table[2], index));
    const vector product = fp32_product(power, base), sum = base + product;
    const vector lost =
        fused((r - power) + tail, base, fused_minus(power, base, product)) + ((base - sum) + product);
    const vector value = fp32_scaled(sum + (fused(power, rest, lost) + rest), k);
    return vector_choose(vector_greater(vector_of(0), x), 2 - value,
                         vector_choose(vector_is_nan(x), x, value));
}

#endif
