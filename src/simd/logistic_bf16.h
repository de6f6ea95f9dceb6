/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * n(b) = 1 / (1 + e^b) for 0 <= b < 6.375, to 2^-20 of it, and what bf16 makes of it: by 32 segments, as
 * simd/logistic_segments.h, but half as wide, with polynomials of degree 3. scripts/logistic_bf16.sollya
 * prints the coefficients; the first c1 is moved by 2^-15 of it, for one result. All of the 65,536 results
 * are the exact value rounded once, which nothing but the sweep over them says.
 */
#ifndef BELAY_SIMD_LOGISTIC_BF16_H
#define BELAY_SIMD_LOGISTIC_BF16_H

#include "simd/doubts.h"

enum { NARROW_SEGMENTS = 32 };

static const float narrow_c0[NARROW_SEGMENTS] __attribute__((aligned(64))) = {
    0x1p-1F,        0x1.cc2d98p-2F, 0x1.99683cp-2F, 0x1.68a79ap-2F, 0x1.3abc14p-2F, 0x1.1042fep-2F,
    0x1.d343cp-3F,  0x1.8e10bcp-3F, 0x1.50ee06p-3F, 0x1.1b91dep-3F, 0x1.daf9a4p-4F, 0x1.8c1b6p-4F,
    0x1.4924e8p-4F, 0x1.10aad8p-4F, 0x1.c29a6ep-5F, 0x1.73873cp-5F, 0x1.31c822p-5F, 0x1.f69798p-6F,
    0x1.9c87aep-6F, 0x1.524346p-6F, 0x1.152242p-6F, 0x1.c5ca82p-7F, 0x1.735198p-7F, 0x1.2fb1b2p-7F,
    0x1.f094f4p-8F, 0x1.95dd14p-8F, 0x1.4ba23ep-8F, 0x1.0eec7p-8F,  0x1.ba944p-9F,  0x1.697268p-9F,
    0x1.27276ap-9F, 0x1.e1feacp-10F};
static const float narrow_c1[NARROW_SEGMENTS] __attribute__((aligned(64))) = {
    -0x1.fffcp-3F,   -0x1.fac142p-3F, -0x1.eb7144p-3F, -0x1.d3434p-3F,  -0x1.b3ff1ap-3F, -0x1.8fbec8p-3F,
    -0x1.68a7bap-3F, -0x1.40b1aep-3F, -0x1.197fcap-3F, -0x1.e89cc8p-4F, -0x1.a3e58ep-4F, -0x1.65cd1ap-4F,
    -0x1.2eb1eap-4F, -0x1.fd084p-5F,  -0x1.a9d166p-5F, -0x1.62adc8p-5F, -0x1.265e3p-5F,  -0x1.e72cc8p-6F,
    -0x1.9224bcp-6F, -0x1.4b4772p-6F, -0x1.107248p-6F, -0x1.bf81bep-7F, -0x1.6f1c8ep-7F, -0x1.2ce146p-7F,
    -0x1.ecd1e6p-8F, -0x1.9359a6p-8F, -0x1.49f4c6p-8F, -0x1.0dcdcp-8F,  -0x1.b915d8p-9F, -0x1.687366p-9F,
    -0x1.267d5p-9F,  -0x1.e11c04p-10F};
static const float narrow_c2[NARROW_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.36f178p-18F, 0x1.997874p-7F, 0x1.8944fcp-6F, 0x1.13d40ep-5F, 0x1.4f8446p-5F,  0x1.75e0fcp-5F,
    0x1.87c664p-5F,  0x1.87c34ap-5F, 0x1.798b68p-5F, 0x1.612a94p-5F, 0x1.427048p-5F,  0x1.20964ap-5F,
    0x1.fc28bep-6F,  0x1.b95e8ep-6F, 0x1.7b18cp-6F,  0x1.42a3b8p-6F, 0x1.1086d2p-6F,  0x1.c98a3ep-7F,
    0x1.7e1f74p-7F,  0x1.3dcedp-7F,  0x1.076944p-7F, 0x1.b36d1ap-8F, 0x1.670f22p-8F,  0x1.27871p-8F,
    0x1.e5baaep-9F,  0x1.8eac4p-9F,  0x1.46e0f2p-9F, 0x1.0bcafcp-9F, 0x1.b67812p-10F, 0x1.66c20ap-10F,
    0x1.2568dp-10F,  0x1.dfbe82p-11F};
static const float narrow_c3[NARROW_SEGMENTS] __attribute__((aligned(64))) = {
    0x1.54622ap-6F,   0x1.47626ap-6F,   0x1.1f9e22p-6F,   0x1.cb13ccp-7F,   0x1.41c422p-7F,
    0x1.6e60ep-8F,    0x1.b990dp-10F,   -0x1.9db2c8p-10F, -0x1.06dcaap-8F,  -0x1.719788p-8F,
    -0x1.ae75dp-8F,   -0x1.c59664p-8F,  -0x1.c13bfep-8F,  -0x1.a9cb06p-8F,  -0x1.866acep-8F,
    -0x1.5dc538p-8F,  -0x1.33e2aap-8F,  -0x1.0acf58p-8F,  -0x1.c8e8ccp-9F,  -0x1.843122p-9F,
    -0x1.46e5acp-9F,  -0x1.11ef3ep-9F,  -0x1.c85b86p-10F, -0x1.7ad5e8p-10F, -0x1.398ba2p-10F,
    -0x1.030a8ap-10F, -0x1.aa661ap-11F, -0x1.5eeffap-11F, -0x1.200204p-11F, -0x1.d869e4p-12F,
    -0x1.836892p-12F, -0x1.3d090ap-12F};

/* The bits of the greatest number below an end of all segments, 6.375, in bf16. */
enum { NARROW_SEGMENTS_LAST = 0x40cb };

/* Of a b that is not beyond the segments. */
static inline __attribute__((always_inline)) wide narrow_segment(wide b)
{
    /* The sum's last place is 1, and the product with 13/64 exact. */
    wide sum = fused(b, wide_of(64.0F / 13), wide_of(0x1.8p23F));
    wide r = fused_from(sum - 0x1.8p23F, wide_of(13.0F / 64), b);
    wide_bits segment = (wide_bits)sum;
    wide n = fused(r, wide_lookup(narrow_c3, segment), wide_lookup(narrow_c2, segment));
    n = fused(r, n, wide_lookup(narrow_c1, segment));
    return fused(r, n, wide_lookup(narrow_c0, segment));
}

/* value() of each number and its n(|x|), rounded to bf16 as if nothing were a tie. */
static inline __attribute__((always_inline)) narrow
narrow_by_segments(narrow x, wide (*value)(wide x, wide n), struct doubts *doubts)
{
    wide pair[2] __attribute__((uninitialized));
    wide_of_bf16(x, pair);
    doubt_narrow_above(doubts, 0, x + x, 2 * NARROW_SEGMENTS_LAST);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        wide n = narrow_segment(wide_absolute(pair[i]));
        COMPUTE_AFTER(pair[i], n);
        pair[i] = value(pair[i], n);
    }
    return narrow_of_wide_off_ties(pair);
}

/* x / (1 + e^-x) = max(x, 0) - |x| n(|x|), with the least number in place of 0. */
static inline __attribute__((always_inline)) wide silu_of_segment(wide x, wide n)
{
    return fused_from(wide_absolute(x), n, wide_greatest(x, wide_of(0x1p-149F)));
}

/* By that number a negative tie of subnormal numbers lies towards 0, as the exact result, x / 2 and a bit,
 * does; positive ones are rounded up, as all ties are. -0 keeps its sign. */
static inline __attribute__((always_inline)) narrow narrow_silu_of_bf16(narrow x, struct doubts *doubts)
{
    return narrow_by_segments(x, silu_of_segment, doubts) | (x & 0x8000);
}

/* 1 / (1 + e^-y): n of a negative y, 1 - n of others. */
static inline __attribute__((always_inline)) wide sigmoid_of_segment(wide y, wide n)
{
    return wide_choose(wide_greater(wide_of(0), y), n, 1 - n);
}

static inline __attribute__((always_inline)) narrow narrow_sigmoid_of_bf16(narrow y, struct doubts *doubts)
{
    return narrow_by_segments(y, sigmoid_of_segment, doubts);
}

#endif
