/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Blocks of elements are widened to fp64, or to 64 bits, reduced there rank by rank, and narrowed. There is
 * one compilation for all processors, whose loops the compiler turns into vectors.
 */
#include "hccl/reduce.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/streams/workers.h"

enum {
    BLOCK = 512,       /* elements that are wide at a time: two blocks of 4 KiB stay in the first cache */
    SHARE_BLOCKS = 64, /* that a thread takes at a time */
    PICOSECONDS = 700  /* for an element of one rank, about */
};

union wide {
    double fp64;
    int64_t i64;
    uint64_t u64;
};

enum wide_kind { WIDE_FLOAT, WIDE_SIGNED, WIDE_UNSIGNED };

/* How a dtype is widened and narrowed. Both work on count elements, at most BLOCK. */
struct form {
    enum wide_kind kind;
    uint32_t bytes;
    void (*widen)(union wide *restrict wide, const void *restrict from, uint64_t count);
    void (*narrow)(void *restrict to, const union wide *restrict wide, uint64_t count);
};

static inline double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* An element in 64 bits, and back. Integers wrap when they are narrowed, so that signed and unsigned ones are
 * narrowed alike. */
typedef union wide widen_function(const void *from, uint64_t i);
typedef void narrow_function(void *to, uint64_t i, union wide wide);

static inline __attribute__((always_inline)) void widen_each(widen_function *widen, union wide *restrict wide,
                                                             const void *restrict from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        wide[i] = widen(from, i);
}

static inline __attribute__((always_inline)) void narrow_each(narrow_function *narrow, void *restrict to,
                                                              const union wide *restrict wide, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        narrow(to, i, wide[i]);
}

#define WIDEN(name, type, member)                                                                  \
    static inline union wide wide_##name(const void *from, uint64_t i)                             \
    {                                                                                              \
        return (union wide){.member = ((const type *)from)[i]};                                    \
    }                                                                                              \
    static void widen_##name(union wide *restrict wide, const void *restrict from, uint64_t count) \
    {                                                                                              \
        widen_each(wide_##name, wide, from, count);                                                \
    }
#define NARROW(name, type)                                                                        \
    static inline void put_##name(void *to, uint64_t i, union wide wide)                          \
    {                                                                                             \
        ((type *)to)[i] = (type)wide.u64;                                                         \
    }                                                                                             \
    static void narrow_##name(void *restrict to, const union wide *restrict wide, uint64_t count) \
    {                                                                                             \
        narrow_each(put_##name, to, wide, count);                                                 \
    }
WIDEN(int8, int8_t, i64)
WIDEN(int16, int16_t, i64)
WIDEN(int32, int32_t, i64)
WIDEN(int64, int64_t, i64)
WIDEN(uint8, uint8_t, u64)
WIDEN(uint16, uint16_t, u64)
WIDEN(uint32, uint32_t, u64)
WIDEN(uint64, uint64_t, u64)
NARROW(8, uint8_t)
NARROW(16, uint16_t)
NARROW(32, uint32_t)
NARROW(64, uint64_t)

static void widen_fp32(union wide *restrict wide, const void *restrict from, uint64_t count)
{
    const float *value = (const float *)from;
    for (uint64_t i = 0; i < count; i++)
        wide[i].fp64 = (double)value[i];
}

static void widen_bf16(union wide *restrict wide, const void *restrict from, uint64_t count)
{
    const uint16_t *bits = (const uint16_t *)from;
    for (uint64_t i = 0; i < count; i++)
        wide[i].fp64 = (double)float_of_bits((uint32_t)bits[i] << 16);
}

/*
 * Moved into place, an fp16 is an fp32 that is too small by 2^112, subnormal ones included, so that a product
 * gives its value. Infinities and NaNs come out as 2^16 and more, and get the exponent of those.
 */
static void widen_fp16(union wide *restrict wide, const void *restrict from, uint64_t count)
{
    const uint16_t *bits = (const uint16_t *)from;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t magnitude = ((uint32_t)bits[i] & 0x7fffu) << 13;
        uint32_t scaled = bits_of_float(float_of_bits(magnitude) * 0x1p112f);
        uint32_t special = magnitude >= 0x7c00u << 13 ? 0x7f800000u : 0;
        wide[i].fp64 = (double)float_of_bits(scaled | special | ((uint32_t)bits[i] & 0x8000u) << 16);
    }
}

static void widen_fp64(union wide *restrict wide, const void *restrict from, uint64_t count)
{
    memcpy(wide, from, count * sizeof *wide);
}

static void narrow_fp64(void *restrict to, const union wide *restrict wide, uint64_t count)
{
    double *value = (double *)to;
    for (uint64_t i = 0; i < count; i++) {
        double whole = wide[i].fp64;
        value[i] = whole == whole ? whole : double_of_bits(UINT64_C(0x7ff8000000000000));
    }
}

static void narrow_fp32(void *restrict to, const union wide *restrict wide, uint64_t count)
{
    uint32_t *bits = (uint32_t *)to;
    for (uint64_t i = 0; i < count; i++) {
        double whole = wide[i].fp64;
        bits[i] = whole == whole ? bits_of_float((float)whole) : 0x7fc00000u;
    }
}

/*
 * The magnitude, rounded to so many bits of fraction, as a number of its ulps from zero on, which are the
 * format's bits: above least, the smallest normal number, by adding half an ulp to the bits of the fp64,
 * below by adding a number whose ulp is that of the subnormal ones. What lies beyond the largest ends as
 * infinity.
 */
static inline uint32_t round_magnitude(double value, int fraction_bits, int exponent_bits)
{
    const int bias = (1 << (exponent_bits - 1)) - 1, shift = 52 - fraction_bits;
    const uint64_t least = (uint64_t)(1023 - bias + 1) << 52; /* bits of the smallest normal number */
    const uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    uint64_t bits = bits_of_double(value) & INT64_MAX;
    uint64_t rounded = bits + ((UINT64_C(1) << (shift - 1)) - 1) + (bits >> shift & 1);
    uint64_t normal = (rounded >> shift) - ((uint64_t)(1023 - bias) << fraction_bits);
    /* The sum's last bits are the ulps: 2^52 ulps of the subnormal ones are added. */
    double magic = double_of_bits((uint64_t)(1023 + 52 + 1 - bias - fraction_bits) << 52);
    uint64_t subnormal = bits_of_double(double_of_bits(bits) + magic) - bits_of_double(magic);
    uint64_t found = bits < least ? subnormal : normal;
    return (uint32_t)(found < infinity ? found : infinity);
}

static void narrow_fp16(void *restrict to, const union wide *restrict wide, uint64_t count)
{
    uint16_t *bits = (uint16_t *)to;
    for (uint64_t i = 0; i < count; i++) {
        double whole = wide[i].fp64;
        uint32_t sign = (uint32_t)(wide[i].u64 >> 63) << 15;
        bits[i] = (uint16_t)(whole == whole ? sign | round_magnitude(whole, 10, 5) : 0x7e00u);
    }
}

static void narrow_bf16(void *restrict to, const union wide *restrict wide, uint64_t count)
{
    uint16_t *bits = (uint16_t *)to;
    for (uint64_t i = 0; i < count; i++) {
        double whole = wide[i].fp64;
        uint32_t sign = (uint32_t)(wide[i].u64 >> 63) << 15;
        bits[i] = (uint16_t)(whole == whole ? sign | round_magnitude(whole, 7, 8) : 0x7fc0u);
    }
}

static const struct form forms[] = {
    [HCCL_DATA_TYPE_INT8] = {WIDE_SIGNED, 1, widen_int8, narrow_8},
    [HCCL_DATA_TYPE_INT16] = {WIDE_SIGNED, 2, widen_int16, narrow_16},
    [HCCL_DATA_TYPE_INT32] = {WIDE_SIGNED, 4, widen_int32, narrow_32},
    [HCCL_DATA_TYPE_FP16] = {WIDE_FLOAT, 2, widen_fp16, narrow_fp16},
    [HCCL_DATA_TYPE_FP32] = {WIDE_FLOAT, 4, widen_fp32, narrow_fp32},
    [HCCL_DATA_TYPE_INT64] = {WIDE_SIGNED, 8, widen_int64, narrow_64},
    [HCCL_DATA_TYPE_UINT64] = {WIDE_UNSIGNED, 8, widen_uint64, narrow_64},
    [HCCL_DATA_TYPE_UINT8] = {WIDE_UNSIGNED, 1, widen_uint8, narrow_8},
    [HCCL_DATA_TYPE_UINT16] = {WIDE_UNSIGNED, 2, widen_uint16, narrow_16},
    [HCCL_DATA_TYPE_UINT32] = {WIDE_UNSIGNED, 4, widen_uint32, narrow_32},
    [HCCL_DATA_TYPE_FP64] = {WIDE_FLOAT, 8, widen_fp64, narrow_fp64},
    [HCCL_DATA_TYPE_BFP16] = {WIDE_FLOAT, 2, widen_bf16, narrow_bf16},
};

/* Where the two are equal their bits differ in the sign of zero at most. */
static inline double larger(double a, double b)
{
    double same = double_of_bits(bits_of_double(a) & bits_of_double(b));
    double ordered = a > b ? a : b > a ? b : same;
    return a == a && b == b ? ordered : double_of_bits(UINT64_C(0x7ff8000000000000));
}

static inline double smaller(double a, double b)
{
    double same = double_of_bits(bits_of_double(a) | bits_of_double(b));
    double ordered = a < b ? a : b < a ? b : same;
    return a == a && b == b ? ordered : double_of_bits(UINT64_C(0x7ff8000000000000));
}

static inline double sum_of(double a, double b)
{
    return a + b;
}

static inline double product_of(double a, double b)
{
    return a * b;
}

static inline uint64_t integer_sum(uint64_t a, uint64_t b)
{
    return a + b;
}

static inline uint64_t integer_product(uint64_t a, uint64_t b)
{
    return a * b;
}

static inline uint64_t larger_signed(uint64_t a, uint64_t b)
{
    return (int64_t)a > (int64_t)b ? a : b;
}

static inline uint64_t smaller_signed(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b ? a : b;
}

static inline uint64_t larger_natural(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t smaller_natural(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline __attribute__((always_inline)) void reduce_doubles(double (*merge)(double, double),
                                                                 union wide *restrict sum,
                                                                 const union wide *restrict more,
                                                                 uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sum[i].fp64 = merge(sum[i].fp64, more[i].fp64);
}

static inline __attribute__((always_inline)) void reduce_words(uint64_t (*merge)(uint64_t, uint64_t),
                                                               union wide *restrict sum,
                                                               const union wide *restrict more,
                                                               uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        sum[i].u64 = merge(sum[i].u64, more[i].u64);
}

static void reduce_floats(HcclReduceOp reduction, union wide *restrict sum, const union wide *restrict more,
                          uint64_t count)
{
    switch (reduction) {
    case HCCL_REDUCE_SUM:
        reduce_doubles(sum_of, sum, more, count);
        break;
    case HCCL_REDUCE_PROD:
        reduce_doubles(product_of, sum, more, count);
        break;
    case HCCL_REDUCE_MAX:
        reduce_doubles(larger, sum, more, count);
        break;
    default:
        reduce_doubles(smaller, sum, more, count);
        break;
    }
}

static void reduce_signed(HcclReduceOp reduction, union wide *restrict sum, const union wide *restrict more,
                          uint64_t count)
{
    switch (reduction) {
    case HCCL_REDUCE_SUM:
        reduce_words(integer_sum, sum, more, count);
        break;
    case HCCL_REDUCE_PROD:
        reduce_words(integer_product, sum, more, count);
        break;
    case HCCL_REDUCE_MAX:
        reduce_words(larger_signed, sum, more, count);
        break;
    default:
        reduce_words(smaller_signed, sum, more, count);
        break;
    }
}

static void reduce_unsigned(HcclReduceOp reduction, union wide *restrict sum, const union wide *restrict more,
                            uint64_t count)
{
    switch (reduction) {
    case HCCL_REDUCE_MAX:
        reduce_words(larger_natural, sum, more, count);
        break;
    case HCCL_REDUCE_MIN:
        reduce_words(smaller_natural, sum, more, count);
        break;
    default: /* the same bits */
        reduce_signed(reduction, sum, more, count);
        break;
    }
}

/* What threads share. */
struct reduction {
    const struct form *form;
    HcclReduceOp reduction;
    const void *const *from;
    uint32_t rank_count;
    unsigned char *out;
    uint64_t count;
};

static void reduce_block(const struct reduction *own, uint64_t first, uint64_t count)
{
    union wide sum[BLOCK] __attribute__((uninitialized)), more[BLOCK] __attribute__((uninitialized));
    const uint64_t offset = first * own->form->bytes;
    own->form->widen(sum, (const unsigned char *)own->from[0] + offset, count);
    for (uint32_t rank = 1; rank < own->rank_count; rank++) {
        own->form->widen(more, (const unsigned char *)own->from[rank] + offset, count);
        if (own->form->kind == WIDE_FLOAT)
            reduce_floats(own->reduction, sum, more, count);
        else if (own->form->kind == WIDE_SIGNED)
            reduce_signed(own->reduction, sum, more, count);
        else
            reduce_unsigned(own->reduction, sum, more, count);
    }
    own->form->narrow(own->out + offset, sum, count);
}

static void reduce_blocks(void *context, uint64_t begin, uint64_t end)
{
    const struct reduction *own = (const struct reduction *)context;
    for (uint64_t block = begin; block < end; block++) {
        uint64_t first = block * BLOCK;
        reduce_block(own, first, own->count - first < BLOCK ? own->count - first : BLOCK);
    }
}

void reduce(HcclDataType data_type, HcclReduceOp reduction, const void *const *from, uint32_t rank_count,
            void *out, uint64_t count)
{
    struct reduction own = {.form = &forms[data_type],
                            .reduction = reduction,
                            .from = from,
                            .rank_count = rank_count,
                            .out = (unsigned char *)out,
                            .count = count};
    if (count > 0)
        workers_share(reduce_blocks, &own, (count + BLOCK - 1) / BLOCK, SHARE_BLOCKS,
                      count * rank_count * PICOSECONDS / 1000);
}
