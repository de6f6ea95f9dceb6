/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference against loops in double: lists of keys, lengths, pages, padding, masks and biases,
 * in tensors of any strides; equal bits at each level and number of threads; calls that are refused.
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
#include "ops/layout.h"

#define F32 ACL_FLOAT
#define F16 ACL_FLOAT16
#define B16 ACL_BF16
enum mask_kind { NO_MASK, MASK_OF_PAIRS, MASK_OF_BATCHES, MASK_OF_KEYS, MASK_OF_ALL };
enum { BATCHES_MAX = 4 };

struct inference_case {
    const char *api, *layout;
    aclDataType dtype;
    int64_t batches, heads, key_heads, rows, keys, depth, value_depth, rope;
    enum mask_kind mask;
    int64_t mode, pre, next;
    bool has_pse, has_lse, has_members;
    int64_t row_lengths, row_length[BATCHES_MAX], key_lengths, key_length[BATCHES_MAX];
    int64_t page, padding; /* padding: 0, none; p + 1 */
    bool joins_heads_of_pages, has_sink, has_tiles, has_int8_keys;
    bool is_plain; /* nothing lies otherwise than it comes */
};

#define FUSED "aclnnFusedInferAttentionScore"
#define FAR   .pre = 65535, .next = 65535
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

struct drawn {
    const struct inference_case *of;
    struct layout query, out, pse, mask, lse, table, padding, query_rope, key_rope, sink;
    struct layout key[BATCHES_MAX], value[BATCHES_MAX], scale[4];
    int64_t members, pages;
};

static bool is_packed(const struct inference_case *of)
{
    return strchr(of->layout, 'T') != NULL;
}

/* The layout of the input or of the output, of one or of two joined by a line. */
static const char *layout_of(const struct inference_case *of, bool is_output)
{
    static char input[8];
    const char *line = strchr(of->layout, '_');
    if (line == NULL || is_output)
        return line == NULL ? of->layout : line + 1;
    snprintf(input, sizeof input, "%.*s", (int)(line - of->layout), of->layout);
    return input;
}

/* Elements of a tile, of which pages in the layout BNESt have E for each head. */
static int64_t tile_of(aclDataType dtype)
{
    return dtype == ACL_INT8 ? 32 : dtype == F32 ? 8 : 16;
}

/* A tensor in a layout, whose elements (b, n, s, d) are found by number. */
static struct layout fresh(aclDataType dtype, unsigned rank, const int64_t *shape, double size)
{
    struct layout layout = layout_create(dtype, rank, shape, (enum layout_kind)random_below(LAYOUT_REPEATED));
    layout_fill(&layout, size, false);
    return layout;
}

static struct layout in_layout(const struct inference_case *of, const char *layout, aclDataType dtype,
                               int64_t b, int64_t n, int64_t s, int64_t d)
{
    int64_t shape[LAYOUT_RANK_MAX];
    unsigned rank = 0;
    for (const char *letter = layout; *letter != 0; letter++)
        shape[rank++] = *letter == 'B'   ? b
                        : *letter == 'N' ? n
                        : *letter == 'D' ? d
                        : *letter == 'H' ? n * d
                        : *letter == 'E' ? (d + tile_of(dtype) - 1) / tile_of(dtype)
                        : *letter == 't' ? tile_of(dtype)
                                         : s;
    if (!of->is_plain)
        return fresh(dtype, rank, shape, 1);
    struct layout plain = layout_create(dtype, rank, shape, LAYOUT_CONTIGUOUS);
    layout_fill(&plain, 1, false);
    return plain;
}

static double number(const struct layout *layout, int64_t index)
{
    double value;
    conversion_reference(layout_element(layout, index), layout->dtype, &value, ACL_DOUBLE);
    return value;
}

/* Of batch, head, row, element, and how many heads there are. */
static int64_t index_of(const char *layout, const struct layout *tensor, const int64_t *at)
{
    int64_t index = 0;
    for (unsigned i = 0; layout[i] != 0; i++) {
        const int64_t size = tensor->shape[i], last = tensor->shape[tensor->rank - 1];
        index = index * size + (layout[i] == 'B'   ? at[0]
                                : layout[i] == 'N' ? at[1]
                                : layout[i] == 'D' ? at[3]
                                : layout[i] == 'H' ? at[1] * (size / at[4]) + at[3]
                                : layout[i] == 'E' ? at[3] / last
                                : layout[i] == 't' ? at[3] % last
                                                   : at[2]);
    }
    return index;
}

static const char *layout_of_keys(const struct inference_case *of)
{
    return of->page == 0              ? layout_of(of, false)
           : of->has_tiles            ? "BNESt"
           : of->joins_heads_of_pages ? "BSH"
                                      : "BNSD";
}

static struct drawn draw(const struct inference_case *of)
{
    struct drawn drawn = {.of = of, .members = of->has_members ? of->batches : 1};
    const int64_t b = of->batches, n = of->heads, m = of->key_heads, s = of->rows, t = of->keys;
    const char *out = layout_of(of, true), *in = layout_of(of, false);
    drawn.query = in_layout(of, in, of->dtype, b, n, s, of->depth);
    drawn.out = in_layout(of, out, of->dtype, b, n, s, of->value_depth);
    drawn.query_rope = in_layout(of, in, of->dtype, b, n, s, of->rope);
    const int64_t columns = of->page > 0 ? t / of->page : 1, tabled = is_packed(of) ? of->row_lengths + 1 : b;
    drawn.pages = of->page > 0 ? tabled * columns + 3 : 0;
    const char *paged = layout_of_keys(of);
    const aclDataType keys_are = of->has_int8_keys ? ACL_INT8 : of->dtype;
    drawn.key_rope = in_layout(of, paged, of->dtype, of->page > 0 ? drawn.pages : b, m,
                               of->page > 0 ? of->page : t, of->rope);
    for (int64_t i = 0; i < drawn.members; i++) {
        const int64_t batches = of->page > 0      ? drawn.pages
                                : of->has_members ? 1
                                                  : b,
                      keys = of->page > 0 ? of->page : t;
        drawn.key[i] = in_layout(of, paged, keys_are, batches, m, keys, of->depth);
        drawn.value[i] = in_layout(of, paged, keys_are, batches, m, keys, of->value_depth);
        if (of->has_int8_keys) {
            layout_fill(&drawn.key[i], 100, false);
            layout_fill(&drawn.value[i], 100, false);
        }
    }
    for (int i = 0; i < 4; i++) {
        const int64_t depth = i < 2 ? of->depth : of->value_depth, apart[] = {m, 1, depth},
                      joint[] = {m * depth};
        drawn.scale[i] = random_below(2) == 0 ? fresh(of->dtype, 3, apart, i % 2 == 0 ? 0.02 : 5)
                                              : fresh(of->dtype, 1, joint, i % 2 == 0 ? 0.02 : 5);
    }
    drawn.sink = fresh(random_below(2) == 0 ? F32 : B16, 1, &n, 2);
    const int64_t tables[] = {tabled, columns}, one[] = {1}, pse[] = {1, n, s, t + 3};
    drawn.table = fresh(ACL_INT32, 2, tables, 0);
    for (int64_t i = 0; i < drawn.table.count; i++) {
        const int32_t page = (int32_t)((i * 5 + 2) % (drawn.pages > 0 ? drawn.pages : 1));
        memcpy(layout_element(&drawn.table, i), &page, sizeof page);
    }
    drawn.padding = fresh(ACL_INT64, 1, one, 0);
    const int64_t padding = of->padding - 1;
    memcpy(layout_element(&drawn.padding, 0), &padding, sizeof padding);
    drawn.pse = fresh(F16, 4, pse, 1);
    const int64_t masks[][4] = {{1, 1, 1, 1}, {s, t, 0, 0}, {b, s, t, 0}, {b, t, 0, 0}, {b, n, s, t}};
    const unsigned ranks[] = {1, 2, 3, 2, 4};
    drawn.mask = fresh(ACL_BOOL, ranks[of->mask], masks[of->mask], 0);
    const int64_t lse[] = {b, n, s, 1}, packed[] = {s, n, 1};
    drawn.lse = !of->has_lse    ? fresh(F16, 1, one, 1) /* of no account */
                : is_packed(of) ? fresh(F32, 3, packed, 1)
                                : fresh(F32, 4, lse, 1);
    return drawn;
}

static void release_drawn(struct drawn *drawn)
{
    struct layout *all[] = {&drawn->query,    &drawn->out,   &drawn->pse,     &drawn->mask,
                            &drawn->lse,      &drawn->table, &drawn->padding, &drawn->query_rope,
                            &drawn->key_rope, &drawn->sink};
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        layout_destroy(all[i]);
    for (int i = 0; i < 4; i++)
        layout_destroy(&drawn->scale[i]);
    for (int64_t i = 0; i < drawn->members; i++) {
        layout_destroy(&drawn->key[i]);
        layout_destroy(&drawn->value[i]);
    }
}

/* The argument of a parameter, by its name. */
static union argument argument_named(const struct drawn *drawn, const struct parameter *parameter)
{
    const struct inference_case *of = drawn->of;
    const char *name = parameter->name;
    const bool is_incre = strstr(of->api, "Incre") != NULL;
    const struct {
        const char *name;
        const struct layout *layout;
        bool is_given;
    } tensors[] = {
        {"query", &drawn->query, true},
        {"pseShiftOptional", &drawn->pse, of->has_pse},
        {"attenMaskOptional", &drawn->mask, of->mask != NO_MASK},
        {"blockTableOptional", &drawn->table, of->page > 0},
        {"kvPaddingSizeOptional", &drawn->padding, of->padding > 0},
        {"queryRopeOptional", &drawn->query_rope, of->rope > 0},
        {"keyRopeOptional", &drawn->key_rope, of->rope > 0},
        {"learnableSinkOptional", &drawn->sink, of->has_sink},
        {"keyAntiquantScaleOptional", &drawn->scale[0], of->has_int8_keys},
        {"keyAntiquantOffsetOptional", &drawn->scale[1], of->has_int8_keys && of->has_sink},
        {"valueAntiquantScaleOptional", &drawn->scale[2], of->has_int8_keys},
        {"valueAntiquantOffsetOptional", &drawn->scale[3], of->has_int8_keys && of->has_sink},
        {"attentionOut", &drawn->out, true},
        {"softmaxLse", &drawn->lse, of->has_lse || random_below(2) == 0},
    };
    const struct {
        const char *name;
        union argument value;
    } values[] = {
        {"numHeads", argument_of_integer(of->heads)},
        {"scaleValue", argument_of_fp64(0.3)},
        {"preTokens", argument_of_integer(of->pre)},
        {"nextTokens", argument_of_integer(of->next)},
        {"inputLayout", argument_of_pointer(of->layout)},
        {"numKeyValueHeads", argument_of_integer(of->key_heads == of->heads ? 0 : of->key_heads)},
        {"sparseMode", argument_of_integer(of->mode)},
        {"blockSize", argument_of_integer(of->page)},
        {"softmaxLseFlag", argument_of_bool(of->has_lse)},
    };
    for (unsigned i = 0; i < sizeof tensors / sizeof tensors[0]; i++)
        if (strcmp(tensors[i].name, name) == 0)
            return argument_of_pointer(tensors[i].is_given ? tensors[i].layout->tensor : NULL);
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    if (strcmp(name, "key") == 0 || strcmp(name, "value") == 0) {
        const struct layout *layout = strcmp(name, "key") == 0 ? drawn->key : drawn->value;
        const aclTensor *tensor[BATCHES_MAX];
        for (int64_t i = 0; i < drawn->members; i++)
            tensor[i] = layout[i].tensor;
        return parameter->kind == PARAMETER_TENSOR
                   ? argument_of_pointer(tensor[0])
                   : argument_of_pointer(aclCreateTensorList(tensor, (uint64_t)drawn->members));
    }
    if (strcmp(name, "actualSeqLengthsKvOptional") == 0 ||
        (is_incre && strcmp(name, "actualSeqLengthsOptional") == 0))
        return argument_of_pointer(
            of->key_lengths > 0 ? aclCreateIntArray(of->key_length, (uint64_t)of->key_lengths) : NULL);
    if (strcmp(name, "actualSeqLengthsOptional") == 0)
        return argument_of_pointer(
            of->row_lengths > 0 ? aclCreateIntArray(of->row_length, (uint64_t)of->row_lengths) : NULL);
    return argument_of_integer(0);
}

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
    static double p[512];
    double most = -(double)INFINITY, sum = 0;
    for (int64_t j = 0; j < part->keys; j++) {
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
    for (int64_t j = 0; j < part->keys; j++)
        sum += p[j] = sees_nothing ? 0 : exp(p[j] - most);
    sum += has_sink ? exp(sink - most) : 0;
    for (int64_t d = 0; d < of->value_depth; d++) {
        double out = 0;
        for (int64_t j = 0; j < part->keys && !sees_nothing; j++)
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

static void refuse_value_of(const char *api, const char *name, union argument value, const char *sentence)
{
    struct attempt attempt = accepted(find(api));
    for (unsigned i = 0; i < attempt.function->parameter_count; i++)
        if (strcmp(attempt.function->parameter[i].name, name) == 0) {
            const union argument before = attempt.argument[i];
            attempt.argument[i] = value;
            assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
            attempt.argument[i] = before;
        }
    release(&attempt);
}

static void refuse_value(const char *name, union argument value, const char *sentence)
{
    refuse_value_of(FUSED, name, value, sentence);
}

static void refuse_tensor(const char *name, aclTensor *tensor, const char *sentence)
{
    refuse_value(name, argument_of_pointer(tensor), sentence);
    assert_int_equal(aclDestroyTensor(tensor), 0);
}

static void refuse_ints(const char *name, const aclIntArray *ints, const char *sentence)
{
    refuse_value(name, argument_of_pointer(ints), sentence);
    assert_int_equal(aclDestroyIntArray(ints), 0);
}

/* Of packed rows and keys in pages. */
static void refuse_case(struct inference_case of, const char *sentence)
{
    struct drawn drawn = draw(&of);
    const struct function *function = find(of.api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    for (unsigned i = 0; i < function->parameter_count; i++)
        argument[i] = argument_named(&drawn, &function->parameter[i]);
    assert_failure(function_plan_anew(function, argument, &bytes, &executor), ACLNN_ERR_PARAM_INVALID,
                   sentence);
    release_drawn(&drawn);
}

static void wrong_pages_of_packed_rows_are_refused(void **state)
{
    struct inference_case of = {"aclnnFusedInferAttentionScoreV3", "TND", F32, 1, 2, 1, 7, 20, 8, 8, FAR};
    (void)state;
    of.row_lengths = of.key_lengths = 2;
    memcpy(of.row_length, DIMS(2, 7), 2 * sizeof(int64_t));
    memcpy(of.key_length, DIMS(9, 18), 2 * sizeof(int64_t));
    of.page = 4;
    struct inference_case wrong = of;
    wrong.key_length[0] = 21;
    refuse_case(wrong, "actualSeqLengthsKvOptional has 21 for sequence 0; up to 20 keys");
    wrong = of;
    wrong.key_lengths = 1;
    refuse_case(wrong, "actualSeqLengths and actualSeqLengthsKv have 2 and 1 numbers");
    wrong = of;
    wrong.row_length[1] = 8;
    refuse_case(wrong, "actualSeqLengthsOptional has 8 behind 2; ends up to 7");
    wrong = of;
    wrong.api = "aclnnFusedInferAttentionScoreV4";
    wrong.has_sink = true;
    wrong.key_length[1] = -1;
    refuse_case(wrong, "actualSeqLengthsKvOptional has -1 for sequence 1");
}

static void wrong_scales_of_keys_in_int8_are_refused(void **state)
{
    const struct inference_case of = {
        "aclnnFusedInferAttentionScoreV3", "BNSD", F32, 1, 2, 1, 2, 4, 8, 8, FAR, .has_int8_keys = true};
    struct drawn drawn = draw(&of);
    const struct function *function = find(of.api);
    union argument argument[PARAMETERS_MAX];
    uint64_t bytes;
    aclOpExecutor *executor = NULL;
    const struct {
        const char *name;
        union argument value;
        const char *sentence;
    } wrong[] = {
        {"keyAntiquantScaleOptional", argument_of_pointer(NULL),
         "keyAntiquantScaleOptional is absent and keys are"},
        {"valueAntiquantScaleOptional", argument_of_pointer(drawn.query.tensor),
         "valueAntiquantScaleOptional has shape [1, 2, 2, 8]; 1 heads of 8 elements are expected"},
        {"valueAntiquantMode", argument_of_integer(1),
         "valueAntiquantMode is 1; 0, a scale for each element"},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        for (unsigned i = 0; i < function->parameter_count; i++)
            argument[i] = strcmp(function->parameter[i].name, wrong[k].name) == 0
                              ? wrong[k].value
                              : argument_named(&drawn, &function->parameter[i]);
        assert_failure(function_plan_anew(function, argument, &bytes, &executor), ACLNN_ERR_PARAM_INVALID,
                       wrong[k].sentence);
    }
    release_drawn(&drawn);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    refuse_value_of("aclnnFusedInferAttentionScoreV5", "pseType", argument_of_integer(1),
                    "pseType is 1; 0 is expected");
    refuse_value(
        "inputLayout", argument_of_pointer("BS"),
        "inputLayout is \"BS\"; BSH, SBH, BNSD, BSND, TND, NTD, NSD, BNSD_BSND, NTD_TND, TND_NTD, or "
        "BSH, BSND or BNSD with _BNSD or _NBSD is expected");
    refuse_value_of("aclnnPromptFlashAttention", "inputLayout", argument_of_pointer("BNSD_NBSD"),
                    "inputLayout is \"BNSD_NBSD\"; BSH, SBH, BNSD, BSND");
    refuse_value("inputLayout", argument_of_pointer("BSH"), "query has shape");
    refuse_value("numHeads", argument_of_integer(3), "numHeads is 3");
    refuse_value("numKeyValueHeads", argument_of_integer(3), "numKeyValueHeads is 3");
    refuse_value("numKeyValueHeads", argument_of_integer(1), "key has shape");
    refuse_value("sparseMode", argument_of_integer(5), "sparseMode is 5");
    refuse_value("sparseMode", argument_of_integer(-1), "sparseMode is -1");
    refuse_tensor("query", tensor_with(F32, 4, DIMS(3, 2, 3, 4), NULL), "key and value have 2 and 2 tensors");
    refuse_tensor("query", tensor_with(F16, 4, DIMS(2, 2, 3, 4), NULL), "key has dtype FLOAT");
    refuse_tensor("pseShiftOptional", tensor_with(F32, 4, DIMS(1, 2, 3, 2), NULL), "pseShiftOptional has");
    refuse_tensor("attenMaskOptional", tensor_with(ACL_BOOL, 2, DIMS(2, 5), NULL), "attenMaskOptional has");
    refuse_tensor("deqScale1Optional", tensor_with(F32, 1, DIMS(1), NULL), "deqScale1Optional was given");
    refuse_tensor("blockTableOptional", tensor_with(ACL_INT32, 2, DIMS(2, 1), NULL), "blockTable has");
    refuse_tensor("attentionOut", tensor_with(F32, 4, DIMS(2, 3, 2, 4), NULL), "attentionOut has shape");
    refuse_tensor("softmaxLse", tensor_with(F32, 4, DIMS(2, 2, 3, 8), NULL), "softmaxLse has shape");
    refuse_ints("actualSeqLengthsKvOptional", aclCreateIntArray(DIMS(5, 6), 2), "batch 1 has");
    refuse_ints("actualSeqLengthsOptional", aclCreateIntArray(DIMS(-1), 1), "batch 0 has");
}

int main(void)
{
    const struct CMUnitTest first[] = {cmocka_unit_test(bits_are_the_same_everywhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(wrong_scales_of_keys_in_int8_are_refused),
        cmocka_unit_test(wrong_pages_of_packed_rows_are_refused),
        cmocka_unit_test(a_page_that_is_none_is_a_fault),
    };
    return cmocka_run_group_tests(first, NULL, NULL) + cmocka_run_group_tests(tests, open_arena, close_arena);
}
