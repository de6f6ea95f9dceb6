/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * value where x > 0, value * slope elsewhere, rounded once: leaky relu, whose value is x, and its gradient.
 */
#ifndef BELAY_SIMD_LEAKY_SLOPE_H
#define BELAY_SIMD_LEAKY_SLOPE_H

#include "simd/map.h"
#include "simd/odd.h"

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles leaky_doubles(doubles value, doubles x, double slope)
{
    return choose(x > 0, value, value * slope);
}

static inline wide leaky_fp32(wide value, wide x, double slope)
{
    wide product = value * wide_of((float)slope);
    return wide_canonical(wide_choose(wide_greater(x, wide_of(0)), value, product));
}

/*
 * The 16-bit products with a slope that is not far from the ends of fp32. A short slope, of SHORT_BITS or
 * less, has exact ones. A long one has none that are a tie, because times 11 bits at most it keeps more than
 * the 12 of a tie: all that a product cut to fp32 lacks is that it has been cut.
 */
enum { SHORT_BITS = 13 };

struct slope {
    double given; /* first, as among the parameters of both operators: all that the general way takes */
    float value;
    bool is_short;
    uint16_t sign;  /* the bit */
    uint16_t limit; /* the bits of the bf16 below which it, or its product, may be subnormal */
    uint16_t small; /* up to which it is subnormal, and so small is its product */
};

static inline struct slope slope_of(double given)
{
    const float value = (float)given, size = value < 0 ? -value : value;
    /* Where products are not cut what they lose must be a float, too. */
    const float least = CUTS_PRODUCTS ? 0x1p-125F : 0x1p-99F; /* twice it: the limit is cut to bf16 */
    const float limit = size > 0x1p-41F && size < 1 ? least / size : least;
    uint32_t bits, limit_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&limit_bits, &limit, sizeof limit_bits);
    return (struct slope){
        .given = given,
        .value = value,
        .is_short = bits << (32 - (24 - SHORT_BITS)) == 0,
        .sign = bits >> 16 & 0x8000,
        .limit = (uint16_t)(limit_bits >> 16),
        .small = size <= 2 ? 0x007f : 0,
    };
}

/* yes where x > 0: the bits from those of the least number to those of infinity, moved down to the lowest. */
static inline narrow choose_positive(narrow x, uint16_t infinity, narrow yes, narrow no)
{
    return narrow_choose(narrow_below(x - 1, narrow_of(infinity)), yes, no);
}

/* value where x > 0, value * slope elsewhere. */
static inline __attribute__((always_inline)) narrow leaky_fp16(narrow value, narrow x, struct slope slope,
                                                               struct doubts *doubts, bool is_short)
{
    wide g[2], product[2];
    wide_of_fp16(value, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = wide_cut_product(g[i], wide_of(slope.value));
        if (CUTS_PRODUCTS && !is_short)
            product[i] = (wide)((wide_bits)product[i] | 1);
        else if (!is_short)
            product[i] = wide_odd(product[i], fused_minus(g[i], wide_of(slope.value), product[i]));
    }
    narrow bits = narrow_fp16_of_wide(product);
    if (!doubts->is_careful) {
        bits = choose_positive(x, 0x7c00, value, bits);
        doubt_narrow_above(doubts, bits, 0x7c00);
        return bits;
    }
    if (CUTS_PRODUCTS && !is_short) { /* an infinity has become NaN */
        narrow_flags not_finite = narrow_below(narrow_of(0xf7ff), value + value);
        bits = narrow_choose(not_finite, value ^ slope.sign, bits);
    }
    bits = choose_positive(x, 0x7c00, value, bits);
    return narrow_nan_where(ARITHMETIC_FP16, is_short ? bits : value, bits);
}

/* Magnitudes of bf16, which has the range of fp32: small products are rounded in units of the least number,
 * and in fp32 are in units of its own. */
static inline __attribute__((always_inline)) wide mixed_product_bf16(wide size, struct slope slope,
                                                                     bool is_short)
{
    const uint32_t up = 149U << 23;
    const wide factor = wide_absolute(wide_of(slope.value));
    flags is_small = wide_less_ints((wide_ints)size, wide_ints_of(slope.limit << 16));
    flags is_subnormal = wide_less_ints((wide_ints)size, wide_ints_of(0x00800000));
    wide raised = wide_choose(is_small, (wide)((wide_bits)size + up), size);
    raised = wide_choose(is_subnormal, wide_from_ints((wide_ints)size), raised);
    wide product = wide_cut_product(raised, factor);
    flags is_count = is_small & wide_greater(wide_of(0x1p23F), product);
    wide_bits count = (wide_bits)fused(raised, factor, wide_of(count_origin * 0x1p16F)) << 16;
    if (!CUTS_PRODUCTS && !is_short)
        product = wide_odd(product, fused_minus(raised, factor, product));
    product = wide_choose(is_small, (wide)((wide_bits)product - up), product);
    return wide_choose(is_count, (wide)count, product);
}

static inline __attribute__((always_inline)) narrow product_bf16(narrow value, struct slope slope,
                                                                 bool is_short)
{
    wide g[2], product[2];
    wide_of_bf16(value, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = wide_cut_product(g[i], wide_of(slope.value));
        if (!CUTS_PRODUCTS && !is_short)
            product[i] = wide_odd(product[i], fused_minus(g[i], wide_of(slope.value), product[i]));
    }
    return CUTS_PRODUCTS && !is_short ? narrow_of_wide_off_ties(product) : narrow_of_wide(product);
}

/* Values of which some are small. */
static inline __attribute__((always_inline)) narrow any_product_bf16(narrow value, struct slope slope,
                                                                     bool is_short)
{
    wide size[2];
    wide_of_bf16(value & 0x7fff, size);
    size[0] = mixed_product_bf16(size[0], slope, is_short);
    size[1] = mixed_product_bf16(size[1], slope, is_short);
    narrow bits = CUTS_PRODUCTS && !is_short ? narrow_of_wide_off_ties(size) : narrow_of_wide(size);
    return bits | ((value ^ slope.sign) & 0x8000);
}

/* Values that are subnormal or 0, and a slope of at most 2. */
static inline __attribute__((always_inline)) narrow subnormal_product_bf16(narrow value, struct slope slope)
{
    const wide size = wide_absolute(wide_of(slope.value));
    wide g[2], sum[2];
    wide_counts_of_bf16(value, g);
    sum[0] = fused(g[0], size, wide_of(count_origin));
    sum[1] = fused(g[1], size, wide_of(count_origin));
    return narrow_of_counts(sum, value ^ slope.sign);
}

static inline __attribute__((always_inline)) narrow leaky_bf16(narrow value, narrow x, struct slope slope,
                                                               struct doubts *doubts, bool is_short)
{
    narrow bits;
    if (doubts->extreme > 0) {
        doubt_narrow_above(doubts, value, slope.small);
        return choose_positive(x, 0x7f80, value, subnormal_product_bf16(value, slope));
    }
    if (!doubts->is_careful)
        doubt_narrow_below(doubts, 0, value, slope.limit);
    if (doubts->is_careful && narrow_has_below(value, slope.limit))
        bits = any_product_bf16(value, slope, is_short);
    else
        bits = product_bf16(value, slope, is_short);
    bits = choose_positive(x, 0x7f80, value, bits);
    /* Only a slope of 0 makes NaN of an infinity. */
    return narrow_nan_where(ARITHMETIC_BF16, is_short ? bits : value, bits);
}

/* leaky_bf16() of any values, where CUTS_PRODUCTS: of products with a long slope it shows that they are cut,
 * the others are rounded to odd. That would do for all, but a long slope is the usual one, and takes 3.7
 * cycles for 16 where rounding to odd takes 6. */
static inline __attribute__((always_inline)) narrow leaky_any_bf16(narrow value, narrow x, struct slope slope,
                                                                   bool is_short)
{
    wide g[2];
    wide_of_bf16(value, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        g[i] = is_short ? wide_any_odd_product(g[i], wide_of(slope.value))
                        : wide_any_cut_product(g[i], wide_of(slope.value));
    narrow bits = is_short ? narrow_of_wide(g) : narrow_of_wide_off_ties(g);
    bits = choose_positive(x, 0x7f80, value, bits);
    return narrow_nan_where(ARITHMETIC_BF16, is_short ? bits : value, bits);
}

/* A slope so far from the ends of fp32 that what a product with it loses is not lost itself. */
static inline bool is_moderate(double slope)
{
    double size = slope < 0 ? -slope : slope;
    return size == 0 || (size >= 0x1p-40 && size <= 0x1p40);
}

/* How an operator computes with a short slope, a long one, and one near the ends of fp32. */
struct leaky_ways {
    struct evaluation with_short, with_long, with_extreme;
};

static inline __attribute__((always_inline)) void leaky_map(enum arithmetic dtype,
                                                            const struct leaky_ways *ways,
                                                            const void *const *input, void *output,
                                                            size_t count, double given, bool streams)
{
    const struct slope slope = slope_of(given);
    if (!is_moderate(given))
        map(dtype, &ways->with_extreme, input, output, count, &slope, streams);
    else if (slope.is_short)
        map(dtype, &ways->with_short, input, output, count, &slope, streams);
    else
        map(dtype, &ways->with_long, input, output, count, &slope, streams);
}

#endif
