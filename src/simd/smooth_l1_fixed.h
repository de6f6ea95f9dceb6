/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum of smooth L1 for 16 bits, in integers: where nearly all elements are multiples of one unit and
 * below 2^27 of it, squares of differences need no more than 64 bits.
 */
#ifndef BELAY_SIMD_SMOOTH_L1_FIXED_H
#define BELAY_SIMD_SMOOTH_L1_FIXED_H

#include <limits.h>

#include "ops/exact_sum.h"
#include "simd/exceptions.h"
#include "simd/map.h"

/* Elements that one look at their exponents serves. */
enum { LOOK = 1024, AHEAD = LOOK };

/* Asks for the elements of a pair of registers that the next look is to read, which would wait for memory. */
static inline __attribute__((always_inline)) void ask_for_next(enum arithmetic dtype,
                                                               const char *const *source, size_t i)
{
    for (int j = 0; j < 2; j++)
        ask_for(source[j], (i + AHEAD) * bytes_of(dtype), PAIR_LANES * bytes_of(dtype));
}

/* 2^exponent, for a normal number. */
static inline double power_of_2(int exponent)
{
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The places of the bits: a number's are those from lowest on and below highest. */
struct span {
    int lowest, highest;
};

/* The least magnitude but 0 and the greatest, each without its sign and doubled. */
struct look {
    uint32_t least, greatest;
};

static inline struct look look_of_lanes(wide_bits least, wide_bits greatest)
{
#if defined(__AVX512F__)
    return (struct look){_mm512_reduce_min_epu32((__m512i)least) + 2,
                         _mm512_reduce_max_epu32((__m512i)greatest)};
#else
    struct look look = {least[0], greatest[0]};
    for (int i = 1; i < WIDE_LANES; i++) {
        look.least = least[i] < look.least ? least[i] : look.least;
        look.greatest = greatest[i] > look.greatest ? greatest[i] : look.greatest;
    }
    look.least += 2;
    return look;
#endif
}

/* 0 is above all in the order that is made of least, by taking 2 off. */
static inline __attribute__((always_inline)) struct look look_at_floats(const char *const *source,
                                                                        size_t count)
{
    wide_bits least[2] = {wide_bits_of(UINT32_MAX - 1), wide_bits_of(UINT32_MAX - 1)};
    wide_bits greatest[2] = {wide_bits_of(0), wide_bits_of(0)};
    for (int j = 0; j < 2; j++)
        for (size_t i = 0; i < count; i += PAIR_LANES) {
            wide pair[2];
            load_pair(ARITHMETIC_FP32, source[j] + i * sizeof(float), pair);
            for (int k = 0; k < 2; k++) {
                const wide_bits size = (wide_bits)pair[k] + (wide_bits)pair[k];
                least[k] = wide_lesser(least[k], size - 2);
                greatest[k] = wide_greater_bits(greatest[k], size);
            }
        }
    return look_of_lanes(wide_lesser(least[0], least[1]), wide_greater_bits(greatest[0], greatest[1]));
}

static inline __attribute__((always_inline)) struct look look_at_narrow(const char *const *source,
                                                                        size_t count)
{
    narrow least[2] = {narrow_of(UINT16_MAX - 1), narrow_of(UINT16_MAX - 1)};
    narrow greatest[2] = {narrow_of(0), narrow_of(0)};
    for (size_t i = 0; i < count; i += PAIR_LANES)
        for (int j = 0; j < 2; j++) {
            narrow value = narrow_load(source[j] + i * 2);
            least[j] = narrow_lesser(least[j], value + value - 2);
            greatest[j] = narrow_greater(greatest[j], value + value);
        }
    const wide_bits low = (wide_bits)narrow_lesser(least[0], least[1]);
    const wide_bits high = (wide_bits)narrow_greater(greatest[0], greatest[1]);
    return look_of_lanes(wide_lesser(low & 0xffff, low >> 16), wide_greater_bits(high & 0xffff, high >> 16));
}

/* The places of all bits of the elements, whose count is a multiple of PAIR_LANES; false where one is
 * infinite or NaN. */
static inline __attribute__((always_inline)) bool find_span(enum arithmetic dtype, const char *const *source,
                                                            size_t count, struct span *span)
{
    struct look look =
        dtype == ARITHMETIC_FP32 ? look_at_floats(source, count) : look_at_narrow(source, count);
    const int fraction_bits = dtype == ARITHMETIC_FP32 ? 23 : dtype == ARITHMETIC_FP16 ? 10 : 7;
    const int bias = dtype == ARITHMETIC_FP16 ? 15 : 127;
    int least = (int)(look.least >> (fraction_bits + 1)),
        greatest = (int)(look.greatest >> (fraction_bits + 1));
    if (greatest == 2 * bias + 1)
        return false;
    /* Subnormal numbers have the places of the least normal ones, and are above none that is not 0. */
    greatest = greatest > 0 ? greatest : 1;
    least = least > 0 ? least : 1;
    span->lowest = (look.greatest == 0 ? greatest : least) - bias - fraction_bits;
    span->highest = greatest - bias + 1;
    return true;
}

/* Differences have this many bits, so that 16 of them, the vectors of a step, fit into 32 bits; FLOAT_BITS:
 * of which all are floats. */
enum { FIXED_BITS = 28, FIXED_STEP = 16, FLOAT_BITS = 24 };

/* Sums of squares, in units of 2^(2 lowest), and of differences, in units of 2^lowest; by halves of 32 bits,
 * each with room for the sums of 2^30 steps. The squares are of those below beta and the differences the
 * others, which are counted. Where beta is a whole number of units it is simpler: squares of the lesser of s
 * and beta, and what is left of s, as 2 beta s - beta^2 = beta^2 + 2 beta (s - beta). */
struct fixed_sum {
    ulongs low, high, outer, counted;
    double beta;
    int lowest, inner; /* s is below beta where it is less than inner units */
    bool is_whole;     /* beta is inner units, or nothing reaches it */
    bool is_short;     /* the differences last looked at were floats */
};

enum { NO_UNIT = INT_MAX / 4 };

static inline struct fixed_sum no_fixed_sum(double beta)
{
    return (struct fixed_sum){.beta = beta, .lowest = NO_UNIT};
}

static __attribute__((noinline)) void give_fixed(struct fixed_sum *fixed, struct exact_sum *sum)
{
    if (fixed->lowest == NO_UNIT)
        return;
    const double by = fixed->beta > 0 ? 2 * fixed->beta : 1; /* of 24 bits */
    uint64_t bits;
    memcpy(&bits, &by, sizeof bits);
    const int64_t significand = (int64_t)(bits >> 29 & 0x7fffff) | 0x800000;
    const int exponent = (int)(bits >> 52) - 1023 - 23 + fixed->lowest;
    __extension__ __int128 squares = 0, outer = 0;
    for (int i = 0; i < LANES; i++) {
        __extension__ const __int128 high = fixed->high[i];
        squares += (high << 32) + fixed->low[i];
        outer += fixed->outer[i];
        sum->counted += fixed->counted[i];
    }
    exact_sum_add_units(sum, squares, 2 * fixed->lowest);
    exact_sum_add_units(sum, outer * significand, exponent);
    *fixed = no_fixed_sum(fixed->beta);
}

/* Whether differences of this span have room, for which the unit may change. */
static inline bool fixed_has_room(struct fixed_sum *fixed, struct span span, struct exact_sum *sum)
{
    fixed->is_short = span.highest - span.lowest <= FLOAT_BITS;
    if (span.lowest >= fixed->lowest && span.highest <= fixed->lowest + FIXED_BITS)
        return true;
    /* Powers of two that are numbers of fp32. */
    if (span.highest - span.lowest > FIXED_BITS || span.lowest < -100 || span.highest > 100)
        return false;
    give_fixed(fixed, sum);
    /* What is left of the room is shared, so that other elements do not change it at once. */
    fixed->lowest = span.lowest - (FIXED_BITS - (span.highest - span.lowest)) / 2;
    const double inner = fixed->beta * power_of_2(-fixed->lowest), most = (double)(1 << FIXED_BITS);
    fixed->inner = inner < most ? (int)inner : 1 << FIXED_BITS;
    fixed->is_whole = (double)fixed->inner == inner || inner > most;
    fixed->inner += inner < most && (double)fixed->inner < inner;
    return true;
}

/* Rounded to the nearest; what is converted here is whole. */
static inline wide_ints wide_to_ints(wide value)
{
#if defined(__AVX512F__)
    return (wide_ints)_mm512_cvtps_epi32((__m512)value);
#elif defined(__AVX2__)
    return (wide_ints)_mm256_cvtps_epi32((__m256)value);
#else
    return __builtin_convertvector(value, wide_ints);
#endif
}

static inline wide_ints wide_absolute_ints(wide_ints value)
{
#if defined(__AVX512F__)
    return (wide_ints)_mm512_abs_epi32((__m512i)value);
#else
    wide_ints sign = value >> 31;
    return (value ^ sign) - sign;
#endif
}

/* The squares of the lanes with even indices. */
static inline ulongs squares_of_even(wide_ints value)
{
#if defined(__AVX512F__)
    return (ulongs)_mm512_mul_epu32((__m512i)value, (__m512i)value);
#elif defined(__AVX2__)
    return (ulongs)_mm256_mul_epu32((__m256i)value, (__m256i)value);
#else
    ulongs even = (ulongs)value & UINT32_MAX;
    return even * even;
#endif
}

/* Sums of one step, and all bits of its differences. */
struct step {
    ulongs inner[2];
    wide_bits outer, counted, any;
};

static inline void add_squares(struct step *step, wide_ints size)
{
    step->inner[0] += squares_of_even(size);
    step->inner[1] += squares_of_even((wide_ints)((ulongs)size >> 32));
}

static inline __attribute__((always_inline)) void add_difference(struct step *step, wide_ints difference,
                                                                 wide_ints bound, bool is_whole)
{
    const wide_ints size = wide_absolute_ints(difference);
    step->any |= (wide_bits)size;
    if (is_whole) {
        const wide_bits lesser = wide_lesser((wide_bits)size, (wide_bits)bound);
        step->outer += (wide_bits)size - lesser;
        add_squares(step, (wide_ints)lesser);
        return;
    }
#if defined(__AVX512F__)
    const __m512i all = (__m512i)size;
    __mmask16 is_outer = _mm512_cmp_epi32_mask(all, (__m512i)bound, _MM_CMPINT_NLT);
    const wide_ints inner = (wide_ints)_mm512_mask_mov_epi32(all, is_outer, _mm512_setzero_si512());
    step->outer = (wide_bits)_mm512_mask_add_epi32((__m512i)step->outer, is_outer, (__m512i)step->outer, all);
    step->counted = (wide_bits)_mm512_mask_add_epi32((__m512i)step->counted, is_outer, (__m512i)step->counted,
                                                     _mm512_set1_epi32(1));
#else
    const wide_ints is_outer = ~(size < bound), inner = size & ~is_outer;
    step->outer += (wide_bits)(size & is_outer);
    step->counted -= (wide_bits)is_outer;
#endif
    add_squares(step, inner);
}

static inline ulongs sum_of_halves(wide_bits value)
{
    return ((ulongs)value & UINT32_MAX) + ((ulongs)value >> 32);
}

/* count elements, a multiple of PAIR_LANES and at most LOOK; is_short: their differences are floats.
 * is_looked_at: all is as fixed has it. Otherwise false, and nothing added, where a difference has no room,
 * or raised an exception, as one that is not a multiple of the unit does. */
static inline __attribute__((always_inline)) bool add_steps(enum arithmetic dtype, const char *const *source,
                                                            size_t count, bool is_short, bool is_whole,
                                                            bool is_looked_at, struct fixed_sum *fixed)
{
    const wide scale = wide_of((float)power_of_2(-fixed->lowest));
    const wide_ints bound = wide_ints_of(fixed->inner);
    struct fixed_sum sum = *fixed;
    wide_bits any = wide_bits_of(0);
    if (!is_looked_at)
        forget_exceptions();
    for (size_t i = 0; i < count;) {
        const size_t left = count - i, most = FIXED_STEP / 2 * PAIR_LANES,
                     end = i + (left < most ? left : most);
        struct step step = {.counted = wide_bits_of(0)};
        for (; i < end; i += PAIR_LANES) {
            wide x[2], t[2];
            load_pair(dtype, source[0] + i * 2, x);
            load_pair(dtype, source[1] + i * 2, t);
            ask_for_next(dtype, source, i);
#pragma GCC unroll 2
            for (int k = 0; k < 2; k++)
                add_difference(&step,
                               is_short ? wide_to_ints((x[k] - t[k]) * scale)
                                        : wide_to_ints(x[k] * scale) - wide_to_ints(t[k] * scale),
                               bound, is_whole);
        }
        for (int k = 0; k < 2; k++) {
            sum.low += step.inner[k] & UINT32_MAX;
            sum.high += step.inner[k] >> 32;
        }
        sum.outer += sum_of_halves(step.outer);
        sum.counted += sum_of_halves(step.counted);
        any |= step.any;
    }
    COMPUTE_HERE(any);
    if (!is_looked_at && (wide_any(any >> FIXED_BITS) || exceptions_raised()))
        return false;
    *fixed = sum;
    return true;
}

static inline __attribute__((always_inline)) bool fixed_add(enum arithmetic dtype, const char *const *source,
                                                            size_t count, bool is_looked_at,
                                                            struct fixed_sum *fixed)
{
    if (fixed->is_whole)
        return fixed->is_short ? add_steps(dtype, source, count, true, true, is_looked_at, fixed)
                               : add_steps(dtype, source, count, false, true, is_looked_at, fixed);
    return fixed->is_short ? add_steps(dtype, source, count, true, false, is_looked_at, fixed)
                           : add_steps(dtype, source, count, false, false, is_looked_at, fixed);
}

#endif
