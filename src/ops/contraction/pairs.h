/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of BFLOAT16 by the processor's products of pairs. The instruction adds the products of the odd
 * elements of two pairs to a sum, then those of the even ones, each rounded to nearest as a fused multiply-add
 * rounds; but subnormal numbers it takes and gives as zeros. So it may be used where there are none: where every
 * element is zero or at least 2^-50, products are zero or at least 2^-100, and all of them, and so their sums,
 * are multiples of 2^-114; and where no element is infinite or NaN. What overflows becomes infinite as elsewhere.
 *
 * A panel has words of two steps for each lane: the even one in the lower half, zero where the depth is odd.
 */
#ifndef BELAY_OPS_CONTRACTION_PAIRS_H
#define BELAY_OPS_CONTRACTION_PAIRS_H

#include "ops/contraction/multiply.h"
#include "ops/contraction/panel.h"

#if defined(__AVX512F__)
#define WITH_PAIRS __attribute__((target("avx512bf16")))

/*
 * store_rows() of BFLOAT16. The instruction that rounds takes subnormal numbers as zeros as well, which sums that
 * are multiples of 2^-114 are not.
 */
static ALWAYS_INLINE WITH_PAIRS void store_rows_of_pairs(const struct contraction_step *step, int rows,
                                                         int vectors, __m512 (*sum)[2])
{
    const uint32_t columns = step->columns;
    const __mmask32 there = columns >= 2 * VECTOR_LANES ? 0xffffffff : (1U << columns) - 1;
    const bool adds = step->adds;
    const int64_t sums_step = step->sums_step, out_bytes = step->out_bytes;
    const float *earlier = (const float *)step->sums;
    unsigned char *to = step->out;
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++) {
        vector value[2] = {(vector)sum[i][0], (vector)sum[i][vectors - 1]};
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            if (adds)
                value[v] = load_floats(earlier + v * VECTOR_LANES) + value[v];
            value[v] = vector_canonical(value[v]);
        }
        const __m512i words = (__m512i)_mm512_cvtne2ps_pbh((__m512)value[1], (__m512)value[0]);
        if (vectors == 2 && there == 0xffffffff)
            _mm512_storeu_si512(to, words);
        else
            _mm512_mask_storeu_epi16(to, there, words);
        earlier += sums_step;
        to += out_bytes;
    }
}

/* multiply() of pairs, which are words of left_lane bytes from row to row and left_step from step to step. */
static ALWAYS_INLINE WITH_PAIRS void multiply_pairs(const struct contraction_step *step, int64_t left_lane,
                                                    int64_t left_step, int rows, int vectors)
{
    const unsigned char *left = (const unsigned char *)step->left;
    const float *right = step->right;
    const int64_t right_step = step->right_step;
    __m512 sum[ROWS_MAX][2] __attribute__((uninitialized));
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            sum[i][v] = _mm512_setzero_ps();

    for (uint32_t k = step->depth; k > 0; k--) {
        __m512bh column[2];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++)
            column[v] = (__m512bh)_mm512_loadu_ps(right + v * VECTOR_LANES);
#pragma GCC unroll 14
        for (int i = 0; i < rows; i++) {
            int32_t word;
            memcpy(&word, left + i * left_lane, sizeof word);
            const __m512bh row = (__m512bh)_mm512_set1_epi32(word);
#pragma GCC unroll 2
            for (int v = 0; v < vectors; v++)
                sum[i][v] = _mm512_dpbf16_ps(sum[i][v], row, column[v]);
        }
        left += left_step;
        right += right_step;
    }

    if (step->out != NULL) {
        store_rows_of_pairs(step, rows, vectors, sum);
        return;
    }
    float *to = (float *)step->sums;
#pragma GCC unroll 14
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 2
        for (int v = 0; v < vectors; v++) {
            float *place = to + v * VECTOR_LANES;
            store_floats(place, step->adds ? load_floats(place) + (vector)sum[i][v] : (vector)sum[i][v]);
        }
        to += step->sums_step;
    }
}

#define MULTIPLY_PAIRS(rows, vectors)                                                                  \
    static WITH_PAIRS void multiply_pairs_##rows##_rows_##vectors(const struct contraction_step *step) \
    {                                                                                                  \
        multiply_pairs(step, 4, step->left_step * 4, rows, vectors);                                   \
    }
/* Of rows of BFLOAT16 where they lie. */
#define MULTIPLY_DIRECT_PAIRS(rows, vectors)                              \
    static WITH_PAIRS void multiply_direct_pairs_##rows##_rows_##vectors( \
        const struct contraction_step *step)                              \
    {                                                                     \
        multiply_pairs(step, step->left_lane * 2, 4, rows, vectors);      \
    }
#define ENTRY_PAIRS(rows, vectors) [vectors - 1][rows - 1] = multiply_pairs_##rows##_rows_##vectors,
#define ENTRY_DIRECT_PAIRS(rows, vectors) \
    [vectors - 1][rows - 1] = multiply_direct_pairs_##rows##_rows_##vectors,

FOR_ROWS(MULTIPLY_PAIRS, 1)
FOR_ROWS(MULTIPLY_PAIRS, 2)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT_PAIRS, 1)
FOR_DIRECT_ROWS(MULTIPLY_DIRECT_PAIRS, 2)
#undef WITH_PAIRS

/* The least size, less one so that zero is the greatest, and the greatest size of elements. */
struct sizes_met {
    __m512i least, most;
};

static ALWAYS_INLINE void meet(struct sizes_met *met, __m512i elements)
{
    const __m512i size = _mm512_and_si512(elements, _mm512_set1_epi16(0x7fff));
    met->least = _mm512_min_epu16(met->least, _mm512_sub_epi16(size, _mm512_set1_epi16(1)));
    met->most = _mm512_max_epu16(met->most, size);
}

static bool are_ordinary(const struct sizes_met *met)
{
    enum { LEAST = (127 - 50) << 7, INFINITE = 0xff << 7 };
    return (_mm512_cmplt_epu16_mask(met->least, _mm512_set1_epi16(LEAST - 1)) |
            _mm512_cmpge_epu16_mask(met->most, _mm512_set1_epi16(INFINITE))) == 0;
}

/* row[i] of 16 words becomes the words i of all 16. */
static ALWAYS_INLINE void turn_words(__m512i *row)
{
    __m512i part[16] __attribute__((uninitialized));
#pragma GCC unroll 8
    for (int i = 0; i < 16; i += 2) { /* words of two rows */
        part[i] = _mm512_unpacklo_epi32(row[i], row[i + 1]);
        part[i + 1] = _mm512_unpackhi_epi32(row[i], row[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) /* and of four: row[i + n] has words n, n + 4, n + 8 and n + 12 */
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            row[i + 2 * half] = _mm512_unpacklo_epi64(part[i + half], part[i + half + 2]);
            row[i + 2 * half + 1] = _mm512_unpackhi_epi64(part[i + half], part[i + half + 2]);
        }
#pragma GCC unroll 4
    for (int n = 0; n < 4; n++) {
        const __m512i low_even = _mm512_shuffle_i32x4(row[n], row[n + 4], 0x88),
                      low_odd = _mm512_shuffle_i32x4(row[n], row[n + 4], 0xdd),
                      high_even = _mm512_shuffle_i32x4(row[n + 8], row[n + 12], 0x88),
                      high_odd = _mm512_shuffle_i32x4(row[n + 8], row[n + 12], 0xdd);
        part[n] = _mm512_shuffle_i32x4(low_even, high_even, 0x88);
        part[n + 4] = _mm512_shuffle_i32x4(low_odd, high_odd, 0x88);
        part[n + 8] = _mm512_shuffle_i32x4(low_even, high_even, 0xdd);
        part[n + 12] = _mm512_shuffle_i32x4(low_odd, high_odd, 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++)
        row[i] = part[i];
}

/* Steps are consecutive in memory: 16 words of 16 lanes at a time are turned round. */
static void pack_pairs_across(const struct contraction_panel *panel, struct sizes_met *met)
{
    enum { STEPS = 32 };
    const uint32_t depth = panel->depth, pairs = (depth + 1) / 2, width = panel->width;
    const int64_t lane_bytes = panel->operand->stride[0] * 2;
    struct sizes_met own = *met;
    for (uint32_t p = 0; p < panel->lanes; p += width)
        for (uint32_t i = 0; i < width; i += VECTOR_LANES) {
            const uint32_t lanes = panel->lanes > p + i ? panel->lanes - p - i : 0;
            const unsigned char *from =
                element_at(panel->operand, panel->matrix, panel->lane + p + i, panel->first);
            float *to = panel->to + (size_t)p * pairs + i;
            for (uint32_t k = 0; k < depth; k += STEPS, from += STEPS * 2) {
                const __mmask32 there = depth - k >= STEPS ? 0xffffffff : (1U << (depth - k)) - 1;
                __m512i row[16] __attribute__((uninitialized));
#pragma GCC unroll 16
                for (uint32_t j = 0; j < 16; j++) {
                    prefetch_element(from, (16 + j) * lane_bytes);
                    row[j] = _mm512_maskz_loadu_epi16(j < lanes ? there : 0, from + j * lane_bytes);
                    meet(&own, row[j]);
                }
                turn_words(row);
#pragma GCC unroll 16
                for (uint32_t j = 0; j < 16; j++)
                    if (k / 2 + j < pairs)
                        store_some_floats(to + (size_t)(k / 2 + j) * width, (vector)row[j], width - i);
            }
        }
    *met = own;
}

/* The same within groups, which have an even number of steps. */
static void pack_grouped_pairs(const struct contraction_panel *panel, struct sizes_met *met)
{
    const uint32_t group = panel->operand->group;
    const int64_t group_bytes = panel->operand->group_stride * (int64_t)panel->operand->bytes;
    const uint64_t end = panel->first + panel->depth;
    for (uint32_t i = 0; i < panel->lanes; i += panel->width) {
        struct contraction_panel piece = *panel;
        piece.lane += i;
        piece.lanes = panel->lanes - i < panel->width ? panel->lanes - i : panel->width;
        piece.to += (size_t)i * ((panel->depth + 1) / 2);
        for (uint64_t at = panel->first; at < end; at += piece.depth) {
            piece.matrix = panel->matrix + (int64_t)(at / group) * group_bytes;
            piece.first = at % group;
            piece.depth = (uint32_t)(group - piece.first < end - at ? group - piece.first : end - at);
            pack_pairs_across(&piece, met);
            piece.to += (size_t)(piece.depth / 2) * panel->width;
        }
    }
}

/* A vector of lanes of a step, or as many as there are. */
static ALWAYS_INLINE __m512i load_lanes(const unsigned char *from, uint32_t lanes)
{
    if (lanes >= VECTOR_LANES)
        return _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)from));
    return _mm512_castsi256_si512(_mm256_maskz_loadu_epi16((__mmask16)((1U << lanes) - 1), from));
}

/* Lanes are consecutive in memory: two steps of them become words. Some pairs at a time by all panels. */
static void pack_pairs_along(const struct contraction_panel *panel, struct sizes_met *met)
{
    enum { PAIRS = 16 };
    static const uint16_t order[32] = {0, 32, 1, 33, 2,  34, 3,  35, 4,  36, 5,  37, 6,  38, 7,  39,
                                       8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47};
    const __m512i interleaved = _mm512_loadu_si512(order);
    const struct contraction_matrix *operand = panel->operand;
    const int64_t step_bytes = operand->stride[1] * 2;
    const unsigned char *steps = panel->matrix + (int64_t)panel->first * step_bytes;
    const uint32_t width = panel->width, pairs = (panel->depth + 1) / 2;
    struct sizes_met own = *met;
    for (uint32_t first = 0, some; first < pairs; first += some, steps += 2 * some * step_bytes) {
        some = pairs - first < PAIRS ? pairs - first : PAIRS;
        for (uint32_t p = 0; p < panel->lanes; p += width)
            for (uint32_t i = 0; i < width; i += VECTOR_LANES) {
                const uint32_t lanes = panel->lanes > p + i ? panel->lanes - p - i : 0;
                const uint64_t lane = panel->lane + p + i;
                const int64_t place = operand->group == 0
                                          ? (int64_t)lane
                                          : (int64_t)(lane / operand->group) * operand->group_stride +
                                                (int64_t)(lane % operand->group);
                const unsigned char *from = steps + place * 2;
                float *to = panel->to + (size_t)p * pairs + (size_t)first * width + i;
                for (uint32_t k = 0; k < some; k++, from += 2 * step_bytes, to += width) {
                    const bool is_lone = 2 * (first + k) + 1 == panel->depth;
                    prefetch_element(from, 2 * (int64_t)PAIRS * step_bytes);
                    prefetch_element(from, (2 * (int64_t)PAIRS + 1) * step_bytes);
                    const __m512i low = load_lanes(from, lanes),
                                  high = load_lanes(from + step_bytes, is_lone ? 0 : lanes);
                    const __m512i words = _mm512_permutex2var_epi16(low, interleaved, high);
                    meet(&own, words);
                    store_some_floats(to, (vector)words, width - i);
                }
            }
    }
    *met = own;
}

/* Whether the instruction may have lanes whose steps lie side by side, where they lie. */
static bool steps_are_ordinary(const struct contraction_panel *panel)
{
    enum { STEPS = 32 };
    struct sizes_met met = {_mm512_set1_epi16(-1), _mm512_setzero_si512()};
    const unsigned char *from = element_at(panel->operand, panel->matrix, panel->lane, panel->first);
    const bool is_one = panel->operand->stride[0] == panel->depth; /* lanes follow one another */
    const uint32_t lanes = is_one ? 1 : panel->lanes,
                   steps = is_one ? panel->lanes * panel->depth : panel->depth;
    for (uint32_t i = 0; i < lanes; i++, from += panel->operand->stride[0] * 2)
        for (uint32_t k = 0; k < steps; k += STEPS) {
            const __mmask32 there = steps - k >= STEPS ? 0xffffffff : (1U << (steps - k)) - 1;
            meet(&met, _mm512_maskz_loadu_epi16(there, from + k * 2));
        }
    return are_ordinary(&met);
}

/* Whether the instruction may have what was packed. */
static bool pack_pairs(const struct contraction_panel *panel)
{
    struct sizes_met met = {_mm512_set1_epi16(-1), _mm512_setzero_si512()};
    const struct contraction_matrix *operand = panel->operand;
    if (operand->group > 0 && operand->grouped_side == 1)
        pack_grouped_pairs(panel, &met);
    else if (operand->group == 0 && operand->stride[1] == 1)
        pack_pairs_across(panel, &met);
    else
        pack_pairs_along(panel, &met);
    return are_ordinary(&met);
}
#endif

#endif
