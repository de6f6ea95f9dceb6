/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Packing of strided matrices: a panel has the lanes of one step of the common dim side by side, as floats.
 */
#ifndef BELAY_OPS_CONTRACTION_PANEL_H
#define BELAY_OPS_CONTRACTION_PANEL_H

#include "ops/contraction/contraction.h"
#include "ops/contraction/element.h"
#include "ops/contraction/half_columns.h"

/* Transposed at a time: as many lanes as a register of 256 or 128 bits has, by 4 steps. */
#if defined(__AVX2__)
enum { LANE_BLOCK = 8 };
#define INTERLEAVE_LOW(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define JOIN_LOW(a, b)        __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define JOIN_HIGH(a, b)       __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
enum { LANE_BLOCK = 4 };
#define INTERLEAVE_LOW(a, b)  __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define INTERLEAVE_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define JOIN_LOW(a, b)        __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define JOIN_HIGH(a, b)       __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

typedef float lane_vector __attribute__((vector_size(LANE_BLOCK * 4)));

/* Four steps of lane i, and beside them those of lane i + 4. */
static ALWAYS_INLINE lane_vector load_steps(const float *const *row, int i, uint64_t k)
{
    lane_vector value;
    memcpy(&value, row[i] + k, 16);
    if (LANE_BLOCK == 8) {
#if defined(__AVX2__)
        value = (lane_vector)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row[i] + k)),
                                                  _mm_loadu_ps(row[i + 4] + k), 1);
#endif
    }
    return value;
}

static ALWAYS_INLINE void store_lanes(float *to, lane_vector value)
{
    memcpy(to, &value, sizeof value);
}

/* Of the caches: what one request brings. */
enum { LINE_BYTES = 64 };

/*
 * Asks for what an operand has so many bytes behind an element, into the second cache; that may be no address of
 * the operand's any more. What panels are packed from lies in pieces too short for the processor to notice that
 * they follow one another.
 */
static ALWAYS_INLINE void prefetch_element(const unsigned char *element, int64_t offset)
{
    __builtin_prefetch((const void *)((uintptr_t)element + (uintptr_t)offset), 0, 2);
}

/*
 * What the columns behind these have in memory, and how far it has been asked for: in the order of addresses,
 * which memory answers quickest, and as much at a time as is used up, since more would stall.
 */
struct following {
    const unsigned char *const *column;
    uint32_t columns, lines; /* of a column */
    int64_t ahead;           /* bytes from a column to the one that follows */
    uint32_t at, line;       /* the next column, and its next line */
};

static ALWAYS_INLINE void prefetch_following(struct following *following, uint32_t lines)
{
    const uintptr_t from = (uintptr_t)following->column[following->at] + (uintptr_t)following->ahead +
                           following->line * (uintptr_t)LINE_BYTES;
    for (uint32_t i = 0; i < lines; i++)
        __builtin_prefetch((const void *)(from + i * (uintptr_t)LINE_BYTES), 0, 3);
    following->line += lines;
    if (following->line < following->lines)
        return;
    following->line = 0;
    following->at = following->at + 1 < following->columns ? following->at + 1 : following->at;
}

/* 4 steps of LANE_BLOCK rows, from one on, as the lanes of each. */
static ALWAYS_INLINE void turn_steps(const float *const *row, uint64_t k, lane_vector *step)
{
    const lane_vector a = load_steps(row, 0, k), b = load_steps(row, 1, k), c = load_steps(row, 2, k),
                      d = load_steps(row, 3, k);
    const lane_vector low_ab = INTERLEAVE_LOW(a, b), high_ab = INTERLEAVE_HIGH(a, b),
                      low_cd = INTERLEAVE_LOW(c, d), high_cd = INTERLEAVE_HIGH(c, d);
    step[0] = JOIN_LOW(low_ab, low_cd);
    step[1] = JOIN_HIGH(low_ab, low_cd);
    step[2] = JOIN_LOW(high_ab, high_cd);
    step[3] = JOIN_HIGH(high_ab, high_cd);
}

/* to[k * width + i] = row[i][k] for LANE_BLOCK rows. Of four steps at the end some are written again. */
static void transpose_lanes(const float *const *row, uint32_t depth, float *to, uint32_t width)
{
    enum { STEPS = 4 };
    for (uint32_t k = 0; k < depth && depth >= STEPS; k += STEPS) {
        lane_vector step[STEPS];
        const uint32_t from = k + STEPS <= depth ? k : depth - STEPS;
        turn_steps(row, from, step);
#pragma GCC unroll 4
        for (uint32_t i = 0; i < STEPS; i++)
            store_lanes(to + (from + i) * width, step[i]);
    }
    for (uint32_t k = 0; k < depth && depth < STEPS; k++, to += width)
        for (int i = 0; i < LANE_BLOCK; i++)
            to[i] = row[i][k];
}

#if defined(__AVX2__)
enum { TURNS_HALVES = 1, HALF_STEPS_AT_ONCE = 2 * HALF_STEPS };

/* transpose_lanes() of 16 bits, which change places before they become floats: 16 steps or more. */
static ALWAYS_INLINE void transpose_half_lanes(const unsigned char *const *row, uint32_t depth, float *to,
                                               uint32_t width, aclDataType dtype)
{
    for (uint32_t k = 0; k < depth; k += HALF_STEPS_AT_ONCE) {
        const size_t from = k + HALF_STEPS_AT_ONCE <= depth ? k : depth - HALF_STEPS_AT_ONCE;
        float *at = to + from * width;
        __m256i step[HALF_STEPS]; /* and beside each the one that comes 8 steps later */
        turn_half_steps(row, from * 2, row, (from + HALF_STEPS) * 2, step);
#pragma GCC unroll 8
        for (uint32_t i = 0; i < HALF_STEPS; i++) {
            const struct half_floats floats_of_step = floats_of_halves(step[i], dtype);
            store_lanes(at + (size_t)i * width, (lane_vector)part_of_half_floats(floats_of_step, 0));
            store_lanes(at + (size_t)(i + HALF_STEPS) * width,
                        (lane_vector)part_of_half_floats(floats_of_step, 1));
        }
    }
}
#else
enum { TURNS_HALVES = 0, HALF_STEPS_AT_ONCE = 1 };

static ALWAYS_INLINE void transpose_half_lanes(const unsigned char *const *row, uint32_t depth, float *to,
                                               uint32_t width, aclDataType dtype)
{
    (void)row, (void)depth, (void)to, (void)width, (void)dtype;
}
#endif

/* Lanes with those that are filled up. */
static uint32_t whole_lanes(const struct contraction_panel *panel)
{
    return (panel->lanes + panel->width - 1) / panel->width * panel->width;
}

/* The panel of a lane. */
static float *panel_at(const struct contraction_panel *panel, uint32_t i)
{
    return panel->to + (size_t)(i / panel->width) * panel->width * panel->depth;
}

/* Lanes of 16 bits as contraction_kernels.widen says. */
static ALWAYS_INLINE void widen_rows_of(const struct contraction_panel *panel, aclDataType dtype)
{
    const int64_t stride = panel->operand->stride[0];
    const uint32_t width = panel->width;
    const bool is_one = stride == width && width == panel->depth; /* rows follow one another on both sides */
    const uint32_t rows = is_one ? 1 : panel->lanes, depth = is_one ? panel->lanes * width : panel->depth;
    const unsigned char *from = element_at(panel->operand, panel->matrix, panel->lane, panel->first);
    float *to = panel->to;
    for (uint32_t i = 0; i < rows; i++, from += stride * 2, to += width) {
        uint32_t k = 0;
        for (; k + VECTOR_LANES <= depth; k += VECTOR_LANES)
            store_floats(to + k, load_elements(from + (size_t)k * 2, dtype));
        if (k < depth)
            store_floats(to + k, read_elements(from + (size_t)k * 2, dtype, 1, depth - k));
    }
}

static void widen_rows(const struct contraction_panel *panel)
{
    if (panel->operand->dtype == ACL_FLOAT16)
        widen_rows_of(panel, ACL_FLOAT16);
    else
        widen_rows_of(panel, ACL_BF16);
}

/*
 * Steps are consecutive in memory and lanes are not. Lanes that follow are asked for, unless they are no further
 * apart than a line of the caches is long: processors read those ahead themselves.
 */
static void pack_across(const struct contraction_panel *panel)
{
    static const float zeros[CONTRACTION_BLOCK];
    const struct contraction_matrix *operand = panel->operand;
    float widened[LANE_BLOCK * CONTRACTION_BLOCK] __attribute__((uninitialized));
    const uint32_t width = panel->width, depth = panel->depth;
    const uint32_t wide = (depth + VECTOR_LANES - 1) / VECTOR_LANES * VECTOR_LANES;
    const int64_t bytes = operand->bytes, lane_bytes = operand->stride[0] * bytes;
    const bool are_halves = operand->dtype != ACL_FLOAT && TURNS_HALVES && depth >= HALF_STEPS_AT_ONCE;
    const bool are_widened = operand->dtype != ACL_FLOAT && !are_halves;
    const bool is_far = lane_bytes > LINE_BYTES || lane_bytes < -LINE_BYTES;
    const unsigned char *from = element_at(operand, panel->matrix, panel->lane, panel->first);
    float *to = panel->to;
    uint32_t of_panel = 0; /* lanes that are in this panel */
    for (uint32_t i = 0; i < whole_lanes(panel); i += LANE_BLOCK, from += LANE_BLOCK * lane_bytes) {
        const uint32_t there = i >= panel->lanes               ? 0
                               : panel->lanes - i < LANE_BLOCK ? panel->lanes - i
                                                               : LANE_BLOCK;
        const unsigned char *first = are_widened ? (const unsigned char *)widened : from;
        const int64_t apart = are_widened ? wide * (int64_t)sizeof *widened : lane_bytes;
        const unsigned char *row[LANE_BLOCK];
        const float *floats_of_row[LANE_BLOCK];
        if (are_widened && there > 0) {
            struct contraction_panel some = *panel;
            some.lane += i;
            some.lanes = there;
            some.width = wide;
            some.to = widened;
            widen_rows(&some);
        }
        for (uint32_t j = 0; j < LANE_BLOCK && is_far; j++)
            for (uint32_t line = 0; line < depth * bytes; line += LINE_BYTES)
                prefetch_element(from, (LANE_BLOCK + j) * lane_bytes + line);
        for (uint32_t j = 0; j < LANE_BLOCK; j++, first += apart) {
            row[j] = j < there ? first : (const unsigned char *)zeros;
            floats_of_row[j] = (const float *)(const void *)row[j];
        }
        if (there == 0)
            for (uint32_t k = 0; k < depth; k++)
                store_lanes(to + (size_t)k * width, (lane_vector){0});
        else if (!are_halves)
            transpose_lanes(floats_of_row, depth, to, width);
        else if (operand->dtype == ACL_FLOAT16)
            transpose_half_lanes(row, depth, to, width, ACL_FLOAT16);
        else
            transpose_half_lanes(row, depth, to, width, ACL_BF16);
        to += LANE_BLOCK;
        of_panel += LANE_BLOCK;
        if (of_panel == width) {
            to += (size_t)width * (depth - 1);
            of_panel = 0;
        }
    }
}

/*
 * Lanes are consecutive in memory, or nothing is. A few steps at a time by all panels, so that rows of memory
 * are read to their end at once.
 */
static ALWAYS_INLINE void pack_along(const struct contraction_panel *panel, aclDataType dtype)
{
    enum { STEPS = 4 };
    const struct contraction_matrix *operand = panel->operand;
    const unsigned char *from = element_at(operand, panel->matrix, panel->lane, panel->first);
    const uint32_t width = panel->width;
    const int64_t stride = operand->stride[0], lane_bytes = stride * (int64_t)operand->bytes;
    const int64_t step_bytes = operand->stride[1] * (int64_t)operand->bytes;
    for (uint32_t first = 0, steps; first < panel->depth; first += steps, from += steps * step_bytes) {
        steps = panel->depth - first < STEPS ? panel->depth - first : STEPS;
        for (uint32_t p = 0; p < panel->lanes; p += width) {
            float *to = panel_at(panel, p) + (size_t)first * width;
            const uint32_t lanes = panel->lanes - p;
            /* Two whole vectors of lanes side by side are the commonest, and nothing is looked at then. */
            const bool is_whole = stride == 1 && width == 2 * VECTOR_LANES && lanes >= width;
            const unsigned char *step = from + p * lane_bytes;
            for (uint32_t k = 0; k < steps && is_whole; k++, to += width, step += step_bytes) {
                prefetch_element(step, 2 * STEPS * step_bytes);
                prefetch_element(step, 2 * STEPS * step_bytes + VECTOR_LANES * (int64_t)operand->bytes);
                store_floats(to, load_elements(step, dtype));
                store_floats(to + VECTOR_LANES, load_elements(step + VECTOR_LANES * operand->bytes, dtype));
            }
            for (uint32_t k = 0; k < steps && !is_whole; k++, to += width)
                for (uint32_t i = 0; i < width; i += VECTOR_LANES) {
                    prefetch_element(from, (k + 2 * STEPS) * step_bytes + (p + i) * lane_bytes);
                    vector value = read_elements(from + k * step_bytes + (p + i) * lane_bytes, dtype, stride,
                                                 lanes > i ? lanes - i : 0);
                    store_some_floats(to + i, value, width - i);
                }
        }
    }
}

static void pack_plain(const struct contraction_panel *panel)
{
    const int64_t *stride = panel->operand->stride;
    if (stride[1] == 1 && stride[0] != 1)
        pack_across(panel);
    else if (panel->operand->dtype == ACL_FLOAT)
        pack_along(panel, ACL_FLOAT);
    else if (panel->operand->dtype == ACL_FLOAT16)
        pack_along(panel, ACL_FLOAT16);
    else
        pack_along(panel, ACL_BF16);
}

/* Panel by panel, and of each one group after the other: within it steps are consecutive. */
static void pack_grouped_steps(const struct contraction_panel *panel)
{
    const uint32_t group = panel->operand->group;
    const int64_t group_bytes = panel->operand->group_stride * (int64_t)panel->operand->bytes;
    const uint64_t end = panel->first + panel->depth;
    for (uint32_t i = 0; i < panel->lanes; i += panel->width) {
        struct contraction_panel piece = *panel;
        piece.lane += i;
        piece.lanes = panel->lanes - i < panel->width ? panel->lanes - i : panel->width;
        piece.to += (size_t)i * panel->depth;
        for (uint64_t at = panel->first; at < end; at += piece.depth) {
            piece.matrix = panel->matrix + (int64_t)(at / group) * group_bytes;
            piece.first = at % group;
            piece.depth = (uint32_t)(group - piece.first < end - at ? group - piece.first : end - at);
            pack_plain(&piece);
            piece.to += (size_t)piece.depth * panel->width;
        }
    }
}

/* At most a vector of lanes of one step, which begin in a group and may go on in others. */
static inline vector gather_lanes(const struct contraction_matrix *operand, const unsigned char *step,
                                  uint64_t lane, uint32_t count)
{
    unsigned char element[VECTOR_LANES * 4] = {0};
    for (uint32_t i = 0; i < count && i < VECTOR_LANES; i++, lane++) {
        const int64_t place =
            (int64_t)(lane / operand->group) * operand->group_stride + (int64_t)(lane % operand->group);
        memcpy(element + i * operand->bytes, step + place * (int64_t)operand->bytes, operand->bytes);
    }
    return load_elements(element, operand->dtype);
}

/* A vector of lanes by all steps, which lie one behind the other within their group. */
static ALWAYS_INLINE void pack_grouped_lanes(const struct contraction_panel *panel, aclDataType dtype)
{
    const struct contraction_matrix *operand = panel->operand;
    const int64_t bytes = operand->bytes, step_bytes = operand->stride[1] * bytes;
    const unsigned char *first = panel->matrix + (int64_t)panel->first * step_bytes;
    for (uint32_t p = 0; p < panel->lanes; p += panel->width)
        for (uint32_t i = 0; i < panel->width; i += VECTOR_LANES) {
            const uint32_t lanes = panel->lanes > p + i ? panel->lanes - p - i : 0;
            const uint64_t lane = panel->lane + p + i, within = lane % operand->group;
            const bool is_one_group = within + VECTOR_LANES <= operand->group;
            const unsigned char *from =
                first + ((int64_t)(lane / operand->group) * operand->group_stride + (int64_t)within) * bytes;
            float *to = panel_at(panel, p) + i;
            for (uint32_t k = 0; k < panel->depth; k++, to += panel->width) {
                vector value = is_one_group ? read_elements(from + k * step_bytes, dtype, 1, lanes)
                                            : gather_lanes(operand, first + k * step_bytes, lane, lanes);
                store_some_floats(to, value, panel->width - i);
            }
        }
}

static inline void pack_strided(const struct contraction *plan, const struct contraction_panel *panel)
{
    (void)plan;
    if (panel->operand->group == 0)
        pack_plain(panel);
    else if (panel->operand->grouped_side == 1)
        pack_grouped_steps(panel);
    else if (panel->operand->dtype == ACL_FLOAT)
        pack_grouped_lanes(panel, ACL_FLOAT);
    else
        pack_grouped_lanes(panel, panel->operand->dtype);
}

#endif
