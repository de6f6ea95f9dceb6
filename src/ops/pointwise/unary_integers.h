/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of their own that integers have of functions of one tensor: the last column but one of
 * pointwise/unary.h. Sums and products wrap; -(-128) is -128.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_INTEGERS_H
#define BELAY_OPS_POINTWISE_UNARY_INTEGERS_H

#include "simd/vector/element.h"
#include "simd/vector/kernel.h"
#include "simd/maths/series.h"
#include "simd/vector/rounding.h"

/* x in unsigned 64 bits, in which sums wrap, and its sign; of the result the low bits are kept. */
typedef uint64_t integer_function(uint64_t x, uint64_t is_negative);

static inline __attribute__((always_inline)) void map_integers(integer_function *result_of, size_t bytes,
                                                               const void *from, void *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = (uint64_t)integer_element(from, i, bytes);
        put_element(to, i, bytes, result_of(x, x >> 63));
    }
}

#define INTEGER_KERNEL(name, bytes, formula)                   \
    KERNEL(name)                                               \
    {                                                          \
        (void)parameters, (void)non_temporal;                  \
        map_integers(formula, bytes, input[0], output, count); \
    }

/* Kernels of each size. Signed and unsigned integers have the same low bits of a sum or product. */
#define INTEGER_KERNELS(name, formula)                                                              \
    static inline uint64_t name##_of_integer(uint64_t x, uint64_t is_negative)                      \
    {                                                                                               \
        (void)is_negative;                                                                          \
        return formula;                                                                             \
    }                                                                                               \
    __attribute__((unused)) INTEGER_KERNEL(name##_8, 1, name##_of_integer) __attribute__((unused))  \
    INTEGER_KERNEL(name##_16, 2, name##_of_integer) INTEGER_KERNEL(name##_32, 4, name##_of_integer) \
        INTEGER_KERNEL(name##_64, 8, name##_of_integer)
#define SIGNED_ENTRIES(name)                                                                      \
    [ARITHMETIC_INT8] = name##_8, [ARITHMETIC_INT16] = name##_16, [ARITHMETIC_INT32] = name##_32, \
    [ARITHMETIC_INT64] = name##_64

INTEGER_KERNELS(abs, is_negative ? 0 - x : x)
INTEGER_KERNELS(neg, 0 - x)
INTEGER_KERNELS(square, x *x)
INTEGER_KERNELS(sign, (x != 0) - 2 * is_negative)
INTEGER_KERNELS(zero, 0 * x)
INTEGER_KERNELS(same, x)

static inline uint64_t truth_of_integer(uint64_t x, uint64_t is_negative)
{
    (void)is_negative;
    return x != 0;
}

INTEGER_KERNEL(same_truth, 1, truth_of_integer)

/*
 * Square roots of INT64, rounded once to fp32, as doubles. Below 2^48 no root lies so near to a tie that its
 * rounding to a double could reach that. Beyond, m, the root's leading 25 bits, is a whole number that is one
 * of fp32 or a tie, and x - m^2, which 64 bits hold, tells on which side of it the root lies.
 */
static inline doubles root_of_longs(longs x)
{
    doubles root = square_root(__builtin_convertvector(x, doubles)), m = leading(root, 25);
    longs rest = x - (longs) __builtin_convertvector(m * m, ulongs);
    struct pair sum = two_sum(m, __builtin_convertvector(rest, doubles) / (2 * m));
    doubles exact = round_to_odd(sum.high, sum.low);
    return doubles_of(floats_of(choose(x > (INT64_C(1) << 48), exact, root)));
}

KERNEL(root_int64)
{
    (void)parameters, (void)non_temporal;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t bytes = (count - i < LANES ? count - i : (size_t)LANES) * sizeof(int64_t);
        longs x = {0};
        memcpy(&x, (const int64_t *)input[0] + i, bytes);
        doubles root = root_of_longs(x);
        root = choose(x < 0, (doubles)((ulongs){0} + 0x7ff8000000000000), root);
        memcpy((double *)output + i, &root, bytes);
    }
}

#define ROOT_INTEGERS [ARITHMETIC_INT64] = root_int64

/* Computed in FLOAT. */
#define FROM_FLOATS [ARITHMETIC_INT8] = NULL

#define ABS_INTEGERS SIGNED_ENTRIES(abs), [ARITHMETIC_UINT8] = same_8, [ARITHMETIC_BOOL] = same_truth
#define NEG_INTEGERS [ARITHMETIC_INT8] = neg_8, [ARITHMETIC_INT32] = neg_32, [ARITHMETIC_INT64] = neg_64
#define SIGN_INTEGERS \
    [ARITHMETIC_INT32] = sign_32, [ARITHMETIC_INT64] = sign_64, [ARITHMETIC_BOOL] = same_truth
#define SQUARE_INTEGERS SIGNED_ENTRIES(square), [ARITHMETIC_UINT8] = square_8
#define ZERO_INTEGERS   SIGNED_ENTRIES(zero), [ARITHMETIC_UINT8] = zero_8
#define SAME_INTEGERS                                                                 \
    SIGNED_ENTRIES(same), [ARITHMETIC_UINT8] = same_8, [ARITHMETIC_UINT16] = same_16, \
                          [ARITHMETIC_UINT32] = same_32, [ARITHMETIC_UINT64] = same_64

#endif
