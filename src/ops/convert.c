/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements between all dtypes, for one instruction-set level: a table of loops, and
 * for the pairs that have none the dtype on the way. At most one of the two steps rounds.
 *
 * This file is compiled with -O3; the loops have no branches and become vector code.
 */
#include "ops/convert.h"

#ifdef KERNEL_PASS /* there is nothing else */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ops/transfer.h"
#include "simd/convert_floats.h"
#include "simd/convert_integers.h"
#include "tensor/dtype.h"

/* Defines a loop that makes of each element x of one type the expression, of which another type keeps the low
 * bits. A type of bits stands for floats, too. */
#define LOOP(name, from_type, to_type, expression)                   \
    static void name(const void *source, void *target, size_t count) \
    {                                                                \
        const from_type *from = source;                              \
        to_type *to = target;                                        \
        for (size_t i = 0; i < count; i++) {                         \
            const from_type x = from[i];                             \
            to[i] = (to_type)(expression);                           \
        }                                                            \
    }

/* Floats to integers: in quick and in careful steps, see TRUNCATED_TO. */
#define TRUNCATED(name, float_type, bytes, exponent, quick, careful)                       \
    static void name(const void *source, void *target, size_t count)                       \
    {                                                                                      \
        float_type##_truncated_to(bytes, exponent, quick, careful, source, target, count); \
    }

TRUNCATED(fp32_to_8, fp32, 1, 31, fp32_as_i32, fp32_to_low_bits)
TRUNCATED(fp32_to_16, fp32, 2, 31, fp32_as_i32, fp32_to_low_bits)
TRUNCATED(fp32_to_i32s, fp32, 4, 31, fp32_as_i32, fp32_to_i32)
TRUNCATED(fp32_to_u32s, fp32, 4, NATURAL_BITS, fp32_as_natural, fp32_to_u32)
TRUNCATED(fp32_to_i64s, fp32, 8, TRUNCATED_BITS, fp32_as_truncated, fp32_to_i64)
TRUNCATED(fp32_to_u64s, fp32, 8, TRUNCATED_BITS, fp32_as_natural, fp32_to_u64)
TRUNCATED(fp64_to_8, fp64, 1, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64)
TRUNCATED(fp64_to_16, fp64, 2, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64)
TRUNCATED(fp64_to_i32s, fp64, 4, 31, fp64_as_i32, fp64_to_i32)
TRUNCATED(fp64_to_u32s, fp64, 4, NATURAL_BITS, fp64_as_natural, fp64_to_u32)
TRUNCATED(fp64_to_i64s, fp64, 8, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64)
TRUNCATED(fp64_to_u64s, fp64, 8, TRUNCATED_BITS, fp64_as_natural, fp64_to_u64)

/* What is not 0 is true; all bits of a float but the sign decide. */
LOOP(u8_to_bool, uint8_t, uint8_t, x != 0)
LOOP(u16_to_bool, half_word, uint8_t, x != 0)
LOOP(u32_to_bool, word, uint8_t, x != 0)
LOOP(u64_to_bool, double_word, uint8_t, x != 0)
LOOP(fp16_to_bool, half_word, uint8_t, (x & 0x7FFF) != 0)
LOOP(fp32_to_bool, word, uint8_t, (x & 0x7FFFFFFF) != 0)
LOOP(fp64_to_bool, double_word, uint8_t, (x & (UINT64_MAX >> 1)) != 0)
LOOP(complex64_to_bool, double_word, uint8_t, (x & UINT64_C(0x7FFFFFFF7FFFFFFF)) != 0)

/* Between integers: a number that is stored in fewer bits comes from either sign alike. */
LOOP(bool_to_8, uint8_t, uint8_t, x != 0)
LOOP(i8_to_16, int8_t, half_word, x)
LOOP(i8_to_32, int8_t, word, x)
LOOP(i8_to_64, int8_t, double_word, x)
LOOP(u8_to_16, uint8_t, half_word, x)
LOOP(u8_to_32, uint8_t, word, x)
LOOP(u8_to_64, uint8_t, double_word, x)
LOOP(i16_to_32, signed_half_word, word, x)
LOOP(i16_to_64, signed_half_word, double_word, x)
LOOP(u16_to_8, half_word, uint8_t, x)
LOOP(u16_to_32, half_word, word, x)
LOOP(u16_to_64, half_word, double_word, x)
LOOP(i32_to_64, signed_word, double_word, x)
LOOP(u32_to_8, word, uint8_t, x)
LOOP(u32_to_16, word, half_word, x)
LOOP(u32_to_64, word, double_word, x)
LOOP(u64_to_8, double_word, uint8_t, x)
LOOP(u64_to_16, double_word, half_word, x)
LOOP(u64_to_32, double_word, word, x)

/* Integers to floats. Of 32 and 64 bits the processor rounds once; of fewer it need not. */
LOOP(bool_to_fp32, uint8_t, word, x != 0 ? 0x3F800000 : 0)
LOOP(i8_to_fp32, int8_t, word, fp32_bits((float)x))
LOOP(u8_to_fp32, uint8_t, word, fp32_bits((float)x))
LOOP(i16_to_fp32, signed_half_word, word, fp32_bits((float)x))
LOOP(u16_to_fp32, half_word, word, fp32_bits((float)x))
LOOP(i32_to_fp32, signed_word, word, fp32_bits((float)x))
LOOP(u32_to_fp32, word, word, fp32_bits((float)x))
LOOP(i64_to_fp32, signed_double_word, word, fp32_bits((float)x))
LOOP(u64_to_fp32, double_word, word, fp32_bits((float)x))
LOOP(i32_to_fp64, signed_word, double_word, fp64_bits((double)x))
LOOP(u32_to_fp64, word, double_word, fp64_bits((double)x))
LOOP(i64_to_fp64, signed_double_word, double_word, fp64_bits((double)x))
LOOP(u64_to_fp64, double_word, double_word, fp64_bits((double)x))

/* To 16 bits by an fp32 that is rounded to odd. */

LOOP(fp64_to_odd_fp32, double_word, word, odd_fp32_of_fp64(x))
LOOP(i64_to_odd_fp32, signed_double_word, word, odd_fp32_of_fp64(fp64_bits(odd_fp64_of_i64(x))))
LOOP(u64_to_odd_fp32, double_word, word, odd_fp32_of_fp64(fp64_bits(odd_fp64_of_u64(x))))

#define BY_ODD_FP32(from, to)                                                  \
    static void from##_to_##to(const void *source, void *target, size_t count) \
    {                                                                          \
        word odd[CONVERT_MAX] __attribute__((uninitialized));                  \
        from##_to_odd_fp32(source, odd, count);                                \
        fp32_to_##to(odd, target, count);                                      \
    }

BY_ODD_FP32(fp64, fp16)
BY_ODD_FP32(fp64, bf16)
BY_ODD_FP32(i64, fp16)
BY_ODD_FP32(i64, bf16)
BY_ODD_FP32(u64, fp16)
BY_ODD_FP32(u64, bf16)

/* Complex numbers: the real part and then the imaginary one, which is 0 of real numbers and dropped in them.
 */
#define TO_COMPLEX(name, from_type, to_type, expression)             \
    static void name(const void *source, void *target, size_t count) \
    {                                                                \
        const from_type *from = source;                              \
        to_type *to = target;                                        \
        for (size_t i = 0; i < count; i++) {                         \
            const from_type x = from[i];                             \
            to[2 * i] = (expression);                                \
            to[2 * i + 1] = 0;                                       \
        }                                                            \
    }
#define FROM_COMPLEX(name, type, expression)                         \
    static void name(const void *source, void *target, size_t count) \
    {                                                                \
        const type *from = source;                                   \
        type *to = target;                                           \
        for (size_t i = 0; i < count; i++) {                         \
            const type x = from[2 * i];                              \
            to[i] = (expression);                                    \
        }                                                            \
    }

TO_COMPLEX(fp32_to_complex64, word, word, fp32_canonical(x))
TO_COMPLEX(fp64_to_complex128, double_word, double_word, fp64_canonical(x))
TO_COMPLEX(fp32_to_complex128, word, double_word, fp64_of_fp32(x))
FROM_COMPLEX(complex64_to_fp32, word, fp32_canonical(x))
FROM_COMPLEX(complex128_to_fp64, double_word, fp64_canonical(x))

static void complex64_to_complex128(const void *source, void *target, size_t count)
{
    fp32_to_fp64(source, target, 2 * count);
}

static void complex128_to_complex64(const void *source, void *target, size_t count)
{
    fp64_to_fp32(source, target, 2 * count);
}

static void complex128_to_bool(const void *source, void *target, size_t count)
{
    const double_word *part = source;
    for (size_t i = 0; i < count; i++)
        ((uint8_t *)target)[i] = ((part[2 * i] | part[2 * i + 1]) & (UINT64_MAX >> 1)) != 0;
}

/* Between integers of one size the bits stay. */
#define SAME(name, bytes)                                            \
    static void name(const void *source, void *target, size_t count) \
    {                                                                \
        memcpy(target, source, count *(bytes));                      \
    }

SAME(same_8, 1)
SAME(same_16, 2)
SAME(same_32, 4)
SAME(same_64, 8)

typedef void step_function(const void *source, void *target, size_t count);

/* Integers of one size. */
#define TO_8(step)  [ARITHMETIC_INT8] = (step), [ARITHMETIC_UINT8] = (step)
#define TO_16(step) [ARITHMETIC_INT16] = (step), [ARITHMETIC_UINT16] = (step)
#define TO_32(step) [ARITHMETIC_INT32] = (step), [ARITHMETIC_UINT32] = (step)
#define TO_64(step) [ARITHMETIC_INT64] = (step), [ARITHMETIC_UINT64] = (step)
#define TO_INTEGERS(to_8, to_16, to_32, to_64, to_bool) \
    TO_8(to_8), TO_16(to_16), TO_32(to_32), TO_64(to_64), [ARITHMETIC_BOOL] = (to_bool)
#define FLOAT_TO_INTEGERS(type)                                                                         \
    TO_8(type##_to_8),                                                                                  \
        TO_16(type##_to_16), [ARITHMETIC_INT32] = type##_to_i32s, [ARITHMETIC_UINT32] = type##_to_u32s, \
                             [ARITHMETIC_INT64] = type##_to_i64s, [ARITHMETIC_UINT64] = type##_to_u64s, \
                             [ARITHMETIC_BOOL] = type##_to_bool

/* The loops, by the dtypes from and to; of a dtype to itself there is none that is used. */
static step_function *const steps[ARITHMETIC_ALL][ARITHMETIC_ALL] = {
    [ARITHMETIC_FP32] = {[ARITHMETIC_FP16] = fp32_to_fp16,
                         [ARITHMETIC_BF16] = fp32_to_bf16,
                         [ARITHMETIC_FP64] = fp32_to_fp64,
                         FLOAT_TO_INTEGERS(fp32),
                         [ARITHMETIC_COMPLEX64] = fp32_to_complex64,
                         [ARITHMETIC_COMPLEX128] = fp32_to_complex128},
    [ARITHMETIC_FP16] = {[ARITHMETIC_FP32] = fp16_to_fp32, [ARITHMETIC_BOOL] = fp16_to_bool},
    [ARITHMETIC_BF16] = {[ARITHMETIC_FP32] = bf16_to_fp32, [ARITHMETIC_BOOL] = fp16_to_bool},
    [ARITHMETIC_FP64] = {[ARITHMETIC_FP32] = fp64_to_fp32,
                         [ARITHMETIC_FP16] = fp64_to_fp16,
                         [ARITHMETIC_BF16] = fp64_to_bf16,
                         FLOAT_TO_INTEGERS(fp64),
                         [ARITHMETIC_COMPLEX128] = fp64_to_complex128},
    [ARITHMETIC_INT8] = {[ARITHMETIC_FP32] = i8_to_fp32,
                         TO_INTEGERS(same_8, i8_to_16, i8_to_32, i8_to_64, u8_to_bool)},
    [ARITHMETIC_UINT8] = {[ARITHMETIC_FP32] = u8_to_fp32,
                          TO_INTEGERS(same_8, u8_to_16, u8_to_32, u8_to_64, u8_to_bool)},
    [ARITHMETIC_INT16] = {[ARITHMETIC_FP32] = i16_to_fp32,
                          TO_INTEGERS(u16_to_8, same_16, i16_to_32, i16_to_64, u16_to_bool)},
    [ARITHMETIC_UINT16] = {[ARITHMETIC_FP32] = u16_to_fp32,
                           TO_INTEGERS(u16_to_8, same_16, u16_to_32, u16_to_64, u16_to_bool)},
    [ARITHMETIC_INT32] = {[ARITHMETIC_FP32] = i32_to_fp32,
                          [ARITHMETIC_FP64] = i32_to_fp64,
                          TO_INTEGERS(u32_to_8, u32_to_16, same_32, i32_to_64, u32_to_bool)},
    [ARITHMETIC_UINT32] = {[ARITHMETIC_FP32] = u32_to_fp32,
                           [ARITHMETIC_FP64] = u32_to_fp64,
                           TO_INTEGERS(u32_to_8, u32_to_16, same_32, u32_to_64, u32_to_bool)},
    [ARITHMETIC_INT64] = {[ARITHMETIC_FP32] = i64_to_fp32,
                          [ARITHMETIC_FP16] = i64_to_fp16,
                          [ARITHMETIC_BF16] = i64_to_bf16,
                          [ARITHMETIC_FP64] = i64_to_fp64,
                          TO_INTEGERS(u64_to_8, u64_to_16, u64_to_32, same_64, u64_to_bool)},
    [ARITHMETIC_UINT64] = {[ARITHMETIC_FP32] = u64_to_fp32,
                           [ARITHMETIC_FP16] = u64_to_fp16,
                           [ARITHMETIC_BF16] = u64_to_bf16,
                           [ARITHMETIC_FP64] = u64_to_fp64,
                           TO_INTEGERS(u64_to_8, u64_to_16, u64_to_32, same_64, u64_to_bool)},
    [ARITHMETIC_BOOL] = {[ARITHMETIC_FP32] = bool_to_fp32, TO_8(bool_to_8)},
    [ARITHMETIC_COMPLEX64] = {[ARITHMETIC_FP32] = complex64_to_fp32,
                              [ARITHMETIC_BOOL] = complex64_to_bool,
                              [ARITHMETIC_COMPLEX128] = complex64_to_complex128},
    [ARITHMETIC_COMPLEX128] = {[ARITHMETIC_FP64] = complex128_to_fp64,
                               [ARITHMETIC_BOOL] = complex128_to_bool,
                               [ARITHMETIC_COMPLEX64] = complex128_to_complex64},
};

/* Where there is no loop: every dtype goes to this one exactly, or goes from it to the other one exactly. */
static enum arithmetic way(enum arithmetic from, enum arithmetic to)
{
    switch (from) {
    case ARITHMETIC_INT32:
    case ARITHMETIC_UINT32:
    case ARITHMETIC_INT64:
    case ARITHMETIC_UINT64:
        return to == ARITHMETIC_COMPLEX64 ? ARITHMETIC_FP32 : ARITHMETIC_FP64;
    case ARITHMETIC_BOOL:
        return to >= ARITHMETIC_INT8 && to <= ARITHMETIC_UINT64 ? ARITHMETIC_UINT8 : ARITHMETIC_FP32;
    case ARITHMETIC_COMPLEX128:
        return ARITHMETIC_FP64;
    default: /* FP16, BF16, FP64 to COMPLEX64, COMPLEX64, and integers that FP32 has */
        return ARITHMETIC_FP32;
    }
}

void AT_LEVEL(convert)(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, size_t count)
{
    const enum arithmetic source = arithmetic_of(from_dtype), target = arithmetic_of(to_dtype);
    const size_t from_bytes = dtype_bytes(from_dtype), to_bytes = dtype_bytes(to_dtype);
    step_function *step = steps[source][target];
    for (size_t done = 0; done < count; done += CONVERT_MAX) {
        const size_t part = count - done < CONVERT_MAX ? count - done : (size_t)CONVERT_MAX;
        const char *part_from = (const char *)from + done * from_bytes;
        char *part_to = (char *)to + done * to_bytes;
        if (step != NULL) {
            step(part_from, part_to, part);
            continue;
        }
        double_word between[CONVERT_MAX] __attribute__((uninitialized));
        enum arithmetic middle = way(source, target);
        steps[source][middle](part_from, between, part);
        steps[middle][target](between, part_to, part);
    }
}

#endif
