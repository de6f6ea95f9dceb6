/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of formulas in whole registers of floats, for functions whose result in FLOAT is exact or within 1
 * ulp without doubles. FLOAT goes from memory to memory. 16 bits are what the float rounds to where 2 units
 * in its last place do not matter; registers in which they do are left to the formula in doubles, so that
 * the result is the exact one rounded once. DOUBLE has that formula alone.
 *
 *     static inline vector fp32_sqrt(const vector *x, const double *number) { ... }
 *     static inline doubles formula_sqrt(const doubles *x, const double *number) { ... }
 *     FORMULA_KERNELS_FP32(sqrt, 1)     of one input
 */
#ifndef BELAY_SIMD_LOOPS_FORMULA_FP32_H
#define BELAY_SIMD_LOOPS_FORMULA_FP32_H

#include "simd/loops/formula.h"
#include "simd/vector/vector_memory.h"

/* to[i] = f(from[0][i * step[0]], ...) for count numbers that make whole registers: step is 1, or 0 of an
 * input that is one number in all lanes. to may be an input. */
typedef void formula_vectors(const float *const *from, const size_t *step, const double *scalar, float *to,
                             size_t count, bool non_temporal);

/* Both ways of a formula. */
struct formula_ways {
    formula_vectors *fp32;
    formula_block *fp64;
    int inputs;
};

/* A formula's inputs as floats, FORMULA_LANES of each at most, with 0 behind them. */
struct formula_floats {
    float number[INPUTS_MAX][FORMULA_LANES] __attribute__((aligned(64)));
    const float *from[INPUTS_MAX];
    size_t step[INPUTS_MAX];
};

static inline void floats_begin(struct formula_floats *taken, int inputs,
                                const struct formula_numbers *numbers)
{
    for (int i = 0; i < inputs; i++) {
        const uint8_t place = numbers->place[i];
        taken->from[i] = taken->number[i];
        taken->step[i] = place == 0;
        for (size_t k = 0; place != 0 && k < VECTOR_LANES; k++)
            taken->number[i][k] = (float)numbers->fp64[place - 1];
    }
}

static __attribute__((noinline)) void map_floats(const struct formula_ways *ways, const void *const *input,
                                                 const struct formula_numbers *numbers, float *output,
                                                 size_t count, bool non_temporal)
{
    struct formula_floats taken __attribute__((uninitialized));
    const size_t rest = count % VECTOR_LANES, whole = count - rest;
    const float *tensor[INPUTS_MAX] = {NULL};
    floats_begin(&taken, ways->inputs, numbers);
    for (int i = 0, next = 0; i < ways->inputs; i++)
        if (taken.step[i] != 0)
            taken.from[i] = tensor[i] = input[next++];
    ways->fp32(taken.from, taken.step, numbers->fp64, output, whole, non_temporal);
    if (rest == 0)
        return;
    for (int i = 0; i < ways->inputs; i++)
        if (taken.step[i] != 0) {
            memset(taken.number[i], 0, sizeof(vector));
            taken.from[i] = memcpy(taken.number[i], tensor[i] + whole, rest * sizeof(float));
        }
    float padded[VECTOR_LANES];
    ways->fp32(taken.from, taken.step, numbers->fp64, padded, VECTOR_LANES, false);
    memcpy(output + whole, padded, rest * sizeof(float));
}

static inline __attribute__((always_inline)) vector vector_from_16_bits(enum arithmetic dtype,
                                                                        vector_halves bits)
{
    if (dtype == ARITHMETIC_FP16)
        return vector_from_fp16(bits);
    return (vector)((vector_bits)BY_LEVEL(_mm512_cvtepu16_epi32((__m256i)bits),
                                          _mm256_cvtepu16_epi32((__m128i)bits),
                                          __builtin_convertvector(bits, vector_bits))
                    << 16);
}

/* Not for NaN with high payload bits. */
static inline __attribute__((always_inline)) vector_halves vector_to_16_bits(enum arithmetic dtype,
                                                                             vector value)
{
    if (dtype == ARITHMETIC_FP16)
        return vector_to_fp16(value);
    vector_bits bits = vector_to_bf16(value) >> 16;
    return (vector_halves)BY_LEVEL(
        _mm512_cvtepi32_epi16((__m512i)bits),
        _mm_packus_epi32(_mm256_castsi256_si128((__m256i)bits), _mm256_extracti128_si256((__m256i)bits, 1)),
        __builtin_convertvector(bits, vector_halves));
}

static inline vector_halves canonical_16_bits(enum arithmetic dtype, vector_halves bits)
{
    const uint16_t infinity = dtype == ARITHMETIC_FP16 ? 0x7c00 : 0x7f80;
    const uint16_t nan = dtype == ARITHMETIC_FP16 ? 0x7e00 : 0x7fc0;
    vector_halves is_nan = (vector_halves)((bits & 0x7fff) > infinity);
    return (bits & ~is_nan) | (is_nan & nan);
}

/* One register's results by doubles. */
static __attribute__((noinline)) vector_halves settle_16_bits(enum arithmetic dtype,
                                                              const struct formula_ways *ways,
                                                              const struct formula_floats *taken,
                                                              const double *scalar, size_t at)
{
    double block[INPUTS_MAX][VECTOR_LANES] __attribute__((aligned(64), uninitialized));
    double result[VECTOR_LANES] __attribute__((aligned(64), uninitialized));
    const double *from[INPUTS_MAX] = {block[0], block[1], block[2]};
    vector_halves bits __attribute__((uninitialized));
    for (int i = 0; i < ways->inputs; i++)
        widen_elements(ARITHMETIC_FP32, (const char *)(taken->from[i] + at * taken->step[i]), block[i],
                       VECTOR_LANES);
    ways->fp64(from, scalar, result, VECTOR_LANES / LANES);
    if (dtype == ARITHMETIC_FP16)
        round_elements(ARITHMETIC_FP16, result, (char *)&bits, VECTOR_LANES, false);
    else
        round_elements(ARITHMETIC_BF16, result, (char *)&bits, VECTOR_LANES, false);
    return bits;
}

static inline __attribute__((always_inline)) void
map_16_bits(enum arithmetic dtype, const struct formula_ways *ways, const void *const *input,
            const struct formula_numbers *numbers, char *output, size_t count, bool non_temporal)
{
    struct formula_floats taken __attribute__((uninitialized));
    float result[FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    floats_begin(&taken, ways->inputs, numbers);
    for (size_t done = 0; done < count; done += FORMULA_LANES) {
        const size_t length = count - done < FORMULA_LANES ? count - done : FORMULA_LANES;
        const size_t lanes = (length + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
        for (int i = 0, tensor = 0; i < ways->inputs; i++) {
            char padded[FORMULA_LANES * 2] __attribute__((uninitialized));
            if (taken.step[i] == 0)
                continue;
            const char *source = (const char *)input[tensor++] + 2 * done;
            if (length != lanes)
                source = memcpy(memset(padded, 0, sizeof padded), source, 2 * length);
            for (size_t k = 0; k < lanes; k += VECTOR_LANES) {
                vector_halves bits;
                memcpy(&bits, source + 2 * k, sizeof bits);
                vector value = vector_from_16_bits(dtype, bits);
                memcpy(taken.number[i] + k, &value, sizeof value);
            }
        }
        ways->fp32(taken.from, taken.step, numbers->fp64, result, lanes, false);
        for (size_t k = 0; k < lanes; k += VECTOR_LANES) {
            vector_bits value;
            memcpy(&value, result + k, sizeof value);
            vector_bits units = vector_lesser(value & 0x7fffffff, vector_bits_of(2));
            vector_halves bits = vector_to_16_bits(dtype, (vector)(value - units));
            vector_bits apart = __builtin_convertvector(
                bits ^ vector_to_16_bits(dtype, (vector)(value + units)), vector_bits);
            flags is_special = vector_not_finite((vector)value);
            if (__builtin_expect(vector_any_flag(vector_above(apart, 0) & ~is_special), 0))
                bits = settle_16_bits(dtype, ways, &taken, numbers->fp64, k);
            else if (vector_any_flag(is_special))
                bits = canonical_16_bits(dtype, vector_to_16_bits(dtype, (vector)value));
            if (length - k < VECTOR_LANES)
                memcpy(output + 2 * (done + k), &bits, 2 * (length - k));
            else
                put(output + 2 * (done + k), &bits, sizeof bits, non_temporal);
        }
    }
}

/* One function for each dtype, so that no kernel has loops of its own. */
static __attribute__((noinline)) void map_ways(enum arithmetic dtype, const struct formula_ways *ways,
                                               const void *const *input,
                                               const struct formula_numbers *numbers, char *output,
                                               size_t count, bool non_temporal)
{
    if (dtype == ARITHMETIC_FP32)
        map_floats(ways, input, numbers, (float *)(void *)output, count, non_temporal);
    else if (dtype == ARITHMETIC_FP16)
        map_16_bits(ARITHMETIC_FP16, ways, input, numbers, output, count, non_temporal);
    else
        map_16_bits(ARITHMETIC_BF16, ways, input, numbers, output, count, non_temporal);
}

/* A formula in doubles for one register of floats, of which callers take the lanes that they need. */
static inline __attribute__((always_inline)) vector
fp32_by_doubles(const vector *x, int inputs, doubles (*formula)(const doubles *x, const double *number),
                const double *number)
{
    doubles input[2][INPUTS_MAX] __attribute__((uninitialized)), result[2];
#pragma GCC unroll 8
    for (int k = 0; k < inputs; k++) {
        doubles part[2];
        doubles_of_vector(x[k], part);
        input[0][k] = part[0];
        input[1][k] = part[1];
    }
#pragma GCC unroll 2
    for (int i = 0; i < 2; i++)
        result[i] = formula(input[i], number);
    return vector_of_doubles(result);
}

#define FORMULA_FP32_KERNEL(name, stem, arithmetic, numbers)                             \
    KERNEL(name)                                                                         \
    {                                                                                    \
        (void)parameters;                                                                \
        map_ways(arithmetic, &stem##_ways, input, numbers, output, count, non_temporal); \
    }

/* Results are canonical where they are NaN. */
#define FORMULA_VECTORS(stem, inputs)                                                                   \
    static __attribute__((noinline)) void stem##_vectors(const float *const *from, const size_t *step,  \
                                                         const double *scalar, float *to, size_t count, \
                                                         bool non_temporal)                             \
    {                                                                                                   \
        for (size_t i = 0; i < count; i += VECTOR_LANES) {                                              \
            vector x[inputs] __attribute__((uninitialized));                                            \
            _Pragma("GCC unroll 8") for (int k = 0; k < (inputs); k++)                                  \
                memcpy(&x[k], from[k] + i * step[k], sizeof x[k]);                                      \
            vector value = vector_canonical(fp32_##stem(x, scalar));                                    \
            put(to + i, &value, sizeof value, non_temporal);                                            \
        }                                                                                               \
    }

/* stem_fp32 and so on by fp32_stem and formula_stem, of DOUBLE by the formula of wide. */
#define FORMULA_FP32_RUNS(stem, wide, inputs, numbers)                                     \
    FORMULA_BLOCK(stem, inputs)                                                            \
    FORMULA_VECTORS(stem, inputs)                                                          \
    static const struct formula_ways stem##_ways = {stem##_vectors, stem##_block, inputs}; \
    FORMULA_FP32_KERNEL(stem##_fp32, stem, ARITHMETIC_FP32, numbers)                       \
    FORMULA_FP32_KERNEL(stem##_fp16, stem, ARITHMETIC_FP16, numbers)                       \
    FORMULA_FP32_KERNEL(stem##_bf16, stem, ARITHMETIC_BF16, numbers)                       \
    FORMULA_KERNEL(stem##_fp64, wide##_block, inputs, ARITHMETIC_FP64, numbers)

/* What FORMULA_KERNELS and FORMULA_KERNELS_WIDE define, with fp32_stem beside. */
#define FORMULA_KERNELS_FP32(stem, ...) FORMULA_KERNELS_FP32_OF(stem, stem, __VA_ARGS__)
#define FORMULA_KERNELS_FP32_WIDE(stem, wide, ...)   \
    FORMULA_BLOCK(wide, FORMULA_INPUTS(__VA_ARGS__)) \
    FORMULA_KERNELS_FP32_OF(stem, wide, __VA_ARGS__)
#define FORMULA_KERNELS_FP32_OF(stem, wide, ...)                           \
    FORMULA_FP32_RUNS(stem, wide, FORMULA_INPUTS(__VA_ARGS__), parameters) \
    KERNELS(stem) = {SAME_AT_BOTH_ACCURACIES(stem), FORMULA_BEHIND_INPUTS(__VA_ARGS__)};

#endif
