/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Kernels of their own that integers have of functions of one tensor: the last column but one of
 * pointwise/unary.h. Sums and products wrap; -(-128) is -128.
 */
#ifndef BELAY_OPS_POINTWISE_UNARY_INTEGERS_H
#define BELAY_OPS_POINTWISE_UNARY_INTEGERS_H

#include "simd/kernel.h"
#include "simd/maths.h"
#include "simd/rounding.h"

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

INTEGER_KERNEL(abs_int8, int8_t, is_negative ? 0 - x : x)
INTEGER_KERNEL(abs_int16, int16_t, is_negative ? 0 - x : x)
INTEGER_KERNEL(abs_int32, int32_t, is_negative ? 0 - x : x)
INTEGER_KERNEL(abs_int64, int64_t, is_negative ? 0 - x : x)
INTEGER_KERNEL(neg_int8, int8_t, 0 - x)
INTEGER_KERNEL(neg_int32, int32_t, 0 - x)
INTEGER_KERNEL(neg_int64, int64_t, 0 - x)
INTEGER_KERNEL(square_int8, int8_t, x *x)
INTEGER_KERNEL(square_int16, int16_t, x *x)
INTEGER_KERNEL(square_int32, int32_t, x *x)
INTEGER_KERNEL(square_int64, int64_t, x *x)
INTEGER_KERNEL(square_uint8, uint8_t, x *x)
INTEGER_KERNEL(sign_int32, int32_t, (x != 0) - 2 * is_negative)
INTEGER_KERNEL(sign_int64, int64_t, (x != 0) - 2 * is_negative)
INTEGER_KERNEL(zero_1_byte, uint8_t, 0 * x)
INTEGER_KERNEL(zero_2_bytes, uint16_t, 0 * x)
INTEGER_KERNEL(zero_4_bytes, uint32_t, 0 * x)
INTEGER_KERNEL(zero_8_bytes, uint64_t, 0 * x)
INTEGER_KERNEL(same_truth, uint8_t, x != 0)
INTEGER_KERNEL(same_1_byte, uint8_t, x)
INTEGER_KERNEL(same_2_bytes, uint16_t, x)
INTEGER_KERNEL(same_4_bytes, uint32_t, x)
INTEGER_KERNEL(same_8_bytes, uint64_t, x)

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

#define ABS_INTEGERS                                                                              \
    [ARITHMETIC_INT8] = abs_int8, [ARITHMETIC_INT16] = abs_int16, [ARITHMETIC_INT32] = abs_int32, \
    [ARITHMETIC_INT64] = abs_int64, [ARITHMETIC_UINT8] = same_1_byte, [ARITHMETIC_BOOL] = same_truth
#define NEG_INTEGERS \
    [ARITHMETIC_INT8] = neg_int8, [ARITHMETIC_INT32] = neg_int32, [ARITHMETIC_INT64] = neg_int64
#define SIGN_INTEGERS \
    [ARITHMETIC_INT32] = sign_int32, [ARITHMETIC_INT64] = sign_int64, [ARITHMETIC_BOOL] = same_truth
#define SQUARE_INTEGERS                                                                                    \
    [ARITHMETIC_INT8] = square_int8, [ARITHMETIC_INT16] = square_int16, [ARITHMETIC_INT32] = square_int32, \
    [ARITHMETIC_INT64] = square_int64, [ARITHMETIC_UINT8] = square_uint8
#define SAME_INTEGERS                                                                                        \
    [ARITHMETIC_INT8] = same_1_byte, [ARITHMETIC_INT16] = same_2_bytes, [ARITHMETIC_INT32] = same_4_bytes,   \
    [ARITHMETIC_INT64] = same_8_bytes, [ARITHMETIC_UINT8] = same_1_byte, [ARITHMETIC_UINT16] = same_2_bytes, \
    [ARITHMETIC_UINT32] = same_4_bytes, [ARITHMETIC_UINT64] = same_8_bytes
#define ZERO_INTEGERS                                                                                      \
    [ARITHMETIC_INT8] = zero_1_byte, [ARITHMETIC_INT16] = zero_2_bytes, [ARITHMETIC_INT32] = zero_4_bytes, \
    [ARITHMETIC_INT64] = zero_8_bytes, [ARITHMETIC_UINT8] = zero_1_byte

#endif
