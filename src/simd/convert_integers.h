/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Conversion of contiguous elements to and between integers and BOOL, in loops without branches.
 *
 * Floats lose their fraction; NaN gives 0. Integers of 32 and 64 bits take the nearest number that they have;
 * those of 8 and 16 bits take the low bits of what INT64 would be. Between integers the low bits are kept.
 * What is not 0 is true, and true is 1.
 */
#ifndef BELAY_SIMD_CONVERT_INTEGERS_H
#define BELAY_SIMD_CONVERT_INTEGERS_H

#include "ops/pointwise/elementwise.h"
#include "simd/convert_floats.h"

typedef int16_t signed_half_word __attribute__((may_alias));
typedef int32_t signed_word __attribute__((may_alias));
typedef int64_t signed_double_word __attribute__((may_alias));

static const uint32_t FP32_INFINITY = UINT32_C(0xFF) << 23;
static const uint64_t FP64_INFINITY = UINT64_C(0x7FF) << 52;

/* The bits of 2^exponent. */
static inline uint32_t fp32_power(int exponent)
{
    return (uint32_t)(exponent + 127) << 23;
}

static inline uint64_t fp64_power(int exponent)
{
    return (uint64_t)(exponent + 1023) << 52;
}

/*
 * The low 32 bits of a magnitude below 2^63 without its fraction: the significand shifted to where its last
 * bit is worth 1, out of the register where that is far away. Meaningless for what is larger.
 */
static inline uint32_t fp32_truncated(uint32_t magnitude)
{
    uint32_t significand = (magnitude & 0x7FFFFF) | 0x800000, exponent = magnitude >> 23;
    uint32_t right = exponent < 150 ? 150 - exponent : 0, left = exponent < 150 ? 0 : exponent - 150;
    uint32_t shifted = significand >> (right < 31 ? right : 31);
    return left > 31 ? 0 : shifted << (left & 31);
}

/* A magnitude below 2^64 without its fraction. */
static inline uint64_t fp64_truncated(uint64_t magnitude)
{
    uint64_t significand = (magnitude & (UINT64_MAX >> 12)) | UINT64_C(1) << 52, exponent = magnitude >> 52;
    uint64_t right = exponent < 1075 ? 1075 - exponent : 0, left = exponent < 1075 ? 0 : exponent - 1075;
    return significand >> (right < 63 ? right : 63) << (left & 63);
}

static inline uint64_t fp64_to_i64(uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1), sign = (uint64_t)((int64_t)bits >> 63);
    uint64_t number = (fp64_truncated(magnitude) ^ sign) - sign;
    number = magnitude >= fp64_power(63) ? (UINT64_MAX >> 1) - sign : number;
    return magnitude > FP64_INFINITY ? 0 : number;
}

static inline uint64_t fp64_to_u64(uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    uint64_t number = magnitude >= fp64_power(64) ? UINT64_MAX : fp64_truncated(magnitude);
    return magnitude > FP64_INFINITY || bits != magnitude ? 0 : number;
}

static inline uint64_t fp64_to_u32(uint64_t bits)
{
    uint64_t magnitude = bits & (UINT64_MAX >> 1);
    uint64_t number = magnitude >= fp64_power(32) ? UINT32_MAX : fp64_truncated(magnitude);
    return magnitude > FP64_INFINITY || bits != magnitude ? 0 : number;
}

/* C says nothing of a cast that overflows: what would is cast from 0, and replaced. NaN is neither. */
static inline uint64_t fp64_to_i32(uint64_t bits)
{
    double value = fp64_from(bits);
    int32_t number = (int32_t)(((value > -0x1p31 - 1) & (value < 0x1p31)) != 0 ? value : 0);
    number = value >= 0x1p31 ? INT32_MAX : number;
    return (uint32_t)(value <= -0x1p31 - 1 ? INT32_MIN : number);
}

static inline uint64_t fp32_to_i32(uint32_t bits)
{
    float value = fp32_from(bits);
    int32_t number = (int32_t)(((value >= -0x1p31f) & (value < 0x1p31f)) != 0 ? value : 0);
    number = value >= 0x1p31f ? INT32_MAX : number;
    return (uint32_t)(value < -0x1p31f ? INT32_MIN : number);
}

static inline uint64_t fp32_to_u32(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7FFFFFFF;
    uint32_t number = magnitude >= fp32_power(32) ? UINT32_MAX : fp32_truncated(magnitude);
    return magnitude > FP32_INFINITY || bits != magnitude ? 0 : number;
}

/* The low 32 bits of what INT64 would be. */
static inline uint64_t fp32_to_low_bits(uint32_t bits)
{
    uint32_t magnitude = bits & 0x7FFFFFFF, sign = 0 - (bits >> 31);
    uint32_t number = (fp32_truncated(magnitude) ^ sign) - sign;
    number = magnitude >= fp32_power(63) ? ~sign : number;
    return magnitude > FP32_INFINITY ? 0 : number;
}

static inline uint64_t fp32_to_i64(uint32_t bits)
{
    return fp64_to_i64(fp64_bits((double)fp32_from(bits)));
}

static inline uint64_t fp32_to_u64(uint32_t bits)
{
    return fp64_to_u64(fp64_bits((double)fp32_from(bits)));
}

/*
 * What the functions above do with magnitudes below 2^31, or 2^TRUNCATED_BITS: the processor's own conversion
 * to as many bits as it has one in vectors for. A natural number is 0 for all that is negative; of 32 bits
 * it is the right one below 2^NATURAL_BITS.
 */
#if defined(__AVX512DQ__)
typedef int64_t truncated;
enum { TRUNCATED_BITS = 63, NATURAL_BITS = 32 };
#else
typedef int32_t truncated;
enum { TRUNCATED_BITS = 31, NATURAL_BITS = 31 };
#endif

static inline uint64_t fp32_as_i32(uint32_t bits)
{
    return (uint64_t)(int32_t)fp32_from(bits);
}

static inline uint64_t fp32_as_truncated(uint32_t bits)
{
    return (uint64_t)(truncated)fp32_from(bits);
}

static inline uint64_t fp32_as_natural(uint32_t bits)
{
    return (uint64_t)(truncated)fp32_from(bits >> 31 ? 0 : bits);
}

static inline uint64_t fp64_as_i32(uint64_t bits)
{
    return (uint64_t)(int32_t)fp64_from(bits);
}

static inline uint64_t fp64_as_truncated(uint64_t bits)
{
    return (uint64_t)(truncated)fp64_from(bits);
}

static inline uint64_t fp64_as_natural(uint64_t bits)
{
    return (uint64_t)(truncated)fp64_from(bits >> 63 ? 0 : bits);
}

/*
 * An integer as an fp64 that is rounded to odd: the two bits below those that any narrower float keeps are
 * there, and the last of all tells whether something was lost, so that rounding once more is as good as once.
 */
static inline double odd_fp64_of_i64(int64_t value)
{
    const uint64_t bound = UINT64_C(1) << 53;
    uint64_t bits = (uint64_t)value, low = bits & 0x7FF, odd = (bits - low) | (uint64_t)(low != 0) << 11;
    uint64_t is_large = 0 - (uint64_t)(bits + bound > 2 * bound); /* masks: compilers would branch */
    return (double)(int64_t)((odd & is_large) | (bits & ~is_large));
}

static inline double odd_fp64_of_u64(uint64_t value)
{
    uint64_t low = value & 0x7FF, odd = (value - low) | (uint64_t)(low != 0) << 11;
    uint64_t is_large = 0 - (uint64_t)(value > UINT64_C(1) << 53);
    return (double)((odd & is_large) | (value & ~is_large));
}

/* The low bits, as many as bytes hold. */
static inline __attribute__((always_inline)) void store_integer(unsigned bytes, void *target, size_t i,
                                                                uint64_t value)
{
    if (bytes == 1)
        ((uint8_t *)target)[i] = (uint8_t)value;
    else if (bytes == 2)
        ((half_word *)target)[i] = (uint16_t)value;
    else if (bytes == 4)
        ((word *)target)[i] = (uint32_t)value;
    else
        ((double_word *)target)[i] = value;
}

/* So many floats are converted by the processor if all of them are small enough, of which NaN is not. */
enum { TRUNCATED_BLOCK = 64 };

/*
 * Defines what makes floats integers of so many bytes, for floats that are kept as elements of a type: quick
 * for magnitudes below a power of two, careful for any. All but the last three arguments are constants.
 */
#define TRUNCATED_TO(name, element, magnitude_bits, power)                                      \
    typedef uint64_t name##_truncation(element bits);                                           \
    static inline __attribute__((always_inline)) void name##_truncated_block(                   \
        unsigned bytes, int exponent, name##_truncation *quick, name##_truncation *careful,     \
        const element *from, void *to, size_t count)                                            \
    {                                                                                           \
        element beyond = 0;                                                                     \
        for (size_t i = 0; i < count; i++)                                                      \
            beyond |= (element)((from[i] & (magnitude_bits)) >= power(exponent));               \
        if (__builtin_expect(beyond == 0, 1))                                                   \
            for (size_t i = 0; i < count; i++)                                                  \
                store_integer(bytes, to, i, quick(from[i]));                                    \
        else                                                                                    \
            for (size_t i = 0; i < count; i++)                                                  \
                store_integer(bytes, to, i, careful(from[i]));                                  \
    }                                                                                           \
    static inline __attribute__((always_inline)) void name##_truncated_to(                      \
        unsigned bytes, int exponent, name##_truncation *quick, name##_truncation *careful,     \
        const void *source, void *target, size_t count)                                         \
    {                                                                                           \
        const element *from = source;                                                           \
        char *to = target;                                                                      \
        for (; count >= TRUNCATED_BLOCK; count -= TRUNCATED_BLOCK) {                            \
            name##_truncated_block(bytes, exponent, quick, careful, from, to, TRUNCATED_BLOCK); \
            from += TRUNCATED_BLOCK;                                                            \
            to += (size_t)TRUNCATED_BLOCK * bytes;                                              \
        }                                                                                       \
        name##_truncated_block(bytes, exponent, quick, careful, from, to, count);               \
    }

TRUNCATED_TO(fp32, word, 0x7FFFFFFF, fp32_power)
TRUNCATED_TO(fp64, double_word, UINT64_MAX >> 1, fp64_power)

#endif
