/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The kernels that convolutions have beside those of contraction: sums are finished (bias, rounding, layout)
 * here, and channels of gradients added up.
 */
#include "ops/convolution/kernels.h"

#ifdef KERNEL_PASS
#include "ops/contraction/panel.h"

#if defined(__AVX512F__)
/* At most a vector of floats to every other place. */
static ALWAYS_INLINE void store_spread(float *to, vector value, uint32_t count)
{
    const uint32_t lanes = count < VECTOR_LANES ? (1u << 2 * count) - 1 : UINT32_MAX,
                   even = lanes & 0x55555555;
    const vector low = __builtin_shufflevector(value, value, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                 high = __builtin_shufflevector(value, value, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14,
                                                14, 15, 15);
    _mm512_mask_storeu_ps(to, (__mmask16)even, (__m512)low);
    _mm512_mask_storeu_ps(to + VECTOR_LANES, (__mmask16)(even >> VECTOR_LANES), (__m512)high);
}
#endif

static ALWAYS_INLINE void finish_floats(const struct convolution_sums *sums, aclDataType dtype)
{
    const int64_t bytes = dtype == ACL_FLOAT ? 4 : 2, row_bytes = sums->row_stride * bytes,
                  column_bytes = sums->column_stride * bytes;
    const float *row = (const float *)sums->sums;
    unsigned char *out = sums->out;
    for (uint32_t i = 0; i < sums->rows; i++, row += sums->sums_step, out += row_bytes) {
        const vector bias = vector_of(sums->bias != NULL ? sums->bias[i * sums->bias_step] : 0);
        for (uint32_t j = 0; j < sums->columns; j += VECTOR_LANES) {
            vector value = load_floats(row + j);
            value = vector_canonical(sums->bias != NULL ? value + bias : value);
            if (dtype == ACL_FLOAT && sums->column_stride == 1)
                store_some_floats((float *)(void *)out + j, value, sums->columns - j);
#if defined(__AVX512F__)
            else if (dtype == ACL_FLOAT && sums->column_stride == 2)
                store_spread((float *)(void *)out + 2 * j, value, sums->columns - j);
#endif
            else
                write_elements(value, out + j * column_bytes, dtype, sums->column_stride, sums->columns - j);
        }
    }
}

static void finish_doubles(const struct convolution_sums *sums)
{
    const int64_t bytes = sums->dtype == ACL_FLOAT ? 4 : 2;
    for (uint32_t i = 0; i < sums->rows; i++) {
        const double *row = (const double *)sums->sums + i * sums->sums_step;
        const double bias = sums->bias != NULL ? (double)sums->bias[i * sums->bias_step] : 0;
        unsigned char *out = sums->out + i * sums->row_stride * bytes;
        for (uint32_t j = 0; j < sums->columns; j += VECTOR_LANES) {
            float result[VECTOR_LANES] = {0};
            for (uint32_t k = 0; k < VECTOR_LANES && j + k < sums->columns; k++) {
                const double value = sums->bias != NULL ? row[j + k] + bias : row[j + k];
                result[k] = sums->dtype == ACL_FLOAT ? (float)value : float_for_rounding(value);
            }
            write_elements(vector_canonical(load_floats(result)), out + j * sums->column_stride * bytes,
                           sums->dtype, sums->column_stride, sums->columns - j);
        }
    }
}

static void finish(const struct convolution_sums *sums)
{
    if (sums->is_exact)
        finish_doubles(sums);
    else if (sums->dtype == ACL_FLOAT)
        finish_floats(sums, ACL_FLOAT);
    else if (sums->dtype == ACL_FLOAT16)
        finish_floats(sums, ACL_FLOAT16);
    else
        finish_floats(sums, ACL_BF16);
}

static void turn(const struct convolution_turn *turn)
{
    for (uint32_t lane = 0; lane < turn->width; lane += LANE_BLOCK) {
        const float *row[LANE_BLOCK];
        for (uint32_t i = 0; i < LANE_BLOCK; i++) {
            row[i] = turn->row[lane + i] + turn->place;
            for (uint32_t k = 0; turn->ahead > 0 && k < turn->steps; k += LINE_BYTES / sizeof(float))
                prefetch_element((const unsigned char *)turn->row[lane + i],
                                 (int64_t)((turn->ahead + k) * sizeof(float)));
        }
        transpose_lanes(row, turn->steps, turn->to + lane, turn->width);
    }
}

static void turn_channels(const struct convolution_turned_channels *turn)
{
    enum { STEPS = 4, AHEAD = 8 };
    const uint32_t steps = turn->steps, width = turn->width;
    const int64_t *const first = turn->first, *const on = turn->on;
    for (int64_t channel = 0; channel < turn->channels; channel++) {
        const int64_t from = channel * turn->distance;
        for (uint32_t i = 0; i < width; i++)
            prefetch_element((const unsigned char *)turn->row[i],
                             (from + AHEAD * turn->distance) * (int64_t)sizeof(float));
        /* Of four steps at the end some are written again. */
        for (uint32_t k = 0; k < steps && steps >= STEPS; k += STEPS) {
            const uint32_t at = k + STEPS <= steps ? k : steps - STEPS;
            float *to[STEPS];
            for (uint32_t i = 0; i < STEPS; i++)
                to[i] = turn->to + first[at + i] + channel * on[at + i];
            for (uint32_t lane = 0; lane < width; lane += LANE_BLOCK) {
                lane_vector step[STEPS];
                turn_steps(turn->row + lane, (uint64_t)(from + at), step);
#pragma GCC unroll 4
                for (uint32_t i = 0; i < STEPS; i++)
                    store_lanes(to[i] + lane, step[i]);
            }
        }
        for (uint32_t k = 0; k < steps && steps < STEPS; k++)
            for (uint32_t i = 0; i < width; i++)
                turn->to[first[k] + channel * on[k] + i] = turn->row[i][from + k];
    }
}

static void pack_lanes(const struct convolution_lanes *lanes)
{
    for (uint32_t lane = 0; lane < lanes->width; lane += LANE_BLOCK) {
        const float *first[LANE_BLOCK], *row[LANE_BLOCK];
        float *to = lanes->to + lane;
        for (uint32_t i = 0; i < LANE_BLOCK; i++)
            first[i] = lanes->planes + lanes->place[lane + i < lanes->lanes ? lane + i : lanes->lanes - 1];
        for (uint32_t s = 0; s < lanes->spans; to += lanes->span[s++].count * (int64_t)lanes->width) {
            for (uint32_t i = 0; i < LANE_BLOCK; i++)
                row[i] = first[i] + lanes->span[s].from;
            transpose_lanes(row, (uint32_t)lanes->span[s].count, to, lanes->width);
        }
    }
}

static ALWAYS_INLINE void pack_pieces(const float *planes, const int64_t *place, uint32_t depth,
                                      const struct convolution_piece *piece, uint32_t pieces, float *to)
{
    for (uint32_t k = 0; k < depth; k++, to += 2 * VECTOR_LANES) {
        const float *from = planes + place[k];
#pragma GCC unroll 4
        for (uint32_t i = 0; i < pieces; i++)
            store_floats(to + piece[i].to, load_floats(from + piece[i].from));
    }
}

/* Few pieces are the usual case. */
static void pack_columns(const float *planes, const int64_t *place, uint32_t depth,
                         const struct convolution_piece *piece, uint32_t pieces, float *to)
{
    if (pieces == 2)
        pack_pieces(planes, place, depth, piece, 2, to);
    else if (pieces == 3)
        pack_pieces(planes, place, depth, piece, 3, to);
    else if (pieces == 4)
        pack_pieces(planes, place, depth, piece, 4, to);
    else
        pack_pieces(planes, place, depth, piece, pieces, to);
}

typedef float eight_floats __attribute__((vector_size(32)));
typedef double eight_doubles __attribute__((vector_size(64)));

static double add_up(const float *value, size_t count)
{
    eight_doubles sum = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        eight_floats some;
        memcpy(&some, value + i, sizeof some);
        sum += __builtin_convertvector(some, eight_doubles);
    }
    for (size_t j = 0; i + j < count; j++)
        sum[j] += (double)value[i + j];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static void add_runs(const float *sums, size_t distance, uint64_t runs, size_t count, double *total)
{
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        eight_doubles sum = {0};
        for (uint64_t run = 0; run < runs; run++) {
            eight_floats some;
            memcpy(&some, sums + run * distance + i, sizeof some);
            const eight_doubles value = __builtin_convertvector(some, eight_doubles);
            sum = run == 0 ? value : sum + value;
        }
        memcpy(total + i, &sum, sizeof sum);
    }
    for (; i < count; i++) {
        total[i] = (double)sums[i];
        for (uint64_t run = 1; run < runs; run++)
            total[i] += (double)sums[run * distance + i];
    }
}

/* How many shifts are multiplied at once, each of which has its own sums. */
enum { SIDE_BY_SIDE = 3, SHIFTS = LANES == 8 ? 9 : 4, SUM_VECTORS = CONVOLUTION_LANES / LANES };

#if defined(__AVX512F__)
/* Lanes from the first, second or third one on of two vectors. */
static ALWAYS_INLINE doubles lanes_from(doubles low, doubles high, int first)
{
    return first == 0   ? low
           : first == 1 ? (doubles)_mm512_alignr_epi64((__m512i)high, (__m512i)low, 1)
                        : (doubles)_mm512_alignr_epi64((__m512i)high, (__m512i)low, 2);
}

/* Three by three shifts of which each three lie side by side: these take lanes of the same converted elements. */
static ALWAYS_INLINE void multiply_side_by_side(const float *left, const float *right, const int64_t *shift,
                                                size_t whole, doubles *sum)
{
    doubles low[SIDE_BY_SIDE];
#pragma GCC unroll 3
    for (int row = 0; row < SIDE_BY_SIDE; row++)
        low[row] = load(ARITHMETIC_FP32, right + shift[row * SIDE_BY_SIDE]);
    for (size_t i = 0; i < whole; i += LANES) {
        const doubles value = load(ARITHMETIC_FP32, left + i);
#pragma GCC unroll 3
        for (int row = 0; row < SIDE_BY_SIDE; row++) {
            const doubles high = load(ARITHMETIC_FP32, right + shift[row * SIDE_BY_SIDE] + i + LANES);
#pragma GCC unroll 3
            for (int k = 0; k < SIDE_BY_SIDE; k++) {
                doubles *to = &sum[row * SIDE_BY_SIDE + k];
                *to = fused_doubles(value, lanes_from(low[row], high, k), *to);
            }
            low[row] = high;
        }
    }
}

static bool are_side_by_side(const int64_t *shift)
{
    bool are = true;
    for (int k = 0; k < SHIFTS; k++)
        are = are && shift[k] == shift[k - k % SIDE_BY_SIDE] + k % SIDE_BY_SIDE;
    return are;
}
#endif

static ALWAYS_INLINE void multiply_apart(const float *left, const float *right, const int64_t *shift,
                                         int shifts, size_t whole, doubles *sum)
{
    for (size_t i = 0; i < whole; i += CONVOLUTION_LANES) {
        const doubles value = load(ARITHMETIC_FP32, left + i);
#pragma GCC unroll 9
        for (int k = 0; k < shifts; k++)
            sum[k] = fused_doubles(value, load(ARITHMETIC_FP32, right + shift[k] + i), sum[k]);
    }
}

/* Some shifts from the k-th on of all lines. */
static ALWAYS_INLINE void multiply_shifts(const struct convolution_lines *lines, size_t k, int shifts,
                                          bool side_by_side, double *lanes)
{
    const int64_t *shift = lines->shift + k;
    const size_t whole = lines->count / CONVOLUTION_LANES * CONVOLUTION_LANES, rest = lines->count - whole;
    for (int v = 0; v < SUM_VECTORS; v++) {
        const size_t first = (size_t)v * LANES;
        doubles sum[SHIFTS] __attribute__((uninitialized));
#pragma GCC unroll 9
        for (int j = 0; j < shifts; j++)
            memcpy(&sum[j], lanes + ((int)k + j) * CONVOLUTION_LANES + v * LANES, sizeof sum[j]);
        for (size_t line = 0; line < lines->lines; line++) {
            const float *left = lines->left + (int64_t)line * lines->left_line + first;
            const float *right = lines->right + (int64_t)line * lines->right_line + first;
#if defined(__AVX512F__)
            if (side_by_side)
                multiply_side_by_side(left, right, shift, whole, sum);
#endif
            if (!side_by_side)
                multiply_apart(left, right, shift, shifts, whole, sum);
            if (rest <= first)
                continue;
            float padded[LANES] = {0};
            const size_t bytes = (rest - first < LANES ? rest - first : LANES) * sizeof(float);
            memcpy(padded, left + whole, bytes);
            const doubles value = load(ARITHMETIC_FP32, padded);
#pragma GCC unroll 9
            for (int j = 0; j < shifts; j++) {
                memcpy(padded, right + shift[j] + whole, bytes);
                sum[j] = fused_doubles(value, load(ARITHMETIC_FP32, padded), sum[j]);
            }
        }
#pragma GCC unroll 9
        for (int j = 0; j < shifts; j++)
            memcpy(lanes + ((int)k + j) * CONVOLUTION_LANES + v * LANES, &sum[j], sizeof sum[j]);
    }
}

static void multiply_up(const struct convolution_lines *lines, double *lanes)
{
    size_t k = 0;
#if defined(__AVX512F__)
    for (; k + SHIFTS <= lines->shifts && are_side_by_side(lines->shift + k); k += SHIFTS)
        multiply_shifts(lines, k, SHIFTS, true, lanes);
#endif
    for (; k + SHIFTS <= lines->shifts; k += SHIFTS)
        multiply_shifts(lines, k, SHIFTS, false, lanes);
    for (; k < lines->shifts; k++)
        multiply_shifts(lines, k, 1, false, lanes);
}

extern const struct convolution_kernels AT_LEVEL(convolution_kernels);
const struct convolution_kernels AT_LEVEL(convolution_kernels) = {.pack_lanes = pack_lanes,
                                                                  .turn = turn,
                                                                  .turn_channels = turn_channels,
                                                                  .pack_columns = pack_columns,
                                                                  .finish = finish,
                                                                  .add_up = add_up,
                                                                  .add_runs = add_runs,
                                                                  .multiply_up = multiply_up};

#else

LEVEL_TABLE(const struct convolution_kernels, kernels_of, convolution_kernels);

const struct convolution_kernels *convolution_kernels_of(enum isa_level level)
{
    return kernels_of[level];
}

#endif
