/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What attention does with blocks of scores, compiled once for each instruction-set level. A row is a lane.
 */
#include "ops/attention/block.h"

#ifdef KERNEL_PASS
#include "simd/vector/level_table.h"
#include "ops/attention/few_rows.h"
#include "ops/contraction/element.h"
#include "simd/maths/logarithm.h"

/*
 * e^x for x <= 0 within 1 ulp, 0 below -87; NaN stays NaN. x = k ln 2 + r, |r| <= ln 2 / 2, and e^r is 1 + r
 * + r^2 q(r) with the polynomial of Cephes' expf.
 */
static ALWAYS_INLINE vector exponential(vector x)
{
    const vector integers = vector_of(0x1.8p23F); /* the last place of what is added to it is 1 */
    const vector shifted = fused(x, vector_of(0x1.715476p0F), integers), power = shifted - integers;
    vector r = fused_from(power, vector_of(0x1.62e4p-1F), x);
    r = fused_from(power, vector_of(0x1.7f7d1cp-20F), r);
    vector q = fused(vector_of(1.9875691500e-4F), r, vector_of(1.3981999507e-3F));
    q = fused(q, r, vector_of(8.3334519073e-3F));
    q = fused(q, r, vector_of(4.1665795894e-2F));
    q = fused(q, r, vector_of(1.6666665459e-1F));
    q = fused(q, r, vector_of(5.0000001201e-1F));
    const vector value = fused(q, r * r, r) + vector_of(1);
    const vector two_to_power = (vector)(((vector_bits)shifted + 127) << 23);
    return vector_choose(vector_greater(vector_of(-87), x), vector_of(0), value * two_to_power);
}

/* All bits of a lane where bit j of its word is 1. */
static ALWAYS_INLINE vector_bits lanes_of_bit(const uint32_t *words, uint32_t j, uint32_t i)
{
    vector_bits word;
    memcpy(&word, words + j / 32 * ATTENTION_ROWS + i, sizeof word);
    return (vector_bits){0} - (word >> (j % 32) & 1);
}

/* Score (j, i .. ) with all that comes before the exponential; -inf where it is hidden. */
static ALWAYS_INLINE vector score_of(const struct attention_block *block, uint32_t j, uint32_t i)
{
    const size_t at = (size_t)j * block->step + i;
    const vector scale = vector_of(block->scale);
    vector score = load_floats(block->scores + at);
    if (block->bias == NULL) {
        score = score * scale;
    } else {
        const vector bias = load_floats(block->bias + at);
        score = block->is_bias_scaled ? scale * (score + bias) : score * scale + bias;
    }
    if (block->hidden != NULL) {
        const vector_bits hidden = lanes_of_bit(block->hidden, j, i);
        score = (vector)((hidden & 0xff800000) | (~hidden & (vector_bits)score));
    }
    return score;
}

/* What is kept, 0 elsewhere. */
static ALWAYS_INLINE vector keep(const struct attention_block *block, vector value, uint32_t j, uint32_t i)
{
    return block->kept == NULL ? value : (vector)((vector_bits)value & lanes_of_bit(block->kept, j, i));
}

/* One or two vectors of rows. */
static ALWAYS_INLINE void exponentials_of(const struct attention_block *block, uint32_t i, uint32_t vectors)
{
    enum { GROUP = 16 };
    vector greatest[2], sum[2], before[2];
#pragma GCC unroll 2
    for (uint32_t v = 0; v < vectors; v++)
        greatest[v] = before[v] = load_floats(block->greatest + i + v * VECTOR_LANES);
    for (uint32_t j = 0; j < block->keys; j++)
#pragma GCC unroll 2
        for (uint32_t v = 0; v < vectors; v++) {
            const vector score = score_of(block, j, i + v * VECTOR_LANES);
            store_floats(block->scores + (size_t)j * block->step + i + v * VECTOR_LANES, score);
            greatest[v] = vector_greatest(score, greatest[v]);
        }
    vector shift[2];
    const vector nothing = vector_of(-__builtin_inff());
#pragma GCC unroll 2
    for (uint32_t v = 0; v < vectors; v++) {
        /* Where a row has seen nothing, e^-inf is to be 0. */
        shift[v] = vector_choose(vector_equal(greatest[v], nothing), vector_of(0), greatest[v]);
        store_floats(block->greatest + i + v * VECTOR_LANES, greatest[v]);
        store_floats(block->factor + i + v * VECTOR_LANES, exponential(before[v] - shift[v]));
        sum[v] = vector_of(0);
    }
    for (uint32_t first = 0; first < block->keys; first += GROUP) {
        const uint32_t end = block->keys - first < GROUP ? block->keys : first + GROUP;
        vector part[2] = {vector_of(0), vector_of(0)};
        for (uint32_t j = first; j < end; j++)
#pragma GCC unroll 2
            for (uint32_t v = 0; v < vectors; v++) {
                float *place = block->scores + (size_t)j * block->step + i + v * VECTOR_LANES;
                const vector value = exponential(load_floats(place) - shift[v]);
                part[v] += value;
                store_floats(place, keep(block, value, j, i + v * VECTOR_LANES));
            }
#pragma GCC unroll 2
        for (uint32_t v = 0; v < vectors; v++)
            sum[v] += part[v];
    }
#pragma GCC unroll 2
    for (uint32_t v = 0; v < vectors; v++)
        for (uint32_t k = 0; k < VECTOR_LANES; k++) {
            const uint32_t row = i + v * VECTOR_LANES + k;
            block->sum[row] = block->sum[row] * (double)block->factor[row] + (double)sum[v][k];
        }
}

static void exponentials(const struct attention_block *block)
{
    uint32_t i = 0;
    for (; i + 2 * VECTOR_LANES <= block->lanes; i += 2 * VECTOR_LANES)
        exponentials_of(block, i, 2);
    if (i < block->lanes)
        exponentials_of(block, i, 1);
}

/* p = e^(s - greatest) / sum; scores become p as it was kept, slopes p (slope as it was kept - the row's sum
 * of dy * out). What is hidden has p = 0 and slope 0, whatever else there is. */
static void slopes(const struct attention_block *block)
{
    const vector inverse_keep = vector_of(block->inverse_keep);
    for (uint32_t i = 0; i < block->lanes; i += VECTOR_LANES) {
        const vector greatest = load_floats(block->greatest + i), factor = load_floats(block->factor + i);
        const doubles row_sum[2] = {load_doubles(block->sum + i), load_doubles(block->sum + i + LANES)};
        const vector subtrahend = vector_of_doubles(row_sum);
        for (uint32_t j = 0; j < block->keys; j++) {
            const size_t at = (size_t)j * block->step + i;
            vector p = exponential(score_of(block, j, i) - greatest) * factor;
            vector slope = load_floats(block->slopes + at), value = p;
            if (block->kept != NULL) {
                slope = keep(block, slope * inverse_keep, j, i);
                value = keep(block, p * inverse_keep, j, i);
            }
            slope = p * (slope - subtrahend);
            if (block->hidden != NULL) {
                const vector_bits seen = ~lanes_of_bit(block->hidden, j, i);
                value = (vector)((vector_bits)value & seen);
                slope = (vector)((vector_bits)slope & seen);
            }
            store_floats(block->scores + at, value);
            store_floats(block->slopes + at, slope);
        }
    }
}

static void exponential_of_row(float *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += VECTOR_LANES)
        store_floats(x + i, exponential(load_floats(x + i)));
}

static void logarithm(double *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += LANES)
        store_doubles(x + i, maths_log(load_doubles(x + i)));
}

static void rescale(float *sums, uint32_t rows, uint32_t columns, const float *factor)
{
    for (uint32_t i = 0; i < rows; i++, sums += columns) {
        if (factor[i] == 1)
            continue;
        for (uint32_t k = 0; k < columns; k += VECTOR_LANES)
            store_floats(sums + k, load_floats(sums + k) * vector_of(factor[i]));
    }
}

/* Rows and zeros behind them. They lie too far apart for the processor to notice that one follows another: rows
 * that come soon are asked for, where there may be none any more. */
static void read_rows(const unsigned char *from, int64_t row_bytes, aclDataType dtype, uint32_t rows,
                      uint32_t count, float *to, uint32_t padded)
{
    enum { AHEAD = 16, LINE_BYTES = 64 };
    const int64_t bytes = (int64_t)count * (dtype == ACL_FLOAT ? 4 : 2);
    for (uint32_t i = 0; i < rows; i++, from += row_bytes, to += padded) {
        for (int64_t line = 0; line < bytes; line += LINE_BYTES)
            __builtin_prefetch(
                (const void *)((uintptr_t)from + AHEAD * (uintptr_t)row_bytes + (uintptr_t)line));
        read_row(from, dtype, 1, count, to);
        for (uint32_t k = count; k < padded; k++)
            to[k] = 0;
    }
}

static void write_row(const float *from, float factor, unsigned char *to, aclDataType dtype, int64_t stride,
                      uint32_t count)
{
    const int64_t bytes = stride * (dtype == ACL_FLOAT ? 4 : 2);
    for (uint32_t k = 0; k < count; k += VECTOR_LANES)
        write_elements(vector_canonical(load_floats(from + k) * vector_of(factor)), to + k * bytes, dtype,
                       stride, count - k);
}

extern const struct attention_kernels AT_LEVEL(attention_kernels);
const struct attention_kernels AT_LEVEL(attention_kernels) = {
    .exponentials = exponentials,
    .slopes = slopes,
    .exponential = exponential_of_row,
    .logarithm = logarithm,
    .rescale = rescale,
    .read = read_row,
    .read_rows = read_rows,
    .write = write_row,
#if defined(__AVX2__)
    .score_few = score_few,
    .add_few = add_few,
#endif
};

#endif
