/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of their own that integers have of functions of one tensor: the last column but one of
 * pointwise/unary.h. Sums and products wrap; -(-128) is -128.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_INTEGERS_H
#define BELAY_OPS_POINTWISE_UNARY_INTEGERS_H

#include "simd/vector/kernel.h"
#include "simd/maths/series.h"
#include "simd/vector/rounding.h"

/* formula: of x, of an unsigned type, in which sums wrap, with the sign as is_negative; to its low bits. */
#define INTEGER_KERNEL(name, type, formula)                              \
    KERNEL(name)                                                         \
    {                                                                    \
        const type *from = input[0];                                     \
        type *to = output;                                               \
        (void)parameters, (void)non_temporal;                            \
        for (size_t i = 0; i < count; i++) {                             \
            const uint64_t x = (uint64_t)from[i], is_negative = x >> 63; \
            (void)is_negative;                                           \
            to[i] = (type)(formula);                                     \
        }                                                                \
    }

/* Of each size; of integers of either sign where the low bits do not depend on it. */
#define INTEGER_KERNELS(name, formula)                                                        \
    __attribute__((unused)) INTEGER_KERNEL(name##_8, int8_t, formula) __attribute__((unused)) \
    INTEGER_KERNEL(name##_16, int16_t, formula) INTEGER_KERNEL(name##_32, int32_t, formula)   \
        INTEGER_KERNEL(name##_64, int64_t, formula)
#define SIGNED_ENTRIES(name)                                                                      \
    [ARITHMETIC_INT8] = name##_8, [ARITHMETIC_INT16] = name##_16, [ARITHMETIC_INT32] = name##_32, \
    [ARITHMETIC_INT64] = name##_64

INTEGER_KERNELS(abs, is_negative ? 0 - x : x)
INTEGER_KERNELS(neg, 0 - x)
INTEGER_KERNELS(square, x *x)
INTEGER_KERNELS(sign, (x != 0) - 2 * is_negative)
INTEGER_KERNELS(zero, 0 * x)
INTEGER_KERNELS(same, x)
INTEGER_KERNEL(same_truth, uint8_t, x != 0)

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
