/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self * other, rounded once, for one instruction-set level. Integers wrap; BOOL is self and other. Of
 * complex numbers (ac - bd) + (ad + bc)i, each part within 1 unit in the last place (simd/loops/complex.h).
 */
#include "ops/pointwise/arithmetic_kernels.h"
#include "simd/maths/simple_fp32.h"

#ifdef KERNEL_PASS /* there is nothing else */

/* The product of two numbers of fp32, or of 16 bits, is exact in doubles: 48 bits of 53. */
static inline doubles mul_estimate(doubles self, doubles other,
                                   const struct arithmetic_parameters *parameters)
{
    (void)parameters;
    return self * other;
}

/* The product of two numbers of 16 bits is exact in fp32, but where it is no longer a normal number. A scalar
 * has 24 bits: then the product is rounded to odd, from where it rounds to 16 bits as at once. */
static inline vector mul_fast(vector self, vector other, bool is_scalar,
                              const struct arithmetic_parameters *parameters, struct unsettled *unsettled)
{
    (void)parameters;
    if (HAS_ODD_ROUNDING &&
        (unsettled->dtype == ARITHMETIC_BF16 || (unsettled->dtype == ARITHMETIC_FP16 && is_scalar)))
        return fused_to_odd(self, other, vector_of(-0.0F)); /* -0 adds nothing, and no sign */
    vector product = fp32_product(self, other);
    if (unsettled->dtype != ARITHMETIC_FP32 && is_scalar)
        product = vector_round_to_odd(product, fused_minus(self, other, product));
    if (unsettled->dtype == ARITHMETIC_BF16)
        unsettled_small(unsettled, product); /* fp16 has no results so small that bits are lost */
    return product;
}

OPERANDS_IN_DOUBLES(mul_estimate)
OPERANDS_IN_FP32(mul_fast)
EVALUATIONS(of_fp32, mul_estimate, mul_fast, true)
EVALUATIONS(of_halves, mul_estimate, mul_fast, false)
EVALUATIONS_IN_DOUBLES(of_doubles, mul_estimate)

FACTOR_KERNELS

static inline ulongs product_bits(int bytes, ulongs self, ulongs other, ulongs factor)
{
    (void)factor;
    return bits_product(bytes, self, other);
}

static inline ulongs both(int bytes, ulongs self, ulongs other, ulongs factor)
{
    (void)bytes, (void)factor;
    return bits_truth(self) & bits_truth(other);
}

static inline __attribute__((always_inline)) void run_any_bits(int bytes, bits_function *evaluate,
                                                               const void *const *input, void *output,
                                                               size_t count, const void *parameters,
                                                               bool non_temporal)
{
    const struct arithmetic_parameters *product = parameters;
    if (product->has_scalar)
        map_bits(bytes, true, evaluate, input, output, count, product->other_bits, 0, non_temporal);
    else
        map_bits(bytes, false, evaluate, input, output, count, 0, 0, non_temporal);
}

#define RUN_BITS(bytes, ...) run_any_bits(bytes, product_bits, __VA_ARGS__)
BITS_KERNELS(run, RUN_BITS)

KERNEL(run_bool)
{
    run_any_bits(1, both, KERNEL_ARGUMENTS);
}

static inline __attribute__((always_inline)) void product(bool is_wide, doubles (*input)[PARTS],
                                                          doubles *result, const void *prepared)
{
    (void)prepared;
    const doubles none[PARTS] = {broadcast(-0.0), broadcast(-0.0)}; /* -0 adds nothing, and no sign */
    complex_product(is_wide, none, 1, input[0], input[1], result);
}

COMPLEX_OPERANDS(run, product)

KERNELS(mul) = {SAME_AT_BOTH_ACCURACIES(run), KERNELS_OF_OTHERS(run)};

#endif
