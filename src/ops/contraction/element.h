/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Elements of any dtype of the family as floats, and results on their way to memory.
 */
#ifndef BELAY_OPS_CONTRACTION_ELEMENT_H
#define BELAY_OPS_CONTRACTION_ELEMENT_H

#include "ops/contraction/contraction.h"
#include "ops/contraction/vectors.h"

/* Element (i, j) of a matrix whose element (0, 0) is at first. */
static ALWAYS_INLINE const unsigned char *element_at(const struct contraction_matrix *matrix,
                                                     const unsigned char *first, uint64_t i, uint64_t j)
{
    int64_t offset = (int64_t)i * matrix->stride[0] + (int64_t)j * matrix->stride[1];
    return first + offset * (int64_t)matrix->bytes;
}

/* A vector of consecutive elements. */
static ALWAYS_INLINE vector load_elements(const unsigned char *from, aclDataType dtype)
{
    if (dtype == ACL_FLOAT) {
        vector value;
        memcpy(&value, from, sizeof value);
        return value;
    }
    vector_halves half;
    memcpy(&half, from, sizeof half);
    return dtype == ACL_FLOAT16 ? vector_from_fp16(half) : vector_from_bf16(half);
}

/* At most a vector of elements that are stride apart, in order; 0 beyond them. */
static inline vector gather_elements(const unsigned char *from, aclDataType dtype, int64_t stride,
                                     uint32_t count)
{
#if defined(__AVX512F__)
    if (stride == 1) {
        const __mmask16 mask = (__mmask16)((1U << count) - 1);
        if (dtype == ACL_FLOAT)
            return (vector)_mm512_maskz_loadu_ps(mask, from);
        vector_halves half = (vector_halves)_mm256_maskz_loadu_epi16(mask, from);
        return dtype == ACL_FLOAT16 ? vector_from_fp16(half) : vector_from_bf16(half);
    }
#endif
    unsigned char element[VECTOR_LANES * 4] = {0};
    if (dtype == ACL_FLOAT)
        for (uint32_t i = 0; i < count; i++)
            memcpy(element + 4 * i, from + (int64_t)i * stride * 4, 4);
    else
        for (uint32_t i = 0; i < count; i++)
            memcpy(element + 2 * i, from + (int64_t)i * stride * 2, 2);
    return load_elements(element, dtype);
}

static ALWAYS_INLINE vector read_elements(const unsigned char *from, aclDataType dtype, int64_t stride,
                                          uint32_t count)
{
    if (stride == 1 && count >= VECTOR_LANES)
        return load_elements(from, dtype);
    return gather_elements(from, dtype, stride, count < VECTOR_LANES ? count : VECTOR_LANES);
}

/* Any number of elements; nothing beyond the last is written. */
static inline void read_row(const unsigned char *from, aclDataType dtype, int64_t stride, uint32_t count,
                            float *to)
{
    const int64_t bytes = stride * (dtype == ACL_FLOAT ? 4 : 2);
    uint32_t i = 0;
    for (; i + VECTOR_LANES <= count; i += VECTOR_LANES)
        store_floats(to + i, read_elements(from + i * bytes, dtype, stride, VECTOR_LANES));
    if (i < count) {
        vector rest = gather_elements(from + i * bytes, dtype, stride, count - i);
        memcpy(to + i, &rest, (count - i) * sizeof(float));
    }
}

/* At most a vector of canonical results, rounded to dtype, to elements that are stride apart. */
static ALWAYS_INLINE void write_elements(vector value, unsigned char *to, aclDataType dtype, int64_t stride,
                                         uint32_t count)
{
    unsigned char element[VECTOR_LANES * 4];
    const uint32_t bytes = dtype == ACL_FLOAT ? 4 : 2;
    if (dtype == ACL_FLOAT) {
        memcpy(element, &value, sizeof value);
    } else {
        vector_halves half = dtype == ACL_FLOAT16 ? halves_of_fp16(value) : halves_of_bf16(value);
        memcpy(element, &half, sizeof half);
    }
    if (stride == 1 && count >= VECTOR_LANES) {
        memcpy(to, element, (size_t)VECTOR_LANES * bytes);
        return;
    }
    if (dtype == ACL_FLOAT)
        for (uint32_t i = 0; i < count && i < VECTOR_LANES; i++)
            memcpy(to + (int64_t)i * stride * 4, element + 4 * i, 4);
    else
        for (uint32_t i = 0; i < count && i < VECTOR_LANES; i++)
            memcpy(to + (int64_t)i * stride * 2, element + 2 * i, 2);
}

/* The first of some canonical results, at most a vector, rounded to dtype. */
static ALWAYS_INLINE void store_results(unsigned char *to, aclDataType dtype, vector value, uint32_t count)
{
    if (dtype == ACL_FLOAT) {
        store_some_floats((float *)(void *)to, value, count);
        return;
    }
    const vector_halves half = dtype == ACL_FLOAT16 ? halves_of_fp16(value) : halves_of_bf16(value);
    store_some_halves(to, half, count);
}

/*
 * A double as a float that rounds to 16 bits as the double does: inexact ones to the odd neighbour, which is
 * no tie of a narrower dtype. The parity of an infinity is even, so that what overflows becomes the largest
 * float.
 */
static inline float float_for_rounding(double value)
{
    float nearest = (float)value;
    uint32_t bits;
    memcpy(&bits, &nearest, sizeof bits);
    if ((double)nearest == value || value != value || (bits & 1) != 0)
        return nearest;
    bool is_outwards = value > 0 ? (double)nearest < value : (double)nearest > value;
    bits = is_outwards ? bits + 1 : bits - 1;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

#endif
