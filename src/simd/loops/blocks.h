/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The loop of formulas of some tensors and some numbers, which is compiled once for all dtypes: a block of
 * elements is widened, given to the formula through a pointer, and rounded once to the dtype. In doubles, or,
 * where the formula has such a way, in whole registers of floats: FLOAT goes from memory to memory then, and
 * 16 bits are what the float rounds to where 2 units in its last place do not matter, or where it is the exact
 * result rounded once; other registers are left to doubles, so that the result is the exact one rounded once.
 * DOUBLE has doubles alone.
 *
 *     static inline doubles formula_sqrt(const doubles *x, const void *prepared) { ... }
 *     static inline vector fp32_sqrt(const vector *x, const void *prepared) { ... }
 *     FORMULA_KERNELS(sqrt, .inputs = 1, .doubles = formula_sqrt, .floats = fp32_sqrt)
 *
 * prepared begins with the numbers of the call, as doubles (simd/loops/formula_numbers.h).
 */
#ifndef BELAY_SIMD_LOOPS_BLOCKS_H
#define BELAY_SIMD_LOOPS_BLOCKS_H

#include "simd/loops/formula.h"
#include "simd/loops/formula_numbers.h"
#include "simd/vector/canonical.h"
#include "simd/vector/kernel.h"
#include "simd/vector/memory.h"
#include "simd/vector/rounding.h"
#include "simd/vector/vector_memory.h"

/* to[i] = f(from[0][i], from[1][i], ..., scalar) for LANES * vectors doubles; to may be an input. */
typedef void formula_block(const double *const *from, const double *scalar, double *to, size_t vectors);

enum { FORMULA_LANES = 128 };

/* length elements as doubles, and behind them as many more as make whole vectors. */
static inline __attribute__((always_inline)) void widen_elements(enum arithmetic dtype, const char *source,
                                                                 double *to, size_t length)
{
    char padded[FORMULA_LANES * sizeof(double)] __attribute__((uninitialized));
    if (length % LANES != 0)
        source = memcpy(memset(padded, 0, sizeof padded), source, length * bytes_of(dtype));
    for (size_t i = 0; i < length; i += LANES) {
        doubles x = load(dtype, source + i * bytes_of(dtype));
        memcpy(to + i, &x, sizeof x);
    }
}

/* length of these doubles rounded once; they are canonical where they are NaN. */
static inline __attribute__((always_inline)) void
round_elements(enum arithmetic dtype, const double *from, char *target, size_t length, bool non_temporal)
{
    char padded[FORMULA_LANES * sizeof(double)] __attribute__((uninitialized));
    char *to = length % LANES == 0 ? target : padded;
    for (size_t i = 0; i < length; i += LANES) {
        doubles value;
        memcpy(&value, from + i, sizeof value);
        char *place = to + i * bytes_of(dtype);
        if (dtype == ARITHMETIC_FP64)
            put(place, &value, sizeof value, non_temporal && to == target);
        else
            store(dtype, place, canonical_bits(dtype, round_bits(dtype, value)),
                  non_temporal && to == target);
    }
    if (to != target)
        memcpy(target, padded, length * bytes_of(dtype));
}

static inline __attribute__((always_inline)) void map_elements(enum arithmetic dtype, formula_block *f,
                                                               int inputs, const void *const *input,
                                                               const struct formula_numbers *numbers,
                                                               char *output, size_t count, bool non_temporal)
{
    double block[INPUTS_MAX][FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    double result[FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    const double *from[INPUTS_MAX] = {block[0], block[1], block[2]};
    for (int i = 0; i < inputs; i++)
        for (size_t k = 0; numbers->place[i] != 0 && k < FORMULA_LANES; k++)
            block[i][k] = numbers->fp64[numbers->place[i] - 1];
    for (size_t done = 0; done < count; done += FORMULA_LANES) {
        const size_t length = count - done < FORMULA_LANES ? count - done : FORMULA_LANES;
        const bool is_direct = dtype == ARITHMETIC_FP64 && length % LANES == 0 && !non_temporal;
        char *target = output + done * bytes_of(dtype);
        for (int i = 0, tensor = 0; i < inputs; i++) {
            if (numbers->place[i] != 0)
                continue;
            const char *source = (const char *)input[tensor++] + done * bytes_of(dtype);
            from[i] = is_direct ? (const double *)(const void *)source : block[i];
            if (!is_direct)
                widen_elements(dtype, source, block[i], length);
        }
        f(from, numbers->fp64, is_direct ? (double *)(void *)target : result, (length + LANES - 1) / LANES);
        if (!is_direct)
            round_elements(dtype, result, target, length, non_temporal);
    }
}

/* One function for each dtype, so that no kernel has loops of its own. */
static __attribute__((noinline)) void map_formula(enum arithmetic dtype, formula_block *f, int inputs,
                                                  const void *const *input,
                                                  const struct formula_numbers *numbers, char *output,
                                                  size_t count, bool non_temporal)
{
    switch (dtype) {
    case ARITHMETIC_FP32:
        map_elements(ARITHMETIC_FP32, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_FP16:
        map_elements(ARITHMETIC_FP16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    case ARITHMETIC_BF16:
        map_elements(ARITHMETIC_BF16, f, inputs, input, numbers, output, count, non_temporal);
        break;
    default:
        map_elements(ARITHMETIC_FP64, f, inputs, input, numbers, output, count, non_temporal);
        break;
    }
}

typedef doubles formula_in_doubles(const doubles *x, const void *prepared);
typedef longs formula_is_odd(const doubles *x);

/* How many registers of doubles formula_each() computes in turn where there is a way for usual numbers. */
enum { USUAL_REGISTERS = 4 };

static inline __attribute__((always_inline)) void formula_inputs(int inputs, const double *const *from,
                                                                 size_t at, doubles *x)
{
    for (int k = 0; k < inputs; k++)
        memcpy(&x[k], from[k] + at, sizeof x[k]);
}

/* The elements of USUAL_REGISTERS registers from element at on, by a way for usual numbers. */
static inline __attribute__((always_inline)) void formula_usual(formula_in_doubles *usual, int inputs,
                                                                const double *const *from,
                                                                const double *number, double *to, size_t at)
{
    doubles value[USUAL_REGISTERS] __attribute__((uninitialized));
#pragma GCC unroll 4
    for (size_t j = 0; j < USUAL_REGISTERS; j++) {
        doubles x[INPUTS_MAX] __attribute__((uninitialized));
        formula_inputs(inputs, from, at + j * LANES, x);
        value[j] = usual(x, number);
    }
    memcpy(to + at, value, sizeof value);
}

/* Whether there are odd numbers among those of USUAL_REGISTERS registers from element at on. */
static inline __attribute__((always_inline)) bool formula_has_odd(formula_is_odd *is_odd, int inputs,
                                                                  const double *const *from, size_t at)
{
    longs odd = {0};
#pragma GCC unroll 4
    for (size_t j = 0; j < USUAL_REGISTERS; j++) {
        doubles x[INPUTS_MAX] __attribute__((uninitialized));
        formula_inputs(inputs, from, at + j * LANES, x);
        odd |= is_odd(x);
    }
    return any(odd);
}

/* What a formula_block does, by a formula that is inlined and, where no number is odd, by its way for usual ones, several
 * registers in turn; both NULL: there is none. Results are canonical where they are NaN. */
static inline __attribute__((always_inline)) void
formula_each(formula_in_doubles *formula, formula_in_doubles *usual, formula_is_odd *is_odd, int inputs,
             const double *const *from, const double *number, double *to, size_t vectors)
{
    enum { STEP = USUAL_REGISTERS * LANES };
    const size_t end = vectors * LANES;
    for (size_t at = 0, next = 0; at < end; at += LANES) {
        if (usual && at == next && at + STEP <= end) {
            next += STEP;
            if (__builtin_expect(!formula_has_odd(is_odd, inputs, from, at), 1)) {
                formula_usual(usual, inputs, from, number, to, at);
                at = next - LANES;
                continue;
            }
        }
        doubles x[INPUTS_MAX] __attribute__((uninitialized));
        formula_inputs(inputs, from, at, x);
        doubles value = formula(x, number);
        value = canonical_doubles(value);
        memcpy(to + at, &value, sizeof value);
    }
}

/* to[i] = f(from[0][i * step[0]], ...) for count numbers that make whole registers: step is 1, or 0 of an
 * input that is one number in all lanes. to may be an input. */
typedef void formula_vectors(const float *const *from, const size_t *step, const double *scalar, float *to,
                             size_t count, bool non_temporal);

/* Both ways of a formula. */
struct formula_ways {
    formula_vectors *fp32;
    formula_block *fp64;
    const struct formula *formula;
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
    floats_begin(&taken, ways->formula->inputs, numbers);
    for (int i = 0, next = 0; i < ways->formula->inputs; i++)
        if (taken.step[i] != 0)
            taken.from[i] = tensor[i] = input[next++];
    ways->fp32(taken.from, taken.step, numbers->fp64, output, whole, non_temporal);
    if (rest == 0)
        return;
    for (int i = 0; i < ways->formula->inputs; i++)
        if (taken.step[i] != 0) {
            memset(taken.number[i], 0, sizeof(vector));
            taken.from[i] = memcpy(taken.number[i], tensor[i] + whole, rest * sizeof(float));
        }
    float padded[VECTOR_LANES];
    ways->fp32(taken.from, taken.step, numbers->fp64, padded, VECTOR_LANES, false);
    memcpy(output + whole, padded, rest * sizeof(float));
}

/* One register's results, of which some are in doubt: by doubles. */
static __attribute__((noinline)) vector_halves settle_16_bits(enum arithmetic dtype,
                                                              const struct formula_ways *ways,
                                                              const struct formula_floats *taken,
                                                              const double *scalar, size_t at)
{
    double block[INPUTS_MAX][VECTOR_LANES] __attribute__((aligned(64), uninitialized));
    double result[VECTOR_LANES] __attribute__((aligned(64), uninitialized));
    const double *from[INPUTS_MAX] = {block[0], block[1], block[2]};
    vector_halves bits __attribute__((uninitialized));
    for (int i = 0; i < ways->formula->inputs; i++)
        widen_elements(ARITHMETIC_FP32, (const char *)(taken->from[i] + at * taken->step[i]), block[i],
                       VECTOR_LANES);
    ways->fp64(from, scalar, result, VECTOR_LANES / LANES);
    if (dtype == ARITHMETIC_FP16)
        round_elements(ARITHMETIC_FP16, result, (char *)&bits, VECTOR_LANES, false);
    else
        round_elements(ARITHMETIC_BF16, result, (char *)&bits, VECTOR_LANES, false);
    return bits;
}

/* One register's results: by doubles where 2 units in the last place of fp32 matter, unless rounds_once, a constant, is
 * set: the formula's floats_round_once, by which no unit is wrong. */
static inline __attribute__((always_inline)) vector_halves
rounded_16_bits(enum arithmetic dtype, const struct formula_ways *ways, const struct formula_floats *taken,
                const double *scalar, size_t at, vector_bits value, bool rounds_once)
{
    const flags is_special = vector_not_finite((vector)value);
    if (!rounds_once) {
        const vector_bits units = vector_lesser(value & 0x7fffffff, vector_bits_of(2));
        const vector_halves bits = vector_to_16_bits(dtype, (vector)(value - units));
        const vector_halves above = vector_to_16_bits(dtype, (vector)(value + units));
        const vector_bits apart = __builtin_convertvector(bits ^ above, vector_bits);
        if (__builtin_expect(vector_any_flag(vector_above(apart, 0) & ~is_special), 0))
            return settle_16_bits(dtype, ways, taken, scalar, at);
        if (!vector_any_flag(is_special))
            return bits;
    }
    const vector_halves bits = vector_to_16_bits(dtype, (vector)value);
    return vector_any_flag(is_special) ? canonical_16_bits(dtype, bits) : bits;
}

static inline __attribute__((always_inline)) void
map_16_bits(enum arithmetic dtype, const struct formula_ways *ways, const void *const *input,
            const struct formula_numbers *numbers, char *output, size_t count, bool non_temporal,
            bool rounds_once)
{
    struct formula_floats taken __attribute__((uninitialized));
    float result[FORMULA_LANES] __attribute__((aligned(64), uninitialized));
    floats_begin(&taken, ways->formula->inputs, numbers);
    for (size_t done = 0; done < count; done += FORMULA_LANES) {
        const size_t length = count - done < FORMULA_LANES ? count - done : FORMULA_LANES;
        const size_t lanes = (length + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
        for (int i = 0, tensor = 0; i < ways->formula->inputs; i++) {
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
            vector_halves bits = rounded_16_bits(dtype, ways, &taken, numbers->fp64, k, value, rounds_once);
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
    else if (dtype == ARITHMETIC_FP16 && ways->formula->floats_round_once)
        map_16_bits(ARITHMETIC_FP16, ways, input, numbers, output, count, non_temporal, true);
    else if (dtype == ARITHMETIC_FP16)
        map_16_bits(ARITHMETIC_FP16, ways, input, numbers, output, count, non_temporal, false);
    else if (ways->formula->floats_round_once)
        map_16_bits(ARITHMETIC_BF16, ways, input, numbers, output, count, non_temporal, true);
    else
        map_16_bits(ARITHMETIC_BF16, ways, input, numbers, output, count, non_temporal, false);
}

/* A formula in doubles for one register of floats, of which callers take the lanes that they need. */
static inline __attribute__((always_inline)) vector
fp32_by_doubles(const vector *x, int inputs, formula_in_doubles *formula, const void *prepared)
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
        result[i] = formula(input[i], prepared);
    return vector_of_doubles(result);
}

typedef vector formula_in_fp32(const vector *x, const void *prepared);

/* What formula_vectors does, by a formula that is inlined. Results are canonical where they are NaN. */
static inline __attribute__((always_inline)) void
formula_each_vector(formula_in_fp32 *formula, int inputs, const float *const *from, const size_t *step,
                    const double *number, float *to, size_t count, bool non_temporal)
{
    /* Copies, which stay in registers: the compiler knows that no store changes them. */
    const float *next[INPUTS_MAX] __attribute__((uninitialized));
    size_t stride[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 8
    for (int k = 0; k < inputs; k++) {
        next[k] = from[k];
        stride[k] = step[k] * VECTOR_LANES;
    }
    for (size_t i = 0; i < count; i += VECTOR_LANES) {
        vector x[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 8
        for (int k = 0; k < inputs; k++) {
            memcpy(&x[k], next[k], sizeof x[k]);
            next[k] += stride[k];
        }
        vector value = vector_canonical(formula(x, number));
        put(to + i, &value, sizeof value, non_temporal);
    }
}

/* The same by doubles. Each half of a register is converted where it lies in memory, as to take a register apart costs as
 * much as that; and is asked for ahead, as so many steps leave the processor no room to look beyond them. */
static inline __attribute__((always_inline)) void
formula_each_half(const struct formula *formula, const float *const *from, const size_t *step,
                  const double *given, float *to, size_t count, bool non_temporal)
{
    enum { AHEAD = 1024 }; /* bytes */
    double number[FORMULA_NUMBERS_MAX] __attribute__((uninitialized));
    const float *next[INPUTS_MAX] __attribute__((uninitialized));
    size_t stride[INPUTS_MAX] __attribute__((uninitialized));
    memcpy(number, given, sizeof number);
#pragma GCC unroll 8
    for (int k = 0; k < formula->inputs; k++) {
        next[k] = from[k];
        stride[k] = step[k] * VECTOR_LANES;
    }
    for (size_t i = 0; i < count; i += VECTOR_LANES) {
        doubles result[2];
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            doubles x[INPUTS_MAX] __attribute__((uninitialized));
#pragma GCC unroll 8
            for (int k = 0; k < formula->inputs; k++)
                x[k] = load(ARITHMETIC_FP32, next[k] + half * LANES);
            result[half] = formula->doubles(x, number);
        }
#pragma GCC unroll 8
        for (int k = 0; k < formula->inputs; k++) {
            ask_for(next[k], AHEAD, sizeof(vector), stride[k] == 0 ? 0 : (count - i) * sizeof(float));
            next[k] += stride[k];
        }
        vector value = vector_canonical(vector_of_doubles(result));
        put(to + i, &value, sizeof value, non_temporal);
    }
}

static inline __attribute__((always_inline)) void
formula_in_floats(const struct formula *formula, const float *const *from, const size_t *step,
                  const double *number, float *to, size_t count, bool non_temporal)
{
    if (formula->floats_by_doubles)
        formula_each_half(formula, from, step, number, to, count, non_temporal);
    else
        formula_each_vector(formula->floats, formula->inputs, from, step, number, to, count, non_temporal);
}

/* The kernel of a dtype; that, the formula and what is made of it are constants. */
static inline __attribute__((always_inline)) void
map_in_blocks(enum arithmetic dtype, const struct formula *formula, const struct formula_ways *ways,
              formula_block *block, formula_block *wide, const void *const *input, void *output, size_t count,
              const void *parameters, bool non_temporal)
{
    const struct formula_numbers *numbers = formula->constant ? formula->constant : parameters;
    if ((formula->floats || formula->floats_by_doubles) && dtype != ARITHMETIC_FP64)
        map_ways(dtype, ways, input, numbers, output, count, non_temporal);
    else
        map_formula(dtype, formula->wide && dtype == ARITHMETIC_FP64 ? wide : block, formula->inputs, input,
                    numbers, output, count, non_temporal);
}

#define FORMULA_KERNEL(stem, name, dtype)                                                                 \
    __attribute__((unused)) KERNEL(stem##_##name)                                                         \
    {                                                                                                     \
        map_in_blocks(dtype, &stem##_formula, &stem##_ways, stem##_block, stem##_wide, KERNEL_ARGUMENTS); \
    }

/* Kernels stem_fp32 and so on of a formula: its inputs, and its other members by name. */
#define FORMULA_BLOCKS(stem, inputs_, ...)                                                               \
    static const struct formula stem##_formula = {.inputs = inputs_, __VA_ARGS__};                       \
    static __attribute__((noinline)) void stem##_block(const double *const *from, const double *number,  \
                                                       double *to, size_t vectors)                       \
    {                                                                                                    \
        formula_each(stem##_formula.doubles, stem##_formula.usual, stem##_formula.is_odd, inputs_, from, \
                     number, to, vectors);                                                               \
    }                                                                                                    \
    static __attribute__((noinline)) void stem##_wide(const double *const *from, const double *number,   \
                                                      double *to, size_t vectors)                        \
    {                                                                                                    \
        formula_each(stem##_formula.wide, NULL, NULL, inputs_, from, number, to, vectors);               \
    }                                                                                                    \
    static __attribute__((noinline)) void stem##_floats(const float *const *from, const size_t *step,    \
                                                        const double *number, float *to, size_t count,   \
                                                        bool non_temporal)                               \
    {                                                                                                    \
        formula_in_floats(&stem##_formula, from, step, number, to, count, non_temporal);                 \
    }                                                                                                    \
    static const struct formula_ways stem##_ways = {stem##_floats, stem##_block, &stem##_formula};       \
    FORMULA_KERNEL(stem, fp32, ARITHMETIC_FP32)                                                          \
    FORMULA_KERNEL(stem, fp16, ARITHMETIC_FP16)                                                          \
    FORMULA_KERNEL(stem, bf16, ARITHMETIC_BF16)                                                          \
    FORMULA_KERNEL(stem, fp64, ARITHMETIC_FP64)

/* And their table, the same at every accuracy; with kernels of other dtypes, as INTEGERS_OF, beside them in
 * parentheses. */
#define FORMULA_KERNELS(stem, ...)    \
    FORMULA_BLOCKS(stem, __VA_ARGS__) \
    KERNELS(stem) = {SAME_AT_BOTH_ACCURACIES(stem)};
#define FORMULA_KERNELS_BESIDE(stem, others, ...) \
    FORMULA_BLOCKS(stem, __VA_ARGS__)             \
    KERNELS(stem) = {SAME_AT_BOTH_ACCURACIES(stem), .exact = {MEMBERS others}};

#endif
