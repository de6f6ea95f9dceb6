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
#include "ops/convert_float8.h"
#include "tensor/dtype.h"

typedef void step_function(const void *source, void *target, size_t count);

/* Defines from_to_to, which makes of each element x of one type the expression as another one. Names of types
 * are those of simd/loops/convert.h; fp32 and fp64 are bits in what is written. */
typedef float from_fp32 __attribute__((may_alias));
typedef double from_fp64 __attribute__((may_alias));
typedef i8 from_i8;
typedef u8 from_u8, from_truth, from_e4m3fn, from_e5m2, from_e8m0, from_hifloat8, from_e2m1, from_e1m2,
    from_i4;
typedef i16 from_i16;
typedef u16 from_u16, from_bf16;
typedef i32 from_i32;
typedef u32 from_u32;
typedef i64 from_i64;
typedef u64 from_u64;
typedef u8 to_8, to_truth, to_magnitude, to_e4m3fn, to_e5m2, to_e8m0, to_hifloat8, to_e2m1, to_e1m2, to_i4;
typedef u16 to_16, to_fp16, to_bf16;
typedef u32 to_32, to_i32, to_u32, to_fp32, to_odd_fp32;
typedef u64 to_64, to_i64, to_u64, to_fp64;

typedef void element_function(const void *source, void *target, size_t i);

static inline __attribute__((always_inline)) void convert_each(element_function *convert, const void *source,
                                                               void *target, size_t count)
{
    for (size_t i = 0; i < count; i++)
        convert(source, target, i);
}

#define LOOP(from, to, expression)                                                     \
    static inline void from##_to_##to##_at(const void *source, void *target, size_t i) \
    {                                                                                  \
        const from_##from x = ((const from_##from *)source)[i];                        \
        ((to_##to *)target)[i] = (to_##to)(expression);                                \
    }                                                                                  \
    static void from##_to_##to(const void *source, void *target, size_t count)         \
    {                                                                                  \
        convert_each(from##_to_##to##_at, source, target, count);                      \
    }

/* From integers; to those of either sign alike. The processor rounds once. */
#define INTEGER_LOOPS(from)                   \
    LOOP(from, 8, x)                          \
    LOOP(from, 16, x)                         \
    LOOP(from, 32, x)                         \
    LOOP(from, 64, x)                         \
    LOOP(from, truth, x != 0)                 \
    LOOP(from, fp32, any_fp32_bits((float)x)) \
    LOOP(from, fp64, any_fp64_bits((double)x))

INTEGER_LOOPS(i8)
INTEGER_LOOPS(u8)
INTEGER_LOOPS(i16)
INTEGER_LOOPS(u16)
INTEGER_LOOPS(i32)
INTEGER_LOOPS(u32)
INTEGER_LOOPS(i64)
INTEGER_LOOPS(u64)

LOOP(truth, 8, x != 0)
LOOP(truth, fp32, x != 0 ? 0x3F800000 : 0)

/* From floats. All bits of a float but the sign make truth. */
LOOP(fp32, 8, low_bits_of_fp32(x))
LOOP(fp32, 16, low_bits_of_fp32(x))
LOOP(fp32, i32, i32_of_fp32(x))
LOOP(fp32, u32, u32_of_fp32(x))
LOOP(fp32, i64, i64_of_fp32(x))
LOOP(fp32, u64, u64_of_fp32(x))
LOOP(fp32, truth, x != 0)
LOOP(fp64, 8, i64_of_fp64(x))
LOOP(fp64, 16, i64_of_fp64(x))
LOOP(fp64, i32, i32_of_fp64(x))
LOOP(fp64, u32, u32_of_fp64(x))
LOOP(fp64, i64, i64_of_fp64(x))
LOOP(fp64, u64, u64_of_fp64(x))
LOOP(fp64, truth, x != 0)
LOOP(fp32, fp64, fp64_bits((double)x))
LOOP(fp64, fp32, fp32_bits((float)x))
LOOP(fp64, odd_fp32, odd_fp32_bits(x))
LOOP(i64, odd_fp32, odd_fp32_bits(odd_fp64_of_i64(x)))
LOOP(u64, odd_fp32, odd_fp32_bits(odd_fp64_of_u64(x)))
LOOP(bf16, fp32, (x & 0x7FFF) > 0x7F80 ? 0x7FC00000 : (uint32_t)x << 16)
LOOP(u32, bf16, bf16_bits(x))
LOOP(u16, magnitude, (x & 0x7FFF) != 0)
LOOP(e4m3fn, fp32, fp32_of_e4m3fn(x))
LOOP(e5m2, fp32, fp32_of_e5m2(x))
LOOP(u32, e4m3fn, e4m3fn_bits(x))
LOOP(u32, e5m2, e5m2_bits(x))
LOOP(e8m0, fp32, fp32_of_e8m0(x))
LOOP(hifloat8, fp32, fp32_of_hifloat8(x))
LOOP(e2m1, fp32, fp32_of_e2m1(x))
LOOP(e1m2, fp32, fp32_of_e1m2(x))
LOOP(i4, fp32, any_fp32_bits((float)((int32_t)((x & 15U) ^ 8U) - 8)))
LOOP(u32, e8m0, e8m0_bits(x))
LOOP(u32, hifloat8, hifloat8_bits(x))
LOOP(u32, e2m1, e2m1_bits(x))
LOOP(u32, e1m2, e1m2_bits(x))
LOOP(u8, i4, x & 15U)

/* To 16 bits by an fp32 that is rounded to odd. */
#define BY_ODD_FP32(from)                                                      \
    static void from##_to_fp16(const void *source, void *target, size_t count) \
    {                                                                          \
        u32 odd[CONVERT_MAX] __attribute__((uninitialized));                   \
        from##_to_odd_fp32(source, odd, count);                                \
        fp32_to_fp16(odd, target, count);                                      \
    }                                                                          \
    static void from##_to_bf16(const void *source, void *target, size_t count) \
    {                                                                          \
        u32 odd[CONVERT_MAX] __attribute__((uninitialized));                   \
        from##_to_odd_fp32(source, odd, count);                                \
        u32_to_bf16(odd, target, count);                                       \
    }

BY_ODD_FP32(fp64)
BY_ODD_FP32(i64)
BY_ODD_FP32(u64)

/* A complex number is a real part and an imaginary one behind it. One that is made of a real number has the
 * imaginary part 0; where a real number is made of one that part is dropped. */
#define FROM_REAL(name, from, to, bits)                                      \
    static inline void name##_at(const void *source, void *target, size_t i) \
    {                                                                        \
        ((to_##to *)target)[2 * i] = bits(((const from_##from *)source)[i]); \
        ((to_##to *)target)[2 * i + 1] = 0;                                  \
    }                                                                        \
    static void name(const void *source, void *target, size_t count)         \
    {                                                                        \
        convert_each(name##_at, source, target, count);                      \
    }
#define TO_REAL(name, from, to, bits)                                        \
    static inline void name##_at(const void *source, void *target, size_t i) \
    {                                                                        \
        ((to_##to *)target)[i] = bits(((const from_##from *)source)[2 * i]); \
    }                                                                        \
    static void name(const void *source, void *target, size_t count)         \
    {                                                                        \
        convert_each(name##_at, source, target, count);                      \
    }

static inline uint64_t widened_bits(float x)
{
    return fp64_bits((double)x);
}

FROM_REAL(fp32_to_complex64, fp32, fp32, fp32_bits)
FROM_REAL(fp32_to_complex128, fp32, fp64, widened_bits)
FROM_REAL(fp64_to_complex128, fp64, fp64, fp64_bits)
TO_REAL(complex64_to_fp32, fp32, fp32, fp32_bits)
TO_REAL(complex128_to_fp64, fp64, fp64, fp64_bits)

#define PARTS_LOOPS(complex, part, other_complex, other_part)                                \
    static void complex##_to_##other_complex(const void *source, void *target, size_t count) \
    {                                                                                        \
        part##_to_##other_part(source, target, 2 * count);                                   \
    }                                                                                        \
    static inline void complex##_to_truth_at(const void *source, void *target, size_t i)     \
    {                                                                                        \
        const from_##part *element = source;                                                 \
        ((u8 *)target)[i] = (u8)((element[2 * i] != 0) | (element[2 * i + 1] != 0));         \
    }                                                                                        \
    static void complex##_to_truth(const void *source, void *target, size_t count)           \
    {                                                                                        \
        convert_each(complex##_to_truth_at, source, target, count);                          \
    }

PARTS_LOOPS(complex64, fp32, complex128, fp64)
PARTS_LOOPS(complex128, fp64, complex64, fp32)

/* Entries of a row of the table. */
#define TO_8_AND_16(from)                                                                                 \
    [ARITHMETIC_INT8] = from##_to_8, [ARITHMETIC_UINT8] = from##_to_8, [ARITHMETIC_INT16] = from##_to_16, \
    [ARITHMETIC_UINT16] = from##_to_16, [ARITHMETIC_BOOL] = from##_to_truth
#define FROM_FLOAT(from)                                                                        \
    TO_8_AND_16(from), [ARITHMETIC_INT32] = from##_to_i32, [ARITHMETIC_UINT32] = from##_to_u32, \
                       [ARITHMETIC_INT64] = from##_to_i64, [ARITHMETIC_UINT64] = from##_to_u64
#define FROM_INTEGER(from)                                                                    \
    TO_8_AND_16(from), [ARITHMETIC_INT32] = from##_to_32, [ARITHMETIC_UINT32] = from##_to_32, \
                       [ARITHMETIC_INT64] = from##_to_64, [ARITHMETIC_UINT64] = from##_to_64, \
                       [ARITHMETIC_FP32] = from##_to_fp32, [ARITHMETIC_FP64] = from##_to_fp64
#define TO_HALVES(from) [ARITHMETIC_FP16] = from##_to_fp16, [ARITHMETIC_BF16] = from##_to_bf16

/* The loops, by the dtypes from and to; of a dtype to itself there is none that is used. */
static step_function *const steps[ARITHMETIC_ALL][ARITHMETIC_ALL] = {
    [ARITHMETIC_FP32] = {FROM_FLOAT(fp32), [ARITHMETIC_FP16] = fp32_to_fp16, [ARITHMETIC_BF16] = u32_to_bf16,
                         [ARITHMETIC_FP64] = fp32_to_fp64, [ARITHMETIC_COMPLEX64] = fp32_to_complex64,
                         [ARITHMETIC_COMPLEX128] = fp32_to_complex128},
    [ARITHMETIC_FP16] = {[ARITHMETIC_FP32] = fp16_to_fp32, [ARITHMETIC_BOOL] = u16_to_magnitude},
    [ARITHMETIC_BF16] = {[ARITHMETIC_FP32] = bf16_to_fp32, [ARITHMETIC_BOOL] = u16_to_magnitude},
    [ARITHMETIC_FP64] =
        {FROM_FLOAT(fp64),
         TO_HALVES(fp64), [ARITHMETIC_FP32] = fp64_to_fp32, [ARITHMETIC_COMPLEX128] = fp64_to_complex128},
    [ARITHMETIC_INT8] = {FROM_INTEGER(i8)},
    [ARITHMETIC_UINT8] = {FROM_INTEGER(u8)},
    [ARITHMETIC_INT16] = {FROM_INTEGER(i16)},
    [ARITHMETIC_UINT16] = {FROM_INTEGER(u16)},
    [ARITHMETIC_INT32] = {FROM_INTEGER(i32)},
    [ARITHMETIC_UINT32] = {FROM_INTEGER(u32)},
    [ARITHMETIC_INT64] = {FROM_INTEGER(i64), TO_HALVES(i64)},
    [ARITHMETIC_UINT64] = {FROM_INTEGER(u64), TO_HALVES(u64)},
    [ARITHMETIC_BOOL] =
        {[ARITHMETIC_FP32] = truth_to_fp32, [ARITHMETIC_UINT8] = truth_to_8, [ARITHMETIC_INT8] = truth_to_8},
    [ARITHMETIC_COMPLEX64] = {[ARITHMETIC_FP32] = complex64_to_fp32,
                              [ARITHMETIC_BOOL] = complex64_to_truth,
                              [ARITHMETIC_COMPLEX128] = complex64_to_complex128},
    [ARITHMETIC_COMPLEX128] = {[ARITHMETIC_FP64] = complex128_to_fp64,
                               [ARITHMETIC_BOOL] = complex128_to_truth,
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

/* Small numbers go by FLOAT, which has them; what rounds on the way there is rounded to odd. INT4 are made of
 * INT8, of which they keep the low bits. */
static const struct {
    aclDataType dtype;
    step_function *widen, *narrow;
} smalls[] = {
    {ACL_FLOAT8_E4M3FN, e4m3fn_to_fp32, u32_to_e4m3fn},
    {ACL_FLOAT8_E5M2, e5m2_to_fp32, u32_to_e5m2},
    {ACL_FLOAT8_E8M0, e8m0_to_fp32, u32_to_e8m0},
    {ACL_HIFLOAT8, hifloat8_to_fp32, u32_to_hifloat8},
    {ACL_FLOAT4_E2M1, e2m1_to_fp32, u32_to_e2m1},
    {ACL_FLOAT4_E1M2, e1m2_to_fp32, u32_to_e1m2},
    {ACL_INT4, i4_to_fp32, NULL},
};

static int small_of(aclDataType dtype)
{
    for (int i = 0; dtype >= ACL_INT4 && i < (int)(sizeof smalls / sizeof smalls[0]); i++)
        if (smalls[i].dtype == dtype)
            return i;
    return -1;
}

static void make_odd(const void *from, aclDataType dtype, u32 *to, size_t count)
{
    if (dtype == ACL_DOUBLE)
        fp64_to_odd_fp32(from, to, count);
    else if (dtype == ACL_INT64)
        i64_to_odd_fp32(from, to, count);
    else if (dtype == ACL_UINT64)
        u64_to_odd_fp32(from, to, count);
    else if (dtype == ACL_INT32 || dtype == ACL_UINT32 || dtype == ACL_COMPLEX128) {
        double wide[CONVERT_MAX] __attribute__((uninitialized));
        AT_LEVEL(convert)(from, dtype, wide, ACL_DOUBLE, count);
        fp64_to_odd_fp32(wide, to, count);
    } else if (dtype == ACL_FLOAT)
        memcpy(to, from, count * sizeof *to);
    else
        AT_LEVEL(convert)(from, dtype, to, ACL_FLOAT, count);
}

static void narrow_to_int4(const void *from, aclDataType from_dtype, void *to, size_t count)
{
    u8 between[CONVERT_MAX] __attribute__((uninitialized));
    if (from_dtype != ACL_INT8)
        AT_LEVEL(convert)(from, from_dtype, between, ACL_INT8, count);
    u8_to_i4(from_dtype != ACL_INT8 ? between : from, to, count);
}

static void convert_small(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype,
                          size_t count)
{
    const int source = small_of(from_dtype), target = small_of(to_dtype);
    const size_t from_bytes = dtype_bytes(from_dtype), to_bytes = dtype_bytes(to_dtype);
    u32 between[CONVERT_MAX] __attribute__((uninitialized));
    for (size_t done = 0; done < count; done += CONVERT_MAX) {
        const size_t part = count - done < CONVERT_MAX ? count - done : (size_t)CONVERT_MAX;
        const char *part_from = (const char *)from + done * from_bytes;
        char *part_to = (char *)to + done * to_bytes;
        if (to_dtype == ACL_INT4) {
            narrow_to_int4(part_from, from_dtype, part_to, part);
            continue;
        }
        if (source >= 0)
            smalls[source].widen(part_from, between, part);
        else
            make_odd(part_from, from_dtype, between, part);
        if (target >= 0)
            smalls[target].narrow(between, part_to, part);
        else if (to_dtype == ACL_FLOAT)
            memcpy(part_to, between, part * sizeof between[0]);
        else
            AT_LEVEL(convert)(between, ACL_FLOAT, part_to, to_dtype, part);
    }
}

void AT_LEVEL(convert)(const void *from, aclDataType from_dtype, void *to, aclDataType to_dtype, size_t count)
{
    const enum arithmetic source = arithmetic_of(from_dtype), target = arithmetic_of(to_dtype);
    if (source == ARITHMETIC_ALL || target == ARITHMETIC_ALL) {
        convert_small(from, from_dtype, to, to_dtype, count);
        return;
    }
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
        u64 between[CONVERT_MAX] __attribute__((uninitialized));
        enum arithmetic middle = way(source, target);
        steps[source][middle](part_from, between, part);
        steps[middle][target](between, part_to, part);
    }
}

#endif
