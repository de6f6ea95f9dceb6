/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * self / other, rounded once, for one instruction-set level; x / 0 is an infinity, 0 / 0 NaN. Integers give
 * floats as large: their exact quotient rounded once to fp32. Of complex numbers (ac + bd) / m + ((bc - ad) /
 * m)i with m = c * c + d * d, each part within 1 unit in the last place of COMPLEX64, 4 of COMPLEX128
 * (simd/loops/complex.h), and NaN where m is 0.
 */
#include "ops/pointwise/arithmetic_kernels.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include "ops/pointwise/integer_quotient.h"

/* No quotient of 24 bits by 24 lies so near to a tie that its rounding to 53 bits could reach that. */
static inline doubles div_estimate(doubles self, doubles other,
                                   const struct arithmetic_parameters *parameters)
{
    (void)parameters;
    return self / other;
}

/* Nor one of 11 bits by 11, or 8 by 8, to 24 bits, or the fewer that subnormal numbers have. A scalar has 24
 * bits: for a tensor of 16 bits the remainder tells on which side the quotient lies. */
static inline vector div_fast(vector self, vector other, bool is_scalar,
                              const struct arithmetic_parameters *parameters, struct unsettled *unsettled)
{
    const bool has_rest = unsettled->dtype != ARITHMETIC_FP32 && is_scalar;
    const bool is_raised = has_rest && unsettled->dtype == ARITHMETIC_BF16 && unsettled->path == PATH_ANY;
    const flags is_small = vector_greater(vector_of(0x1p-40F), vector_absolute(self));
    if (is_raised) {
        /* With a scalar that is neither small nor large nothing but the result leaves fp32. */
        const vector size = vector_absolute(other);
        const flags is_far =
            vector_greater(vector_of(0x1p-40F), size) | vector_greater(size, vector_of(0x1p40F));
        unsettled_flagged(unsettled, is_small & is_far);
        self = vector_any_product(self, vector_choose(is_small, vector_of(0x1p80F), vector_of(1)));
    } else if (has_rest && unsettled->dtype == ARITHMETIC_BF16) {
        unsettled_small(unsettled, self);
    }
    vector quotient = self / other;
    if (has_rest) {
        vector rest = fused_from(quotient, other, self);
        quotient = vector_round_to_odd(quotient, parameters->other[0] < 0 ? -rest : rest);
    }
    if (is_raised)
        quotient =
            vector_any_odd_product(quotient, vector_choose(is_small, vector_of(0x1p-80F), vector_of(1)));
    return quotient;
}

OPERANDS_IN_DOUBLES(div_estimate)
OPERANDS_IN_FP32(div_fast)
EVALUATIONS(of_fp32, div_estimate, div_fast, true)
EVALUATIONS(of_halves, div_estimate, div_fast, false)
EVALUATIONS_IN_DOUBLES(of_doubles, div_estimate)

FACTOR_KERNELS

/* The quotients of one register's integers, of which bytes count; second is NULL where other is a scalar. */
typedef void quotient_function(const char *first, const char *second, const void *other, char *target,
                               size_t bytes);

static inline __attribute__((always_inline)) void take_other(void *other, const char *second, size_t bytes)
{
    if (second != NULL)
        memcpy(other, second, bytes);
}

/* In registers, whose bytes are a constant but at the end. */
static inline __attribute__((always_inline)) void divide_integers(quotient_function *divide,
                                                                  size_t register_bytes, const char *first,
                                                                  const char *second, const void *other,
                                                                  char *target, size_t bytes)
{
    const size_t whole = bytes / register_bytes * register_bytes;
    size_t done = 0;
    for (; second == NULL && done < whole; done += register_bytes)
        divide(first + done, NULL, other, target + done, register_bytes);
    for (; done < whole; done += register_bytes)
        divide(first + done, second + done, other, target + done, register_bytes);
    if (done < bytes)
        divide(first + done, second ? second + done : NULL, other, target + done, bytes - done);
}

static inline __attribute__((always_inline)) const char *
second_of(const void *const *input, const struct arithmetic_parameters *quotient)
{
    return quotient->has_scalar ? NULL : input[1];
}

#define INTEGER_QUOTIENTS(name, integer, integers, results, quotients)                                   \
    static inline __attribute__((always_inline)) void name##_register(                                   \
        const char *first, const char *second, const void *scalar, char *target, size_t bytes)           \
    {                                                                                                    \
        integers self = {0}, other = *(const integers *)scalar;                                          \
        memcpy(&self, first, bytes);                                                                     \
        take_other(&other, second, bytes);                                                               \
        const results result = quotients(self, other);                                                   \
        memcpy(target, &result, bytes);                                                                  \
    }                                                                                                    \
    KERNEL(name)                                                                                         \
    {                                                                                                    \
        (void)non_temporal;                                                                              \
        const struct arithmetic_parameters *quotient = parameters;                                       \
        const integers other = (integers){0} + (integer)quotient->other_bits;                            \
        divide_integers(name##_register, sizeof(integers), input[0], second_of(input, quotient), &other, \
                        output, count * sizeof(integer));                                                \
    }

INTEGER_QUOTIENTS(run_32, int32_t, vector_ints, vector, vector_quotient)
INTEGER_QUOTIENTS(run_64, int64_t, longs, doubles, quotient_of_longs)

static inline __attribute__((always_inline)) void quotient(bool is_wide, doubles (*input)[PARTS],
                                                           doubles *result, const void *prepared)
{
    (void)prepared;
    complex_quotient(is_wide, input[0], input[1], result);
}

COMPLEX_OPERANDS(run, quotient)

KERNELS(div) = {
    SAME_AT_BOTH_ACCURACIES(run),
    .exact = {[ARITHMETIC_INT32] = run_32,
              [ARITHMETIC_INT64] = run_64,
              [ARITHMETIC_COMPLEX64] = run_complex64,
              [ARITHMETIC_COMPLEX128] = run_complex128},
};

#endif
