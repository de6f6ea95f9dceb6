/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * value where x > 0, value * slope elsewhere, rounded once: leaky relu, whose value is x, and its gradient.
 * LEAKY_KERNELS is for KERNELS(). Whoever includes this has defined INPUTS: 2 for the gradient, whose inputs
 * are a value and x, and 1 for leaky relu. The parameters are the slope, a double.
 */
#ifndef BELAY_SIMD_LEAKY_H
#define BELAY_SIMD_LEAKY_H

#include "simd/map.h"
#include "simd/odd.h"

/*
 * For 16 bits. A product with a slope of at most 13 bits is exact in fp32. One with a longer slope is never a
 * tie of 16 bits, as times 11 bits at most it keeps more than the 12 of a tie: all that it lacks when it is
 * cut to fp32 is a last bit that says so.
 */
struct slope {
    double given; /* first, as among the parameters: all that doubles take */
    float value;
    bool is_long;
    uint16_t limit; /* the bits of the bf16 below which it, or its product, may be subnormal */
};

static inline struct slope slope_of(double given)
{
    const float value = (float)given, size = value < 0 ? -value : value;
    /* Where products are not cut what they lose must be a float, too. */
    const float least = CUTS_PRODUCTS ? 0x1p-125F : 0x1p-99F; /* twice it: the limit is cut to bf16 */
    const float limit = size > 0 && size < 1 ? least / size : least;
    uint32_t bits, limit_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&limit_bits, &limit, sizeof limit_bits);
    return (struct slope){given, value, (bits & 0x7ff) != 0, (uint16_t)(limit_bits >> 16)};
}

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles leaky_estimate(const doubles *input, const void *slope)
{
    return choose(input[INPUTS - 1] > 0, input[0], input[0] * *(const double *)slope);
}

static inline vector leaky_fp32(const vector *input, const void *slope, struct unsettled *unsettled)
{
    (void)unsettled;
    vector product = input[0] * vector_of((float)*(const double *)slope);
    return vector_canonical(
        vector_choose(vector_greater(input[INPUTS - 1], vector_of(0)), input[0], product));
}

static inline vector leaky_any_16(const vector *input, const void *slope, struct unsettled *unsettled)
{
    (void)unsettled;
    vector product = vector_any_odd_product(input[0], vector_of(((const struct slope *)slope)->value));
    return vector_canonical(
        vector_choose(vector_greater(input[INPUTS - 1], vector_of(0)), input[0], product));
}

/* The rounded products, is_long a constant: bf16 need no last bit, where nothing is a tie. */
static inline __attribute__((always_inline)) lanes16 leaky_products(enum arithmetic dtype, const char *source,
                                                                    float slope, bool is_long)
{
    const bool is_bf16 = dtype == ARITHMETIC_BF16;
    const vector factor = vector_of(slope);
    vector g[2], product[2];
    load_pair(dtype, source, g);
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++) {
        product[i] = vector_cut_product(g[i], factor);
        if (is_long && !CUTS_PRODUCTS)
            product[i] = vector_odd(product[i], fused_minus(g[i], factor, product[i]));
        else if (is_long && !is_bf16)
            product[i] = (vector)((vector_bits)product[i] | 1);
    }
    if (is_bf16 && is_long && CUTS_PRODUCTS)
        return lanes16_of_wide_off_ties(product);
    return is_bf16 ? lanes16_of_wide(product) : lanes16_fp16_of_wide(product);
}

/* In doubt are infinities and NaN, and where the product may be subnormal. */
static inline __attribute__((always_inline)) lanes16
leaky_quick_16(const char *const *source, const void *prepared, struct unsettled *unsettled)
{
    const struct slope *slope = prepared;
    const bool is_fp16 = unsettled->dtype == ARITHMETIC_FP16;
    const uint16_t infinity = is_fp16 ? 0x7c00 : 0x7f80;
    lanes16 value = lanes16_load(source[0]), x = lanes16_load(source[INPUTS - 1]);
    lanes16 product = slope->is_long ? leaky_products(unsettled->dtype, source[0], slope->value, true)
                                     : leaky_products(unsettled->dtype, source[0], slope->value, false);
    unsettled_lanes16_above(unsettled, 0, value + value, (uint16_t)(2 * infinity - 1));
    if (!is_fp16)
        unsettled_lanes16_below(unsettled, 0, value, slope->limit);
    /* x > 0: its bits, moved down to the lowest, are those from the least number to infinity. */
    return lanes16_choose(lanes16_below(x - 1, lanes16_of(infinity)), value, product);
}

static const struct evaluation leaky = {.inputs = INPUTS, .estimate = leaky_estimate, .fast = leaky_fp32};
static const struct evaluation leaky_16 = {.inputs = INPUTS,
                                           .estimate = leaky_estimate,
                                           .fast = leaky_any_16,
                                           .lanes16 = leaky_quick_16,
                                           .asks_ahead = INPUTS == 1};
static const struct evaluation leaky_extreme = {
    .inputs = INPUTS, .estimate = leaky_estimate, .fast = leaky_any_16};

MAP_KERNEL(leaky_run_fp32, ARITHMETIC_FP32, leaky)
MAP_KERNEL(leaky_run_fp64, ARITHMETIC_FP64, leaky)
MAP_KERNEL(leaky_map_fp16, ARITHMETIC_FP16, leaky_16)
MAP_KERNEL(leaky_map_bf16, ARITHMETIC_BF16, leaky_16)
MAP_KERNEL(leaky_extreme_fp16, ARITHMETIC_FP16, leaky_extreme)
MAP_KERNEL(leaky_extreme_bf16, ARITHMETIC_BF16, leaky_extreme)

/* Whether the slope is so far from the ends of fp32 that what a product with it loses is not lost itself. */
static inline bool is_moderate(double slope)
{
    double size = slope < 0 ? -slope : slope;
    return size == 0 || (size >= 0x1p-40 && size <= 0x1p40);
}

static void leaky_run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                           bool non_temporal)
{
    const struct slope slope = slope_of(*(const double *)parameters);
    (is_moderate(slope.given) ? leaky_map_fp16 : leaky_extreme_fp16)(input, output, count, &slope,
                                                                     non_temporal);
}

static void leaky_run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                           bool non_temporal)
{
    const struct slope slope = slope_of(*(const double *)parameters);
    (is_moderate(slope.given) ? leaky_map_bf16 : leaky_extreme_bf16)(input, output, count, &slope,
                                                                     non_temporal);
}

#define LEAKY_KERNELS                                                  \
    {                                                                  \
        .run = {                                                       \
            [ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = leaky_run_fp32,  \
                                  [ARITHMETIC_FP16] = leaky_run_fp16,  \
                                  [ARITHMETIC_BF16] = leaky_run_bf16,  \
                                  [ARITHMETIC_FP64] = leaky_run_fp64}, \
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = leaky_run_fp32,    \
                                [ARITHMETIC_FP16] = leaky_run_fp16,    \
                                [ARITHMETIC_BF16] = leaky_run_bf16,    \
                                [ARITHMETIC_FP64] = leaky_run_fp64},   \
        }                                                              \
    }

#endif
