/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self + alpha * other, rounded once, for one instruction-set level: the kernels of Add and Sub, whose alpha
 * is the negative one already. BOOL has no negative numbers: Add is self or (alpha and other), Sub is true
 * where self and (alpha and other) differ.
 */
#include "ops/pointwise/arithmetic.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include "simd/bits.h"
#include "simd/complex.h"
#include "simd/kernel.h"
#include "simd/map.h"
#include "simd/sum_of_products.h"

/* The product of two numbers of fp32 is exact in doubles, and the sum is rounded to odd. */
static inline __attribute__((always_inline)) doubles sum_to_odd(doubles self, doubles other, double alpha)
{
    struct pair sum = two_sum(self, other * alpha);
    return choose(sum.low == sum.low, round_to_odd(sum.high, sum.low), sum.high); /* infinities lose NaN */
}

static inline doubles scaled_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return sum_to_odd(input[0], input[1], parameters->alpha[0]);
}

static inline doubles scalar_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return sum_to_odd(input[0], broadcast(parameters->other[0]), parameters->alpha[0]);
}

/* Of fp32 each of these is one operation, and so every level takes it. */
static inline __attribute__((always_inline)) wide plain_fast(const wide *input, const void *prepared,
                                                             struct doubts *doubts)
{
    (void)prepared;
    (void)doubts;
    return wide_canonical(input[0] + input[1]);
}

static inline __attribute__((always_inline)) wide plain_difference(const wide *input, const void *prepared,
                                                                   struct doubts *doubts)
{
    (void)prepared;
    (void)doubts;
    return wide_canonical(input[0] - input[1]);
}

static inline __attribute__((always_inline)) wide scaled_fp32(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    (void)doubts;
    const struct arithmetic_parameters *parameters = prepared;
    return wide_canonical(fused(wide_of((float)parameters->alpha[0]), input[1], input[0]));
}

static inline __attribute__((always_inline)) wide scalar_fp32(const wide *input, const void *prepared,
                                                              struct doubts *doubts)
{
    (void)doubts;
    const struct arithmetic_parameters *parameters = prepared;
    return wide_canonical(
        fused(wide_of((float)parameters->alpha[0]), wide_of((float)parameters->other[0]), input[0]));
}

/*
 * The sum in fp32 rounded to odd, which rounds to 16 bits as the exact one does. The factors are not so small
 * that the error of their product is lost, see is_moderate(); a product that overflows is in doubt where the
 * sum need not.
 */
static inline __attribute__((always_inline)) wide wide_sum_to_odd(wide self, wide other, wide alpha,
                                                                  struct doubts *doubts)
{
    wide product = alpha * other, error = fused_minus(alpha, other, product);
    if (doubts->dtype == ARITHMETIC_BF16) {
        doubt_small(doubts, other);
        doubt_infinite(doubts, product, wide_is_nan(other));
    }
    wide sum = self + product, part = sum - self;
    wide low = (self - (sum - part)) + (product - part);
    wide rest = low + error; /* and what that sum loses */
    part = rest - low;
    wide last = (low - (rest - part)) + (error - part);
    wide high = sum + rest;
    part = high - sum;
    wide side = (sum - (high - part)) + (rest - part);
    side = wide_choose(wide_equal(side, wide_of(0)), last, side);
    /* NaN where there is an infinity; and a zero keeps its sign */
    wide exact = wide_choose(wide_greater(wide_absolute(rest), wide_of(0)), high, sum);
    return wide_canonical(wide_round_to_odd(exact, side));
}

static inline __attribute__((always_inline)) wide scaled_halves(const wide *input, const void *prepared,
                                                                struct doubts *doubts)
{
    const struct arithmetic_parameters *parameters = prepared;
    return wide_sum_to_odd(input[0], input[1], wide_of((float)parameters->alpha[0]), doubts);
}

static inline __attribute__((always_inline)) wide scalar_halves(const wide *input, const void *prepared,
                                                                struct doubts *doubts)
{
    const struct arithmetic_parameters *parameters = prepared;
    return wide_sum_to_odd(input[0], wide_of((float)parameters->other[0]),
                           wide_of((float)parameters->alpha[0]), doubts);
}

/* self + addend, with the odd one of the two floats around it where it is none: rounds to 16 bits as it does.
 */
static inline __attribute__((always_inline)) wide wide_move_to_odd(wide self, wide addend)
{
#if defined(__AVX512F__)
    __m512 down =
        _mm512_add_round_ps((__m512)self, (__m512)addend, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512 up = _mm512_add_round_ps((__m512)self, (__m512)addend, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
    /* Neighbours are not both even. Equal numbers are either, and of zeros that cancel +0 is even as well. */
    __mmask16 is_odd = _mm512_test_epi32_mask((__m512i)down, _mm512_set1_epi32(1));
    return (wide)_mm512_mask_mov_ps(up, is_odd, down);
#else
    wide sum = self + addend, part = sum - self;
    return wide_round_to_odd(sum, (self - (sum - part)) + (addend - part)); /* NaN beside an infinity */
#endif
}

static inline __attribute__((always_inline)) wide moved_halves(const wide *input, const void *prepared,
                                                               struct doubts *doubts)
{
    (void)doubts;
    const struct arithmetic_parameters *parameters = prepared;
    return wide_canonical(
        wide_move_to_odd(input[0], wide_of((float)(parameters->alpha[0] * parameters->other[0]))));
}

static inline doubles plain_fp64(const doubles *input, const void *prepared)
{
    (void)prepared;
    return input[0] + input[1];
}

static inline doubles scaled_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return fused_doubles(broadcast(parameters->alpha[0]), input[1], input[0]);
}

static inline doubles scalar_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return fused_doubles(broadcast(parameters->alpha[0]), broadcast(parameters->other[0]), input[0]);
}

/* Where the product of the scalars is no less exact than they are. */
static inline __attribute__((always_inline)) wide moved_fp32(const wide *input, const void *prepared,
                                                             struct doubts *doubts)
{
    (void)doubts;
    const struct arithmetic_parameters *parameters = prepared;
    return wide_canonical(input[0] + wide_of((float)(parameters->alpha[0] * parameters->other[0])));
}

static inline doubles moved_fp64(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return input[0] + broadcast(parameters->alpha[0] * parameters->other[0]);
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

/* Sums of two numbers of 16 bits round in fp32 or in doubles, and then to 16 bits, as at once. */
static inline doubles plain_estimate(const doubles *input, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    return input[0] + broadcast(parameters->alpha[0]) * input[1];
}

static void linear_fp32(const void *const *input, void *output, size_t count, const void *prepared,
                        bool streams)
{
    static const struct evaluation sum = {.inputs = 2, .fast = plain_fast, .fast_decides = true};
    static const struct evaluation difference = {.inputs = 2, .fast = plain_difference, .fast_decides = true};
    static const struct evaluation scaled = {.inputs = 2, .fast = scaled_fp32, .fast_decides = true};
    static const struct evaluation scalar = {.inputs = 1, .fast = scalar_fp32, .fast_decides = true};
    static const struct evaluation moved = {.inputs = 1, .fast = moved_fp32, .fast_decides = true};
    const struct arithmetic_parameters *parameters = prepared;
    if (parameters->has_scalar && is_one(parameters->alpha[0]))
        map_wide(ARITHMETIC_FP32, &moved, input, output, count, prepared, streams);
    else if (parameters->has_scalar)
        map_wide(ARITHMETIC_FP32, &scalar, input, output, count, prepared, streams);
    else if (parameters->alpha[0] == 1)
        map_wide(ARITHMETIC_FP32, &sum, input, output, count, prepared, streams);
    else if (parameters->alpha[0] == -1)
        map_wide(ARITHMETIC_FP32, &difference, input, output, count, prepared, streams);
    else
        map_wide(ARITHMETIC_FP32, &scaled, input, output, count, prepared, streams);
}

static inline __attribute__((always_inline)) void linear_halves(enum arithmetic dtype,
                                                                const void *const *input, void *output,
                                                                size_t count, const void *prepared,
                                                                bool streams)
{
    static const struct evaluation sum = {.inputs = 2, .estimate = plain_estimate, .fast = plain_fast};
    static const struct evaluation difference = {
        .inputs = 2, .estimate = plain_estimate, .fast = plain_difference};
    static const struct evaluation scaled = {.inputs = 2, .estimate = scaled_estimate, .fast = scaled_halves};
    static const struct evaluation scalar = {.inputs = 1, .estimate = scalar_estimate, .fast = scalar_halves};
    static const struct evaluation moved = {.inputs = 1, .estimate = scalar_estimate, .fast = moved_halves};
    static const struct evaluation extreme_scaled = {.inputs = 2, .estimate = scaled_estimate};
    static const struct evaluation extreme_scalar = {.inputs = 1, .estimate = scalar_estimate};
    const struct arithmetic_parameters *parameters = prepared;
    const bool moderate = is_moderate(parameters->alpha[0]) && is_moderate(parameters->other[0]);
    if (parameters->has_scalar && is_exact_addend(parameters))
        map(dtype, &moved, input, output, count, prepared, streams);
    else if (parameters->has_scalar && moderate)
        map(dtype, &scalar, input, output, count, prepared, streams);
    else if (parameters->has_scalar)
        map(dtype, &extreme_scalar, input, output, count, prepared, streams);
    else if (parameters->alpha[0] == 1)
        map(dtype, &sum, input, output, count, prepared, streams);
    else if (parameters->alpha[0] == -1)
        map(dtype, &difference, input, output, count, prepared, streams);
    else if (moderate)
        map(dtype, &scaled, input, output, count, prepared, streams);
    else
        map(dtype, &extreme_scaled, input, output, count, prepared, streams);
}

static void linear_fp16(const void *const *input, void *output, size_t count, const void *parameters,
                        bool streams)
{
    linear_halves(ARITHMETIC_FP16, input, output, count, parameters, streams);
}

static void linear_bf16(const void *const *input, void *output, size_t count, const void *parameters,
                        bool streams)
{
    linear_halves(ARITHMETIC_BF16, input, output, count, parameters, streams);
}

static void linear_fp64(const void *const *input, void *output, size_t count, const void *prepared,
                        bool streams)
{
    static const struct evaluation plain = {.inputs = 2, .estimate = plain_fp64};
    static const struct evaluation scaled = {.inputs = 2, .estimate = scaled_fp64};
    static const struct evaluation scalar = {.inputs = 1, .estimate = scalar_fp64};
    static const struct evaluation moved = {.inputs = 1, .estimate = moved_fp64};
    const struct arithmetic_parameters *parameters = prepared;
    if (parameters->has_scalar && is_one(parameters->alpha[0]))
        map(ARITHMETIC_FP64, &moved, input, output, count, prepared, streams);
    else if (parameters->has_scalar)
        map(ARITHMETIC_FP64, &scalar, input, output, count, prepared, streams);
    else if (parameters->alpha[0] == 1)
        map(ARITHMETIC_FP64, &plain, input, output, count, prepared, streams);
    else
        map(ARITHMETIC_FP64, &scaled, input, output, count, prepared, streams);
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
                                                              const void *prepared, bool streams)
{
    const struct arithmetic_parameters *parameters = prepared;
    const struct linear_bits linear = {
        bits_broadcast(element_bytes, parameters->alpha_bits),
        bits_broadcast(element_bytes, parameters->alpha_bits * parameters->other_bits),
    };
    if (parameters->has_scalar)
        map_bits(1, element_bytes, moved_bits, input, output, count, &linear, streams);
    else if (parameters->alpha_bits == 1)
        map_bits(2, element_bytes, sum_bits, input, output, count, &linear, streams);
    else
        map_bits(2, element_bytes, scaled_bits, input, output, count, &linear, streams);
}

static void linear_8(const void *const *input, void *output, size_t count, const void *parameters,
                     bool streams)
{
    linear_bits(1, input, output, count, parameters, streams);
}

static void linear_16(const void *const *input, void *output, size_t count, const void *parameters,
                      bool streams)
{
    linear_bits(2, input, output, count, parameters, streams);
}

static void linear_32(const void *const *input, void *output, size_t count, const void *parameters,
                      bool streams)
{
    linear_bits(4, input, output, count, parameters, streams);
}

static void linear_64(const void *const *input, void *output, size_t count, const void *parameters,
                      bool streams)
{
    linear_bits(8, input, output, count, parameters, streams);
}

/* Of complex numbers, where other has been found: self + alpha * other, or without a product. */
static inline __attribute__((always_inline)) void complex_sum(bool is_wide, const doubles *self,
                                                              const doubles *other, doubles *result,
                                                              const struct arithmetic_parameters *parameters)
{
    const doubles alpha[PARTS] = {broadcast(parameters->alpha[REAL]),
                                  broadcast(parameters->alpha[IMAGINARY])};
    const double sign = parameters->subtracts ? -1 : 1;
    const doubles real[2] = {other[REAL], -other[IMAGINARY]}, imaginary[2] = {other[IMAGINARY], other[REAL]};
    if (parameters->alpha_is_one) {
        result[REAL] = self[REAL] + sign * other[REAL];
        result[IMAGINARY] = self[IMAGINARY] + sign * other[IMAGINARY];
    } else if (is_wide) {
        result[REAL] = sum_of_products(self[REAL], sign, alpha, real);
        result[IMAGINARY] = sum_of_products(self[IMAGINARY], sign, alpha, imaginary);
    } else {
        result[REAL] = odd_sum_of_products(self[REAL], sign, alpha, real);
        result[IMAGINARY] = odd_sum_of_products(self[IMAGINARY], sign, alpha, imaginary);
    }
}

static inline __attribute__((always_inline)) void linear_two(bool is_wide, doubles (*input)[PARTS],
                                                             doubles *result, const void *prepared)
{
    complex_sum(is_wide, input[0], input[1], result, prepared);
}

static inline __attribute__((always_inline)) void linear_one(bool is_wide, doubles (*input)[PARTS],
                                                             doubles *result, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    const doubles other[PARTS] = {broadcast(parameters->other[REAL]),
                                  broadcast(parameters->other[IMAGINARY])};
    complex_sum(is_wide, input[0], other, result, prepared);
}

static inline __attribute__((always_inline)) void
linear_complex(bool is_wide, const void *const *input, void *output, size_t count, const void *prepared)
{
    const struct arithmetic_parameters *parameters = prepared;
    if (parameters->has_scalar)
        map_complex(is_wide, 1, linear_one, input, output, count, prepared);
    else
        map_complex(is_wide, 2, linear_two, input, output, count, prepared);
}

static void linear_complex64(const void *const *input, void *output, size_t count, const void *parameters,
                             bool streams)
{
    (void)streams;
    linear_complex(false, input, output, count, parameters);
}

static void linear_complex128(const void *const *input, void *output, size_t count, const void *parameters,
                              bool streams)
{
    (void)streams;
    linear_complex(true, input, output, count, parameters);
}

static inline __attribute__((always_inline)) ulongs either(int element_bytes, const ulongs *input,
                                                           const void *prepared)
{
    (void)element_bytes;
    const ulongs *alpha = prepared;
    return bits_truth(input[0]) | (bits_truth(input[1]) & *alpha);
}

static inline __attribute__((always_inline)) ulongs either_constant(int element_bytes, const ulongs *input,
                                                                    const void *prepared)
{
    (void)element_bytes;
    const ulongs *addend = prepared;
    return bits_truth(input[0]) | *addend;
}

static inline __attribute__((always_inline)) ulongs differs(int element_bytes, const ulongs *input,
                                                            const void *prepared)
{
    (void)element_bytes;
    const ulongs *alpha = prepared;
    return bits_truth(input[0]) ^ (bits_truth(input[1]) & *alpha);
}

static inline __attribute__((always_inline)) ulongs differs_constant(int element_bytes, const ulongs *input,
                                                                     const void *prepared)
{
    (void)element_bytes;
    const ulongs *addend = prepared;
    return bits_truth(input[0]) ^ *addend;
}

static void linear_bool(const void *const *input, void *output, size_t count, const void *prepared,
                        bool streams)
{
    const struct arithmetic_parameters *parameters = prepared;
    const ulongs alpha = bits_broadcast(1, parameters->alpha_bits),
                 addend = alpha & bits_broadcast(1, parameters->other_bits);
    if (parameters->has_scalar && parameters->subtracts)
        map_bits(1, 1, differs_constant, input, output, count, &addend, streams);
    else if (parameters->has_scalar)
        map_bits(1, 1, either_constant, input, output, count, &addend, streams);
    else if (parameters->subtracts)
        map_bits(2, 1, differs, input, output, count, &alpha, streams);
    else
        map_bits(2, 1, either, input, output, count, &alpha, streams);
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
