/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels of leaky relu and of its gradient, from the functions of simd/leaky_slope.h: LEAKY_KERNELS, for
 * KERNELS(). Whoever includes this has defined INPUTS: 2 for the gradient, whose inputs are a value and x,
 * and 1 for leaky relu, whose value is x. What is prepared is the slope, a double.
 */
#ifndef BELAY_SIMD_LEAKY_WAYS_H
#define BELAY_SIMD_LEAKY_WAYS_H

#include "simd/leaky_slope.h"

static inline doubles estimate(const doubles *input, const void *slope)
{
    return leaky_doubles(input[0], input[INPUTS - 1], *(const double *)slope);
}

static inline __attribute__((always_inline)) wide fast_fp32(const wide *input, const void *slope,
                                                            struct doubts *doubts)
{
    (void)doubts;
    return leaky_fp32(input[0], input[INPUTS - 1], *(const double *)slope);
}

static inline __attribute__((always_inline)) narrow short_fp16(const narrow *input, const void *slope,
                                                               struct doubts *doubts)
{
    return leaky_fp16(input[0], input[INPUTS - 1], *(const struct slope *)slope, doubts, true);
}

static inline __attribute__((always_inline)) narrow short_bf16(const narrow *input, const void *slope,
                                                               struct doubts *doubts)
{
    return leaky_bf16(input[0], input[INPUTS - 1], *(const struct slope *)slope, doubts, true);
}

static inline __attribute__((always_inline)) narrow long_fp16(const narrow *input, const void *slope,
                                                              struct doubts *doubts)
{
    return leaky_fp16(input[0], input[INPUTS - 1], *(const struct slope *)slope, doubts, false);
}

static inline __attribute__((always_inline)) narrow long_bf16(const narrow *input, const void *slope,
                                                              struct doubts *doubts)
{
    return leaky_bf16(input[0], input[INPUTS - 1], *(const struct slope *)slope, doubts, false);
}

static inline __attribute__((always_inline)) narrow short_any_bf16(const narrow *input, const void *slope,
                                                                   struct doubts *doubts)
{
    (void)doubts;
    return leaky_any_bf16(input[0], input[INPUTS - 1], *(const struct slope *)slope, true);
}

static inline __attribute__((always_inline)) narrow long_any_bf16(const narrow *input, const void *slope,
                                                                  struct doubts *doubts)
{
    (void)doubts;
    return leaky_any_bf16(input[0], input[INPUTS - 1], *(const struct slope *)slope, false);
}

static const struct evaluation leaky_short_any = {.inputs = INPUTS, .narrow = short_any_bf16};
static const struct evaluation leaky_long_any = {.inputs = INPUTS, .narrow = long_any_bf16};
MAP_ANY_BLOCKS(short_any_blocks, ARITHMETIC_BF16, leaky_short_any, struct slope)
MAP_ANY_BLOCKS(long_any_blocks, ARITHMETIC_BF16, leaky_long_any, struct slope)

static const struct evaluation leaky_relu = {.inputs = INPUTS, .estimate = estimate, .fast = fast_fp32};
static const struct leaky_ways ways_fp16 = {
    .with_short = {.inputs = INPUTS, .estimate = estimate, .narrow = short_fp16, .asks_ahead = INPUTS == 1},
    .with_long = {.inputs = INPUTS, .estimate = estimate, .narrow = long_fp16, .asks_ahead = INPUTS == 1},
    .with_extreme = {.inputs = INPUTS, .estimate = estimate},
};
static const struct leaky_ways ways_bf16 = {
    .with_short = {.inputs = INPUTS,
                   .estimate = estimate,
                   .narrow = short_bf16,
                   .has_small = true,
                   .any_blocks = CUTS_PRODUCTS ? short_any_blocks : NULL},
    .with_long = {.inputs = INPUTS,
                  .estimate = estimate,
                  .narrow = long_bf16,
                  .has_small = true,
                  .any_blocks = CUTS_PRODUCTS ? long_any_blocks : NULL},
    .with_extreme = {.inputs = INPUTS, .estimate = estimate},
};

MAP_KERNEL(leaky_run_fp32, ARITHMETIC_FP32, leaky_relu, parameters)
MAP_KERNEL(leaky_run_fp64, ARITHMETIC_FP64, leaky_relu, parameters)

static void leaky_run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                           bool streams)
{
    leaky_map(ARITHMETIC_FP16, &ways_fp16, input, output, count, *(const double *)parameters, streams);
}

static void leaky_run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                           bool streams)
{
    leaky_map(ARITHMETIC_BF16, &ways_bf16, input, output, count, *(const double *)parameters, streams);
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
