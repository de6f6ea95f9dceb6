/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The product of few rows and a quantised operand, compiled once for each instruction-set level.
 *
 * Few rows use each weight once or little more, and a panel of floats would take longer to write than to use.
 * So words of 32 bits, 4 or 8 steps of a column, are turned in registers until those of a vector of columns lie
 * side by side, and the steps are shifted out of them. INT8 in AVX-512 is turned by bytes instead, which takes
 * no shifts. Blocks are sums of their own: several at a time hide the latency of a chain.
 */
#include "ops/contraction/quantised.h"

#ifdef KERNEL_PASS

#include "ops/contraction/half_columns.h"
#include "ops/contraction/panel.h"
#include "ops/contraction/quantised_factors.h"
#include "simd/vector/level_table.h"

enum {
    TURNED_WORDS = 4,
    ROW_WORDS = 16, /* of a column at a time: a line, all of which is used before the cache needs its place */
    FETCHING_WORDS = 4, /* as often more lines are asked for: more of them at once would stall */
    ROW_BLOCKS = 4,
    ROW_GROUPS = ROW_BLOCKS * CONTRACTION_BLOCK / ROW_GROUP_LEAST + 1
};

/* What weights are made with: scales alone, which may be folded into one step, or offsets before them. */
enum row_factors { SCALES, FOLDED, WITH_OFFSETS };

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

#if defined(__AVX512F__)
/* 16 bytes of columns i, i + 4, i + 8 and i + 12 at each i, all of which are read. */
static ALWAYS_INLINE void read_columns(const unsigned char *const *column, size_t from, __m512i *part)
{
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        part[i] = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(column[i] + from)));
        part[i] = _mm512_inserti32x4(part[i], _mm_loadu_si128((const void *)(column[i + 4] + from)), 1);
        part[i] = _mm512_inserti32x4(part[i], _mm_loadu_si128((const void *)(column[i + 8] + from)), 2);
        part[i] = _mm512_inserti32x4(part[i], _mm_loadu_si128((const void *)(column[i + 12] + from)), 3);
    }
}

/* Words whose bytes are 4 steps of 4 columns each, step by step in every 16 bytes, and counted from -128 on. */
static ALWAYS_INLINE void turn_bytes(const unsigned char *const *column, size_t from, vector_bits *word)
{
    __m512i part[4] __attribute__((uninitialized));
    read_columns(column, from, part);
    const __m512i low_02 = _mm512_unpacklo_epi8(part[0], part[2]),
                  high_02 = _mm512_unpackhi_epi8(part[0], part[2]),
                  low_13 = _mm512_unpacklo_epi8(part[1], part[3]),
                  high_13 = _mm512_unpackhi_epi8(part[1], part[3]);
    word[0] = (vector_bits)_mm512_unpacklo_epi8(low_02, low_13) ^ 0x80808080;
    word[1] = (vector_bits)_mm512_unpackhi_epi8(low_02, low_13) ^ 0x80808080;
    word[2] = (vector_bits)_mm512_unpacklo_epi8(high_02, high_13) ^ 0x80808080;
    word[3] = (vector_bits)_mm512_unpackhi_epi8(high_02, high_13) ^ 0x80808080;
}

/* A step of such words as 2^15 + 128 + the weight: its byte where a float from 2^15 on counts ones. */
static ALWAYS_INLINE vector byte_step(vector_bits words, uint32_t step)
{
    const __m512i none = _mm512_setzero_si512(), high = _mm512_set1_epi16(0x4700);
    const __m512i two =
        step < 2 ? _mm512_unpacklo_epi8(none, (__m512i)words) : _mm512_unpackhi_epi8(none, (__m512i)words);
    return (vector)(step % 2 == 0 ? _mm512_unpacklo_epi16(two, high) : _mm512_unpackhi_epi16(two, high));
}
#endif

/* TURNED_WORDS words of each column, all of which are read, as as many vectors. */
static ALWAYS_INLINE void turn_words(const unsigned char *const *column, size_t from, vector_bits *word)
{
#if defined(__AVX512F__)
    __m512i part[4] __attribute__((uninitialized));
    read_columns(column, from, part);
    const __m512i low_01 = _mm512_unpacklo_epi32(part[0], part[1]),
                  high_01 = _mm512_unpackhi_epi32(part[0], part[1]),
                  low_23 = _mm512_unpacklo_epi32(part[2], part[3]),
                  high_23 = _mm512_unpackhi_epi32(part[2], part[3]);
    word[0] = (vector_bits)_mm512_unpacklo_epi64(low_01, low_23);
    word[1] = (vector_bits)_mm512_unpackhi_epi64(low_01, low_23);
    word[2] = (vector_bits)_mm512_unpacklo_epi64(high_01, high_23);
    word[3] = (vector_bits)_mm512_unpackhi_epi64(high_01, high_23);
#else
    _Static_assert((int)VECTOR_LANES == (int)LANE_BLOCK, "a vector of columns is turned at once");
    const float *row[VECTOR_LANES];
    for (int i = 0; i < VECTOR_LANES; i++)
        row[i] = (const float *)(const void *)(column[i] + from);
    lane_vector step[TURNED_WORDS];
    turn_steps(row, 0, step);
    for (int i = 0; i < TURNED_WORDS; i++)
        word[i] = (vector_bits)step[i];
#endif
}

#if defined(__AVX512F__)
enum { MAY_FOLD = 1 };
#else
enum { MAY_FOLD = 0 };
#define turn_bytes turn_words
#endif

/* ROW_WORDS of them. */
static ALWAYS_INLINE void turn_columns(const unsigned char *const *column, size_t from, uint32_t bits,
                                       vector_bits *word)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < ROW_WORDS; i += TURNED_WORDS)
        if (bits == 8)
            turn_bytes(column, from + 4 * i, word + i);
        else
            turn_words(column, from + 4 * i, word + i);
}

/* The same of the last bytes of columns, fewer than that, and zeros. */
static __attribute__((noinline)) void turn_rest(const unsigned char *const *column, size_t from,
                                                uint32_t bytes, uint32_t bits, vector_bits *word)
{
    unsigned char rest[VECTOR_LANES][4 * ROW_WORDS] = {{0}};
    const unsigned char *copy[VECTOR_LANES];
    for (int i = 0; i < VECTOR_LANES; i++) {
        memcpy(rest[i], column[i] + from, bytes);
        copy[i] = rest[i];
    }
    turn_columns(copy, 0, bits, word);
}

/* A word's step in each lane. */
static ALWAYS_INLINE vector step_of(vector_bits words, uint32_t step, uint32_t bits)
{
#if defined(__AVX512F__)
    if (bits == 8)
        return byte_step(words, step) - vector_of(0x1p15F + 128);
#endif
    const vector_ints whole = (vector_ints)(words << (32 - bits * (step + 1)));
    return __builtin_convertvector(whole >> (int32_t)(32 - bits), vector);
}

/*
 * A weight without a conversion: where it is 2^15 + 128 + w, w scale is fused(that, scale, -(2^15 + 128) scale).
 * With a scale of FLOAT16 both steps are exact, as w scale itself is, but an infinite one would make NaN of them.
 * A product that is 0 may have the other sign then; sums do not show it, since they begin at +0 and products of
 * numbers of FLOAT16 are too large to vanish.
 */
static ALWAYS_INLINE vector folded_step(vector_bits words, uint32_t step)
{
#if defined(__AVX512F__)
    return byte_step(words, step);
#else
    return step_of(words, step, 8);
#endif
}

/* Whether all of these scales may be used so. */
static ALWAYS_INLINE bool scales_fold(const struct quantised *plan, const float *scale, uint32_t groups)
{
    if (!MAY_FOLD || plan->is_in_halves || plan->offset.first != NULL || plan->scale.dtype != ACL_FLOAT16 ||
        plan->product.left.dtype != ACL_FLOAT16)
        return false;
    vector_bits carried = vector_bits_of(0); /* into the highest bit, by the exponent of what is not finite */
    for (uint32_t g = 0; g < groups; g++)
        carried |= ((vector_bits)load_floats(scale + g * VECTOR_LANES) & 0x7fffffff) + 0x00800000;
    return !vector_any(carried & 0x80000000);
}

/* The factors of a block's group, by its number within the block; what scales are folded with is their offset. */
static ALWAYS_INLINE void read_group(const struct row_blocks *own, int block, uint32_t group,
                                     enum row_factors factors, vector *scale, vector *offset)
{
    const uint32_t at = own->first_group[block] + group;
    *scale = load_floats(own->scale[at]);
    *offset = factors == WITH_OFFSETS ? load_floats(own->offset[at])
              : factors == FOLDED     ? *scale * vector_of(-(0x1p15F + 128))
                                      : vector_of(0);
}

/* A step of a word, times its scale. */
static ALWAYS_INLINE vector scaled_step(vector_bits words, uint32_t step, uint32_t bits,
                                        enum row_factors factors, vector scale, vector offset)
{
    if (factors == FOLDED)
        return fused(folded_step(words, step), scale, offset);
    const vector value = step_of(words, step, bits);
    return (factors == WITH_OFFSETS ? value + offset : value) * scale;
}

/* Whole blocks, or one of any depth, onto the sums of a vector of columns. */
static ALWAYS_INLINE void add_row_blocks(struct row_blocks *own, const float *left, uint32_t bits,
                                         enum row_factors factors, int blocks, bool adds, float *sums)
{
    const uint32_t steps = 32 / bits, block_bytes = CONTRACTION_BLOCK * bits / 8,
                   depth = blocks > 1 ? CONTRACTION_BLOCK : own->depth;
    vector sum[ROW_BLOCKS], scale[ROW_BLOCKS], offset[ROW_BLOCKS];
    uint32_t group = 0;
    uint64_t end = own->group_end;
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++) {
        sum[b] = vector_of(0);
        read_group(own, b, group, factors, &scale[b], &offset[b]);
    }
    for (uint32_t k = 0; k < depth; k += ROW_WORDS * steps) {
        vector_bits word[ROW_BLOCKS][ROW_WORDS] __attribute__((uninitialized));
        if (blocks == 1 && depth - k < ROW_WORDS * steps)
            turn_rest(own->column, k * bits / 8, ((depth - k) * bits + 7) / 8, bits, word[0]);
        else
            for (int b = 0; b < blocks; b++)
                turn_columns(own->column, (uint32_t)b * block_bytes + k * bits / 8, bits, word[b]);
#pragma GCC unroll 1
        for (uint32_t w = 0; w < ROW_WORDS; w++) {
            const uint32_t at = k + w * steps;
            if (blocks == 1 && at >= depth)
                break;
            if (own->fetches && w % FETCHING_WORDS == 0)
                prefetch_following(&own->following,
                                   (uint32_t)blocks * VECTOR_LANES * FETCHING_WORDS * 4 / LINE_BYTES);
            if (at == end) {
                end += own->group;
                group++;
#pragma GCC unroll 4
                for (int b = 0; b < blocks; b++)
                    read_group(own, b, group, factors, &scale[b], &offset[b]);
            }
            const float *element = left + at;
#pragma GCC unroll 8
            for (uint32_t step = 0; step < steps; step++) {
                if (blocks == 1 && at + step == depth)
                    break;
#pragma GCC unroll 4
                for (int b = 0; b < blocks; b++) {
                    const vector value = scaled_step(word[b][w], step, bits, factors, scale[b], offset[b]);
                    sum[b] = fused(vector_of(element[b * CONTRACTION_BLOCK + (int)step]), value, sum[b]);
                }
            }
        }
    }
#pragma GCC unroll 4
    for (int b = 0; b < blocks; b++, adds = true)
        store_floats(sums, adds ? load_floats(sums) + sum[b] : sum[b]);
}

#if defined(__AVX512F__)
/* Factors of a vector of columns, each of which has its own side by side: 8 groups at a time, as many as there
 * are of these. */
static ALWAYS_INLINE uint32_t turn_half_factors(const struct quantised_factor *factor, const uint64_t *lane,
                                                uint64_t group, uint32_t groups, float *to)
{
    uint32_t g = 0;
    const unsigned char *column[VECTOR_LANES] __attribute__((uninitialized));
    for (uint32_t i = 0; i < VECTOR_LANES; i++)
        column[i] = factor->first + ((int64_t)lane[i] * factor->lane + (int64_t)group) * 2;
    for (; factor->group == 1 && g + HALF_STEPS <= groups; g += HALF_STEPS) {
        __m256i step[HALF_STEPS];
        turn_half_steps(column, g * 2, column + VECTOR_LANES / 2, g * 2, step);
        for (uint32_t i = 0; i < HALF_STEPS; i++)
            store_floats(to + (g + i) * VECTOR_LANES, factor->dtype == ACL_FLOAT16
                                                          ? vector_from_fp16((vector_halves)step[i])
                                                          : vector_from_bf16((vector_halves)step[i]));
    }
    return g;
}
#endif

static ALWAYS_INLINE void turn_factors(const struct quantised_factor *factor, const uint64_t *lane,
                                       uint64_t group, uint32_t groups, float *to)
{
    float read[LANE_BLOCK][ROW_GROUPS + VECTOR_LANES] __attribute__((uninitialized));
    const float *row[LANE_BLOCK];
    for (uint32_t i = 0; i < VECTOR_LANES; i++)
        prefetch_element(factor->first,
                         ((int64_t)(lane[i] + VECTOR_LANES) * factor->lane + (int64_t)group * factor->group) *
                             2);
    uint32_t turned = 0;
#if defined(__AVX512F__)
    turned = turn_half_factors(factor, lane, group, groups, to);
#endif
    for (uint32_t j = 0; turned < groups && j < VECTOR_LANES; j += LANE_BLOCK) {
        for (uint32_t i = 0; i < LANE_BLOCK; i++) {
            read_factors(factor, lane[j + i], group + turned, groups - turned, read[i]);
            row[i] = read[i];
        }
        transpose_lanes(row, groups - turned, to + turned * VECTOR_LANES + j, VECTOR_LANES);
    }
}

static ALWAYS_INLINE void multiply_row_blocks(struct row_blocks *own, const float *left, uint32_t bits,
                                              enum row_factors factors, uint32_t blocks, bool adds,
                                              float *sums)
{
    if (blocks == ROW_BLOCKS)
        add_row_blocks(own, left, bits, factors, ROW_BLOCKS, adds, sums);
    else if (blocks > 1)
        add_row_blocks(own, left, bits, factors, 2, adds, sums);
    else
        add_row_blocks(own, left, bits, factors, 1, adds, sums);
}

/* Each way is a function, and another one for three blocks, as compilers choose registers for all of one. */
typedef void row_way(struct row_blocks *own, const float *left, uint32_t blocks, bool adds, float *sums);
#define ROW_WAY(name, bits, factors)                                                                 \
    static __attribute__((noinline)) void name##_of_any(struct row_blocks *own, const float *left,   \
                                                        uint32_t blocks, bool adds, float *sums)     \
    {                                                                                                \
        multiply_row_blocks(own, left, bits, factors, blocks, adds, sums);                           \
    }                                                                                                \
    static __attribute__((noinline)) void name##_of_three(struct row_blocks *own, const float *left, \
                                                          uint32_t blocks, bool adds, float *sums)   \
    {                                                                                                \
        (void)blocks;                                                                                \
        add_row_blocks(own, left, bits, factors, 3, adds, sums);                                     \
    }                                                                                                \
    static row_way *const name[] = {name##_of_any, name##_of_three};
ROW_WAY(multiply_halves, 4, SCALES)
ROW_WAY(multiply_halves_with_offsets, 4, WITH_OFFSETS)
ROW_WAY(multiply_bytes, 8, SCALES)
ROW_WAY(multiply_bytes_with_offsets, 8, WITH_OFFSETS)
ROW_WAY(multiply_bytes_folded, 8, FOLDED)

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
    row_way *const *way = plan->is_in_halves ? has_offset ? multiply_halves_with_offsets : multiply_halves
                          : has_offset       ? multiply_bytes_with_offsets
                          : scales_fold(plan, own->scale[0], groups) ? multiply_bytes_folded
                                                                     : multiply_bytes;
    for (uint32_t i = 0; i < row->rows; i++, sums += ROW_COLUMNS) {
        own->fetches = i == 0;
        way[blocks == 3](own, row->left + i * depth + first, blocks, first > 0, sums);
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
                                    : rest < ROW_BLOCKS * CONTRACTION_BLOCK
                                        ? (uint32_t)(rest / CONTRACTION_BLOCK)
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
