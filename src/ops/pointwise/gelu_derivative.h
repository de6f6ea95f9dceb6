/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * phi(b) = d(-b) for 0 <= b <= 4.72 in fp32, d(x) being the derivative of gelu: 32 segments of 0.15 with a
 * polynomial of degree 6 each, without an exponential or a division. scripts/gelu_derivative.sollya prints
 * the coefficients. In the segment at the root c0 is 0 and the node the float nearest to it, whose small
 * value is c0_rest; elsewhere c0 + c0_rest is phi(node) to twice the precision.
 */
#ifndef BELAY_OPS_POINTWISE_GELU_DERIVATIVE_H
#define BELAY_OPS_POINTWISE_GELU_DERIVATIVE_H

#include "simd/vector/vector_fp32.h"

enum { GELU_SEGMENTS = 32 };

/* clang-format off */ /* it would put one number to a line */
static const float gelu_node[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0, 0x1.333334p-3F, 0x1.333334p-2F, 0x1.ccccccp-2F, 0x1.333334p-1F, 0x1.8142ap-1F, 0x1.ccccccp-1F,
    0x1.0cccccp0F, 0x1.333334p0F, 0x1.59999ap0F, 0x1.8p0F, 0x1.a66666p0F, 0x1.ccccccp0F, 0x1.f33334p0F,
    0x1.0cccccp1F, 0x1.2p1F, 0x1.333334p1F, 0x1.466666p1F, 0x1.59999ap1F, 0x1.6cccccp1F, 0x1.8p1F,
    0x1.933334p1F, 0x1.a66666p1F, 0x1.b9999ap1F, 0x1.ccccccp1F, 0x1.ep1F, 0x1.f33334p1F, 0x1.033334p2F,
    0x1.0cccccp2F, 0x1.166666p2F, 0x1.2p2F, 0x1.29999ap2F,
};
static const float gelu_c0[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1p-1F, 0x1.865d28p-2F, 0x1.122124p-2F, 0x1.504faap-3F, 0x1.312fc6p-4F, 0, -0x1.c31c48p-5F,
    -0x1.81c2eap-4F, -0x1.e234cep-4F, -0x1.061d6cp-3F, -0x1.058d3cp-3F, -0x1.ea9e9ep-4F, -0x1.b5eca6p-4F,
    -0x1.76b022p-4F, -0x1.34a326p-4F, -0x1.ead1e2p-5F, -0x1.7952b8p-5F, -0x1.18ad5cp-5F, -0x1.942884p-6F,
    -0x1.19993ap-6F, -0x1.7b9708p-7F, -0x1.eea2bep-8F, -0x1.3747p-8F, -0x1.7a0a2p-9F, -0x1.ba8bfep-10F,
    -0x1.f2c95cp-11F, -0x1.0e4dcep-11F, -0x1.19614p-12F, -0x1.18f79cp-13F, -0x1.0cc474p-14F,
    -0x1.ebf232p-16F, -0x1.ae2c54p-17F,
};
static const float gelu_c0_rest[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0, 0x1.614c3p-28F, -0x1.d1453cp-28F, 0x1.d3eeacp-29F, 0x1.771156p-29F, -0x1.4f6404p-28F,
    -0x1.8f8ad6p-31F, 0x1.0bd5bep-29F, -0x1.0d5e84p-32F, -0x1.40969p-29F, -0x1.fdcfe2p-29F,
    -0x1.7756c4p-29F, 0x1.57f9eep-29F, -0x1.68fa0ep-29F, 0x1.f0c85p-29F, -0x1.93c43ap-30F, 0x1.a51b96p-31F,
    0x1.07fe22p-31F, 0x1.3cd666p-34F, -0x1.785fc2p-31F, -0x1.a9b12p-33F, 0x1.606424p-33F, 0x1.cbabd8p-34F,
    0x1.cc64f4p-34F, 0x1.8ea2cep-35F, 0x1.b2c4eep-36F, -0x1.9f4082p-36F, 0x1.67630cp-37F, 0x1.65f15ep-39F,
    0x1.c52002p-40F, 0x1.640b3ep-41F, -0x1.9a02bap-42F,
};
static const float gelu_c1[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.988454p-1F, -0x1.8f5bd4p-1F, -0x1.74cfep-1F, -0x1.4b8574p-1F, -0x1.1774c4p-1F, -0x1.b8baccp-2F,
    -0x1.44085cp-2F, -0x1.a7591ep-3F, -0x1.c1c7bep-4F, -0x1.ecdebp-6F, 0x1.f40298p-6F, 0x1.27a35cp-4F,
    0x1.8c2b3p-4F, 0x1.b661dep-4F, 0x1.b40b3ep-4F, 0x1.92f4f8p-4F, 0x1.5f90f2p-4F, 0x1.241e6ep-4F,
    0x1.d0a098p-5F, 0x1.62a952p-5F, 0x1.043d9cp-5F, 0x1.6f5eb4p-6F, 0x1.f2e344p-7F, 0x1.45c368p-7F,
    0x1.98e27cp-8F, 0x1.ecdbbep-9F, 0x1.1cfd8ap-9F, 0x1.3be3f2p-10F, 0x1.4f38dep-11F, 0x1.542f86p-12F,
    0x1.49bcfep-13F, 0x1.30e742p-14F,
};
static const float gelu_c2[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.94574ap-18F, 0x1.e43ffp-4F, 0x1.cbd222p-3F, 0x1.3c281ap-2F, 0x1.74b8f8p-2F, 0x1.8cd1a4p-2F,
    0x1.856a2p-2F, 0x1.63d0d6p-2F, 0x1.2f3ac4p-2F, 0x1.dfe592p-3F, 0x1.5bc5cap-3F, 0x1.be518ep-4F,
    0x1.cd21f2p-5F, 0x1.d4e8ccp-7F, -0x1.09d3b8p-6F, -0x1.26538ap-5F, -0x1.7b75d2p-5F, -0x1.949f5ap-5F,
    -0x1.830eecp-5F, -0x1.56d1fep-5F, -0x1.1d6b1ap-5F, -0x1.c250dp-6F, -0x1.5212c4p-6F, -0x1.e4396p-7F,
    -0x1.4b2e2p-7F, -0x1.b0cf34p-8F, -0x1.0e2cb2p-8F, -0x1.421908p-9F, -0x1.6e74aep-10F, -0x1.8d8f32p-11F,
    -0x1.9ae728p-12F, -0x1.9435dcp-13F,
};
static const float gelu_c3[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.113bcp-2F, 0x1.03c8dep-2F, 0x1.b8378p-3F, 0x1.411e0ep-3F, 0x1.66fedap-4F, 0x1.027c44p-6F,
    -0x1.7e61f4p-5F, -0x1.8b0dfep-4F, -0x1.07aa8p-3F, -0x1.24e59ap-3F, -0x1.21707ep-3F, -0x1.04f9b6p-3F,
    -0x1.b12c22p-4F, -0x1.49fce6p-4F, -0x1.c5c656p-5F, -0x1.0c5ab6p-5F, -0x1.d09758p-7F, -0x1.135a9ep-12F,
    0x1.28d48ep-7F, 0x1.d5834p-7F, 0x1.0bdc48p-6F, 0x1.069efap-6F, 0x1.d29e5cp-7F, 0x1.80254ep-7F,
    0x1.286314p-7F, 0x1.af340cp-8F, 0x1.28b61ap-8F, 0x1.82f55ep-9F, 0x1.dea3bap-10F, 0x1.18d4a8p-10F,
    0x1.38986cp-11F, 0x1.49f084p-12F,
};
static const float gelu_c4[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.be6a74p-7F, -0x1.6e90f4p-5F, -0x1.531256p-4F, -0x1.bcfa84p-4F, -0x1.e82bfcp-4F, -0x1.d2c916p-4F,
    -0x1.88e744p-4F, -0x1.1a77dcp-4F, -0x1.3bd38ap-5F, -0x1.3b6b26p-7F, 0x1.d0a3f2p-7F, 0x1.fa283ap-6F,
    0x1.48f43ap-5F, 0x1.5ec086p-5F, 0x1.4ae65cp-5F, 0x1.1bab36p-5F, 0x1.bcc022p-6F, 0x1.3bb684p-6F,
    0x1.87f9dcp-7F, 0x1.7dc26cp-8F, 0x1.3190ecp-10F, -0x1.04163ep-9F, -0x1.ee73e2p-9F, -0x1.244b1ap-8F,
    -0x1.1e0dp-8F, -0x1.f1ed14p-9F, -0x1.8c77bep-9F, -0x1.24e168p-9F, -0x1.9456d2p-10F, -0x1.05e474p-10F,
    -0x1.3f1862p-11F, -0x1.6e3432p-12F,
};
static const float gelu_c5[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.f0503ep-3F, -0x1.e0897ap-5F, -0x1.72ce9p-5F, -0x1.8299eap-6F, -0x1.45eeccp-9F, 0x1.1e3e96p-6F,
    0x1.018e2p-5F, 0x1.44c8c2p-5F, 0x1.4c94eep-5F, 0x1.24c12p-5F, 0x1.be7272p-6F, 0x1.1c821ep-6F,
    0x1.058786p-7F, -0x1.70ef6cp-12F, -0x1.7108ccp-8F, -0x1.357d1ep-7F, -0x1.58c63ap-7F, -0x1.4f7834p-7F,
    -0x1.23c3fp-7F, -0x1.e38d74p-8F, -0x1.54742ap-8F, -0x1.9fbcccp-9F, -0x1.a6d676p-10F, -0x1.650cbap-12F,
    0x1.fb3b72p-12F, 0x1.e76306p-11F, 0x1.1b8d76p-10F, 0x1.08d8e4p-10F, 0x1.b2eaf8p-11F, 0x1.452f4p-11F,
    0x1.c038e2p-12F, 0x1.1ddb2cp-12F,
};
static const float gelu_c6[GELU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.c0d3c4p-1F, 0x1.5ad42ep-7F, 0x1.41f446p-6F, 0x1.75014p-6F, 0x1.5b93dep-6F, 0x1.741cbap-6F,
    0x1.b3e648p-7F, 0x1.4c4a5cp-8F, -0x1.45e104p-9F, -0x1.ee0994p-8F, -0x1.5a51acp-7F, -0x1.6b03f2p-7F,
    -0x1.370462p-7F, -0x1.f237bp-8F, -0x1.4354cp-8F, -0x1.3574ep-9F, -0x1.2a6deep-11F, 0x1.71f164p-11F,
    0x1.8cdab8p-10F, 0x1.54113ep-9F, 0x1.295386p-9F, 0x1.e3de72p-10F, 0x1.b0723cp-10F, 0x1.4350c2p-10F,
    0x1.846a9cp-11F, 0x1.5464bp-12F, -0x1.8badd2p-16F, -0x1.612a1cp-13F, -0x1.e25b6ep-13F,
    -0x1.e63074p-13F, -0x1.9e5d3cp-13F, -0x1.2f2c5cp-13F,
};
/* clang-format on */

/* phi(b) as a pair for b <= 4.72: relative errors below 0.5 * 2^-24 of phi(b). */
static inline struct vector_pair gelu_phi_pair(vector b)
{
    /* The sum's last place is 1; its low bits are all that vector_lookup looks at. */
    vector_bits segment = (vector_bits)fused(b, vector_of(20.0F / 3), vector_of(0x1.8p23F));
    vector r = b - vector_lookup(gelu_node, segment), c0 = vector_lookup(gelu_c0, segment);
    vector curvature = fused(r, vector_lookup(gelu_c6, segment), vector_lookup(gelu_c5, segment));
    curvature = fused(r, curvature, vector_lookup(gelu_c4, segment));
    curvature = fused(r, curvature, vector_lookup(gelu_c3, segment));
    curvature = fused(r, curvature, vector_lookup(gelu_c2, segment));
    vector c1 = vector_lookup(gelu_c1, segment);
    vector slope = fused(r, curvature, c1), slope_rest = fused(r, curvature, c1 - slope);
    vector high = fused(r, slope, c0);
    vector low = fused(r, slope, c0 - high) + fused(r, slope_rest, vector_lookup(gelu_c0_rest, segment));
    /* At the root low may be as large as high, and its rounding in products would count. */
    vector sum = high + low, part = sum - high;
    return (struct vector_pair){sum, (high - (sum - part)) + (low - part)};
}

#endif
