/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * phi(b) = s'(-b) of silu for 0 <= b <= 20 in fp32: 32 segments with a polynomial of degree 6 each, without
 * an exponential or a division. scripts/silu_derivative.sollya prints the coefficients.
 *
 * The segments are 3/8 wide up to b = 3.5625 and 3/4 beyond, so that their number is a rounded multiple of
 * b + min(b, 3.5625). In those at the root c0 is 0 and the node the float nearest to it, whose small value is
 * c0_rest; elsewhere c0 + c0_rest is phi(node) to twice the precision.
 */
#ifndef BELAY_OPS_POINTWISE_SILU_DERIVATIVE_H
#define BELAY_OPS_POINTWISE_SILU_DERIVATIVE_H

#include "simd/vector/vector_fp32.h"

enum { SILU_SEGMENTS = 32 };

/* clang-format off */ /* it would put one number to a line */
static const float silu_node[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0, 0x1.8p-2F, 0x1.8p-1F, 0x1.474974p0F, 0x1.474974p0F, 0x1.ep0F, 0x1.2p1F, 0x1.5p1F, 0x1.8p1F,
    0x1.bp1F, 0x1.f8p1F, 0x1.2cp2F, 0x1.5cp2F, 0x1.8cp2F, 0x1.bcp2F, 0x1.ecp2F, 0x1.0ep3F, 0x1.26p3F,
    0x1.3ep3F, 0x1.56p3F, 0x1.6ep3F, 0x1.86p3F, 0x1.9ep3F, 0x1.b6p3F, 0x1.cep3F, 0x1.e6p3F, 0x1.fep3F,
    0x1.0bp4F, 0x1.17p4F, 0x1.23p4F, 0x1.2fp4F, 0x1.3bp4F,
};
static const float silu_c0[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1p-1F, 0x1.446828p-2F, 0x1.425af6p-3F, 0, 0, -0x1.54c3eep-4F, -0x1.9466dcp-4F, -0x1.9088cp-4F,
    -0x1.68dfdap-4F, -0x1.32ba3ep-4F, -0x1.c06764p-5F, -0x1.10782cp-5F, -0x1.393efep-6F, -0x1.5bbdacp-7F,
    -0x1.78ec1ep-8F, -0x1.91851p-9F, -0x1.a61762p-10F, -0x1.b7153p-11F, -0x1.c4ddd6p-12F, -0x1.cfc3fcp-13F,
    -0x1.d81118p-14F, -0x1.de0772p-15F, -0x1.e1e35ep-16F, -0x1.e3dc02p-17F, -0x1.e423fp-18F,
    -0x1.e2e98p-19F, -0x1.e05738p-20F, -0x1.dc9414p-21F, -0x1.d7c3cep-22F, -0x1.d20714p-23F,
    -0x1.cb7bcep-24F, -0x1.c43d4cp-25F,
};
static const float silu_c0_rest[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0, -0x1.ad0404p-27F, -0x1.4e65eep-30F, -0x1.848b9ep-29F, -0x1.848b9ep-29F, -0x1.452cdep-29F,
    -0x1.bf05cep-29F, 0x1.b02a52p-38F, 0x1.02c17cp-31F, -0x1.8014fep-30F, -0x1.a89c92p-32F,
    0x1.d0227cp-30F, 0x1.692f1ap-34F, -0x1.59596cp-36F, 0x1.daa8f6p-33F, 0x1.675edcp-36F, -0x1.a9961cp-35F,
    -0x1.1a901ap-39F, 0x1.785018p-37F, 0x1.0326cap-42F, -0x1.3c0f5ep-39F, -0x1.385dcp-40F, 0x1.c791ecp-42F,
    -0x1.c740fp-42F, 0x1.556e2cp-43F, 0x1.7f252ep-44F, 0x1.3083c2p-48F, -0x1.e67312p-46F, 0x1.00819p-47F,
    0x1.19e0c6p-48F, 0x1.0a207p-49F, -0x1.a4c44p-50F,
};
static const float silu_c1[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1p-1F, -0x1.dd3b96p-2F, -0x1.8247bcp-2F, -0x1.be141p-3F, -0x1.be140ep-3F, -0x1.2679b2p-4F,
    -0x1.fa2614p-7F, 0x1.17038p-6F, 0x1.08c6e6p-5F, 0x1.2dd238p-5F, 0x1.1296d4p-5F, 0x1.817a82p-6F,
    0x1.df2152p-7F, 0x1.171daap-7F, 0x1.38a33ap-8F, 0x1.55146ap-9F, 0x1.6d249p-10F, 0x1.815bbcp-11F,
    0x1.92265p-12F, 0x1.9fdeep-13F, 0x1.aad4p-14F, 0x1.b34b8ep-15F, 0x1.b984a4p-16F, 0x1.bdb8bap-17F,
    0x1.c01c5cp-18F, 0x1.c0dfbep-19F, 0x1.c02f12p-20F, 0x1.be32eap-21F, 0x1.bb1076p-22F, 0x1.b6e9cep-23F,
    0x1.b1de28p-24F, 0x1.ac0a12p-25F,
};
static const float silu_c2[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.4f294p-27F, 0x1.660b34p-4F, 0x1.234facp-3F, 0x1.2c563p-3F, 0x1.2c55dap-3F, 0x1.7f78a2p-4F,
    0x1.da4818p-5F, 0x1.f037p-6F, 0x1.87464p-7F, 0x1.3795c4p-10F, -0x1.766258p-8F, -0x1.b8e042p-8F,
    -0x1.48417ep-8F, -0x1.a2f93ep-9F, -0x1.ef9e24p-10F, -0x1.185ad2p-10F, -0x1.340c6ap-11F,
    -0x1.4b8f8p-12F, -0x1.5f6578p-13F, -0x1.6ff52ep-14F, -0x1.7d94acp-15F, -0x1.888e94p-16F,
    -0x1.912564p-17F, -0x1.97953p-18F, -0x1.9c14aap-19F, -0x1.9ed5ecp-20F, -0x1.a006e4p-21F,
    -0x1.9fd1bap-22F, -0x1.9e5d1cp-23F, -0x1.9bcc86p-24F, -0x1.98408p-25F, -0x1.93d6d6p-26F,
};
static const float silu_c3[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.555492p-4F, 0x1.11e9ecp-4F, 0x1.d94fa6p-6F, -0x1.353732p-6F, -0x1.350cf8p-6F, -0x1.152bccp-5F,
    -0x1.d59acep-6F, -0x1.4c9fd6p-6F, -0x1.9ca0ap-7F, -0x1.c2ead2p-8F, -0x1.f849p-10F, 0x1.f92324p-12F,
    0x1.c9de2cp-11F, 0x1.7061ep-11F, 0x1.e563ecp-12F, 0x1.24279ap-12F, 0x1.4e401ap-13F, 0x1.722b7cp-14F,
    0x1.90c426p-15F, 0x1.aaae58p-16F, 0x1.c06ad2p-17F, 0x1.d26904p-18F, 0x1.e10642p-19F, 0x1.ec950ap-20F,
    0x1.f5658ap-21F, 0x1.fbb974p-22F, 0x1.ffd344p-23F, 0x1.00f554p-23F, 0x1.011b7ep-24F, 0x1.007426p-25F,
    0x1.fe2ce6p-27F, 0x1.fa2f08p-28F,
};
static const float silu_c4[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.29c302p-16F, -0x1.501dcep-6F, -0x1.c042f4p-6F, -0x1.f17fe4p-7F, -0x1.f5fbap-7F, 0x1.0b0b04p-10F,
    0x1.4ed18ep-8F, 0x1.704d66p-8F, 0x1.287e1ap-8F, 0x1.9671c2p-9F, 0x1.78ae5cp-10F, 0x1.693046p-12F,
    -0x1.14c4e6p-17F, -0x1.550eccp-14F, -0x1.3183aep-14F, -0x1.a290ap-15F, -0x1.011fcep-15F,
    -0x1.29efb4p-16F, -0x1.4cd73ap-17F, -0x1.6aae72p-18F, -0x1.8404a6p-19F, -0x1.99662p-20F,
    -0x1.ab3162p-21F, -0x1.b9b908p-22F, -0x1.c55c04p-23F, -0x1.ce59f2p-24F, -0x1.d4f778p-25F,
    -0x1.d96d5p-26F, -0x1.dbf5c6p-27F, -0x1.dcc3d2p-28F, -0x1.dc07dep-29F, -0x1.d9eeecp-30F,
};
static const float silu_c5[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.9fd0cp-7F, -0x1.054cccp-7F, 0x1.64f1eep-11F, 0x1.c3be9ap-8F, 0x1.cb4764p-8F, 0x1.c96af8p-9F,
    0x1.128bbcp-10F, -0x1.391b56p-12F, -0x1.8621d4p-11F, -0x1.7c06aep-11F, -0x1.d80d7ap-12F,
    -0x1.5d18dap-13F, -0x1.71164p-15F, -0x1.0f2b96p-18F, 0x1.742c2ep-18F, 0x1.8ce72ap-18F, 0x1.1e1c68p-18F,
    0x1.687a68p-19F, 0x1.a82f28p-20F, 0x1.deaf0ap-21F, 0x1.071ac2p-21F, 0x1.1aec9ep-22F, 0x1.2ba09ap-23F,
    0x1.3a2a54p-24F, 0x1.4565bap-25F, 0x1.4eeaeap-26F, 0x1.55ec96p-27F, 0x1.5b9208p-28F, 0x1.5f6894p-29F,
    0x1.62028ep-30F, 0x1.631ba8p-31F, 0x1.628b8ep-32F,
};
static const float silu_c6[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.e46c3ep-11F, 0x1.ce9332p-9F, 0x1.cb2286p-9F, 0x1.f753aep-11F, -0x1.7a0f7ap-11F, -0x1.4739b6p-10F,
    -0x1.bf60a2p-11F, -0x1.8069bp-12F, -0x1.0d50aap-14F, 0x1.f8f7c2p-15F, 0x1.58a6c8p-14F, 0x1.6325bp-15F,
    0x1.ff2ec6p-17F, 0x1.20b79p-18F, 0x1.6baadcp-21F, -0x1.2b8818p-22F, -0x1.a24d7cp-22F, -0x1.3eb94p-22F,
    -0x1.a09936p-23F, -0x1.efa0a8p-24F, -0x1.1f181cp-24F, -0x1.3b783ep-25F, -0x1.537b5cp-26F,
    -0x1.6cbd4ap-27F, -0x1.7d1b66p-28F, -0x1.8bba1ap-29F, -0x1.967b08p-30F, -0x1.a0e598p-31F,
    -0x1.a907cep-32F, -0x1.af84c8p-33F, -0x1.b33c0cp-34F, -0x1.b2e9dep-35F,
};

/* c0, or c0_rest where that is 0. */
static const float silu_value[SILU_SEGMENTS] __attribute__((aligned(64))) = {
    0x1p-1F, 0x1.446828p-2F, 0x1.425af6p-3F, -0x1.848b9ep-29F, -0x1.848b9ep-29F, -0x1.54c3eep-4F,
    -0x1.9466dcp-4F, -0x1.9088cp-4F, -0x1.68dfdap-4F, -0x1.32ba3ep-4F, -0x1.c06764p-5F, -0x1.10782cp-5F,
    -0x1.393efep-6F, -0x1.5bbdacp-7F, -0x1.78ec1ep-8F, -0x1.91851p-9F, -0x1.a61762p-10F, -0x1.b7153p-11F,
    -0x1.c4ddd6p-12F, -0x1.cfc3fcp-13F, -0x1.d81118p-14F, -0x1.de0772p-15F, -0x1.e1e35ep-16F,
    -0x1.e3dc02p-17F, -0x1.e423fp-18F, -0x1.e2e98p-19F, -0x1.e05738p-20F, -0x1.dc9414p-21F,
    -0x1.d7c3cep-22F, -0x1.d20714p-23F, -0x1.cb7bcep-24F, -0x1.c43d4cp-25F,
};
/* clang-format on */

/* The segment's number in the low bits, which are all that vector_lookup looks at. */
static inline vector_bits silu_segment(vector b)
{
    /* The sum's last place is 1. */
    return (vector_bits)fused(b + vector_least(b, vector_of(3.5625F)), vector_of(4.0F / 3),
                              vector_of(0x1.8p23F));
}

/* c2 + r (c3 + ... r c6). */
static inline vector silu_curvature(vector r, vector_bits segment)
{
    vector sum = fused(r, vector_lookup(silu_c6, segment), vector_lookup(silu_c5, segment));
    sum = fused(r, sum, vector_lookup(silu_c4, segment));
    sum = fused(r, sum, vector_lookup(silu_c3, segment));
    return fused(r, sum, vector_lookup(silu_c2, segment));
}

/* phi(b + rest), |rest| at most half a unit of b, or phi(b) if has_rest, a constant, is not set, as a pair
 * for b <= 20: relative errors below 0.37 * 2^-24 of phi(b) and below 0.03 * 2^-24 of 1 - phi(b). */
static inline __attribute__((always_inline)) struct vector_pair silu_phi_pair(vector b, vector rest,
                                                                              bool has_rest)
{
    vector_bits segment = silu_segment(b);
    vector r = b - vector_lookup(silu_node, segment), c0 = vector_lookup(silu_c0, segment);
    vector c1 = vector_lookup(silu_c1, segment), curvature = silu_curvature(r, segment);
    vector slope = fused(r, curvature, c1), slope_rest = fused(r, curvature, c1 - slope);
    vector high = fused(r, slope, c0);
    /* c0 - high is as good as exact: the nodes are such that they hardly differ by more than a factor of 2.
     */
    vector low = fused(r, slope, c0 - high) + fused(r, slope_rest, vector_lookup(silu_c0_rest, segment));
    if (has_rest) /* phi'(b) to some 2 %, and all of it at the root */
        low = fused(rest, fused(r, curvature, slope), low);
    return (struct vector_pair){high, low};
}

/* phi(b) for a b of 16 bits up to 20: relative errors below 1.9 * 2^-24 of phi(b) and 2^-24 of 1 - phi(b). */
static inline vector silu_phi_of(vector b, vector_bits segment)
{
    vector r = b - vector_lookup(silu_node, segment);
    vector slope = fused(r, silu_curvature(r, segment), vector_lookup(silu_c1, segment));
    return fused(r, slope, vector_lookup(silu_value, segment));
}

#endif
