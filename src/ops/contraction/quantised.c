/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Packing of quantised operands, and their product with few rows, compiled once for each instruction-set
 * level.
 */
#include "ops/contraction/quantised.h"

#ifdef KERNEL_PASS

#include "ops/contraction/element.h"
#include "ops/contraction/panel.h"
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

/* Reads a lane's factors for count groups, from one on, and up to a vector more. */
static ALWAYS_INLINE void read_factors(const struct quantised_factor *factor, uint64_t lane, uint64_t group,
                                       uint32_t count, float *to)
{
    const int64_t place = (int64_t)lane * factor->lane + (int64_t)group * factor->group;
    const unsigned char *from = factor->first + place * 2;
    for (uint32_t i = 0; i < count; i += VECTOR_LANES, from += VECTOR_LANES * 2 * factor->group)
        store_floats(to + i, read_elements(from, factor->dtype, factor->group, count - i));
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

/*
 * Few rows use each weight once or little more, and a panel of floats would take longer to write than to use.
 * So words of 32 bits, 4 or 8 steps of a column, are turned until those of the columns lie side by side, and
 * the steps are shifted out of them.
 */
enum { ROW_WORDS = CONTRACTION_BLOCK / 4, ROW_GROUPS = CONTRACTION_BLOCK / ROW_GROUP_LEAST + 1 };

/* A block of the common dim by ROW_COLUMNS columns. */
struct row_block {
    const float *left;
    uint32_t depth, groups;
    uint64_t group_end; /* of the first group, and the steps of each further one */
    uint64_t group;
    uintptr_t next; /* what follows the first column's part of the block, or where the next columns begin */
    int64_t column_bytes;
    float words[ROW_WORDS][ROW_COLUMNS]; /* bits */
    float scale[ROW_GROUPS][ROW_COLUMNS], offset[ROW_GROUPS][ROW_COLUMNS];
};

/* A word's step in each lane. */
static ALWAYS_INLINE vector step_of(vector_bits words, uint32_t step, uint32_t bits)
{
    const vector_ints whole = (vector_ints)(words << (32 - bits * (step + 1)));
    return __builtin_convertvector(whole >> (int32_t)(32 - bits), vector);
}

/* Steps of a word onto the sums of two vectors of columns. */
static ALWAYS_INLINE void add_word(const float *left, const float *words, const vector *scale,
                                   const vector *offset, uint32_t steps, uint32_t bits, bool has_offset,
                                   vector *sum)
{
    vector_bits word[2];
    memcpy(word, words, sizeof word);
#pragma GCC unroll 8
    for (uint32_t step = 0; step < steps; step++)
#pragma GCC unroll 2
        for (int v = 0; v < 2; v++) {
            vector value = step_of(word[v], step, bits);
            value = (has_offset ? value + offset[v] : value) * scale[v];
            sum[v] = fused(vector_of(left[step]), value, sum[v]);
        }
}

/* Asks for what a word's share is of the next block's lines: more at once would stall. */
static ALWAYS_INLINE void fetch_lines(const struct row_block *block, uint32_t column, uint32_t word,
                                      uint32_t bits)
{
    const uint32_t lines = CONTRACTION_BLOCK * bits / 8 / 64, share = VECTOR_LANES / 8;
    for (uint32_t i = word * share; i < (word + 1) * share; i++)
        __builtin_prefetch((const void *)(block->next +
                                          (uintptr_t)((column + i / lines) * block->column_bytes) +
                                          i % lines * 64),
                           0, 2);
}

static ALWAYS_INLINE void add_row_block(const struct row_block *block, uint32_t bits, bool has_offset,
                                        bool adds, float *sums)
{
    const uint32_t steps = 32 / bits;
    for (uint32_t j = 0; j < ROW_COLUMNS; j += 2 * VECTOR_LANES) {
        vector sum[2] = {{0}, {0}};
        uint64_t end = block->group_end;
        for (uint32_t g = 0, k = 0; g < block->groups; g++, end += block->group) {
            const uint32_t behind = end < block->depth ? (uint32_t)end : block->depth;
            vector scale[2], offset[2] = {{0}, {0}};
            memcpy(scale, block->scale[g] + j, sizeof scale);
            if (has_offset)
                memcpy(offset, block->offset[g] + j, sizeof offset);
            for (; k + steps <= behind; k += steps) {
                fetch_lines(block, j, k / steps, bits);
                add_word(block->left + k, block->words[k / steps] + j, scale, offset, steps, bits, has_offset,
                         sum);
            }
            if (k < behind) /* the last of all */
                add_word(block->left + k, block->words[k / steps] + j, scale, offset, behind - k, bits,
                         has_offset, sum);
        }
        for (int v = 0; v < 2; v++) {
            float *to = sums + j + v * VECTOR_LANES;
            store_floats(to, adds ? load_floats(to) + sum[v] : sum[v]);
        }
    }
}

static ALWAYS_INLINE void turn_words(const unsigned char *const *column, uint32_t bytes, float *to)
{
    enum { AT_ONCE = 16 }; /* bytes of a column */
    const uint32_t whole = bytes / AT_ONCE * AT_ONCE;
    const float *row[LANE_BLOCK];
    float rest[LANE_BLOCK][AT_ONCE / 4] = {{0}};
    for (int i = 0; i < LANE_BLOCK; i++)
        row[i] = (const float *)(const void *)column[i];
    transpose_lanes(row, whole / 4, to, ROW_COLUMNS);
    if (whole == bytes)
        return;
    for (int i = 0; i < LANE_BLOCK; i++) {
        memcpy(rest[i], column[i] + whole, bytes - whole);
        row[i] = rest[i];
    }
    transpose_lanes(row, AT_ONCE / 4, to + (size_t)whole / 4 * ROW_COLUMNS, ROW_COLUMNS);
}

static ALWAYS_INLINE void turn_factors(const struct quantised_factor *factor, const uint64_t *lane,
                                       uint64_t group, uint32_t groups, float *to)
{
    float read[LANE_BLOCK][ROW_GROUPS + VECTOR_LANES] __attribute__((uninitialized));
    const float *row[LANE_BLOCK];
    for (int i = 0; i < LANE_BLOCK; i++) {
        read_factors(factor, lane[i], group, groups, read[i]);
        row[i] = read[i];
    }
    transpose_lanes(row, groups, to, ROW_COLUMNS);
}

contraction_multiply_row AT_LEVEL(multiply_quantised_row);
void AT_LEVEL(multiply_quantised_row)(const struct contraction *plan, const struct contraction_row *row)
{
    const struct quantised *quantised = (const struct quantised *)(const void *)plan;
    const uint32_t bits = quantised->is_in_halves ? 4 : 8;
    const bool has_offset = quantised->offset.first != NULL;
    const int64_t column_bytes = plan->right.stride[0] * (int64_t)bits / 8;
    struct row_block block __attribute__((uninitialized));
    block.group = quantised->group;
    block.column_bytes = column_bytes;
    for (uint64_t first = 0; first < plan->depth; first += CONTRACTION_BLOCK) {
        const uint64_t rest = plan->depth - first, group = first / quantised->group;
        block.depth = rest < CONTRACTION_BLOCK ? (uint32_t)rest : CONTRACTION_BLOCK;
        block.groups = (uint32_t)((first + block.depth - 1) / quantised->group - group) + 1;
        block.group_end = (group + 1) * quantised->group - first;
        block.next = (uintptr_t)row->right + (uintptr_t)((int64_t)row->lane * column_bytes);
        block.next += rest > CONTRACTION_BLOCK ? (first + CONTRACTION_BLOCK) * bits / 8
                                               : (uintptr_t)(ROW_COLUMNS * column_bytes);
        for (uint32_t j = 0; j < ROW_COLUMNS; j += LANE_BLOCK) {
            const unsigned char *column[LANE_BLOCK];
            uint64_t lane[LANE_BLOCK];
            /* Beyond the last column the last one stands in; its sums are not used. */
            for (uint32_t i = 0; i < LANE_BLOCK; i++) {
                lane[i] = row->lane + (j + i < row->columns ? j + i : row->columns - 1);
                column[i] = row->right + (int64_t)lane[i] * column_bytes + first * bits / 8;
            }
            turn_words(column, (block.depth * bits + 7) / 8, block.words[0] + j);
            turn_factors(&quantised->scale, lane, group, block.groups, block.scale[0] + j);
            if (has_offset)
                turn_factors(&quantised->offset, lane, group, block.groups, block.offset[0] + j);
        }
        for (uint32_t i = 0; i < row->rows; i++) {
            float *sums = row->sums + (size_t)i * ROW_COLUMNS;
            block.left = row->left + i * plan->depth + first;
            if (bits == 4 && has_offset)
                add_row_block(&block, 4, true, first > 0, sums);
            else if (bits == 4)
                add_row_block(&block, 4, false, first > 0, sums);
            else if (has_offset)
                add_row_block(&block, 8, true, first > 0, sums);
            else
                add_row_block(&block, 8, false, first > 0, sums);
        }
    }
}

#endif
