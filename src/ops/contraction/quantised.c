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
 * So words of 32 bits, 4 or 8 steps of a column, are turned in registers until those of a vector of columns lie
 * side by side, and the steps are shifted out of them. Blocks are sums of their own: several at a time hide
 * the latency of a chain.
 */
enum {
    ROW_WORDS = 4, /* of a column at a time */
    ROW_BLOCKS = 4,
    ROW_GROUPS = ROW_BLOCKS * CONTRACTION_BLOCK / ROW_GROUP_LEAST + 1
};

/* Up to ROW_BLOCKS blocks of the common dim by a vector of columns. */
struct row_blocks {
    const unsigned char *column[VECTOR_LANES]; /* where the first block begins in each */
    uint32_t depth;                            /* of each block */
    uint64_t group, group_end;        /* steps of a group, and the end of the first one in each block */
    uint32_t first_group[ROW_BLOCKS]; /* of each block */
    struct following following;
    bool fetches; /* what follows, which the first one of few rows does for all */
    float scale[ROW_GROUPS][VECTOR_LANES], offset[ROW_GROUPS][VECTOR_LANES];
};

/* ROW_WORDS words of each column, all of which are read, as as many vectors. */
static ALWAYS_INLINE void turn_words(const unsigned char *const *column, size_t from, vector_bits *word)
{
#if defined(__AVX512F__)
    __m512 part[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        part[i] = _mm512_castps128_ps512(_mm_loadu_ps((const void *)(column[i] + from)));
        part[i] = _mm512_insertf32x4(part[i], _mm_loadu_ps((const void *)(column[i + 4] + from)), 1);
        part[i] = _mm512_insertf32x4(part[i], _mm_loadu_ps((const void *)(column[i + 8] + from)), 2);
        part[i] = _mm512_insertf32x4(part[i], _mm_loadu_ps((const void *)(column[i + 12] + from)), 3);
    }
    const __m512d low_ab = (__m512d)_mm512_unpacklo_ps(part[0], part[1]),
                  high_ab = (__m512d)_mm512_unpackhi_ps(part[0], part[1]),
                  low_cd = (__m512d)_mm512_unpacklo_ps(part[2], part[3]),
                  high_cd = (__m512d)_mm512_unpackhi_ps(part[2], part[3]);
    word[0] = (vector_bits)_mm512_unpacklo_pd(low_ab, low_cd);
    word[1] = (vector_bits)_mm512_unpackhi_pd(low_ab, low_cd);
    word[2] = (vector_bits)_mm512_unpacklo_pd(high_ab, high_cd);
    word[3] = (vector_bits)_mm512_unpackhi_pd(high_ab, high_cd);
#else
    _Static_assert((int)VECTOR_LANES == (int)LANE_BLOCK, "a vector of columns is turned at once");
    const float *row[VECTOR_LANES];
    for (int i = 0; i < VECTOR_LANES; i++)
        row[i] = (const float *)(const void *)(column[i] + from);
    lane_vector step[ROW_WORDS];
    turn_steps(row, 0, step);
    for (int i = 0; i < ROW_WORDS; i++)
        word[i] = (vector_bits)step[i];
#endif
}

/* The same of the last bytes of columns, fewer than that, and zeros. */
static __attribute__((noinline)) void turn_rest(const unsigned char *const *column, size_t from,
                                                uint32_t bytes, vector_bits *word)
{
    unsigned char rest[VECTOR_LANES][4 * ROW_WORDS] = {{0}};
    const unsigned char *copy[VECTOR_LANES];
    for (int i = 0; i < VECTOR_LANES; i++) {
        memcpy(rest[i], column[i] + from, bytes);
        copy[i] = rest[i];
    }
    turn_words(copy, 0, word);
}

/* A word's step in each lane. */
static ALWAYS_INLINE vector step_of(vector_bits words, uint32_t step, uint32_t bits)
{
    const vector_ints whole = (vector_ints)(words << (32 - bits * (step + 1)));
    return __builtin_convertvector(whole >> (int32_t)(32 - bits), vector);
}

/* The factors of a block's group, by its number within the block. */
static ALWAYS_INLINE void read_group(const struct row_blocks *own, int block, uint32_t group, bool has_offset,
                                     vector *scale, vector *offset)
{
    const uint32_t at = own->first_group[block] + group;
    *scale = load_floats(own->scale[at]);
    *offset = has_offset ? load_floats(own->offset[at]) : vector_of(0);
}

/* Whole blocks, or one of any depth, onto the sums of a vector of columns. */
static ALWAYS_INLINE void add_row_blocks(struct row_blocks *own, const float *left, uint32_t bits,
                                         bool has_offset, int blocks, bool adds, float *sums)
{
    const uint32_t steps = 32 / bits, block_bytes = CONTRACTION_BLOCK * bits / 8,
                   depth = blocks > 1 ? CONTRACTION_BLOCK : own->depth;
    vector sum[ROW_BLOCKS], scale[ROW_BLOCKS], offset[ROW_BLOCKS];
    uint32_t group = 0;
    uint64_t end = own->group_end;
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++) {
        sum[b] = vector_of(0);
        read_group(own, b, group, has_offset, &scale[b], &offset[b]);
    }
    for (uint32_t k = 0; k < depth; k += ROW_WORDS * steps) {
        vector_bits word[ROW_BLOCKS][ROW_WORDS] __attribute__((uninitialized));
        if (own->fetches)
            prefetch_following(&own->following, (uint32_t)blocks * VECTOR_LANES * ROW_WORDS * 4 / LINE_BYTES);
        if (blocks == 1 && depth - k < ROW_WORDS * steps)
            turn_rest(own->column, k * bits / 8, ((depth - k) * bits + 7) / 8, word[0]);
        else
#pragma GCC unroll 4
            for (int b = 0; b < blocks; b++)
                turn_words(own->column, (uint32_t)b * block_bytes + k * bits / 8, word[b]);
#pragma GCC unroll 4
        for (uint32_t w = 0; w < ROW_WORDS; w++) {
            const uint32_t at = k + w * steps;
            if (at >= depth)
                break;
            if (at == end) {
                end += own->group;
                group++;
#pragma GCC unroll 4
                for (int b = 0; b < blocks; b++)
                    read_group(own, b, group, has_offset, &scale[b], &offset[b]);
            }
#pragma GCC unroll 8
            for (uint32_t step = 0; step < steps; step++) {
                if (blocks == 1 && at + step == depth)
                    break;
#pragma GCC unroll 4
                for (int b = 0; b < blocks; b++) {
                    vector value = step_of(word[b][w], step, bits);
                    value = (has_offset ? value + offset[b] : value) * scale[b];
                    sum[b] = fused(vector_of(left[b * CONTRACTION_BLOCK + (int)(at + step)]), value, sum[b]);
                }
            }
        }
    }
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++, adds = true)
        store_floats(sums, adds ? load_floats(sums) + sum[b] : sum[b]);
}

static ALWAYS_INLINE void turn_factors(const struct quantised_factor *factor, const uint64_t *lane,
                                       uint64_t group, uint32_t groups, float *to)
{
    float read[LANE_BLOCK][ROW_GROUPS + VECTOR_LANES] __attribute__((uninitialized));
    const float *row[LANE_BLOCK];
    for (uint32_t j = 0; j < VECTOR_LANES; j += LANE_BLOCK) {
        for (uint32_t i = 0; i < LANE_BLOCK; i++) {
            read_factors(factor, lane[j + i], group, groups, read[i]);
            row[i] = read[i];
            prefetch_element(
                factor->first,
                ((int64_t)(lane[j + i] + VECTOR_LANES) * factor->lane + (int64_t)group * factor->group) * 2);
        }
        transpose_lanes(row, groups, to + j, VECTOR_LANES);
    }
}

static ALWAYS_INLINE void multiply_row_blocks(struct row_blocks *own, const float *left, uint32_t bits,
                                              bool has_offset, uint32_t blocks, bool adds, float *sums)
{
    if (blocks == ROW_BLOCKS)
        add_row_blocks(own, left, bits, has_offset, ROW_BLOCKS, adds, sums);
    else if (blocks > 1)
        add_row_blocks(own, left, bits, has_offset, 2, adds, sums);
    else
        add_row_blocks(own, left, bits, has_offset, 1, adds, sums);
}

/* So many blocks from a step on by a vector of columns. */
static void multiply_columns(const struct quantised *plan, const struct contraction_row *row,
                             const uint64_t *lane, uint64_t first, uint32_t blocks, struct row_blocks *own,
                             float *sums)
{
    const bool has_offset = plan->offset.first != NULL;
    const uint64_t depth = plan->product.depth, group = first / plan->group,
                   steps = blocks > 1 ? (uint64_t)blocks * CONTRACTION_BLOCK : own->depth;
    const uint32_t groups = (uint32_t)((first + steps - 1) / plan->group - group) + 1;
    own->group_end = (group + 1) * plan->group - first;
    for (uint32_t b = 0; b < blocks; b++)
        own->first_group[b] = (uint32_t)((first + b * CONTRACTION_BLOCK) / plan->group - group);
    turn_factors(&plan->scale, lane, group, groups, own->scale[0]);
    if (has_offset)
        turn_factors(&plan->offset, lane, group, groups, own->offset[0]);
    for (uint32_t i = 0; i < row->rows; i++, sums += ROW_COLUMNS) {
        const float *left = row->left + i * depth + first;
        own->fetches = i == 0;
        if (plan->is_in_halves && has_offset)
            multiply_row_blocks(own, left, 4, true, blocks, first > 0, sums);
        else if (plan->is_in_halves)
            multiply_row_blocks(own, left, 4, false, blocks, first > 0, sums);
        else if (has_offset)
            multiply_row_blocks(own, left, 8, true, blocks, first > 0, sums);
        else
            multiply_row_blocks(own, left, 8, false, blocks, first > 0, sums);
    }
}

contraction_multiply_row AT_LEVEL(multiply_quantised_row);
void AT_LEVEL(multiply_quantised_row)(const struct contraction *plan, const struct contraction_row *row)
{
    const struct quantised *quantised = (const struct quantised *)(const void *)plan;
    const uint32_t bits = quantised->is_in_halves ? 4 : 8;
    const int64_t column_bytes = plan->right.stride[0] * (int64_t)bits / 8;
    const bool ends_alike = CONTRACTION_BLOCK % quantised->group == 0 ||
                            quantised->group % CONTRACTION_BLOCK == 0 || quantised->group >= plan->depth;
    struct row_blocks own __attribute__((uninitialized));
    own.group = quantised->group;
    for (uint32_t j = 0; j < row->columns; j += VECTOR_LANES) {
        const unsigned char *column[VECTOR_LANES] __attribute__((uninitialized));
        uint64_t lane[VECTOR_LANES] __attribute__((uninitialized));
        /* Beyond the last column the last one stands in; its sums are not used. */
        for (uint32_t i = 0; i < VECTOR_LANES; i++) {
            lane[i] = row->lane + (j + i < row->columns ? j + i : row->columns - 1);
            column[i] = row->right + (int64_t)lane[i] * column_bytes;
        }
        own.following =
            (struct following){.column = column,
                               .columns = VECTOR_LANES,
                               .lines = (uint32_t)((plan->depth * bits / 8 + LINE_BYTES - 1) / LINE_BYTES),
                               .ahead = VECTOR_LANES * column_bytes};
        for (uint64_t first = 0, depth; first < plan->depth; first += depth) {
            const uint64_t rest = plan->depth - first;
            const uint32_t blocks = !ends_alike || rest < 2 * CONTRACTION_BLOCK ? 1
                                    : rest < ROW_BLOCKS * CONTRACTION_BLOCK     ? 2
                                                                                : ROW_BLOCKS;
            own.depth = rest < CONTRACTION_BLOCK ? (uint32_t)rest : CONTRACTION_BLOCK;
            depth = blocks > 1 ? blocks * CONTRACTION_BLOCK : own.depth;
            for (uint32_t i = 0; i < VECTOR_LANES; i++)
                own.column[i] = column[i] + first * bits / 8;
            multiply_columns(quantised, row, lane, first, blocks, &own, row->sums + j);
        }
    }
}

#endif
