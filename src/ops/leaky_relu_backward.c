/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = gradOutput where self > 0, gradOutput * negativeSlope elsewhere.
 *
 * +-0 and NaN in self take the slope branch. selfIsResult changes nothing but the check of the slope's sign.
 */
#include "simd/kernel.h"

struct leaky_relu_backward_parameters {
    double slope; /* rounded to fp32 unless the arithmetic is fp64 */
};

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/map.h"

/* Exact in doubles for every narrower dtype, whose numbers have 24 bits at most, and rounded once for fp64.
 */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    const struct leaky_relu_backward_parameters *parameters = prepared;
    return choose(input[1] > 0, input[0], input[0] * parameters->slope);
}

static const struct evaluation leaky_relu = {.inputs = 2, .estimate = estimate};

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters)
{
    map(ARITHMETIC_FP32, &leaky_relu, input, output, count, parameters);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters)
{
    map(ARITHMETIC_FP16, &leaky_relu, input, output, count, parameters);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters)
{
    map(ARITHMETIC_BF16, &leaky_relu, input, output, count, parameters);
}

static void run_fp64(const void *const *input, void *output, size_t count, const void *parameters)
{
    map(ARITHMETIC_FP64, &leaky_relu, input, output, count, parameters);
}

KERNELS(leaky_relu_backward) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
};

#else

/* The contract. */

#endif
