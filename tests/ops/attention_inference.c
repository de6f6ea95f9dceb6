/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference against loops in double: lists of keys, lengths, pages, padding, masks and biases,
 * in tensors of any strides; equal bits at each level and number of threads. What is refused is in
 * attention_inference_refused.c.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/arena.h"
#include "ops/attempt.h"
#include "ops/inference_drawn.h"

static const struct inference_case cases[] = {
    {"aclnnFusedInferAttentionScoreV2", "BSND", F16, 2, 4, 2, 5, 9, 40, 40, FAR, .has_pse = true},
    {"aclnnFusedInferAttentionScoreV2", "BSND", F16, 1, 4, 2, 1, 300, 64, 64, FAR, .has_pse = true},
    {FUSED, "BNSD", F32, 2, 4, 1, 5, 150, 8, 8, FAR, .has_lse = true},
    /* A row of each head, whose heads share keys. */
    {FUSED, "BSND", F16, 2, 4, 2, 1, 19, 8, 8, .pre = 4, .next = 3, .mask = MASK_OF_BATCHES, .mode = 4,
     .has_lse = true},
    {FUSED, "BSND", F32, 2, 6, 2, 1, 300, 40, 24, FAR, .mask = MASK_OF_BATCHES, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV3", "BSND", F32, 2, 6, 2, 1, 19, 8, 8, FAR, .rope = 4, .has_lse = true},
    /* Few rows by halves: two, three and four of them, in pages, and elements that are no whole vectors. */
    {FUSED, "BNSD", F16, 1, 2, 2, 4, 77, 48, 80, FAR, .is_plain = true, .has_lse = true},
    {FUSED, "BSND", B16, 2, 3, 1, 1, 300, 72, 48, FAR, .is_plain = true, .mask = MASK_OF_BATCHES,
     .has_lse = true},
    {FUSED, "BNSD", B16, 2, 2, 2, 2, 150, 24, 8, FAR, .is_plain = true, .has_pse = true},
    {FUSED, "BSND", F16, 2, 2, 2, 1, 140, 16, 32, FAR, .is_plain = true, .has_lse = true},
    {FUSED, "BNSD", F16, 1, 4, 4, 5, 40, 16, 32, FAR, .is_plain = true, .has_lse = true},
    /* Keys that pse hides: whole blocks of them and parts, by few rows and many, and all. */
    {FUSED, "BSND", F16, 2, 4, 2, 1, 300, 64, 64, FAR, .has_pse = true, .unseen = 139, .has_lse = true},
    {FUSED, "BNSD", B16, 2, 2, 2, 2, 150, 24, 8, FAR, .is_plain = true, .has_pse = true, .unseen = 7},
    {FUSED, "BNSD", F32, 1, 2, 1, 9, 300, 8, 8, FAR, .has_pse = true, .unseen = 30, .has_lse = true},
    {FUSED, "BNSD", F16, 2, 2, 2, 1, 150, 16, 16, FAR, .has_pse = true, .unseen = 150, .has_lse = true},
    /* Of a single key the logarithm is the score, with all its bits. */
    {FUSED, "BNSD", B16, 4, 4, 4, 4, 1, 120, 32, FAR, .is_plain = true, .has_lse = true},
    {FUSED, "BSND", F16, 2, 8, 2, 1, 256, 16, 32, FAR, .is_plain = true, .key_lengths = 2,
     .key_length = {200, 131}, .page = 128},
    {FUSED, "BNSD", B16, 2, 4, 2, 1, 240, 16, 32, FAR, .is_plain = true, .key_lengths = 2,
     .key_length = {200, 131}, .page = 48},
    {FUSED, "BSH", B16, 2, 4, 4, 150, 9, 8, 8, FAR, .mask = MASK_OF_PAIRS, .mode = 2},
    {FUSED, "BNSD_BSND", F32, 2, 4, 2, 15, 9, 8, 4, FAR, .mask = MASK_OF_PAIRS, .mode = 3, .has_lse = true},
    {FUSED, "BNSD", F32, 2, 2, 2, 15, 19, 8, 8, .pre = 4, .next = 3, .mask = MASK_OF_BATCHES, .mode = 4},
    {FUSED, "BNSD", F32, 2, 2, 2, 15, 19, 8, 8, .pre = 4, .next = 3, .mask = MASK_OF_BATCHES},
    {FUSED, "BNSD", F32, 2, 2, 2, 15, 19, 8, 8, .pre = 4, .next = 3, .mask = MASK_OF_ALL, .mode = 1},
    {FUSED, "BNSD", F32, 3, 2, 2, 1, 19, 8, 8, FAR, .mask = MASK_OF_KEYS, .has_lse = true},
    {FUSED, "BNSD", F32, 3, 2, 1, 7, 19, 8, 8, FAR, .mask = MASK_OF_PAIRS, .mode = 3, .has_lse = true,
     .row_lengths = 3, .row_length = {7, 0, 3}, .key_lengths = 3, .key_length = {19, 4, 1}},
    {"aclnnFusedInferAttentionScoreV2", "BSH", F16, 3, 2, 1, 7, 19, 8, 8, FAR, .has_members = true,
     .key_lengths = 1, .key_length = {11}},
    {FUSED, "BNSD", F32, 2, 2, 2, 2, 20, 8, 8, FAR, .key_lengths = 2, .key_length = {20, 13}, .page = 4},
    {FUSED, "BSND", F16, 2, 4, 2, 1, 20, 8, 8, FAR, .key_lengths = 2, .key_length = {2, 17}, .page = 4,
     .joins_heads_of_pages = true},
    {FUSED, "BNSD", F32, 2, 2, 2, 2, 20, 8, 8, FAR, .key_lengths = 1, .key_length = {13}, .padding = 4},
    {"aclnnFusedInferAttentionScoreV3", "BNSD", F32, 2, 2, 1, 7, 19, 8, 8, FAR, .rope = 4, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV4", "BNSD", F32, 2, 2, 1, 7, 19, 8, 8, FAR, .rope = 4, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV4", "BSND", F16, 2, 4, 2, 5, 9, 40, 40, FAR, .has_pse = true},
    {"aclnnFusedInferAttentionScoreV5", "BNSD", F32, 2, 2, 1, 7, 19, 8, 8, FAR, .rope = 4, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV5", "BNSD", F32, 2, 2, 2, 15, 19, 8, 8, .pre = 4, .next = 3,
     .mask = MASK_OF_BATCHES, .mode = 4},
    {FUSED, "TND", F32, 1, 2, 1, 7, 19, 8, 8, FAR, .row_lengths = 2, .row_length = {2, 6}, .key_lengths = 2,
     .key_length = {9, 18}, .has_lse = true},
    /* Packed rows, whose keys lie in pages: lengths of keys, one for each sequence or more. */
    {"aclnnFusedInferAttentionScoreV3",
     "TND",
     F16,
     1,
     4,
     2,
     9,
     24,
     8,
     8,
     FAR,
     .row_lengths = 3,
     .row_length = {4, 5, 8},
     .key_lengths = 4,
     .key_length = {13, 24, 5, 99},
     .page = 4,
     .joins_heads_of_pages = true,
     .mask = MASK_OF_PAIRS,
     .mode = 3,
     .has_lse = true},
    {"aclnnFusedInferAttentionScoreV3", "TND", F32, 1, 4, 2, 9, 24, 8, 4, FAR, .row_lengths = 3,
     .row_length = {4, 4, 9}, .key_lengths = 3, .key_length = {13, 24, 0}, .page = 8, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV4",
     "TND",
     B16,
     1,
     4,
     1,
     12,
     24,
     8,
     8,
     .pre = 3,
     .next = 1,
     .row_lengths = 2,
     .row_length = {5, 12},
     .key_lengths = 2,
     .key_length = {9, 20},
     .page = 4,
     .joins_heads_of_pages = true,
     .mask = MASK_OF_PAIRS,
     .mode = 4,
     .has_sink = true,
     .has_lse = true},
    {"aclnnFusedInferAttentionScoreV4", "TND", F16, 1, 4, 2, 3, 24, 8, 8, FAR, .row_lengths = 3,
     .row_length = {1, 2, 3}, .key_lengths = 3, .key_length = {13, 1, 24}, .page = 4, .mask = MASK_OF_PAIRS,
     .mode = 3},
    {"aclnnFusedInferAttentionScoreV3", "TND", F32, 1, 2, 1, 6, 24, 8, 8, FAR, .rope = 4, .row_lengths = 2,
     .row_length = {2, 6}, .key_lengths = 2, .key_length = {9, 18}, .page = 4, .joins_heads_of_pages = true,
     .has_lse = true},
    {"aclnnFusedInferAttentionScoreV5",
     "TND",
     F32,
     1,
     2,
     1,
     6,
     24,
     8,
     8,
     FAR,
     .rope = 4,
     .row_lengths = 2,
     .row_length = {2, 6},
     .key_lengths = 2,
     .key_length = {9, 18},
     .page = 4,
     .mask = MASK_OF_PAIRS,
     .mode = 3,
     .has_sink = true},
    {"aclnnFusedInferAttentionScoreV3", "BNSD", F32, 2, 2, 1, 2, 20, 8, 8, FAR, .rope = 4, .key_lengths = 2,
     .key_length = {20, 13}, .page = 4},
    {"aclnnFusedInferAttentionScoreV4", "BSND", F16, 2, 4, 2, 5, 9, 40, 40, FAR, .has_sink = true,
     .has_lse = true},
    /* One row whose length is that of what came before. */
    {"aclnnFusedInferAttentionScoreV3", "BNSD", F16, 1, 2, 2, 1, 1, 8, 8, FAR, .row_lengths = 1,
     .row_length = {29}},
    {"aclnnFusedInferAttentionScoreV4", "BSH", F16, 2, 2, 2, 1, 5, 8, 8, FAR, .row_lengths = 2,
     .row_length = {100, 0}},
    {"aclnnPromptFlashAttention", "BNSD", F16, 2, 2, 1, 7, 19, 8, 8, FAR, .mask = MASK_OF_PAIRS,
     .row_lengths = 1, .row_length = {4}},
    {"aclnnPromptFlashAttentionV2", "BSND", F32, 2, 2, 1, 7, 19, 8, 8, FAR, .mask = MASK_OF_PAIRS, .mode = 3,
     .key_lengths = 2, .key_length = {4, 6}},
    {"aclnnPromptFlashAttentionV3", "BSH", F32, 2, 2, 1, 7, 19, 8, 8, FAR, .has_pse = true},
    {"aclnnIncreFlashAttention", "BNSD", F16, 2, 4, 2, 1, 19, 8, 8, FAR, .key_lengths = 2,
     .key_length = {4, 19}, .mask = MASK_OF_KEYS},
    {"aclnnIncreFlashAttentionV4", "BSH", F32, 2, 4, 2, 1, 20, 8, 8, FAR, .key_lengths = 2,
     .key_length = {4, 19}, .page = 5},
    /* Outputs in a layout of their own. */
    {FUSED, "BSH_BNSD", F32, 2, 4, 2, 3, 9, 8, 4, FAR, .has_lse = true},
    {FUSED, "BSH_NBSD", F16, 2, 4, 2, 3, 9, 8, 8, FAR},
    {FUSED, "BSND_BNSD", F32, 2, 4, 2, 3, 9, 8, 4, FAR, .has_lse = true},
    {FUSED, "BSND_NBSD", F32, 3, 4, 2, 3, 9, 8, 4, FAR, .has_lse = true},
    {FUSED, "NSD", F16, 1, 4, 2, 3, 9, 8, 8, FAR, .mask = MASK_OF_PAIRS, .mode = 3},
    {FUSED, "NTD", F32, 1, 2, 1, 7, 19, 8, 8, FAR, .row_lengths = 2, .row_length = {2, 6}, .key_lengths = 2,
     .key_length = {9, 18}, .has_lse = true},
    {FUSED, "NTD_TND", F32, 1, 2, 1, 7, 19, 8, 4, FAR, .row_lengths = 2, .row_length = {2, 6},
     .key_lengths = 2, .key_length = {9, 18}, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV3", "TND_NTD", F32, 1, 4, 1, 6, 24, 16, 16, FAR, .rope = 8,
     .row_lengths = 2, .row_length = {2, 6}, .key_lengths = 2, .key_length = {9, 18}, .page = 4,
     .has_lse = true},
    /* As MLA decodes: one head of keys, which the values are, and what is rotated apart. */
    {"aclnnFusedInferAttentionScoreV4", "BNSD_NBSD", B16, 3, 4, 1, 1, 24, 64, 64, FAR, .rope = 8,
     .key_lengths = 3, .key_length = {6, 12, 24}, .page = 4},
    {"aclnnFusedInferAttentionScoreV4", "BSND_NBSD", F16, 3, 4, 1, 2, 24, 64, 64, FAR, .rope = 16,
     .key_lengths = 3, .key_length = {6, 12, 24}, .page = 4, .has_tiles = true, .has_lse = true},
    {"aclnnFusedInferAttentionScoreV3", "TND_NTD", F32, 1, 4, 2, 6, 24, 12, 16, FAR, .row_lengths = 2,
     .row_length = {2, 6}, .key_lengths = 2, .key_length = {9, 18}, .page = 4, .has_tiles = true},
    {"aclnnFusedInferAttentionScoreV3",
     "TND",
     F16,
     1,
     4,
     2,
     3,
     24,
     32,
     32,
     FAR,
     .row_lengths = 3,
     .row_length = {1, 2, 3},
     .key_lengths = 3,
     .key_length = {13, 1, 24},
     .page = 4,
     .has_int8_keys = true,
     .joins_heads_of_pages = true,
     .mask = MASK_OF_PAIRS,
     .mode = 3},
    {"aclnnFusedInferAttentionScoreV5", "BNSD", B16, 2, 4, 2, 1, 24, 64, 32, FAR, .key_lengths = 2,
     .key_length = {13, 24}, .page = 4, .has_int8_keys = true, .has_tiles = true, .has_sink = true},
    {"aclnnFusedInferAttentionScoreV2", "BSH", F32, 2, 4, 2, 3, 9, 8, 8, FAR, .has_int8_keys = true},
    {FUSED, "BNSD", F32, 2, 2, 2, 4, 0, 8, 8, FAR, .has_lse = true},
    {FUSED, "BNSD", F32, 0, 2, 2, 4, 3, 8, 8, FAR},
};

/* The status that the stream reports in the end. */
static int call(const struct drawn *drawn)
{
    const struct function *function = find(drawn->of->api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    for (unsigned i = 0; i < function->parameter_count; i++)
        argument[i] = argument_named(drawn, &function->parameter[i]);
    if (function_plan_anew(function, argument, &bytes, &executor) != 0)
        fail_msg("phase 1: %s", aclGetRecentErrMsg());
    if (function->launch(NULL, 0, executor, stream) != 0)
        fail_msg("phase 2: %s", aclGetRecentErrMsg());
    const int status = aclrtSynchronizeStream(stream);
    for (unsigned i = 0; i < function->parameter_count; i++) {
        const enum parameter_kind kind = function->parameter[i].kind;
        if (kind == PARAMETER_INT_ARRAY && argument[i].handle != NULL)
            assert_int_equal(aclDestroyIntArray(argument[i].ints), 0);
    }
    return status;
}

/* Element (h, j, d) of the keys or values of a batch. */
static double key_number(const struct drawn *drawn, const struct layout *list, int64_t b, int64_t h,
                         int64_t j, int64_t d)
{
    const struct inference_case *of = drawn->of;
    const bool is_scaled = of->has_int8_keys && list != &drawn->key_rope, has_offset = of->has_sink;
    const struct layout *scale = list == drawn->key ? drawn->scale : drawn->scale + 2;
    const int64_t place = h * (list == drawn->key ? of->depth : of->value_depth) + d;
    double value;
    if (of->page > 0) {
        int32_t page;
        memcpy(&page, layout_element(&drawn->table, b * (of->keys / of->page) + j / of->page), sizeof page);
        value = number(&list[0],
                       index_of(layout_of_keys(of), &list[0], DIMS(page, h, j % of->page, d, of->key_heads)));
    } else {
        list += of->has_members ? b : 0;
        value = number(
            list, index_of(layout_of_keys(of), list, DIMS(of->has_members ? 0 : b, h, j, d, of->key_heads)));
    }
    return is_scaled ? (value + (has_offset ? number(&scale[1], place) : 0)) * number(&scale[0], place)
                     : value;
}

/* Rows and keys of a batch, or of a sequence of TND. */
struct part {
    int64_t batch, row, key, rows, keys;
    bool is_rest; /* rows of no sequence */
};

static bool is_hidden(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i, int64_t j)
{
    const struct inference_case *of = drawn->of;
    const int64_t apart = part->keys - part->rows, b = part->batch, s = of->rows, t = of->keys;
    const int64_t at[] = {0, i * t + j, (b * s + i) * t + j, b * t + j,
                          ((b * of->heads + n) * s + i) * t + j};
    if (of->mask == NO_MASK)
        return false;
    const bool is_masked = *layout_element(&drawn->mask, at[of->mask]) != 0;
    return of->mode == 0   ? is_masked || j < i - of->pre || j > i + of->next
           : of->mode == 1 ? is_masked
           : of->mode == 2 ? j > i
           : of->mode == 3 ? j > i + apart
                           : j < i + apart - of->pre || j > i + apart + of->next;
}

static void assert_near(const struct drawn *drawn, const char *what, double got, double wanted)
{
    const double unit = drawn->of->dtype == F32 ? 4e-6 : drawn->of->dtype == F16 ? 1e-3 : 8e-3;
    if (!(fabs(got - wanted) <= unit * (1 + fabs(wanted)) || got == wanted))
        fail_msg("%s %s, mode %lld: %s is %.9g instead of %.9g", drawn->of->api, drawn->of->layout,
                 (long long)drawn->of->mode, what, got, wanted);
}

static void expect_row(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i)
{
    const struct inference_case *of = drawn->of;
    const int64_t b = is_packed(of) ? 0 : part->batch, table = of->page > 0 ? part->batch : b,
                  h = n / (of->heads / of->key_heads), row = part->row + i;
    const int64_t keys = of->unseen == 0 ? part->keys : of->keys - of->unseen - (of->rows - 1 - i);
    static double p[512];
    double most = -(double)INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; j++) {
        p[j] = 0;
        for (int64_t d = 0; d < of->depth; d++)
            p[j] += number(&drawn->query,
                           index_of(layout_of(of, false), &drawn->query, DIMS(b, n, row, d, of->heads))) *
                    key_number(drawn, drawn->key, table, h, part->key + j, d);
        for (int64_t d = 0; d < of->rope; d++)
            p[j] += number(&drawn->query_rope, index_of(layout_of(of, false), &drawn->query_rope,
                                                        DIMS(b, n, row, d, of->heads))) *
                    key_number(drawn, &drawn->key_rope, table, h, part->key + j, d);
        p[j] = 0.3 * p[j] + (of->has_pse ? number(&drawn->pse, (n * of->rows + i) * (of->keys + 3) + j) : 0);
        p[j] = is_hidden(drawn, part, n, i, j) ? -(double)INFINITY : p[j];
        most = p[j] > most ? p[j] : most;
    }
    const bool has_sink = of->has_sink && !part->is_rest;
    const double sink = has_sink ? number(&drawn->sink, n) : 0;
    most = has_sink && sink > most ? sink : most;
    const bool sees_nothing = most == -(double)INFINITY;
    for (int64_t j = 0; j < keys; j++)
        sum += p[j] = sees_nothing ? 0 : exp(p[j] - most);
    sum += has_sink ? exp(sink - most) : 0;
    for (int64_t d = 0; d < of->value_depth; d++) {
        double out = 0;
        for (int64_t j = 0; j < keys && !sees_nothing; j++)
            out += p[j] / sum * key_number(drawn, drawn->value, table, h, part->key + j, d);
        assert_near(
            drawn, "attentionOut",
            number(&drawn->out, index_of(layout_of(of, true), &drawn->out, DIMS(b, n, row, d, of->heads))),
            out);
    }
    const int64_t lse = is_packed(of) ? row * of->heads + n : (b * of->heads + n) * of->rows + row;
    if (of->has_lse)
        assert_near(drawn, "softmaxLse", number(&drawn->lse, lse),
                    sees_nothing ? (double)INFINITY : most + log(sum));
}

static int64_t length_of(const int64_t *length, int64_t count, int64_t b, int64_t otherwise)
{
    return count == 0 ? otherwise : length[count == 1 ? 0 : b];
}

static void expect(const struct drawn *drawn)
{
    const struct inference_case *of = drawn->of;
    int64_t row = 0, key = 0;
    for (int64_t k = 0; k <= (is_packed(of) ? of->row_lengths : of->batches - 1); k++) {
        struct part part = {.batch = k};
        if (is_packed(of)) {
            const bool is_rest = k == of->row_lengths;
            part =
                (struct part){.row = row, .key = key, .rows = (is_rest ? of->rows : of->row_length[k]) - row};
            part.keys = is_rest ? 0 : of->key_length[k] - key;
            part.is_rest = is_rest;
            part.batch = k;
            row += part.rows;
            key += of->page > 0 ? 0 : part.keys;
        } else {
            part.rows = length_of(of->row_length, of->row_lengths, k, of->rows);
            part.rows = of->rows == 1 && part.rows > 1 ? 1 : part.rows;
            part.keys = length_of(of->key_length, of->key_lengths, k, of->keys);
            part.key = of->padding > 0 ? of->keys - (of->padding - 1) - part.keys : 0;
        }
        for (int64_t n = 0; n < of->heads; n++)
            for (int64_t i = 0; i < part.rows; i++)
                expect_row(drawn, &part, n, i);
        struct part rest = {
            .batch = k, .row = part.rows, .rows = is_packed(of) ? 0 : of->rows - part.rows, .is_rest = true};
        for (int64_t n = 0; n < of->heads; n++)
            for (int64_t i = 0; i < rest.rows; i++)
                expect_row(drawn, &rest, n, i);
    }
}

static void results_are_those_of_loops(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        struct drawn drawn = draw(&cases[i / 3]);
        assert_int_equal(call(&drawn), 0);
        expect(&drawn);
        release_drawn(&drawn);
    }
}

static void a_page_that_is_none_is_a_fault(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].page == 0)
            continue;
        for (int k = 0; k < 2; k++) {
            struct drawn drawn = draw(&cases[i]);
            const int32_t wrong = k == 0 ? -1 : (int32_t)drawn.pages;
            memcpy(layout_element(&drawn.table, 0), &wrong, sizeof wrong);
            assert_int_not_equal(call(&drawn), 0);
            (void)aclGetRecentErrMsg();
            release_drawn(&drawn);
        }
    }
}

static uint64_t hash_of_results(void)
{
    uint64_t hash = 1;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct drawn drawn = draw(&cases[i]);
        (void)call(&drawn);
        for (int64_t e = 0; e < drawn.out.count; e++)
            hash = hash_of(layout_element(&drawn.out, e), drawn.out.bytes, hash);
        for (int64_t e = 0; e < drawn.lse.count; e++)
            hash = hash_of(layout_element(&drawn.lse, e), drawn.lse.bytes, hash);
        release_drawn(&drawn);
    }
    return hash;
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    assert_same_everywhere(hash_of_results);
}

int main(void)
{
    const struct CMUnitTest first[] = {cmocka_unit_test(bits_are_the_same_everywhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(a_page_that_is_none_is_a_fault),
    };
    return cmocka_run_group_tests(first, NULL, NULL) + cmocka_run_group_tests(tests, open_arena, close_arena);
}
