/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Packing of quantised operands, compiled once for each instruction-set level.
 */
#include "ops/contraction/quantised.h"

#ifdef KERNEL_PASS

#include "ops/contraction/element.h"
#include "ops/contraction/panel.h"
#include "ops/contraction/quantised_factors.h"
#include "simd/vector/level_table.h"

enum { RUN = CONTRACTION_BLOCK };

static ALWAYS_INLINE vector widen_bytes(const int8_t *from)
{
#if defined(__AVX512F__)
    return (vector)_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const void *)from)));
#elif defined(__AVX2__)
    return (vector)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const void *)from)));
#else
    vector value;
    for (int i = 0; i < VECTOR_LANES; i++)
        value[i] = (float)from[i];
    return value;
#endif
}

/* Elements 2 i and 2 i + 1 of bytes i; as many bytes more as make 16 may be written. */
static ALWAYS_INLINE void split_halves(const uint8_t *from, uint32_t bytes, int8_t *to)
{
    typedef uint8_t bytes_16 __attribute__((vector_size(16)));
    uint32_t i = 0;
    for (; i + 16 <= bytes; i += 16) {
        bytes_16 both;
        memcpy(&both, from + i, sizeof both);
        const bytes_16 low = ((both & 15) ^ 8) - 8, high = ((both >> 4) ^ 8) - 8;
        const bytes_16 first =
            __builtin_shufflevector(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const bytes_16 second =
            __builtin_shufflevector(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        memcpy(to + 2 * i, &first, sizeof first);
        memcpy(to + 2 * i + 16, &second, sizeof second);
    }
    for (; i < bytes; i++) {
        to[2 * i] = (int8_t)(((from[i] & 15) ^ 8) - 8);
        to[2 * i + 1] = (int8_t)((from[i] >> 4 ^ 8) - 8);
    }
}

/* Consecutive elements from one on, RUN at most: where they are, or, where more is to be readable, in room.
 */
static ALWAYS_INLINE const int8_t *elements_from(const struct quantised *plan, const unsigned char *matrix,
                                                 int64_t element, uint32_t count, int8_t *room)
{
    if (plan->is_in_halves) {
        const uint64_t first = (uint64_t)element + plan->first;
        split_halves(matrix + first / 2, (uint32_t)((first % 2 + count + 1) / 2), room);
        return room + first % 2;
    }
    const int8_t *from = (const int8_t *)matrix + element;
    /* Vectors that begin with each group end within the elements. */
    if (count % VECTOR_LANES == 0 && (plan->group % VECTOR_LANES == 0 || plan->group >= plan->product.depth))
        return from;
    memcpy(room, from, count);
    return room;
}

static ALWAYS_INLINE float factor_at(const struct quantised_factor *factor, uint64_t lane, uint64_t group)
{
    if (factor->first == NULL)
        return 0;
    const int64_t place = (int64_t)lane * factor->lane + (int64_t)group * factor->group;
    return gather_elements(factor->first + place * 2, factor->dtype, 1, 1)[0];
}

static ALWAYS_INLINE int64_t place_of(const struct quantised *plan, const struct contraction_matrix *operand,
                                      uint64_t lane, uint64_t step)
{
    return (int64_t)(lane / plan->lanes_packed) * operand->stride[0] + (int64_t)(lane % plan->lanes_packed) +
           (int64_t)step * operand->stride[1];
}

/* A lane whose steps lie side by side. */
static void read_lane(const struct quantised *plan, const struct contraction_panel *panel, uint64_t lane,
                      float *to)
{
    int8_t room[RUN + 32 + VECTOR_LANES] __attribute__((uninitialized));
    float scale[RUN + VECTOR_LANES] __attribute__((uninitialized)),
        offset[RUN + VECTOR_LANES] __attribute__((uninitialized));
    const bool has_offset = plan->offset.first != NULL;
    const int8_t *from = elements_from(
        plan, panel->matrix, place_of(plan, panel->operand, lane, panel->first), panel->depth, room);
    const uint64_t group = panel->first / plan->group;
    const uint32_t groups = (uint32_t)((panel->first + panel->depth - 1) / plan->group - group) + 1;
    uint64_t end = (group + 1) * plan->group - panel->first;
    read_factors(&plan->scale, lane, group, groups, scale);
    if (has_offset)
        read_factors(&plan->offset, lane, group, groups, offset);
    for (uint32_t g = 0, k = 0; g < groups; g++, end += plan->group) {
        const uint32_t behind = end < panel->depth ? (uint32_t)end : panel->depth;
        const vector factor = vector_of(scale[g]), shift = vector_of(has_offset ? offset[g] : 0);
        /* What is written behind the group is written again, or not read. */
        for (uint32_t i = k; i < behind; i += VECTOR_LANES)
            store_floats(to + i, (widen_bytes(from + i) + shift) * factor);
        k = behind;
    }
}

static void pack_lanes(const struct quantised *plan, const struct contraction_panel *panel)
{
    static const float zeros[CONTRACTION_BLOCK];
    float widened[LANE_BLOCK][CONTRACTION_BLOCK + VECTOR_LANES] __attribute__((uninitialized));
    for (uint32_t i = 0; i < whole_lanes(panel); i += LANE_BLOCK) {
        const float *row[LANE_BLOCK];
        for (uint32_t j = 0; j < LANE_BLOCK; j++) {
            row[j] = i + j < panel->lanes ? widened[j] : zeros;
            if (i + j < panel->lanes)
                read_lane(plan, panel, panel->lane + i + j, widened[j]);
        }
        transpose_lanes(row, panel->depth, panel_at(panel, i) + i % panel->width, panel->width);
    }
}

/* The lanes of a step lie side by side, or nothing does. */
static void pack_steps(const struct quantised *plan, const struct contraction_panel *panel)
{
    const struct contraction_matrix *operand = panel->operand;
    float scale[RUN + VECTOR_LANES] __attribute__((uninitialized)),
        offset[RUN + VECTOR_LANES] __attribute__((uninitialized));
    int8_t room[RUN + 32 + VECTOR_LANES] __attribute__((uninitialized));
    const bool is_run = plan->lanes_packed == 1 ? operand->stride[0] == 1 : operand->stride[0] == 8;
    for (uint32_t p = 0; p < panel->lanes; p += panel->width) {
        const uint32_t lanes = panel->lanes - p < panel->width ? panel->lanes - p : panel->width;
        float *to = panel_at(panel, p);
        uint64_t current = UINT64_MAX;
        for (uint32_t k = 0; k < panel->depth; k++, to += panel->width) {
            const uint64_t group = (panel->first + k) / plan->group, lane = panel->lane + p;
            for (uint32_t i = 0; i < lanes && group != current; i++) {
                scale[i] = factor_at(&plan->scale, lane + i, group);
                offset[i] = factor_at(&plan->offset, lane + i, group);
            }
            current = group;
            const int8_t *from = room;
            if (is_run) {
                from = elements_from(plan, panel->matrix, place_of(plan, operand, lane, panel->first + k),
                                     lanes, room);
            } else {
                int8_t one[64] __attribute__((uninitialized));
                for (uint32_t i = 0; i < lanes; i++)
                    room[i] = *elements_from(plan, panel->matrix,
                                             place_of(plan, operand, lane + i, panel->first + k), 1, one);
            }
            for (uint32_t i = 0; i < panel->width; i++)
                to[i] = i < lanes ? ((float)from[i] + offset[i]) * scale[i] : 0;
        }
    }
}

contraction_pack AT_LEVEL(pack_quantised);
void AT_LEVEL(pack_quantised)(const struct contraction *plan, const struct contraction_panel *panel)
{
    const struct quantised *quantised = (const struct quantised *)(const void *)plan;
    if (panel->operand->stride[1] == 1 && quantised->lanes_packed == 1)
        pack_lanes(quantised, panel);
    else
        pack_steps(quantised, panel);
}

#endif
