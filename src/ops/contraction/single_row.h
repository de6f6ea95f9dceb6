/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products with a single row on the left: every element of the right matrix is used once, so that its way
 * from memory is all that counts and packing would be a second one. Sums are the chains of multiply.h.
 */
#ifndef BELAY_OPS_CONTRACTION_SINGLE_ROW_H
#define BELAY_OPS_CONTRACTION_SINGLE_ROW_H

#include "ops/contraction/float_columns.h"
#include "ops/contraction/multiply.h"
#include "ops/contraction/panel.h"

/*
 * Where columns lie side by side: a few steps by all columns of the tile, so that each row of the right matrix is read
 * to its end at once, and the block's sums stay in the nearest cache. The processor's own fetching follows 8 rows of
 * floats well. From memory rows of halves come one by one, those of pairs two by two, and what follows is asked for in
 * the order of addresses, which is how memory answers quickest; out of a cache FLOAT16 is quicker by half with 8.
 */
enum { STEPS_WIDE = 8, WIDE_BYTES = 8192, FETCHED_BYTES = 8192 };

/* Asks for lines of as many rows that are to follow, one or two: the first one's to its end, and then the other's. */
static ALWAYS_INLINE void prefetch_rows(uintptr_t following, int64_t step_bytes, int64_t columns, int64_t j,
                                        int steps, int64_t bytes)
{
    const bool is_second = j * steps >= columns;
    const int64_t at = (j * steps - (is_second ? columns : 0)) * bytes + (is_second ? step_bytes : 0);
    for (int k = 0; k < steps; k++)
        __builtin_prefetch((const void *)(following + (uintptr_t)(at + k * LINE_BYTES)));
}

/* takes_pairs: of each two steps the second one first. following: where fetches is true, rows to ask for. */
static ALWAYS_INLINE void add_steps(const struct contraction_step *step, const float *left,
                                    const unsigned char *right, float *sums, bool is_first, int steps,
                                    aclDataType dtype, bool takes_pairs, bool fetches, uintptr_t following)
{
    const int64_t bytes = dtype == ACL_FLOAT ? 4 : 2, step_bytes = step->right_step * bytes;
    const uint32_t columns = step->columns, at_once = fetches ? LINE_BYTES / (uint32_t)bytes : VECTOR_LANES;
    vector row[STEPS_WIDE];
#pragma GCC unroll 8
    for (int k = 0; k < steps; k++)
        row[k] = vector_of(left[k * step->left_step]);
    for (uint32_t begin = 0; begin < columns; begin += at_once) {
        if (fetches)
            prefetch_rows(following, step_bytes, columns, begin, steps, bytes);
#pragma GCC unroll 8
        for (uint32_t j = begin; j < begin + at_once; j += VECTOR_LANES) {
            if (j == columns)
                break;
            vector sum = is_first ? (vector){0} : load_floats(sums + j);
#pragma GCC unroll 8
            for (int i = 0; i < steps; i++) {
                const int k = takes_pairs ? i ^ 1 : i;
                sum = fused(row[k], load_elements(right + k * step_bytes + j * bytes, dtype), sum);
            }
            store_floats(sums + j, sum);
        }
    }
}

static ALWAYS_INLINE void multiply_wide_of(const struct contraction_step *step, aclDataType dtype,
                                           bool takes_pairs, bool fetches)
{
    const uint32_t bytes = dtype == ACL_FLOAT ? 4 : 2;
    const uint32_t steps = !fetches ? STEPS_WIDE : takes_pairs ? 2 : 1;
    float sums[WIDE_BYTES / 2] __attribute__((uninitialized)); /* of halves; of floats half of them */
    const int64_t step_bytes = step->right_step * (int64_t)bytes;
    const uint32_t at_once = steps * step->columns * bytes,
                   ahead = (FETCHED_BYTES + at_once - 1) / at_once * steps;
    const unsigned char *right = (const unsigned char *)step->right;
    uint32_t k = 0;
    for (; k + steps <= step->depth; k += steps, right += steps * step_bytes)
        add_steps(step, step->left + k * step->left_step, right, sums, k == 0, (int)steps, dtype, takes_pairs,
                  fetches, (uintptr_t)right + ahead * (uintptr_t)step_bytes);
    for (; k < step->depth; k++, right += step_bytes)
        add_steps(step, step->left + k * step->left_step, right, sums, k == 0, 1, dtype, false, false, 0);
    float *to = (float *)step->sums;
    for (uint32_t j = 0; j < step->columns; j += VECTOR_LANES) {
        vector sum = load_floats(sums + j);
        store_floats(to + j, step->adds ? load_floats(to + j) + sum : sum);
    }
}

static void multiply_wide(const struct contraction_step *step)
{
    if (step->dtype == ACL_FLOAT)
        multiply_wide_of(step, ACL_FLOAT, false, false);
    else if (step->dtype == ACL_FLOAT16 && step->is_near)
        multiply_wide_of(step, ACL_FLOAT16, false, false);
    else if (step->dtype == ACL_FLOAT16)
        multiply_wide_of(step, ACL_FLOAT16, false, true);
    else if (step->takes_pairs)
        multiply_wide_of(step, ACL_BF16, true, true);
    else
        multiply_wide_of(step, ACL_BF16, false, true);
}

#if defined(__AVX2__)
/*
 * Where the steps of a column lie side by side, a transposition in registers turns 4 steps of 8 columns into
 * lanes. A chain of dependent sums takes four at a time to hide its latency: of as many blocks as there are,
 * which are sums of their own, and of more columns where blocks are few. Columns that are a multiple of the
 * caches' sets apart then meet in a set no more than 8 at a time.
 */
enum { CHAINS = 4, COLUMNS_OF_CHAIN = 8 };

/* Of a column: the nearest cache has no room for several such ones and those that follow. */
enum { LONG_BYTES = 8192 };

static ALWAYS_INLINE __m128 load_4_steps(const unsigned char *from, aclDataType dtype)
{
    if (dtype == ACL_FLOAT)
        return _mm_loadu_ps((const float *)(const void *)from);
    __m128i half = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return dtype == ACL_FLOAT16 ? _mm_cvtph_ps(half)
                                : _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(half), 16));
}

static ALWAYS_INLINE float load_step(const unsigned char *from, aclDataType dtype)
{
    if (dtype == ACL_FLOAT) {
        float value;
        memcpy(&value, from, sizeof value);
        return value;
    }
    uint16_t half;
    memcpy(&half, from, sizeof half);
    return dtype == ACL_FLOAT16 ? _cvtsh_ss(half)
                                : _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128((int)half << 16)));
}

/* 4 steps of 8 columns onto their sums, in order. */
static ALWAYS_INLINE __m256 add_4_steps(__m256 sum, const float *left, const unsigned char *const *column,
                                        size_t offset, aclDataType dtype, bool takes_pairs)
{
    lane_vector part[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        part[i] =
            (lane_vector)_mm256_insertf128_ps(_mm256_castps128_ps256(load_4_steps(column[i] + offset, dtype)),
                                              load_4_steps(column[i + 4] + offset, dtype), 1);
    lane_vector low_ab = INTERLEAVE_LOW(part[0], part[1]), high_ab = INTERLEAVE_HIGH(part[0], part[1]),
                low_cd = INTERLEAVE_LOW(part[2], part[3]), high_cd = INTERLEAVE_HIGH(part[2], part[3]);
    const lane_vector lanes[4] = {JOIN_LOW(low_ab, low_cd), JOIN_HIGH(low_ab, low_cd),
                                  JOIN_LOW(high_ab, high_cd), JOIN_HIGH(high_ab, high_cd)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const int k = takes_pairs ? i ^ 1 : i;
        sum = _mm256_fmadd_ps(_mm256_set1_ps(left[k]), (__m256)lanes[k], sum);
    }
    return sum;
}

/* A block's sums of 8 columns behind those of the blocks before it. */
static ALWAYS_INLINE void add_block_sums(float *to, __m256 sum, bool is_first)
{
    _mm256_storeu_ps(to, is_first ? sum : _mm256_add_ps(_mm256_loadu_ps(to), sum));
}

/* Adds so many blocks (several only if they are whole ones) of groups of 8 columns to sums, block by block.
 */
static ALWAYS_INLINE void add_blocks(const struct contraction_row *row, const unsigned char *const *column,
                                     uint64_t first, uint32_t depth, int groups, int blocks, float *sums,
                                     struct following *following, aclDataType dtype, bool takes_pairs)
{
    const size_t bytes = dtype == ACL_FLOAT ? 4 : 2, block_bytes = CONTRACTION_BLOCK * bytes;
    const float *left = row->left + first;
    size_t offset = first * bytes;
    __m256 sum[CHAINS];
    for (int c = 0; c < groups * blocks; c++)
        sum[c] = _mm256_setzero_ps();
    uint32_t k = 0;
    for (; k + 4 <= depth; k += 4, offset += 4 * bytes) {
        prefetch_following(following,
                           (uint32_t)(groups * blocks) * 4 * COLUMNS_OF_CHAIN * (uint32_t)bytes / LINE_BYTES);
#pragma GCC unroll 4
        for (int b = 0; b < blocks; b++)
#pragma GCC unroll 4
            for (int g = 0; g < groups; g++)
                sum[b * groups + g] =
                    add_4_steps(sum[b * groups + g], left + k + b * CONTRACTION_BLOCK, column + 8 * g,
                                offset + (size_t)b * block_bytes, dtype, takes_pairs);
    }
    for (; k < depth; k++) { /* within the last block, which is alone */
        const uint32_t at = takes_pairs && (k ^ 1) < depth ? k ^ 1 : k;
        for (int g = 0; g < groups; g++) {
            float step[COLUMNS_OF_CHAIN];
            for (int i = 0; i < COLUMNS_OF_CHAIN; i++)
                step[i] = load_step(column[8 * g + i] + (first + at) * bytes, dtype);
            sum[g] = _mm256_fmadd_ps(_mm256_set1_ps(left[at]), _mm256_loadu_ps(step), sum[g]);
        }
    }
    for (int b = 0; b < blocks; b++)
        for (int g = 0; g < groups; g++)
            add_block_sums(sums + 8 * g, sum[b * groups + g], first + (uint32_t)b == 0);
}

/* Asks for the next lines of half of 8 columns, so many bytes apart: of the first half by the first 8 steps of
 * a line. They may be behind the end of a column, so that they are no pointers. */
static ALWAYS_INLINE void prefetch_next_lines(const unsigned char *column, int64_t column_bytes,
                                              size_t offset)
{
    const bool is_second = offset / HALF_STEPS / sizeof(float) % 2 != 0;
    const uintptr_t distance = (uintptr_t)column_bytes;
    const uintptr_t from = (uintptr_t)column + offset + LINE_BYTES + (is_second ? 4 * distance : 0);
    __builtin_prefetch((const void *)from);
    __builtin_prefetch((const void *)(from + distance));
    __builtin_prefetch((const void *)(from + 2 * distance));
    __builtin_prefetch((const void *)(from + 3 * distance));
}

/* 8 steps of two times 8 columns onto their sums. */
static ALWAYS_INLINE struct half_floats add_paired_steps(struct half_floats sums, const float *left0,
                                                         const float *left1,
                                                         const unsigned char *const *column0, size_t offset0,
                                                         const unsigned char *const *column1, size_t offset1,
                                                         aclDataType dtype, bool takes_pairs)
{
#if defined(__AVX512F__)
    if (dtype == ACL_FLOAT)
        return add_float_steps(sums, left0, left1, column0, offset0, column1, offset1);
#endif
    return add_half_steps(sums, left0, left1, column0, offset0, column1, offset1, dtype, takes_pairs);
}

/*
 * Adds whole blocks to the sums, in two chains: of two blocks each where there are several, or of two groups. What
 * lies in a cache and is floats is asked for a line ahead. From memory floats come faster with one block of two groups
 * at a time, whose only chain keeps up with it.
 */
static ALWAYS_INLINE void add_paired_blocks(const struct contraction_row *row,
                                            const unsigned char *const *column, uint64_t first, int groups,
                                            int blocks, float *sums, struct following *following,
                                            aclDataType dtype, bool takes_pairs)
{
    const size_t bytes = dtype == ACL_FLOAT ? 4 : 2, block_bytes = CONTRACTION_BLOCK * bytes;
    const int next_block = blocks > 1, next_group = 1 - next_block;
    const int chains = groups * blocks / 2;
    const bool is_near = dtype == ACL_FLOAT && groups * blocks == CHAINS;
    struct half_floats sum[CHAINS / 2];
    for (int c = 0; c < chains; c++)
        sum[c] = no_half_floats();
    size_t offset = first * bytes;
    const float *left = row->left + first;
    for (uint32_t k = 0; k < CONTRACTION_BLOCK; k += HALF_STEPS, offset += HALF_STEPS * bytes) {
        if (!is_near)
            prefetch_following(following, (uint32_t)(groups * blocks) * COLUMNS_OF_CHAIN * HALF_STEPS *
                                              (uint32_t)bytes / LINE_BYTES);
#pragma GCC unroll 2
        for (int c = 0; c < chains; c++) {
            const int b = next_block ? c / groups * 2 : 0, g = next_block ? c % groups : 2 * c;
            const float *left0 = left + k + b * CONTRACTION_BLOCK;
            const unsigned char *const *column0 = column + 8 * g, *const *column1 = column0 + 8 * next_group;
            const size_t offset0 = offset + (size_t)b * block_bytes,
                         offset1 = offset0 + (size_t)next_block * block_bytes;
            if (is_near) {
                prefetch_next_lines(*column0, row->column_bytes, offset0);
                prefetch_next_lines(*column1, row->column_bytes, offset1);
            }
            sum[c] = add_paired_steps(sum[c], left0, left0 + next_block * CONTRACTION_BLOCK, column0, offset0,
                                      column1, offset1, dtype, takes_pairs);
        }
    }
    for (int b = 0; b < blocks; b++)
        for (int g = 0; g < groups; g++)
            add_block_sums(sums + 8 * g,
                           next_block ? part_of_half_floats(sum[b / 2 * groups + g], b % 2)
                                      : part_of_half_floats(sum[g / 2], g % 2),
                           first + (uint32_t)b == 0);
}

static ALWAYS_INLINE void multiply_groups(const struct contraction_row *row, int groups, int blocks,
                                          aclDataType dtype, bool takes_pairs, bool is_paired)
{
    const size_t bytes = dtype == ACL_FLOAT ? 4 : 2;
    for (uint32_t j = 0; j < row->columns; j += 8 * (uint32_t)groups) {
        /* Beyond the last column the last one stands in; its sums are not used. */
        const unsigned char *column[CHAINS * COLUMNS_OF_CHAIN];
        for (uint32_t i = 0; i < 8 * (uint32_t)groups; i++)
            column[i] =
                row->right + (int64_t)(j + i < row->columns ? j + i : row->columns - 1) * row->column_bytes;
        struct following following = {.column = column, .columns = 8 * (uint32_t)groups};
        const uint64_t together = (uint64_t)blocks * CONTRACTION_BLOCK;
        for (uint64_t first = 0, depth; first < row->depth; first += depth) {
            const uint64_t rest = row->depth - first;
            depth = rest >= together ? together : rest < CONTRACTION_BLOCK ? rest : CONTRACTION_BLOCK;
            /* Long columns are asked for in parts, and so are those of few blocks at a time. */
            const bool is_long = row->depth * bytes >= LONG_BYTES || groups * blocks < CHAINS;
            if (first == 0 || is_long) {
                const uint64_t part = is_long ? depth : row->depth;
                following.at = following.line = 0;
                following.lines = (uint32_t)((part * bytes + LINE_BYTES - 1) / LINE_BYTES);
                following.ahead = first + part < row->depth ? (int64_t)((first + part) * bytes)
                                                            : 8 * groups * row->column_bytes;
            }
            if (rest >= together && is_paired)
                add_paired_blocks(row, column, first, groups, blocks, row->sums + j, &following, dtype,
                                  takes_pairs);
            else if (rest >= together)
                add_blocks(row, column, first, CONTRACTION_BLOCK, groups, blocks, row->sums + j, &following,
                           dtype, takes_pairs);
            else
                add_blocks(row, column, first, (uint32_t)depth, groups, 1, row->sums + j, &following, dtype,
                           takes_pairs);
        }
    }
}

static ALWAYS_INLINE void multiply_across(const struct contraction_row *row, aclDataType dtype,
                                          bool takes_pairs, bool is_paired)
{
    if (dtype == ACL_FLOAT && is_paired && !row->is_near && row->depth >= CONTRACTION_BLOCK)
        multiply_groups(row, 2, 1, dtype, takes_pairs, is_paired);
    else if (row->depth >= 4 * CONTRACTION_BLOCK)
        multiply_groups(row, 1, 4, dtype, takes_pairs, is_paired);
    else if (row->depth >= 2 * CONTRACTION_BLOCK)
        multiply_groups(row, 2, 2, dtype, takes_pairs, is_paired);
    else
        multiply_groups(row, 4, 1, dtype, takes_pairs, is_paired);
}

static void multiply_row_across(const struct contraction_row *row)
{
    if (row->dtype == ACL_FLOAT)
        multiply_across(row, ACL_FLOAT, false, FLOATS_ARE_PAIRED);
    else if (row->dtype == ACL_FLOAT16)
        multiply_across(row, ACL_FLOAT16, false, true);
    else if (row->takes_pairs)
        multiply_across(row, ACL_BF16, true, true);
    else
        multiply_across(row, ACL_BF16, false, true);
}
#endif

#endif
