/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * erf x in registers of floats, within 1 ulp: a polynomial around each multiple n of 1/4, from tables. erfc x
 * by doubles.
 */
#ifndef BELAY_SIMD_FP32_ERROR_FUNCTION_H
#define BELAY_SIMD_FP32_ERROR_FUNCTION_H

#include "simd/fp32_simple.h"
#include "simd/short_maths.h"

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
    vector low = fused(slope, r * r, vector_lookup_16(fp32_erf_table[1], index));
    vector base = vector_choose(is_near, size, vector_lookup_16(fp32_erf_table[0], index));
    return vector_times_sign(base + fused(vector_lookup_16(fp32_erf_table[2], index), r, low), x);
}

static inline vector fp32_maths_erfc(vector x)
{
    doubles part[2];
    doubles_of_vector(x, part);
    for (int i = 0; i < 2; i++)
        part[i] = short_erfc(part[i]);
    return vector_of_doubles(part);
}

#endif
