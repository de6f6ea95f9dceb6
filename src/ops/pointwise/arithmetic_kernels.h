/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of two operands, the second of which is a tensor or a scalar, from formulas of both: what Add and
 * Sub (linear.c), Mul and Div share of their maths.
 */
#ifndef BELAY_OPS_POINTWISE_ARITHMETIC_KERNELS_H
#define BELAY_OPS_POINTWISE_ARITHMETIC_KERNELS_H

#include "ops/pointwise/arithmetic.h"
#include "ops/pointwise/bits.h"
#include "simd/loops/complex.h"
#include "simd/vector/kernel.h"
#include "simd/loops/map.h"

/* A formula (self, other, parameters) in doubles, and one (self, other, is_scalar, parameters, unsettled) in
 * fp32, for a struct formula of two tensors and for one of a tensor and a scalar. */
#define OPERANDS_IN_DOUBLES(formula)                                                    \
    static inline doubles formula##_tensors(const doubles *input, const void *prepared) \
    {                                                                                   \
        return formula(input[0], input[1], prepared);                                   \
    }                                                                                   \
    static inline doubles formula##_scalar(const doubles *input, const void *prepared)  \
    {                                                                                   \
        const struct arithmetic_parameters *parameters = prepared;                      \
        return formula(input[0], broadcast(parameters->other[0]), parameters);          \
    }
#define OPERANDS_IN_FP32(formula)                                                                    \
    static inline __attribute__((always_inline))                                                     \
    vector formula##_tensors(const vector *input, const void *prepared, struct unsettled *unsettled) \
    {                                                                                                \
        return vector_canonical(formula(input[0], input[1], false, prepared, unsettled));            \
    }                                                                                                \
    static inline __attribute__((always_inline))                                                     \
    vector formula##_scalar(const vector *input, const void *prepared, struct unsettled *unsettled)  \
    {                                                                                                \
        const struct arithmetic_parameters *parameters = prepared;                                   \
        return vector_canonical(                                                                     \
            formula(input[0], vector_of((float)parameters->other[0]), true, prepared, unsettled));   \
    }

/* Evaluations name_tensors and name_scalar. decides: fp32 is one operation, which every level takes. */
#define EVALUATIONS(name, estimate_, fast_, decides)                                                    \
    static const struct formula name##_tensors = {                                                      \
        .inputs = 2, .doubles = estimate_##_tensors, .fast = fast_##_tensors, .fast_decides = decides}; \
    static const struct formula name##_scalar = {                                                       \
        .inputs = 1, .doubles = estimate_##_scalar, .fast = fast_##_scalar, .fast_decides = decides};

/* Evaluations of numbers of which fp32 loses bits. */
#define EVALUATIONS_IN_DOUBLES(name, estimate_)                                                 \
    static const struct formula name##_tensors = {.inputs = 2, .doubles = estimate_##_tensors}; \
    static const struct formula name##_scalar = {.inputs = 1, .doubles = estimate_##_scalar};

/* By the evaluation of two tensors, or that of a tensor and a scalar: constants, both inlined. */
static inline __attribute__((always_inline)) void
map_operands(enum arithmetic dtype, const struct formula *tensors, const struct formula *scalar,
             const void *const *input, void *output, size_t count, const void *parameters, bool non_temporal)
{
    const struct arithmetic_parameters *arithmetic = parameters;
    if (arithmetic->has_scalar)
        map(dtype, scalar, input, output, count, parameters, non_temporal);
    else
        map(dtype, tensors, input, output, count, parameters, non_temporal);
}

/* Both evaluations of that name. */
#define BOTH_OF(name) &name##_tensors, &name##_scalar

/* Kernels name_8 ... name_64 by run(element_bytes, a kernel's arguments). */
#define BITS_KERNELS(name, run)   \
    KERNEL(name##_8)              \
    {                             \
        run(1, KERNEL_ARGUMENTS); \
    }                             \
    KERNEL(name##_16)             \
    {                             \
        run(2, KERNEL_ARGUMENTS); \
    }                             \
    KERNEL(name##_32)             \
    {                             \
        run(4, KERNEL_ARGUMENTS); \
    }                             \
    KERNEL(name##_64)             \
    {                             \
        run(8, KERNEL_ARGUMENTS); \
    }

/* Kernels name_complex64 and name_complex128 by a complex_function of two numbers. */
#define COMPLEX_OPERANDS(name, evaluate)                                                   \
    COMPLEX_KERNEL_OF(name##_complex64, false, 2, evaluate, arithmetic_scalar(parameters)) \
    COMPLEX_KERNEL_OF(name##_complex128, true, 2, evaluate, arithmetic_scalar(parameters))

/* The table's entries for integers, BOOL and complex numbers. */
#define KERNELS_OF_OTHERS(name)                          \
    .exact = {[ARITHMETIC_INT8] = name##_8,              \
              [ARITHMETIC_INT16] = name##_16,            \
              [ARITHMETIC_INT32] = name##_32,            \
              [ARITHMETIC_INT64] = name##_64,            \
              [ARITHMETIC_UINT8] = name##_8,             \
              [ARITHMETIC_BOOL] = name##_bool,           \
              [ARITHMETIC_COMPLEX64] = name##_complex64, \
              [ARITHMETIC_COMPLEX128] = name##_complex128}

/* a * b + c, or the odd one of the two floats around it where it is none: that rounds to 16 bits as the exact
 * number does. Without a rounding mode for each instruction only for products that fp32 has. */
#if defined(__AVX512F__)
enum { HAS_ODD_ROUNDING = 1 };
#else
enum { HAS_ODD_ROUNDING = 0 };
#endif

static inline vector fused_to_odd(vector a, vector b, vector c)
{
#if defined(__AVX512F__)
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC };
    __m512 down = _mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, DOWN);
    __m512 up = _mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, UP);
    /* Neighbours are not both even. Equal numbers are either, and of zeros that cancel +0 is even as well. */
    __mmask16 is_odd = _mm512_test_epi32_mask((__m512i)down, _mm512_set1_epi32(1));
    return (vector)_mm512_mask_mov_ps(up, is_odd, down);
#else
    vector product = a * b, sum = c + product, part = sum - c;
    return vector_round_to_odd(sum, (c - (sum - part)) + (product - part)); /* NaN beside an infinity */
#endif
}

/* Whether fp32 keeps what products and quotients of 16-bit numbers with this factor lose. */
static inline bool is_moderate(double factor)
{
    double magnitude = factor < 0 ? -factor : factor;
    return magnitude > 0x1p-40 && magnitude < 0x1p40;
}

/* 16 bits by the evaluations of fp32, or in doubles where a scalar is so large or small that fp32 loses bits.
 * */
static inline __attribute__((always_inline)) void
map_halves(enum arithmetic dtype, const struct formula *tensors, const struct formula *scalar,
           const struct formula *scalar_in_doubles, const void *const *input, void *output, size_t count,
           const void *parameters, bool non_temporal)
{
    const struct arithmetic_parameters *factor = parameters;
    if (factor->has_scalar && !is_moderate(factor->other[0]))
        map(dtype, scalar_in_doubles, input, output, count, parameters, non_temporal);
    else
        map_operands(dtype, tensors, scalar, input, output, count, parameters, non_temporal);
}

/* Kernels of products or quotients by the evaluations of_fp32, of_doubles and, of 16 bits, of_halves. */
#define FACTOR_KERNELS                                                                         \
    KERNEL(run_fp32)                                                                           \
    {                                                                                          \
        map_operands(ARITHMETIC_FP32, BOTH_OF(of_fp32), KERNEL_ARGUMENTS);                     \
    }                                                                                          \
    KERNEL(run_fp64)                                                                           \
    {                                                                                          \
        map_operands(ARITHMETIC_FP64, BOTH_OF(of_doubles), KERNEL_ARGUMENTS);                  \
    }                                                                                          \
    KERNEL(run_fp16)                                                                           \
    {                                                                                          \
        map_halves(ARITHMETIC_FP16, BOTH_OF(of_halves), &of_doubles_scalar, KERNEL_ARGUMENTS); \
    }                                                                                          \
    KERNEL(run_bf16)                                                                           \
    {                                                                                          \
        map_halves(ARITHMETIC_BF16, BOTH_OF(of_halves), &of_doubles_scalar, KERNEL_ARGUMENTS); \
    }

#endif
