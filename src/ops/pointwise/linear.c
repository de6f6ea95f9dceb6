/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + alpha * other, rounded once, for one instruction-set level: the kernels of Add and Sub, whose alpha
 * is the negative one already. BOOL has no negative numbers: Add is self or (alpha and other), Sub is true
 * where self and (alpha and other) differ.
 */
#include "ops/pointwise/arithmetic_kernels.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include <math.h>

static inline bool is_sum(const struct arithmetic_parameters *parameters)
{
    return parameters->alpha[0] == 1 || parameters->alpha[0] == -1;
}

/* In doubles products of two numbers of fp32 are exact, and the sum is rounded to odd. */
static inline doubles linear_estimate(doubles self, doubles other,
                                      const struct arithmetic_parameters *parameters)
{
    struct pair sum = two_sum(self, other * parameters->alpha[0]);
    return choose(sum.low == sum.low, round_to_odd(sum.high, sum.low), sum.high); /* infinities lose NaN */
}

/* By the processor, or lane by lane by the C library, which is exact, too. */
static inline doubles linear_double(doubles self, doubles other,
                                    const struct arithmetic_parameters *parameters)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd(_mm512_set1_pd(parameters->alpha[0]), (__m512d)other, (__m512d)self);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd(_mm256_set1_pd(parameters->alpha[0]), (__m256d)other, (__m256d)self);
#else
    if (is_sum(parameters))
        return self + parameters->alpha[0] * other;
    for (int i = 0; i < LANES; i++)
        self[i] = fma(parameters->alpha[0], other[i], self[i]);
    return self;
#endif
}

static inline vector linear_fp32(vector self, vector other, bool is_scalar,
                                 const struct arithmetic_parameters *parameters, struct unsettled *unsettled)
{
    (void)is_scalar, (void)unsettled;
    const vector alpha = vector_of((float)parameters->alpha[0]);
    return !FUSED_IS_FAST && is_sum(parameters) ? self + alpha * other : fused(alpha, other, self);
}

static inline vector linear_odd(vector self, vector other, bool is_scalar,
                                const struct arithmetic_parameters *parameters, struct unsettled *unsettled)
{
    (void)is_scalar, (void)unsettled;
    return fused_to_odd(vector_of((float)parameters->alpha[0]), other, self);
}

OPERANDS_IN_DOUBLES(linear_estimate)
OPERANDS_IN_DOUBLES(linear_double)
OPERANDS_IN_FP32(linear_fp32)
OPERANDS_IN_FP32(linear_odd)

/* A sum of two numbers of 16 bits rounds in fp32, and then to 16 bits, as at once. */
EVALUATIONS(of_fp32, linear_estimate, linear_fp32, true)
static const struct formula of_sums = {
    .inputs = 2, .doubles = linear_estimate_tensors, .fast = linear_fp32_tensors};
EVALUATIONS(of_halves, linear_estimate, linear_odd, false)
EVALUATIONS_IN_DOUBLES(of_any_halves, linear_estimate)
EVALUATIONS_IN_DOUBLES(of_fp64, linear_double)

KERNEL(run_fp32)
{
    map_operands(ARITHMETIC_FP32, BOTH_OF(of_fp32), KERNEL_ARGUMENTS);
}

KERNEL(run_fp64)
{
    map_operands(ARITHMETIC_FP64, BOTH_OF(of_fp64), KERNEL_ARGUMENTS);
}

static inline __attribute__((always_inline)) void run_16_bits(enum arithmetic dtype, const void *const *input,
                                                              void *output, size_t count,
                                                              const void *parameters, bool non_temporal)
{
    const struct arithmetic_parameters *linear = parameters;
    const double addend = linear->alpha[0] * linear->other[0];
    const bool has_addend =
        linear->has_scalar && addend > -0x1p127 && addend < 0x1p127 && (double)(float)addend == addend;
    if (!linear->has_scalar && is_sum(linear))
        map(dtype, &of_sums, KERNEL_ARGUMENTS);
    else if (HAS_ODD_ROUNDING || has_addend)
        map_operands(dtype, BOTH_OF(of_halves), KERNEL_ARGUMENTS);
    else
        map_operands(dtype, BOTH_OF(of_any_halves), KERNEL_ARGUMENTS);
}

KERNEL(run_fp16)
{
    run_16_bits(ARITHMETIC_FP16, KERNEL_ARGUMENTS);
}

KERNEL(run_bf16)
{
    run_16_bits(ARITHMETIC_BF16, KERNEL_ARGUMENTS);
}

static inline ulongs sum_bits(int bytes, ulongs self, ulongs other, ulongs alpha)
{
    (void)alpha;
    return bits_sum(bytes, self, other);
}

static inline ulongs scaled_bits(int bytes, ulongs self, ulongs other, ulongs alpha)
{
    return bits_sum(bytes, self, bits_product(bytes, other, alpha));
}

static inline __attribute__((always_inline)) void run_bits(int bytes, const void *const *input, void *output,
                                                           size_t count, const void *parameters,
                                                           bool non_temporal)
{
    const struct arithmetic_parameters *linear = parameters;
    const uint64_t alpha = linear->alpha_bits, addend = alpha * linear->other_bits;
    if (linear->has_scalar)
        map_bits(bytes, true, sum_bits, input, output, count, addend, alpha, non_temporal);
    else if (alpha == 1)
        map_bits(bytes, false, sum_bits, input, output, count, addend, alpha, non_temporal);
    else
        map_bits(bytes, false, scaled_bits, input, output, count, addend, alpha, non_temporal);
}

BITS_KERNELS(run, run_bits)

static inline ulongs either(int bytes, ulongs self, ulongs other, ulongs alpha)
{
    (void)bytes;
    return bits_truth(self) | (bits_truth(other) & alpha);
}

static inline ulongs differs(int bytes, ulongs self, ulongs other, ulongs alpha)
{
    (void)bytes;
    return bits_truth(self) ^ (bits_truth(other) & alpha);
}

KERNEL(run_bool)
{
    const struct arithmetic_parameters *linear = parameters;
    const uint64_t alpha = linear->alpha_bits, other = linear->other_bits;
    if (linear->has_scalar && linear->subtracts)
        map_bits(1, true, differs, input, output, count, other, alpha, non_temporal);
    else if (linear->has_scalar)
        map_bits(1, true, either, input, output, count, other, alpha, non_temporal);
    else if (linear->subtracts)
        map_bits(1, false, differs, input, output, count, other, alpha, non_temporal);
    else
        map_bits(1, false, either, input, output, count, other, alpha, non_temporal);
}

/* self + alpha * other, or without a product. */
static inline __attribute__((always_inline)) void complex_sum(bool is_wide, doubles (*input)[PARTS],
                                                              doubles *result, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    const doubles *self = input[0], *other = input[1];
    const doubles alpha[PARTS] = {broadcast(parameters->alpha[REAL]),
                                  broadcast(parameters->alpha[IMAGINARY])};
    const double sign = parameters->subtracts ? -1 : 1;
    if (parameters->alpha_is_one)
        for (int part = 0; part < PARTS; part++)
            result[part] = self[part] + sign * other[part];
    else
        complex_product(is_wide, self, sign, alpha, other, result);
}

COMPLEX_OPERANDS(run, complex_sum)

KERNELS(linear) = {SAME_AT_BOTH_ACCURACIES(run), KERNELS_OF_OTHERS(run)};

#endif
