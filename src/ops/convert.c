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

/* Floats to integers. */

static void fp32_to_8(const void *source, void *target, size_t count)
{
    fp32_truncated_to(1, 31, fp32_as_i32, fp32_to_low_bits, source, target, count);
}

static void fp32_to_16(const void *source, void *target, size_t count)
{
    fp32_truncated_to(2, 31, fp32_as_i32, fp32_to_low_bits, source, target, count);
}

static void fp32_to_i32s(const void *source, void *target, size_t count)
{
    fp32_truncated_to(4, 31, fp32_as_i32, fp32_to_i32, source, target, count);
}

static void fp32_to_u32s(const void *source, void *target, size_t count)
{
    fp32_truncated_to(4, NATURAL_BITS, fp32_as_natural, fp32_to_u32, source, target, count);
}

static void fp32_to_i64s(const void *source, void *target, size_t count)
{
    fp32_truncated_to(8, TRUNCATED_BITS, fp32_as_truncated, fp32_to_i64, source, target, count);
}

static void fp32_to_u64s(const void *source, void *target, size_t count)
{
    fp32_truncated_to(8, TRUNCATED_BITS, fp32_as_natural, fp32_to_u64, source, target, count);
}

static void fp64_to_8(const void *source, void *target, size_t count)
{
    fp64_truncated_to(1, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64, source, target, count);
}

static void fp64_to_16(const void *source, void *target, size_t count)
{
    fp64_truncated_to(2, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64, source, target, count);
}

static void fp64_to_i32s(const void *source, void *target, size_t count)
{
    fp64_truncated_to(4, 31, fp64_as_i32, fp64_to_i32, source, target, count);
}

static void fp64_to_u32s(const void *source, void *target, size_t count)
{
    fp64_truncated_to(4, NATURAL_BITS, fp64_as_natural, fp64_to_u32, source, target, count);
}

static void fp64_to_i64s(const void *source, void *target, size_t count)
{
    fp64_truncated_to(8, TRUNCATED_BITS, fp64_as_truncated, fp64_to_i64, source, target, count);
}

static void fp64_to_u64s(const void *source, void *target, size_t count)
{
    fp64_truncated_to(8, TRUNCATED_BITS, fp64_as_natural, fp64_to_u64, source, target, count);
}

/* All bits but the sign decide. */

static void fp16_to_bool(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_integer(1, target, i, (((const half_word *)source)[i] & 0x7FFF) != 0);
}

static void fp32_to_bool(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_integer(1, target, i, (((const word *)source)[i] & 0x7FFFFFFF) != 0);
}

static void fp64_to_bool(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_integer(1, target, i, (((const double_word *)source)[i] & (UINT64_MAX >> 1)) != 0);
}

/* Integers to floats. Of 32 and 64 bits the processor rounds once; of fewer it need not. */

static void i8_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const int8_t *)source)[i]);
}

static void u8_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const uint8_t *)source)[i]);
}

static void bool_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = ((const uint8_t *)source)[i] != 0 ? 0x3F800000 : 0;
}

static void i16_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const signed_half_word *)source)[i]);
}

static void u16_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const half_word *)source)[i]);
}

static void i32_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const signed_word *)source)[i]);
}

static void u32_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const word *)source)[i]);
}

static void i64_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const signed_double_word *)source)[i]);
}

static void u64_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_bits((float)((const double_word *)source)[i]);
}

static void i32_to_fp64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double_word *)target)[i] = fp64_bits((double)((const signed_word *)source)[i]);
}

static void u32_to_fp64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double_word *)target)[i] = fp64_bits((double)((const word *)source)[i]);
}

static void i64_to_fp64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double_word *)target)[i] = fp64_bits((double)((const signed_double_word *)source)[i]);
}

static void u64_to_fp64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double_word *)target)[i] = fp64_bits((double)((const double_word *)source)[i]);
}

/* To 16 bits by an fp32 that is rounded to odd. */

static void fp64_to_odd_fp32(const void *source, word *odd, size_t count)
{
    for (size_t i = 0; i < count; i++)
        odd[i] = odd_fp32_of_fp64(((const double_word *)source)[i]);
}

static void i64_to_odd_fp32(const void *source, word *odd, size_t count)
{
    for (size_t i = 0; i < count; i++)
        odd[i] = odd_fp32_of_fp64(fp64_bits(odd_fp64_of_i64(((const signed_double_word *)source)[i])));
}

static void u64_to_odd_fp32(const void *source, word *odd, size_t count)
{
    for (size_t i = 0; i < count; i++)
        odd[i] = odd_fp32_of_fp64(fp64_bits(odd_fp64_of_u64(((const double_word *)source)[i])));
}

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

/* Complex numbers: the real part and then the imaginary one. */

static void fp32_to_complex64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((word *)target)[2 * i] = fp32_canonical(((const word *)source)[i]);
        ((word *)target)[2 * i + 1] = 0;
    }
}

static void fp64_to_complex128(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((double_word *)target)[2 * i] = fp64_canonical(((const double_word *)source)[i]);
        ((double_word *)target)[2 * i + 1] = 0;
    }
}

static void fp32_to_complex128(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ((double_word *)target)[2 * i] = fp64_of_fp32(((const word *)source)[i]);
        ((double_word *)target)[2 * i + 1] = 0;
    }
}

static void complex64_to_fp32(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((word *)target)[i] = fp32_canonical(((const word *)source)[2 * i]);
}

static void complex128_to_fp64(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((double_word *)target)[i] = fp64_canonical(((const double_word *)source)[2 * i]);
}

static void complex64_to_complex128(const void *source, void *target, size_t count)
{
    fp32_to_fp64(source, target, 2 * count);
}

static void complex128_to_complex64(const void *source, void *target, size_t count)
{
    fp64_to_fp32(source, target, 2 * count);
}

static void complex64_to_bool(const void *source, void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        store_integer(1, target, i, (((const double_word *)source)[i] & UINT64_C(0x7FFFFFFF7FFFFFFF)) != 0);
}

static void complex128_to_bool(const void *source, void *target, size_t count)
{
    const double_word *part = source;
    for (size_t i = 0; i < count; i++)
        store_integer(1, target, i, ((part[2 * i] | part[2 * i + 1]) & (UINT64_MAX >> 1)) != 0);
}

/* Between integers of one size the bits stay. */

static void same_8(const void *source, void *target, size_t count)
{
    memcpy(target, source, count);
}

static void same_16(const void *source, void *target, size_t count)
{
    memcpy(target, source, 2 * count);
}

static void same_32(const void *source, void *target, size_t count)
{
    memcpy(target, source, 4 * count);
}

static void same_64(const void *source, void *target, size_t count)
{
    memcpy(target, source, 8 * count);
}

typedef void step_function(const void *source, void *target, size_t count);

/* The loops, by the dtypes from and to. A number that is stored in fewer bits comes from either sign alike.
 */
static step_function *const steps[ARITHMETIC_ALL][ARITHMETIC_ALL] = {
    [ARITHMETIC_FP32] = {[ARITHMETIC_FP16] = fp32_to_fp16,
                         [ARITHMETIC_BF16] = fp32_to_bf16,
                         [ARITHMETIC_FP64] = fp32_to_fp64,
                         [ARITHMETIC_INT8] = fp32_to_8,
                         [ARITHMETIC_INT16] = fp32_to_16,
                         [ARITHMETIC_INT32] = fp32_to_i32s,
                         [ARITHMETIC_INT64] = fp32_to_i64s,
                         [ARITHMETIC_UINT8] = fp32_to_8,
                         [ARITHMETIC_UINT16] = fp32_to_16,
                         [ARITHMETIC_UINT32] = fp32_to_u32s,
                         [ARITHMETIC_UINT64] = fp32_to_u64s,
                         [ARITHMETIC_BOOL] = fp32_to_bool,
                         [ARITHMETIC_COMPLEX64] = fp32_to_complex64,
                         [ARITHMETIC_COMPLEX128] = fp32_to_complex128},
    [ARITHMETIC_FP16] = {[ARITHMETIC_FP32] = fp16_to_fp32, [ARITHMETIC_BOOL] = fp16_to_bool},
    [ARITHMETIC_BF16] = {[ARITHMETIC_FP32] = bf16_to_fp32, [ARITHMETIC_BOOL] = fp16_to_bool},
    [ARITHMETIC_FP64] = {[ARITHMETIC_FP32] = fp64_to_fp32,
                         [ARITHMETIC_FP16] = fp64_to_fp16,
                         [ARITHMETIC_BF16] = fp64_to_bf16,
                         [ARITHMETIC_INT8] = fp64_to_8,
                         [ARITHMETIC_INT16] = fp64_to_16,
                         [ARITHMETIC_INT32] = fp64_to_i32s,
                         [ARITHMETIC_INT64] = fp64_to_i64s,
                         [ARITHMETIC_UINT8] = fp64_to_8,
                         [ARITHMETIC_UINT16] = fp64_to_16,
                         [ARITHMETIC_UINT32] = fp64_to_u32s,
                         [ARITHMETIC_UINT64] = fp64_to_u64s,
                         [ARITHMETIC_BOOL] = fp64_to_bool,
                         [ARITHMETIC_COMPLEX128] = fp64_to_complex128},
    [ARITHMETIC_INT8] = {[ARITHMETIC_FP32] = i8_to_fp32,
                         [ARITHMETIC_INT16] = i8_to_16,
                         [ARITHMETIC_INT32] = i8_to_32,
                         [ARITHMETIC_INT64] = i8_to_64,
                         [ARITHMETIC_UINT8] = same_8,
                         [ARITHMETIC_UINT16] = i8_to_16,
                         [ARITHMETIC_UINT32] = i8_to_32,
                         [ARITHMETIC_UINT64] = i8_to_64,
                         [ARITHMETIC_BOOL] = u8_to_bool},
    [ARITHMETIC_INT16] = {[ARITHMETIC_FP32] = i16_to_fp32,
                          [ARITHMETIC_INT8] = u16_to_8,
                          [ARITHMETIC_INT32] = i16_to_32,
                          [ARITHMETIC_INT64] = i16_to_64,
                          [ARITHMETIC_UINT8] = u16_to_8,
                          [ARITHMETIC_UINT16] = same_16,
                          [ARITHMETIC_UINT32] = i16_to_32,
                          [ARITHMETIC_UINT64] = i16_to_64,
                          [ARITHMETIC_BOOL] = u16_to_bool},
    [ARITHMETIC_INT32] = {[ARITHMETIC_FP32] = i32_to_fp32,
                          [ARITHMETIC_FP64] = i32_to_fp64,
                          [ARITHMETIC_INT8] = u32_to_8,
                          [ARITHMETIC_INT16] = u32_to_16,
                          [ARITHMETIC_INT64] = i32_to_64,
                          [ARITHMETIC_UINT8] = u32_to_8,
                          [ARITHMETIC_UINT16] = u32_to_16,
                          [ARITHMETIC_UINT32] = same_32,
                          [ARITHMETIC_UINT64] = i32_to_64,
                          [ARITHMETIC_BOOL] = u32_to_bool},
    [ARITHMETIC_INT64] = {[ARITHMETIC_FP32] = i64_to_fp32,
                          [ARITHMETIC_FP16] = i64_to_fp16,
                          [ARITHMETIC_BF16] = i64_to_bf16,
                          [ARITHMETIC_FP64] = i64_to_fp64,
                          [ARITHMETIC_INT8] = u64_to_8,
                          [ARITHMETIC_INT16] = u64_to_16,
                          [ARITHMETIC_INT32] = u64_to_32,
                          [ARITHMETIC_UINT8] = u64_to_8,
                          [ARITHMETIC_UINT16] = u64_to_16,
                          [ARITHMETIC_UINT32] = u64_to_32,
                          [ARITHMETIC_UINT64] = same_64,
                          [ARITHMETIC_BOOL] = u64_to_bool},
    [ARITHMETIC_UINT8] = {[ARITHMETIC_FP32] = u8_to_fp32,
                          [ARITHMETIC_INT8] = same_8,
                          [ARITHMETIC_INT16] = u8_to_16,
                          [ARITHMETIC_INT32] = u8_to_32,
                          [ARITHMETIC_INT64] = u8_to_64,
                          [ARITHMETIC_UINT16] = u8_to_16,
                          [ARITHMETIC_UINT32] = u8_to_32,
                          [ARITHMETIC_UINT64] = u8_to_64,
                          [ARITHMETIC_BOOL] = u8_to_bool},
    [ARITHMETIC_UINT16] = {[ARITHMETIC_FP32] = u16_to_fp32,
                           [ARITHMETIC_INT8] = u16_to_8,
                           [ARITHMETIC_INT16] = same_16,
                           [ARITHMETIC_INT32] = u16_to_32,
                           [ARITHMETIC_INT64] = u16_to_64,
                           [ARITHMETIC_UINT8] = u16_to_8,
                           [ARITHMETIC_UINT32] = u16_to_32,
                           [ARITHMETIC_UINT64] = u16_to_64,
                           [ARITHMETIC_BOOL] = u16_to_bool},
    [ARITHMETIC_UINT32] = {[ARITHMETIC_FP32] = u32_to_fp32,
                           [ARITHMETIC_FP64] = u32_to_fp64,
                           [ARITHMETIC_INT8] = u32_to_8,
                           [ARITHMETIC_INT16] = u32_to_16,
                           [ARITHMETIC_INT32] = same_32,
                           [ARITHMETIC_INT64] = u32_to_64,
                           [ARITHMETIC_UINT8] = u32_to_8,
                           [ARITHMETIC_UINT16] = u32_to_16,
                           [ARITHMETIC_UINT64] = u32_to_64,
                           [ARITHMETIC_BOOL] = u32_to_bool},
    [ARITHMETIC_UINT64] = {[ARITHMETIC_FP32] = u64_to_fp32,
                           [ARITHMETIC_FP16] = u64_to_fp16,
                           [ARITHMETIC_BF16] = u64_to_bf16,
                           [ARITHMETIC_FP64] = u64_to_fp64,
                           [ARITHMETIC_INT8] = u64_to_8,
                           [ARITHMETIC_INT16] = u64_to_16,
                           [ARITHMETIC_INT32] = u64_to_32,
                           [ARITHMETIC_INT64] = same_64,
                           [ARITHMETIC_UINT8] = u64_to_8,
                           [ARITHMETIC_UINT16] = u64_to_16,
                           [ARITHMETIC_UINT32] = u64_to_32,
                           [ARITHMETIC_BOOL] = u64_to_bool},
    [ARITHMETIC_BOOL] =
        {[ARITHMETIC_FP32] = bool_to_fp32, [ARITHMETIC_INT8] = bool_to_8, [ARITHMETIC_UINT8] = bool_to_8},
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
