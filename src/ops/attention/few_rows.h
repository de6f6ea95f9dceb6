/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Few rows of the query by keys and values that are halves where they lie, as decoding has them: every element
 * is used so few times that its way from memory counts, and a copy as floats would be a second one. Keys are
 * turned round in registers, so that they are the lanes of vectors; the chains are those of multiply.h.
 */
#ifndef BELAY_OPS_ATTENTION_FEW_ROWS_H
#define BELAY_OPS_ATTENTION_FEW_ROWS_H

#include "ops/attention/block.h"
#include "ops/contraction/element.h"
#include "ops/contraction/half_columns.h"

#if defined(__AVX2__)
/* Keys whose chains hide one another's latency, by as many registers as there are. */
#if defined(__AVX512F__)
enum { FEW_SETS = 2 };
#else
enum { FEW_SETS = 1 };
#endif
enum { SET_KEYS = 16, FEW_KEYS = FEW_SETS * SET_KEYS, FEW_LINE = 64 };
_Static_assert((int)ATTENTION_FEW_STEPS == (int)HALF_STEPS, "so many elements of a key are turned at once");

/* Asks for the row that is met soon, and for the next head's, which often lies beside this one: rows lie too
 * far apart for the processor to notice that one follows another. There may be none any more. */
static ALWAYS_INLINE void prefetch_rows(const struct attention_few *few, const unsigned char *row,
                                        uint32_t bytes, uint32_t ahead)
{
    const uintptr_t soon = (uintptr_t)row + ahead * (uintptr_t)few->row_bytes,
                    next = (uintptr_t)row + (uintptr_t)few->head_bytes;
    for (uint32_t line = 0; line < bytes; line += FEW_LINE) {
        __builtin_prefetch((const void *)(soon + line));
        __builtin_prefetch((const void *)(next + line), 0, 2);
    }
}

/* Scores of FEW_KEYS keys, of which count are there: beyond them the last one stands in. */
static ALWAYS_INLINE void score_keys(const struct attention_few *few, const unsigned char *first,
                                     uint32_t count, uint32_t rows, aclDataType dtype, float *scores)
{
    const bool takes_pairs = dtype == ACL_BF16;
    const unsigned char *key[FEW_KEYS] __attribute__((uninitialized));
    struct half_floats sum[FEW_SETS][ATTENTION_FEW] __attribute__((uninitialized));
    float part[ATTENTION_FEW][FEW_KEYS] __attribute__((uninitialized));
    for (uint32_t j = 0; j < FEW_KEYS; j++)
        key[j] = first + (j < count ? j : count - 1) * few->row_bytes;
#pragma GCC unroll 2
    for (int s = 0; s < FEW_SETS; s++)
#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++)
            sum[s][i] = no_half_floats();
    uint32_t asked = 0;
    for (uint32_t k = 0; k < few->depth; k += HALF_STEPS) {
        for (; asked * few->depth < FEW_KEYS * (k + HALF_STEPS); asked++)
            prefetch_rows(few, key[asked], few->depth * 2, FEW_KEYS);
#pragma GCC unroll 2
        for (int s = 0; s < FEW_SETS; s++) {
            const unsigned char *const *own = key + s * SET_KEYS;
            __m256i step[HALF_STEPS];
            turn_half_steps(own, k * 2, own + SET_KEYS / 2, k * 2, step);
#pragma GCC unroll 8
            for (uint32_t n = 0; n < HALF_STEPS; n++) {
                const uint32_t at = takes_pairs ? n ^ 1 : n;
                const float *query = few->query + (size_t)(k + at) * few->query_step;
#pragma GCC unroll 4
                for (uint32_t i = 0; i < rows; i++)
                    sum[s][i] = add_half_step(sum[s][i], query + i, query + i, step[at], dtype);
            }
        }
    }
#pragma GCC unroll 2
    for (int s = 0; s < FEW_SETS; s++)
#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++)
            for (int half = 0; half < 2; half++)
                _mm256_storeu_ps(part[i] + s * SET_KEYS + half * SET_KEYS / 2,
                                 part_of_half_floats(sum[s][i], half));
    for (uint32_t j = 0; j < count; j++, scores += few->step) {
        store_floats(scores, vector_of(0));
        for (uint32_t i = 0; i < rows; i++)
            scores[i] = part[i][j];
    }
}

static ALWAYS_INLINE void score_rows(const struct attention_few *few, uint32_t rows, aclDataType dtype)
{
    for (uint32_t j = 0; j < few->keys; j += FEW_KEYS)
        score_keys(few, few->from + j * few->row_bytes, few->keys - j < FEW_KEYS ? few->keys - j : FEW_KEYS,
                   rows, dtype, few->scores + (size_t)j * few->step);
}

/* Sums of so many vectors of a value's elements by the exponentials of all keys. */
static ALWAYS_INLINE void add_columns(const struct attention_few *few, uint32_t column, uint32_t rows,
                                      uint32_t vectors, aclDataType dtype)
{
    enum { AHEAD = 32 };
    const unsigned char *from = few->from + (size_t)column * 2;
    const float *score = few->scores;
    vector sum[ATTENTION_FEW][4];
#pragma GCC unroll 4
    for (uint32_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (uint32_t v = 0; v < vectors; v++)
            sum[i][v] = vector_of(0);
    for (uint32_t j = 0; j < few->keys; j++, from += few->row_bytes, score += few->step) {
        vector value[4];
        prefetch_rows(few, from, vectors * VECTOR_LANES * 2, AHEAD);
#pragma GCC unroll 4
        for (uint32_t v = 0; v < vectors; v++)
            value[v] = load_elements(from + v * VECTOR_LANES * 2, dtype);
#pragma GCC unroll 4
        for (uint32_t i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (uint32_t v = 0; v < vectors; v++)
                sum[i][v] = fused(vector_of(score[i]), value[v], sum[i][v]);
    }
#pragma GCC unroll 4
    for (uint32_t i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (uint32_t v = 0; v < vectors; v++) {
            float *to = few->sums + (size_t)i * few->sums_step + column + v * VECTOR_LANES;
            store_floats(to, few->adds ? load_floats(to) + sum[i][v] : sum[i][v]);
        }
}

static ALWAYS_INLINE void add_rows(const struct attention_few *few, uint32_t rows, aclDataType dtype)
{
    const uint32_t most = rows > 2 ? 2 : 4;
    uint32_t column = 0;
    for (; column + most * VECTOR_LANES <= few->depth; column += most * VECTOR_LANES)
        add_columns(few, column, rows, most, dtype);
    for (; column < few->depth; column += VECTOR_LANES)
        add_columns(few, column, rows, 1, dtype);
}

static ALWAYS_INLINE void score_few_of(const struct attention_few *few, aclDataType dtype)
{
    if (few->rows == 1)
        score_rows(few, 1, dtype);
    else if (few->rows == 2)
        score_rows(few, 2, dtype);
    else if (few->rows == 3)
        score_rows(few, 3, dtype);
    else
        score_rows(few, 4, dtype);
}

static ALWAYS_INLINE void add_few_of(const struct attention_few *few, aclDataType dtype)
{
    if (few->rows == 1)
        add_rows(few, 1, dtype);
    else if (few->rows == 2)
        add_rows(few, 2, dtype);
    else if (few->rows == 3)
        add_rows(few, 3, dtype);
    else
        add_rows(few, 4, dtype);
}

static void score_few(const struct attention_few *few)
{
    if (few->dtype == ACL_FLOAT16)
        score_few_of(few, ACL_FLOAT16);
    else
        score_few_of(few, ACL_BF16);
}

static void add_few(const struct attention_few *few)
{
    if (few->dtype == ACL_FLOAT16)
        add_few_of(few, ACL_FLOAT16);
    else
        add_few_of(few, ACL_BF16);
}
#endif

#endif
