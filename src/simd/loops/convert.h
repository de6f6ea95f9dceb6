/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Formulas of conversions between dtypes, without branches, so that loops of them become vector code. A value
 * that becomes a float is rounded once, to nearest, ties to even; every NaN becomes the canonical one.
 *
 * Floats that become integers lose their fraction; NaN gives 0. Integers of 32 and 64 bits take the nearest
 * number that they have; those of 8 and 16 bits take the low bits of what INT64 would be. Between integers
 * the low bits are kept. What is not 0 is true, and true is 1.
 */
#ifndef BELAY_SIMD_LOOPS_CONVERT_H
#define BELAY_SIMD_LOOPS_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "simd/vector/vector_memory.h"

/* Elements in memory that is otherwise bytes. */
typedef int8_t i8 __attribute__((may_alias));
typedef uint8_t u8 __attribute__((may_alias));
typedef int16_t i16 __attribute__((may_alias));
typedef uint16_t u16 __attribute__((may_alias));
typedef int32_t i32 __attribute__((may_alias));
typedef uint32_t u32 __attribute__((may_alias));
typedef int64_t i64 __attribute__((may_alias));
typedef uint64_t u64 __attribute__((may_alias));

/* The number that has these bits. */
static inline float fp32_from(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double fp64_from(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a number as they are: those of NaN too. */
static inline uint32_t any_fp32_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t any_fp64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* With the canonical NaN for every NaN, of which conversions by the processor keep the payload. */
static inline uint32_t fp32_bits(float value)
{
    uint32_t bits = any_fp32_bits(value);
    return (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC00000 : bits;
}

static inline uint64_t fp64_bits(double value)
{
    uint64_t bits = any_fp64_bits(value);
    return (bits & (UINT64_MAX >> 1)) > UINT64_C(0x7FF) << 52 ? UINT64_C(0x7FF8) << 48 : bits;
}

/* The bits of an fp32 rounded to bf16, ties to even: half a unit less one, and the last bit that stays, are
 * added to what is cut off. NaN is the canonical one. */
static inline uint16_t bf16_bits(uint32_t bits)
{
    uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return (uint16_t)((bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FC0 : rounded);
}

/*
 * An fp64 as the bits of an fp32 that is rounded to odd: what is lost makes the last bit 1, so that rounding
 * once more, to at most 22 bits, is as good as once. The processor rounds to the nearest; where that is
 * above, the number below it is the one before in the order of bits, also of 0 and infinity.
 */
static inline uint32_t odd_fp32_bits(double value)
{
    uint32_t nearest = any_fp32_bits((float)value);
    uint64_t size = any_fp64_bits(value) & (UINT64_MAX >> 1);
    uint64_t kept = any_fp64_bits((double)fp32_from(nearest)) & (UINT64_MAX >> 1);
    return (nearest - (uint32_t)(kept > size)) | (uint32_t)(kept != size);
}

/*
 * An integer as an fp64 that is rounded to odd: the two bits below those that any narrower float keeps are
 * there, and the last of all tells whether something was lost.
 */
static inline double odd_fp64_of_i64(int64_t value)
{
    const uint64_t bound = UINT64_C(1) << 53;
    uint64_t bits = (uint64_t)value, low = bits & 0x7FF, odd = (bits - low) | (uint64_t)(low != 0) << 11;
    uint64_t is_large = 0 - (uint64_t)(bits + bound > 2 * bound); /* masks: compilers would branch */
    return (double)(int64_t)((odd & is_large) | (bits & ~is_large));
}

/* An unsigned integer as an fp64 that is rounded to odd; those up to 2^53 are exact. */
static inline double odd_fp64_of_u64(uint64_t value)
{
    uint64_t low = value & 0x7FF, odd = (value - low) | (uint64_t)(low != 0) << 11;
    uint64_t is_large = 0 - (uint64_t)(value > UINT64_C(1) << 53);
    return (double)((odd & is_large) | (value & ~is_large));
}

/* value where it is in the range of a cast, else 0. C says nothing of a cast that overflows. */
static inline float float_where(int is_in_range, float value)
{
    return is_in_range != 0 ? value : 0;
}

static inline double double_where(int is_in_range, double value)
{
    return is_in_range != 0 ? value : 0;
}

static inline int32_t chosen_int32_t(bool holds, int32_t yes, int32_t no)
{
    return holds ? yes : no;
}

static inline uint32_t chosen_uint32_t(bool holds, uint32_t yes, uint32_t no)
{
    return holds ? yes : no;
}

static inline int64_t chosen_int64_t(bool holds, int64_t yes, int64_t no)
{
    return holds ? yes : no;
}

static inline uint64_t chosen_uint64_t(bool holds, uint64_t yes, uint64_t no)
{
    return holds ? yes : no;
}

/* The nearest integer from least to most, which is the one before beyond, without the fraction: what would
 * overflow is cast from 0, and replaced. NaN is neither below nor beyond, and becomes 0. */
#define NEAREST_INTEGER(name, real, integer, least, most, beyond)                           \
    static inline integer name(real value)                                                  \
    {                                                                                       \
        integer number = (integer)real##_where((value >= least) & (value < beyond), value); \
        number = chosen_##integer(value >= beyond, most, number);                           \
        return chosen_##integer(value < least, (integer)least, number);                     \
    }

NEAREST_INTEGER(i32_of_fp32, float, int32_t, -0x1p31F, INT32_MAX, 0x1p31F)
NEAREST_INTEGER(u32_of_fp32, float, uint32_t, 0, UINT32_MAX, 0x1p32F)
NEAREST_INTEGER(i64_of_fp32, float, int64_t, -0x1p63F, INT64_MAX, 0x1p63F)
NEAREST_INTEGER(u64_of_fp32, float, uint64_t, 0, UINT64_MAX, 0x1p64F)
NEAREST_INTEGER(i32_of_fp64, double, int32_t, -0x1p31, INT32_MAX, 0x1p31)
NEAREST_INTEGER(u32_of_fp64, double, uint32_t, 0, UINT32_MAX, 0x1p32)
NEAREST_INTEGER(i64_of_fp64, double, int64_t, -0x1p63, INT64_MAX, 0x1p63)
NEAREST_INTEGER(u64_of_fp64, double, uint64_t, 0, UINT64_MAX, 0x1p64)

/* The low 16 bits of i64_of_fp32(), in 32-bit lanes: from 2^39 on an fp32 is a multiple of 2^16. */
static inline int32_t low_bits_of_fp32(float value)
{
    uint32_t bits = any_fp32_bits(value);
    float part = fp32_from(bits & (0 - (uint32_t)((bits & 0x7FFFFFFF) < 0x53000000)));
    float high = (float)(int32_t)(part * 0x1p-16F);
    return (int32_t)(part - high * 0x1p16F) | -(int32_t)(value >= 0x1p63F); /* that is all bits set */
}

/* Makes of so many elements, a register or fewer, as many of another size. */
typedef void register_function(const char *source, char *target, size_t count);

/* Lengths are constants but at the end. What comes from memory is asked for ahead: without that the same loop
 * takes a quarter longer in some processes than in others. Most calls get a piece of an input that goes on behind it. */
static inline __attribute__((always_inline)) void convert_registers(register_function *convert,
                                                                    size_t from_bytes, size_t to_bytes,
                                                                    const void *source, void *target,
                                                                    size_t count)
{
    enum { AHEAD = 2048 }; /* bytes */
    const char *first = source;
    char *result = target;
    size_t i = 0;
    for (; count - i >= VECTOR_LANES; i += VECTOR_LANES) {
        ask_for(first, i * from_bytes + AHEAD, 1, SIZE_MAX);
        convert(first + i * from_bytes, result + i * to_bytes, VECTOR_LANES);
    }
    if (i < count)
        convert(first + i * from_bytes, result + i * to_bytes, count - i);
}

/* fp16, by registers: formula makes of a value of one type of vectors one of another. */
#define REGISTER_LOOP(name, from, to, formula)                                                          \
    static inline                                                                                       \
        __attribute__((always_inline)) void name##_part(const char *source, char *target, size_t count) \
    {                                                                                                   \
        from value = {0};                                                                               \
        memcpy(&value, source, count * sizeof value[0]);                                                \
        to result = formula(value);                                                                     \
        memcpy(target, &result, count * sizeof result[0]);                                              \
    }                                                                                                   \
    static inline void name(const void *source, void *target, size_t count)                             \
    {                                                                                                   \
        convert_registers(name##_part, sizeof(from) / VECTOR_LANES, sizeof(to) / VECTOR_LANES, source,  \
                          target, count);                                                               \
    }

/* fp16 as fp32, which is exact, but one NaN. */
static inline vector canonical_fp32_of(vector_halves bits)
{
    return vector_canonical(vector_from_fp16(bits));
}

/* fp16 as the processor rounds it, but one NaN. */
static inline vector_halves canonical_fp16_of(vector value)
{
    vector_halves bits = vector_to_fp16(value), is_nan = (vector_halves)((bits & 0x7FFF) > 0x7C00);
    return (bits & ~is_nan) | (is_nan & 0x7E00);
}

REGISTER_LOOP(fp16_to_fp32, vector_halves, vector, canonical_fp32_of)
REGISTER_LOOP(fp32_to_fp16, vector, vector_halves, canonical_fp16_of)

#endif
