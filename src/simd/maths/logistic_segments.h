/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * n(b) = 1 / (1 + e^b) for 0 <= b <= 12.75 in fp32: 32 segments with a polynomial of degree 5 each, without
 * an exponential or a division. scripts/logistic_segments.sollya prints the coefficients.
 *
 * The logistic function at -b is n(b), that at b is 1 - n(b). Segments are 13/32 wide around multiples of
 * that. c0 is a multiple of 2^-24, so that 1 - c0 is a float, too; all else, in q, is at most a quarter of
 * n(b), and so are what its three roundings count for.
 */
#ifndef BELAY_SIMD_MATHS_LOGISTIC_SEGMENTS_H
#define BELAY_SIMD_MATHS_LOGISTIC_SEGMENTS_H

#include "simd/vector/vector_fp32.h"

enum { LOGISTIC_SEGMENTS = 32 };

/* clang-format off */ /* it would put one number to a line */
static const float logistic_c0[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    0x1p-1F, 0x1.996838p-2F, 0x1.3abc1p-2F, 0x1.d343b8p-3F, 0x1.50eep-3F, 0x1.daf9ap-4F, 0x1.4924fp-4F,
    0x1.c29a8p-5F, 0x1.31c82p-5F, 0x1.9c87cp-6F, 0x1.15224p-6F, 0x1.73518p-7F, 0x1.f095p-8F, 0x1.4ba2p-8F,
    0x1.ba94p-9F, 0x1.2728p-9F, 0x1.8988p-10F, 0x1.0648p-10F, 0x1.5d88p-11F, 0x1.d1dp-12F, 0x1.365p-12F,
    0x1.9d8p-13F, 0x1.138p-13F, 0x1.6fp-14F, 0x1.e9p-15F, 0x1.458p-15F, 0x1.b2p-16F, 0x1.21p-16F,
    0x1.82p-17F, 0x1p-17F, 0x1.54p-18F, 0x1.c8p-19F,
};
static const float logistic_c0_rest[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    0, 0x1.186c14p-26F, -0x1.245cc6p-27F, -0x1.2d5efep-28F, 0x1.da5624p-27F, 0x1.911784p-31F,
    -0x1.926734p-26F, -0x1.99741p-26F, 0x1.006a4p-26F, -0x1.1363aep-27F, 0x1.3a859ep-27F, 0x1.1b80fcp-26F,
    0x1.bf3456p-31F, 0x1.2284e6p-26F, 0x1.3e48d6p-27F, -0x1.16371cp-26F, -0x1.5d2328p-26F,
    -0x1.4939c8p-26F, 0x1.a27d9ap-26F, -0x1.02aea4p-26F, 0x1.588262p-26F, -0x1.78e874p-29F,
    -0x1.214d76p-26F, 0x1.d073eep-29F, -0x1.1d6d48p-29F, 0x1.e963ccp-26F, -0x1.0eaa36p-30F,
    0x1.90aa9cp-28F, -0x1.ac43bcp-26F, 0x1.268304p-26F, 0x1.d52f96p-26F, -0x1.28dcfep-28F,
};
static const float logistic_c1[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1p-2F, -0x1.eb715ap-3F, -0x1.b3ff2ep-3F, -0x1.68a7b4p-3F, -0x1.197fcep-3F, -0x1.a3e58cp-4F,
    -0x1.2eb1ecp-4F, -0x1.a9d158p-5F, -0x1.265e34p-5F, -0x1.9224a2p-6F, -0x1.10723cp-6F, -0x1.6f1c78p-7F,
    -0x1.ecd1c2p-8F, -0x1.49f4acp-8F, -0x1.b915bcp-9F, -0x1.267d4ep-9F, -0x1.88ef66p-10F, -0x1.06038ap-10F,
    -0x1.5d4f9cp-11F, -0x1.d196fcp-12F, -0x1.363ddep-12F, -0x1.9d69a8p-13F, -0x1.136db2p-13F,
    -0x1.6efb68p-14F, -0x1.e8f43ep-15F, -0x1.45b9fp-15F, -0x1.b1f8e6p-16F, -0x1.2117c4p-16F,
    -0x1.8128bcp-17F, -0x1.0092cp-17F, -0x1.55d4bep-18F, -0x1.c76b2cp-19F,
};
static const float logistic_c2[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.11d24cp-25F, 0x1.89e338p-6F, 0x1.4ff612p-5F, 0x1.882a5ep-5F, 0x1.79c0fap-5F, 0x1.4283c2p-5F,
    0x1.fc18cp-6F, 0x1.7af97p-6F, 0x1.10648cp-6F, 0x1.7de46cp-7F, 0x1.073ab8p-7F, 0x1.66ca76p-8F,
    0x1.e559acp-9F, 0x1.469da8p-9F, 0x1.b61af8p-10F, 0x1.2529ap-10F, 0x1.87c12cp-11F, 0x1.057d2cp-11F,
    0x1.5cd826p-12F, 0x1.d12cccp-13F, 0x1.360eacp-13F, 0x1.9d3fa8p-14F, 0x1.135afcp-14F, 0x1.6eeab8p-15F,
    0x1.e8e554p-16F, 0x1.45b344p-16F, 0x1.b1f2e2p-17F, 0x1.211506p-17F, 0x1.812636p-18F, 0x1.009198p-18F,
    0x1.55d3a6p-19F, 0x1.c76a14p-20F,
};
static const float logistic_c3[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.5559b4p-6F, 0x1.202992p-6F, 0x1.426e7ep-7F, 0x1.b3a1aap-10F, -0x1.072818p-8F, -0x1.aefa44p-8F,
    -0x1.c144d4p-8F, -0x1.86b04ap-8F, -0x1.33dde4p-8F, -0x1.c93bfp-9F, -0x1.47079p-9F, -0x1.c8944ap-10F,
    -0x1.39b8dcp-10F, -0x1.aaa618p-11F, -0x1.201fecp-11F, -0x1.835ddap-12F, -0x1.039b0ep-12F,
    -0x1.5b4108p-13F, -0x1.cfe3ap-14F, -0x1.3591dep-14F, -0x1.9ced8cp-15F, -0x1.134874p-15F,
    -0x1.6ef388p-16F, -0x1.e90de8p-17F, -0x1.45db58p-17F, -0x1.b232aep-18F, -0x1.2144e4p-18F,
    -0x1.816b48p-19F, -0x1.00c1b6p-19F, -0x1.5616e8p-20F, -0x1.c7c206p-21F, -0x1.2f9b7ep-21F,
};
static const float logistic_c4[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.75eb78p-17F, -0x1.e9b4a6p-9F, -0x1.5a232ep-8F, -0x1.223a1ap-8F, -0x1.478528p-9F, -0x1.908f4ap-11F,
    0x1.2ab01cp-12F, 0x1.79eac6p-11F, 0x1.9c27b6p-11F, 0x1.66fdcep-11F, 0x1.1901f4p-11F, 0x1.9e6c76p-12F,
    0x1.26bb96p-12F, 0x1.99c664p-13F, 0x1.18bc76p-13F, 0x1.7d02cp-14F, 0x1.00f188p-14F, 0x1.591c98p-15F,
    0x1.ce52ecp-16F, 0x1.35141cp-16F, 0x1.9cbf6cp-17F, 0x1.136658p-17F, 0x1.6f5278p-18F, 0x1.e9b638p-19F,
    0x1.465da8p-19F, 0x1.b2e9d4p-20F, 0x1.21c832p-20F, 0x1.8226d4p-21F, 0x1.0142aep-21F, 0x1.56bbdp-22F,
    0x1.c8a082p-23F, 0x1.303802p-23F,
};
static const float logistic_c5[LOGISTIC_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.0b8df6p-9F, -0x1.723656p-10F, -0x1.7193b2p-14F, 0x1.aa8d0ap-11F, 0x1.fe134ap-11F, 0x1.696926p-11F,
    0x1.688f62p-12F, 0x1.afe5fep-14F, -0x1.83b3cp-16F, -0x1.1b855ep-14F, -0x1.2f0102p-14F,
    -0x1.097674p-14F, -0x1.9aa52ep-15F, -0x1.2c4988p-15F, -0x1.a5045ep-16F, -0x1.237d9ap-16F,
    -0x1.8e2994p-17F, -0x1.0fc826p-17F, -0x1.6c9478p-18F, -0x1.e886b4p-19F, -0x1.468c2p-19F,
    -0x1.b63ed6p-20F, -0x1.24185ap-20F, -0x1.86360ep-21F, -0x1.041302p-21F, -0x1.5baa9cp-22F,
    -0x1.ceffbcp-23F, -0x1.33e434p-23F, -0x1.9a1cp-24F, -0x1.0fea0ep-24F, -0x1.6d3ea4p-25F,
    -0x1.e55fa6p-26F,
};
/* clang-format on */

/* The bits of an end of all segments, 12.75, and of the first 16, 6.25, whose tables are half as large. */
enum { LOGISTIC_SEGMENTS_END = 0x414c0000, LOGISTIC_SEGMENTS_QUICK = 0x40c80000 };

/* n(b) = c0 + q */
struct logistic_segment {
    vector c0, q;
};

static inline __attribute__((always_inline)) vector logistic_lookup(const float *table, vector_bits segment,
                                                                    bool is_quick)
{
    return is_quick ? vector_lookup_16(table, segment) : vector_lookup(table, segment);
}

/* n(b + rest), |rest| at most half a unit of b, or n(b) if has_rest, a constant, is not set; is_quick,
 * another one: of a b in the first 16 segments, with the same bits. */
static inline __attribute__((always_inline)) struct logistic_segment
logistic_segment(vector b, vector rest, bool has_rest, bool is_quick)
{
    /* The sum's last place is 1, and the product with 13/32 exact. */
    vector sum = fused(b, vector_of(32.0F / 13), vector_of(0x1.8p23F));
    vector r = fused_from(sum - 0x1.8p23F, vector_of(13.0F / 32), b);
    vector_bits segment = (vector_bits)sum;
    vector slope = fused(r, logistic_lookup(logistic_c5, segment, is_quick),
                         logistic_lookup(logistic_c4, segment, is_quick));
    slope = fused(r, slope, logistic_lookup(logistic_c3, segment, is_quick));
    slope = fused(r, slope, logistic_lookup(logistic_c2, segment, is_quick));
    slope = fused(r, slope, logistic_lookup(logistic_c1, segment, is_quick));
    vector c0 = logistic_lookup(logistic_c0, segment, is_quick),
           c0_rest = logistic_lookup(logistic_c0_rest, segment, is_quick);
    if (has_rest) { /* n' = n (n - 1) */
        const vector n = fused(r, slope, c0);
        c0_rest = fused(rest, fused_minus(n, n, n), c0_rest);
    }
    return (struct logistic_segment){c0, fused(r, slope, c0_rest)};
}

#endif
