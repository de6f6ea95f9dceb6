/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The inner loop of products of INT8: a few rows by a column at a time.
 */
#include "ops/contraction/int8_product.h"

#include <string.h>

#ifdef KERNEL_PASS

#include "simd/vector/level_table.h"

/* The next steps of some rows and of a column: their products are added to sums of words, a lane of which has those
 * of two steps that lie side by side. The levels differ in how many steps that is, which the sums, being exact,
 * do not show. */
#if defined __AVX512BW__
#include <immintrin.h>

enum { AT_ONCE = 32 };
typedef __m512i words;
typedef __m512i halves;

static inline halves read_steps(const int8_t *from)
{
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)from));
}

static inline words add_products(words sum, halves a, halves b)
{
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
}

#elif defined __AVX2__
#include <immintrin.h>

enum { AT_ONCE = 16 };
typedef __m256i words;
typedef __m256i halves;

static inline halves read_steps(const int8_t *from)
{
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)from));
}

static inline words add_products(words sum, halves a, halves b)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
}

#else

/* What a compiler makes well of, whatever the processor has: a step is a lane here. */
enum { AT_ONCE = 8 };
typedef int8_t few_bytes __attribute__((vector_size(AT_ONCE)));
typedef int16_t halves __attribute__((vector_size(AT_ONCE * 2)));
typedef int32_t words __attribute__((vector_size(AT_ONCE * 2)));

static inline halves read_steps(const int8_t *from)
{
    few_bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return __builtin_convertvector(bytes, halves);
}

/* Even and odd steps apart; a product of INT8 has 16 bits. */
static inline words add_products(words sum, halves a, halves b)
{
    const words both = (words)(a * b), even = both << 16 >> 16;
    return sum + even + (both >> 16);
}

#endif

int8_dots AT_LEVEL(int8_dots);
void AT_LEVEL(int8_dots)(const int8_t *row, size_t step, const int8_t *column, size_t depth, int32_t *to)
{
    uint32_t rest[INT8_ROWS] = {0};
    words sum[INT8_ROWS] = {{0}};
    size_t k = 0;
    for (; k + AT_ONCE <= depth; k += AT_ONCE) {
        const halves right = read_steps(column + k);
#pragma GCC unroll 4
        for (int i = 0; i < INT8_ROWS; i++)
            sum[i] = add_products(sum[i], read_steps(row + (size_t)i * step + k), right);
    }
    for (; k < depth; k++)
        for (int i = 0; i < INT8_ROWS; i++)
            rest[i] += (uint32_t)((int32_t)row[(size_t)i * step + k] * column[k]);
    for (int i = 0; i < INT8_ROWS; i++) {
        uint32_t lane[sizeof sum[i] / sizeof(uint32_t)];
        memcpy(lane, &sum[i], sizeof lane);
        for (size_t l = 0; l < sizeof lane / sizeof lane[0]; l++)
            rest[i] += lane[l];
        to[i] = (int32_t)rest[i];
    }
}

#endif
