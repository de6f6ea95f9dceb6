/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A block of scores, and what a level computes with it.
 */
#ifndef BELAY_OPS_ATTENTION_BLOCK_H
#define BELAY_OPS_ATTENTION_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"

enum { ATTENTION_ROWS = 128, ATTENTION_KEYS = 128, ATTENTION_WORDS = ATTENTION_KEYS / 32 };

/* A block of scores, element (key j, row i) at [j * step + i]; lanes: the rows, up to whole vectors. */
struct attention_block {
    float *scores;
    float *slopes;                 /* of gradients: value dy^T, which become the gradients of the scores */
    const float *bias;             /* as scores lie, or NULL */
    const uint32_t *hidden, *kept; /* bit j mod 32 of [j / 32 * ATTENTION_ROWS + i], or NULL */
    uint32_t keys, lanes, step;
    float scale, inverse_keep;
    bool is_bias_scaled;
    float *greatest; /* of each row: so far, or of gradients as it was given */
    float *factor;   /* what earlier sums are multiplied by, or of gradients 1 / sum */
    double *sum;     /* so far, or of gradients rowsum(dy * out) */
};

/*
 * Few rows of the query by the halves of a block's keys or values, where they lie: rows of elements side by side.
 */
enum {
    ATTENTION_FEW = 4,
    ATTENTION_FEW_STEPS = 8 /* elements of a key are a multiple of this */
};
struct attention_few {
    const unsigned char *from;     /* the first key, or NULL */
    int64_t row_bytes, head_bytes; /* from key to key, and from head to head */
    aclDataType dtype;             /* FLOAT16 or BFLOAT16, of the query as well */
    uint32_t rows, keys, depth;
    const float *query; /* element k of row i at [k * query_step + i] */
    uint32_t query_step;
    float *scores; /* as those of a block: as many vectors as rows take are written of each key */
    uint32_t step;
    float *sums; /* of values: depth for each row, sums_step apart */
    uint32_t sums_step;
    bool adds; /* to the sums of earlier blocks */
};

/* What a level computes with, beside contraction_kernels. */
struct attention_kernels {
    /* Scores become exponentials, those of `kept` for the values; greatest, factor and sum go on. */
    void (*exponentials)(const struct attention_block *block);
    /* Scores become what values are multiplied by, slopes the gradients of scores. */
    void (*slopes)(const struct attention_block *block);
    /* e^x of whole vectors, x <= 0. */
    void (*exponential)(float *x, uint32_t count);
    /* ln x of whole vectors of doubles. */
    void (*logarithm)(double *x, uint32_t count);
    /* rows by columns (a multiple of a vector) with that many floats between rows, by a factor each. */
    void (*rescale)(float *sums, uint32_t rows, uint32_t columns, const float *factor);
    /* A row of elements as floats, and back: times a factor, rounded once. */
    void (*read)(const unsigned char *from, aclDataType dtype, int64_t stride, uint32_t count, float *to);
    /* Rows of elements side by side, as floats and zeros up to padded. */
    void (*read_rows)(const unsigned char *from, int64_t row_bytes, aclDataType dtype, uint32_t rows,
                      uint32_t count, float *to, uint32_t padded);
    /* Scores of few rows by keys, and their sums of values; NULL where a level has none. */
    void (*score_few)(const struct attention_few *few);
    void (*add_few)(const struct attention_few *few);
    void (*write)(const float *from, float factor, unsigned char *to, aclDataType dtype, int64_t stride,
                  uint32_t count);
};

#endif
