/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + alpha * other, rounded once, for one instruction-set level: the kernels of Add and Sub, whose alpha
 * is the negative one already. BOOL has no negative numbers: Add is self or (alpha and other), Sub is true
 * where self and (alpha and other) differ.
 */
#include "ops/pointwise/arithmetic.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include <math.h>

#include "simd/bits.h"
#include "simd/complex.h"
#include "simd/kernel.h"
#include "simd/map.h"

/*
 * Floats have two ways: a sum, where alpha is 1 or -1 or the product of the scalars is a number of fp32, and
 * a sum with a product. Each is one of two tensors, or of a tensor and a scalar.
 */

/* In doubles products of two numbers of fp32 are exact, and the sum is rounded to odd. */
static inline doubles sum_to_odd(doubles self, doubles other, const struct arithmetic_parameters *parameters)
{
    struct pair sum = two_sum(self, other * parameters->alpha[0]);
    return choose(sum.low == sum.low, round_to_odd(sum.high, sum.low), sum.high); /* infinities lose NaN */
}

static inline doubles estimate(const doubles *input, const void *prepared)
{
    return sum_to_odd(input[0], input[1], prepared);
}

static inline doubles scalar_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return sum_to_odd(input[0], broadcast(parameters->other[0]), parameters);
}

/*
 * The sum in fp32 rounded to odd, which rounds to 16 bits as the exact one does. The factors are not so small
 * that the error of their product is lost, see is_moderate(); a product that overflows is in doubt where the
 * sum need not.
 */
static inline __attribute__((always_inline)) vector vector_sum_to_odd(vector self, vector other, vector alpha,
                                                                      struct unsettled *unsettled)
{
    vector product = alpha * other, error = fused_minus(alpha, other, product);
    if (unsettled->dtype == ARITHMETIC_BF16) {
        unsettled_small(unsettled, other);
        unsettled_infinite(unsettled, product, vector_is_nan(other));
    }
    vector sum = self + product, part = sum - self;
    vector low = (self - (sum - part)) + (product - part);
    vector rest = low + error; /* and what that sum loses */
    part = rest - low;
    vector last = (low - (rest - part)) + (error - part);
    vector high = sum + rest;
    part = high - sum;
    vector side = (sum - (high - part)) + (rest - part);
    side = vector_choose(vector_equal(side, vector_of(0)), last, side);
    /* NaN where there is an infinity; and a zero keeps its sign */
    vector exact = vector_choose(vector_greater(vector_absolute(rest), vector_of(0)), high, sum);
    return vector_canonical(vector_round_to_odd(exact, side));
}

/* self + addend, with the odd one of the two floats around it where it is none: rounds to 16 bits as it
 * does. */
static inline __attribute__((always_inline)) vector vector_move_to_odd(vector self, vector addend)
{
#if defined(__AVX512F__)
    __m512 down =
        _mm512_add_round_ps((__m512)self, (__m512)addend, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512 up = _mm512_add_round_ps((__m512)self, (__m512)addend, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    /* Neighbours are not both even. Equal numbers are either, and of zeros that cancel +0 is even as well. */
    __mmask16 is_odd = _mm512_test_epi32_mask((__m512i)down, _mm512_set1_epi32(1));
    return (vector)_mm512_mask_mov_ps(up, is_odd, down);
#else
    vector sum = self + addend, part = sum - self;
    return vector_round_to_odd(sum, (self - (sum - part)) + (addend - part)); /* NaN beside an infinity */
#endif
}

/* Sums of two numbers of 16 bits round in fp32, and then to 16 bits, as at once; alpha is 1 or -1. */
static inline __attribute__((always_inline)) vector sum_fast(const vector *input, const void *prepared,
                                                             struct unsettled *unsettled)
{
    (void)unsettled;
    const struct arithmetic_parameters *parameters = prepared;
    return vector_canonical(input[0] + input[1] * (float)parameters->alpha[0]);
}

static inline __attribute__((always_inline)) vector scalar_sum_fast(const vector *input, const void *prepared,
                                                                    struct unsettled *unsettled)
{
    const struct arithmetic_parameters *parameters = prepared;
    const vector addend = vector_of((float)(parameters->alpha[0] * parameters->other[0]));
    return vector_canonical(unsettled->dtype == ARITHMETIC_FP32 ? input[0] + addend
                                                                : vector_move_to_odd(input[0], addend));
}

static inline __attribute__((always_inline)) vector product_of(vector self, vector other,
                                                               const struct arithmetic_parameters *parameters,
                                                               struct unsettled *unsettled)
{
    const vector alpha = vector_of((float)parameters->alpha[0]);
    return vector_canonical(unsettled->dtype == ARITHMETIC_FP32
                                ? fused(alpha, other, self)
                                : vector_sum_to_odd(self, other, alpha, unsettled));
}

static inline __attribute__((always_inline)) vector product_fast(const vector *input, const void *prepared,
                                                                 struct unsettled *unsettled)
{
    return product_of(input[0], input[1], prepared, unsettled);
}

static inline __attribute__((always_inline)) vector
scalar_product_fast(const vector *input, const void *prepared, struct unsettled *unsettled)
{
    const struct arithmetic_parameters *parameters = prepared;
    return product_of(input[0], vector_of((float)parameters->other[0]), parameters, unsettled);
}

/* a * b + c, rounded once: by the processor, or lane by lane by the C library, which is exact, too. */
static inline doubles fused_doubles(doubles a, doubles b, doubles c)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    doubles result = c;
    for (int i = 0; i < LANES; i++)
        result[i] = fma(a[i], b[i], c[i]);
    return result;
#endif
}

static inline doubles sum_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return input[0] + parameters->alpha[0] * input[1];
}

static inline doubles product_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return fused_doubles(broadcast(parameters->alpha[0]), input[1], input[0]);
}

static inline doubles scalar_product_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return fused_doubles(broadcast(parameters->alpha[0]), broadcast(parameters->other[0]), input[0]);
}

static inline bool is_one(double alpha)
{
    return alpha == 1 || alpha == -1;
}

/* Whether products with it and with numbers of 2^-50 and more keep their errors in fp32. */
static inline bool is_moderate(double factor)
{
    double magnitude = factor < 0 ? -factor : factor;
    return factor == 0 || (magnitude > 0x1p-40 && magnitude < 0x1p40);
}

/* Whether fp32 has the product of the scalars, which are numbers of fp32, and which doubles have. */
static inline bool is_exact_addend(const struct arithmetic_parameters *parameters)
{
    double addend = parameters->alpha[0] * parameters->other[0];
    return addend > -0x1p127 && addend < 0x1p127 && (double)(float)addend == addend;
}

/* Of fp32 each way is one operation, which every level takes. What the ways doubt of 16 bits is computed in
 * doubles, and so is everything where the scalars are extreme. */
#define EVALUATIONS(kind, decides)                                                                   \
    static const struct evaluation kind##_sum = {                                                    \
        .inputs = 2, .estimate = estimate, .fast = sum_fast, .fast_decides = decides};               \
    static const struct evaluation kind##_scalar_sum = {                                             \
        .inputs = 1, .estimate = scalar_estimate, .fast = scalar_sum_fast, .fast_decides = decides}; \
    static const struct evaluation kind##_product = {                                                \
        .inputs = 2, .estimate = estimate, .fast = product_fast, .fast_decides = decides};           \
    static const struct evaluation kind##_scalar_product = {                                         \
        .inputs = 1, .estimate = scalar_estimate, .fast = scalar_product_fast, .fast_decides = decides}

EVALUATIONS(fp32, true);
EVALUATIONS(halves, false);
static const struct evaluation halves_any = {.inputs = 2, .estimate = estimate};
static const struct evaluation halves_scalar_any = {.inputs = 1, .estimate = scalar_estimate};

static void linear_fp32(const void *const *input, void *output, size_t count, const void *prepared,
                        bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    if (parameters->has_scalar && is_exact_addend(parameters))
        map_wide(ARITHMETIC_FP32, &fp32_scalar_sum, input, output, count, prepared, non_temporal);
    else if (parameters->has_scalar)
        map_wide(ARITHMETIC_FP32, &fp32_scalar_product, input, output, count, prepared, non_temporal);
    else if (is_one(parameters->alpha[0]))
        map_wide(ARITHMETIC_FP32, &fp32_sum, input, output, count, prepared, non_temporal);
    else
        map_wide(ARITHMETIC_FP32, &fp32_product, input, output, count, prepared, non_temporal);
}

static inline __attribute__((always_inline)) void run_16_bits(enum arithmetic dtype, const void *const *input,
                                                              void *output, size_t count,
                                                              const void *prepared, bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    const bool moderate = is_moderate(parameters->alpha[0]) && is_moderate(parameters->other[0]);
    if (parameters->has_scalar && is_exact_addend(parameters))
        map(dtype, &halves_scalar_sum, input, output, count, prepared, non_temporal);
    else if (parameters->has_scalar && moderate)
        map(dtype, &halves_scalar_product, input, output, count, prepared, non_temporal);
    else if (parameters->has_scalar)
        map(dtype, &halves_scalar_any, input, output, count, prepared, non_temporal);
    else if (is_one(parameters->alpha[0]))
        map(dtype, &halves_sum, input, output, count, prepared, non_temporal);
    else if (moderate)
        map(dtype, &halves_product, input, output, count, prepared, non_temporal);
    else
        map(dtype, &halves_any, input, output, count, prepared, non_temporal);
}

static void linear_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                        bool non_temporal)
{
    run_16_bits(ARITHMETIC_FP16, input, output, count, parameters, non_temporal);
}

static void linear_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                        bool non_temporal)
{
    run_16_bits(ARITHMETIC_BF16, input, output, count, parameters, non_temporal);
}

static void linear_fp64(const void *const *input, void *output, size_t count, const void *prepared,
                        bool non_temporal)
{
    static const struct evaluation sum = {.inputs = 2, .estimate = sum_fp64};
    static const struct evaluation product = {.inputs = 2, .estimate = product_fp64};
    static const struct evaluation scalar_product = {.inputs = 1, .estimate = scalar_product_fp64};
    const struct arithmetic_parameters *parameters = prepared;
    if (parameters->has_scalar)
        map(ARITHMETIC_FP64, &scalar_product, input, output, count, prepared, non_temporal);
    else if (is_one(parameters->alpha[0]))
        map(ARITHMETIC_FP64, &sum, input, output, count, prepared, non_temporal);
    else
        map(ARITHMETIC_FP64, &product, input, output, count, prepared, non_temporal);
}

/* Of integers: registers of the scalars. */
struct linear_bits {
    ulongs alpha, addend;
};

static inline __attribute__((always_inline)) ulongs sum_bits(int element_bytes, const ulongs *input,
                                                             const void *prepared)
{
    (void)prepared;
    return bits_sum(element_bytes, input[0], input[1]);
}

static inline __attribute__((always_inline)) ulongs scaled_bits(int element_bytes, const ulongs *input,
                                                                const void *prepared)
{
    const struct linear_bits *linear = prepared;
    return bits_sum(element_bytes, input[0], bits_product(element_bytes, input[1], linear->alpha));
}

static inline __attribute__((always_inline)) ulongs moved_bits(int element_bytes, const ulongs *input,
                                                               const void *prepared)
{
    const struct linear_bits *linear = prepared;
    return bits_sum(element_bytes, input[0], linear->addend);
}

static inline __attribute__((always_inline)) void linear_bits(int element_bytes, const void *const *input,
                                                              void *output, size_t count,
                                                              const void *prepared, bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    const struct linear_bits linear = {
        bits_broadcast(element_bytes, parameters->alpha_bits),
        bits_broadcast(element_bytes, parameters->alpha_bits * parameters->other_bits),
    };
    if (parameters->has_scalar)
        map_bits(1, element_bytes, moved_bits, input, output, count, &linear, non_temporal);
    else if (parameters->alpha_bits == 1)
        map_bits(2, element_bytes, sum_bits, input, output, count, &linear, non_temporal);
    else
        map_bits(2, element_bytes, scaled_bits, input, output, count, &linear, non_temporal);
}

BITS_KERNEL(linear_8, 1, linear_bits)
BITS_KERNEL(linear_16, 2, linear_bits)
BITS_KERNEL(linear_32, 4, linear_bits)
BITS_KERNEL(linear_64, 8, linear_bits)

/* self + alpha * other, or without a product. */
static inline __attribute__((always_inline)) void complex_sum(bool is_wide, doubles (*input)[PARTS],
                                                              doubles *result, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    const doubles *self = input[0], *other = input[1];
    const doubles alpha[PARTS] = {broadcast(parameters->alpha[REAL]),
                                  broadcast(parameters->alpha[IMAGINARY])};
    const double sign = parameters->subtracts ? -1 : 1;
    const doubles real[2] = {other[REAL], -other[IMAGINARY]}, imaginary[2] = {other[IMAGINARY], other[REAL]};
    if (parameters->alpha_is_one) {
        result[REAL] = self[REAL] + sign * other[REAL];
        result[IMAGINARY] = self[IMAGINARY] + sign * other[IMAGINARY];
    } else {
        result[REAL] = sum_of_products(is_wide, self[REAL], sign, alpha, real);
        result[IMAGINARY] = sum_of_products(is_wide, self[IMAGINARY], sign, alpha, imaginary);
    }
}

COMPLEX_SCALAR_KERNEL(linear_complex64, false, complex_sum)
COMPLEX_SCALAR_KERNEL(linear_complex128, true, complex_sum)

static inline __attribute__((always_inline)) ulongs either(int element_bytes, const ulongs *input,
                                                           const void *prepared)
{
    (void)element_bytes;
    const ulongs *alpha = prepared;
    return bits_truth(input[0]) | (bits_truth(input[1]) & *alpha);
}

static inline __attribute__((always_inline)) ulongs differs(int element_bytes, const ulongs *input,
                                                            const void *prepared)
{
    (void)element_bytes;
    const ulongs *alpha = prepared;
    return bits_truth(input[0]) ^ (bits_truth(input[1]) & *alpha);
}

static inline __attribute__((always_inline)) ulongs either_constant(int element_bytes, const ulongs *input,
                                                                    const void *prepared)
{
    (void)element_bytes;
    const ulongs *addend = prepared;
    return bits_truth(input[0]) | *addend;
}

static inline __attribute__((always_inline)) ulongs differs_constant(int element_bytes, const ulongs *input,
                                                                     const void *prepared)
{
    (void)element_bytes;
    const ulongs *addend = prepared;
    return bits_truth(input[0]) ^ *addend;
}

static void linear_bool(const void *const *input, void *output, size_t count, const void *prepared,
                        bool non_temporal)
{
    const struct arithmetic_parameters *parameters = prepared;
    const ulongs alpha = bits_broadcast(1, parameters->alpha_bits),
                 addend = alpha & bits_broadcast(1, parameters->other_bits);
    if (parameters->has_scalar && parameters->subtracts)
        map_bits(1, 1, differs_constant, input, output, count, &addend, non_temporal);
    else if (parameters->has_scalar)
        map_bits(1, 1, either_constant, input, output, count, &addend, non_temporal);
    else if (parameters->subtracts)
        map_bits(2, 1, differs, input, output, count, &alpha, non_temporal);
    else
        map_bits(2, 1, either, input, output, count, &alpha, non_temporal);
}

KERNELS(linear) = {.run = {[ACCURACY_DEFAULT] = {[ARITHMETIC_FP32] = linear_fp32,
                                                 [ARITHMETIC_FP16] = linear_fp16,
                                                 [ARITHMETIC_BF16] = linear_bf16,
                                                 [ARITHMETIC_FP64] = linear_fp64},
                           [ACCURACY_EXACT] = {[ARITHMETIC_FP32] = linear_fp32,
                                               [ARITHMETIC_FP16] = linear_fp16,
                                               [ARITHMETIC_BF16] = linear_bf16,
                                               [ARITHMETIC_FP64] = linear_fp64}},
                   .exact = {
                       [ARITHMETIC_INT8] = linear_8,
                       [ARITHMETIC_INT16] = linear_16,
                       [ARITHMETIC_INT32] = linear_32,
                       [ARITHMETIC_INT64] = linear_64,
                       [ARITHMETIC_UINT8] = linear_8,
                       [ARITHMETIC_BOOL] = linear_bool,
                       [ARITHMETIC_COMPLEX64] = linear_complex64,
                       [ARITHMETIC_COMPLEX128] = linear_complex128,
                   }};

#endif
