/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * g s'(x) of silu in fp32 for blocks that have gradients of 0, below 2^-50 or subnormal, or x beyond 20: the
 * steps of the quick way with all gradients 2^96 times as great, so that nothing but the result is small, and
 * beyond 20 others.
 */
#ifndef BELAY_SIMD_SILU_WIDE_H
#define BELAY_SIMD_SILU_WIDE_H

#include "simd/map.h"
#include "simd/silu_derivative.h"

/* By how many powers of two gradients are taken up, or down where that would be too much. */
enum { SILU_RAISE = 96, SILU_REDUCE = 16 };
static const float raise_factor = 0x1p96F, reduce_factor = 0x1p-16F;

/* 2^20: a greater gradient is too much when it is raised. */
static const uint32_t greatest_factor = 0x49800000;

/* Beyond this the segments end. */
static const float end_of_segments = 20;

/* 1 - s'(x) for x > 20 as the products need it, and for 16 bits from 19 on. */
static inline wide missing_above(wide x)
{
    const float limit = 0x1.449c58p4F;
    return wide_choose(wide_greater(x, wide_of(limit)), wide_of(0x1p-40F), wide_of(0x1.28p-25F));
}

/*
 * g s'(x) for x > 20, where s'(x) is 1 and at most 0.66 * 2^-24: within 0.58 units in the last place, and an
 * infinity where the exact product rounds to one, because up to the limit the greatest float does. For 16
 * bits from 19 on, where nothing is missing that they could tell.
 */
static inline wide product_above(wide g, wide x)
{
    return wide_choose(wide_not_finite(x), x - x, fused(g, missing_above(x), g));
}

/* s'(x) from phi(|x|). */
static inline struct wide_pair derivative_of(struct wide_pair phi, flags positive)
{
    wide high = wide_choose(positive, 1 - phi.high, phi.high);
    wide low = wide_choose(positive, ((1 - high) - phi.high) - phi.low, phi.low);
    return (struct wide_pair){high, low};
}

/* |x|, but for subnormal gradients so great that a smaller x still decides to which side half the smallest
 * number goes; no less would, and with more it would be seen in other results. */
static inline wide silu_size(wide g, wide x)
{
    wide size = wide_absolute(x);
    flags subnormal = wide_less_ints((wide_ints)wide_absolute(g), wide_ints_of(0x00800000));
    subnormal &= wide_greater(size, wide_of(0));
    return wide_choose(subnormal, wide_greatest(wide_of(0x1.4p-24F), size), size);
}

/* g s'(x) for x <= 20 where factor is g times 2^power and size is silu_size(); finite for finite x above
 * that. slope: has the sign of s'(x). */
static inline wide silu_far_product(wide factor, wide power, wide size, wide x, wide *slope)
{
    flags is_tail = wide_greater(wide_of(-end_of_segments), x);
    struct silu_far phi = silu_far_pair(wide_least(wide_of(200), size), is_tail);
    struct wide_pair derivative = derivative_of(phi.value, wide_greater(x, wide_of(0)));
    *slope = derivative.high + derivative.low;
    return wide_scaled(fused(factor, derivative.high, factor * derivative.low), phi.exponent - power);
}

/* g raised, and for 0 so little that the product becomes 0, but with the right sign. */
static inline wide raised_or_tiny(wide g)
{
    return fused(g, wide_of(raise_factor), wide_with_sign_of(wide_of(0x1p-79F), g));
}

/* g s'(x) for |g| <= 2^20, |x| <= 20. */
static inline wide silu_small_product(wide g, wide x)
{
    wide factor = raised_or_tiny(g);
    struct wide_pair derivative = derivative_of(silu_phi_pair(silu_size(g, x)), wide_greater(x, wide_of(0)));
    wide value = fused(factor, derivative.high, factor * derivative.low);
    /* Not a mere product, which takes this processor longer where it is subnormal. */
    return fused(value, wide_of(0x1p-96F), wide_of(-0.0F));
}

/* g s'(x) for |g| <= 2^20 and finite x. */
static inline wide silu_any_product(wide g, wide x)
{
    wide slope, value = silu_far_product(raised_or_tiny(g), wide_of(SILU_RAISE), silu_size(g, x), x, &slope);
    return wide_choose(wide_greater(x, wide_of(end_of_segments)), fused(g, missing_above(x), g), value);
}

/* The same for 2^-50 <= |g| <= 2^100, with nothing to be taken up. */
static inline wide silu_ordinary_product(wide g, wide x)
{
    wide slope, value = silu_far_product(g, wide_of(0), wide_absolute(x), x, &slope);
    return wide_choose(wide_greater(x, wide_of(end_of_segments)), fused(g, missing_above(x), g), value);
}

/* What a block is, as far as the ways below go. */
enum silu_block { SILU_SMALL, SILU_FAR, SILU_OTHER };

static inline enum silu_block silu_kind(const char *const *source, size_t offset)
{
    const uint32_t infinity = 0x7f800000, end = 0x41a00000;
    wide_bits factor = wide_bits_of(0), argument = wide_bits_of(0);
    wide least = wide_of(end_of_segments);
#pragma GCC unroll 8
    for (int i = 0; i < 2 * BLOCK_PAIRS; i++) {
        wide g, x;
        memcpy(&g, source[0] + offset + (size_t)i * sizeof g, sizeof g);
        memcpy(&x, source[1] + offset + (size_t)i * sizeof x, sizeof x);
        factor = wide_greater_bits(factor, (wide_bits)g + (wide_bits)g);
        argument = wide_greater_bits(argument, (wide_bits)x + (wide_bits)x);
        least = wide_least(x, least);
    }
    wide_bits bad =
        (wide_bits)(wide_greater_bits(factor, wide_bits_of(2 * greatest_factor)) != 2 * greatest_factor);
    bad |= (wide_bits)(wide_greater_bits(argument, wide_bits_of(2 * infinity - 1)) != 2 * infinity - 1);
    if (wide_any(bad))
        return SILU_OTHER;
    if (!wide_any((wide_bits)(wide_greater_bits(argument, wide_bits_of(2 * end)) != 2 * end)))
        return SILU_SMALL;
    /* All above 20: there is something better. */
    return wide_any_flag(wide_greater(wide_of(end_of_segments), least)) ? SILU_FAR : SILU_OTHER;
}

/* A block of the one kind or the other. */
static inline __attribute__((always_inline)) void
silu_block_of(enum silu_block kind, const char *const *source, char *target, size_t offset, bool streams)
{
#pragma GCC unroll 4
    for (int i = 0; i < 2 * BLOCK_PAIRS; i++) {
        const size_t at = offset + (size_t)i * sizeof(wide);
        wide g, x, value;
        memcpy(&g, source[0] + at, sizeof g);
        memcpy(&x, source[1] + at, sizeof x);
        value = kind == SILU_SMALL ? silu_small_product(g, x) : silu_any_product(g, x);
        put(target + at, &value, sizeof value, streams);
    }
}

/* Apart from the quick way: compilers do worse with much at a time. */
static __attribute__((noinline)) void silu_small_block(const char *const *source, char *target, size_t offset,
                                                       bool streams)
{
    silu_block_of(SILU_SMALL, source, target, offset, streams);
}

static __attribute__((noinline)) void silu_far_block(const char *const *source, char *target, size_t offset,
                                                     bool streams)
{
    silu_block_of(SILU_FAR, source, target, offset, streams);
}

/* See other_block in struct evaluation. */
static inline bool silu_other_fp32(enum arithmetic dtype, const char *const *source, char *target,
                                   size_t offset, int *care, struct late *late, bool streams)
{
    (void)dtype;
    (void)care;
    (void)late;
    enum silu_block kind = silu_kind(source, offset);
    if (kind == SILU_OTHER)
        return false;
    if (kind == SILU_SMALL)
        silu_small_block(source, target, offset, streams);
    else
        silu_far_block(source, target, offset, streams);
    return true;
}

#endif
