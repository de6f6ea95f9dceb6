/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = self * other, where other is a tensor or a scalar.
 *
 * Rounded once. Integers wrap. BOOL is self and other. Of complex numbers (ac - bd) + (ad + bc)i, each part
 * within 1 unit in the last place (simd/complex.h).
 */
#include "ops/pointwise/arithmetic.h"
#include "simd/kernel.h"

#ifdef KERNEL_PASS

/* The maths. */
#include "simd/bits.h"
#include "simd/complex.h"
#include "simd/map.h"
#include "simd/slope_product.h"

/* Of fp32 and less exact in doubles. */
static inline doubles estimate(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] * input[1];
}

static inline doubles scalar_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return input[0] * broadcast(parameters->other[0]);
}

static inline __attribute__((always_inline)) vector fast(const vector *input, const void *prepared,
                                                         struct unsettled *unsettled)
{
    (void)prepared;
    vector product = input[0] * input[1];
    if (unsettled->dtype == ARITHMETIC_BF16) {
        /* Exact but where it is no longer a normal number; a factor that is 0 makes no doubt. */
        unsettled_small(unsettled, input[0]);
        unsettled_small(unsettled, input[1]);
    }
    return vector_canonical(product);
}

static inline __attribute__((always_inline)) vector scalar_fast(const vector *input, const void *prepared,
                                                                struct unsettled *unsettled)
{
    const struct arithmetic_parameters *parameters = prepared;
    if (unsettled->dtype == ARITHMETIC_BF16)
        unsettled_small(unsettled, input[0]);
    return vector_canonical(slope_product(input[0], parameters->other[0], unsettled));
}

/* A scalar so small that products of 16-bit numbers with it lose bits in fp32, or that they overflow. */
static inline bool is_extreme(double factor)
{
    double magnitude = factor < 0 ? -factor : factor;
    return !(magnitude > 0x1p-40 && magnitude < 0x1p40) && factor != 0;
}

static inline __attribute__((always_inline)) void run(enum arithmetic dtype, const void *const *input,
                                                      void *output, size_t count, const void *prepared,
                                                      bool non_temporal)
{
    static const struct evaluation tensors = {.inputs = 2, .estimate = estimate, .fast = fast};
    static const struct evaluation scalar = {.inputs = 1, .estimate = scalar_estimate, .fast = scalar_fast};
    static const struct evaluation extreme = {.inputs = 1, .estimate = scalar_estimate};
    const struct arithmetic_parameters *parameters = prepared;
    if (!parameters->has_scalar)
        map(dtype, &tensors, input, output, count, prepared, non_temporal);
    else if (dtype == ARITHMETIC_FP32 || dtype == ARITHMETIC_FP64 || !is_extreme(parameters->other[0]))
        map(dtype, &scalar, input, output, count, prepared, non_temporal);
    else
        map(dtype, &extreme, input, output, count, prepared, non_temporal);
}

static void run_fp32(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP32, input, output, count, parameters, non_temporal);
}

static void run_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP16, input, output, count, parameters, non_temporal);
}

static void run_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_BF16, input, output, count, parameters, non_temporal);
}

static void run_fp64(const void *const *input, void *output, size_t count, const void *parameters,
                     bool non_temporal)
{
    run(ARITHMETIC_FP64, input, output, count, parameters, non_temporal);
}

static inline __attribute__((always_inline)) ulongs product(int element_bytes, const ulongs *input,
                                                            const void *prepared)
{
    (void)prepared;
    return bits_product(element_bytes, input[0], input[1]);
}

static inline __attribute__((always_inline)) ulongs scalar_product(int element_bytes, const ulongs *input,
                                                                   const void *prepared)
{
    const ulongs *other = prepared;
    return bits_product(element_bytes, input[0], *other);
}

static inline __attribute__((always_inline)) void run_bits(int element_bytes, const void *const *input,
                                                           void *output, size_t count, const void *prepared,
                                                           bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    const ulongs other = bits_broadcast(element_bytes, parameters->other_bits);
    if (parameters->has_scalar)
        map_bits(1, element_bytes, scalar_product, input, output, count, &other, non_temporal);
    else
        map_bits(2, element_bytes, product, input, output, count, &other, non_temporal);
}

BITS_KERNEL(run_8, 1, run_bits)
BITS_KERNEL(run_16, 2, run_bits)
BITS_KERNEL(run_32, 4, run_bits)
BITS_KERNEL(run_64, 8, run_bits)

static inline __attribute__((always_inline)) ulongs both(int element_bytes, const ulongs *input,
                                                         const void *prepared)
{
    (void)element_bytes;
    (void)prepared;
    return bits_truth(input[0]) & bits_truth(input[1]);
}

static inline __attribute__((always_inline)) ulongs both_constant(int element_bytes, const ulongs *input,
                                                                  const void *prepared)
{
    (void)element_bytes;
    const ulongs *other = prepared;
    return bits_truth(input[0]) & *other;
}

static void run_bool(const void *const *input, void *output, size_t count, const void *prepared,
                     bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    const ulongs other = bits_broadcast(1, parameters->other_bits);
    if (parameters->has_scalar)
        map_bits(1, 1, both_constant, input, output, count, &other, non_temporal);
    else
        map_bits(2, 1, both, input, output, count, &other, non_temporal);
}

static inline __attribute__((always_inline)) void complex_product(bool is_wide, doubles (*input)[PARTS],
                                                                  doubles *result, const void *prepared)
{
    (void)prepared;
    const doubles *other = input[1], none = broadcast(-0.0); /* -0 adds nothing, and no sign */
    const doubles real[2] = {other[REAL], -other[IMAGINARY]}, imaginary[2] = {other[IMAGINARY], other[REAL]};
    result[REAL] = sum_of_products(is_wide, none, 1, input[0], real);
    result[IMAGINARY] = sum_of_products(is_wide, none, 1, input[0], imaginary);
}

COMPLEX_SCALAR_KERNEL(run_complex64, false, complex_product)
COMPLEX_SCALAR_KERNEL(run_complex128, true, complex_product)

KERNELS(mul) = {
    .run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = run_fp32,
                                  [ARITHMETIC_FP16] = run_fp16,
                                  [ARITHMETIC_BF16] = run_bf16,
                                  [ARITHMETIC_FP64] = run_fp64},
            [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = run_fp32,
                                [ARITHMETIC_FP16] = run_fp16,
                                [ARITHMETIC_BF16] = run_bf16,
                                [ARITHMETIC_FP64] = run_fp64}},
    .exact = {[ARITHMETIC_INT8] = run_8,
              [ARITHMETIC_INT16] = run_16,
              [ARITHMETIC_INT32] = run_32,
              [ARITHMETIC_INT64] = run_64,
              [ARITHMETIC_UINT8] = run_8,
              [ARITHMETIC_BOOL] = run_bool,
              [ARITHMETIC_COMPLEX64] = run_complex64,
              [ARITHMETIC_COMPLEX128] = run_complex128},
};

#else

/* The contract. */
#include "aclnnop/aclnn_mul.h"

enum { OUT = OTHER + 1 };

KERNEL_LEVELS(mul);
static const struct elementwise elementwise = {mul_kernels, .cost_ps = {40, 40}, .cost_16_bits_ps = 110};

static const struct parameter parameters[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = READ("other", &dtypes_arithmetic),
    [OUT] = WRITTEN("out", &dtypes_arithmetic),
};

FUNCTION(aclnnMul, (const aclTensor *self, const aclTensor *other, aclTensor *out),
         (ARG(self), ARG(other), ARG(out)), .stem = "mul", PARAMETERS(parameters), .promise = &promise_exact,
         ELEMENTWISE(&elementwise), .infer = product_infer, .plan = product_plan);

static const struct parameter parameters_of_scalar[] = {
    [SELF] = READ("self", &dtypes_arithmetic),
    [OTHER] = SCALAR("other", &dtypes_all),
    [OUT] = WRITTEN("out", &dtypes_arithmetic),
};

FUNCTION(aclnnMuls, (const aclTensor *self, const aclScalar *other, aclTensor *out),
         (ARG(self), ARG(other), ARG(out)), .stem = "mul", PARAMETERS(parameters_of_scalar),
         .promise = &promise_exact, ELEMENTWISE(&elementwise), .infer = product_scalar_infer,
         .plan = product_scalar_plan);

static const struct parameter in_place[] = {
    [SELF] = BOTH("selfRef", &dtypes_arithmetic),
    [OTHER] = READ("other", &dtypes_arithmetic),
};

FUNCTION(aclnnInplaceMul, (aclTensor * selfRef, const aclTensor *other), (ARG(selfRef), ARG(other)),
         .stem = "mul", PARAMETERS(in_place), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = product_infer, .plan = product_plan);

static const struct parameter in_place_scalar[] = {
    [SELF] = BOTH("selfRef", &dtypes_arithmetic),
    [OTHER] = SCALAR("other", &dtypes_all),
};

FUNCTION(aclnnInplaceMuls, (aclTensor * selfRef, const aclScalar *other), (ARG(selfRef), ARG(other)),
         .stem = "mul", PARAMETERS(in_place_scalar), .promise = &promise_exact, ELEMENTWISE(&elementwise),
         .infer = product_scalar_infer, .plan = product_scalar_plan);

#endif
