/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Calls of MoeDistributeDispatch by several ranks with anything that they may have, and which rows must come to each;
 * what a row must be its test says. Include cmocka.h before.
 */
#ifndef BELAY_TESTS_OPS_DISPATCH_CASE_H
#define BELAY_TESTS_OPS_DISPATCH_CASE_H

#include "ops/made_row.h"
#include "ops/rank_case.h"

static struct rank_case ranks;
static struct named_call sent[RANKS_AT_MOST]; /* the calls of dispatch, while those of combine run */

/* What the ranks have in common. */
struct setting {
    const char *function;
    int64_t k, experts, width, shared, shared_ranks, special, each, rows;
    int64_t tokens[RANKS_AT_MOST], batch;
    int version, mask; /* none, tokens, pairs */
    bool has_factors, has_weights, is_cumulated;
    aclDataType dtype;
    int mode;             /* of quantising */
    struct made_row made; /* what rows are then */
    bool is_made_before;  /* rows of x are that already */
    int64_t own_scales;   /* that each of them has then */
};

static inline struct setting draw_setting(const char *function, int version)
{
    struct setting s = {.function = function,
                        .version = version,
                        .width = 1 + random_below(600),
                        .mask = (int)random_below(3)};
    if (ranks.count > 2 && random_below(2) == 0) {
        s.shared = 1 + random_below(2);
        s.shared_ranks = s.shared;
    }
    const int64_t others = ranks.count - s.shared_ranks;
    s.each = 1 + random_below(3);
    s.experts = s.each * others;
    s.special = version >= 2 ? 3 : 0;
    s.k = 1 + random_below(s.experts < 4 ? s.experts : 4);
    for (uint32_t rank = 0; rank < ranks.count; rank++) {
        s.tokens[rank] = random_below(7);
        s.batch = s.tokens[rank] > s.batch ? s.tokens[rank] : s.batch;
    }
    s.rows = s.batch * ranks.count * (s.each > 1 || s.k > 1 ? s.k : 1) + 2;
    s.mode = random_below(2) == 0 ? 2 : 0;
    s.made = (struct made_row){ACL_INT8, s.mode == 2 ? ROW : NO_SCALE, false, 0};
    s.has_factors = s.mode != 0 && random_below(2) == 0;
    s.has_weights = random_below(2) == 0;
    s.is_cumulated = random_below(2) == 0;
    s.dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    return s;
}

static inline int64_t experts_of(const struct setting *s, uint32_t rank)
{
    return rank < s->shared_ranks ? 1 : s->each;
}

static inline void give_places(struct named_call *call, const struct setting *s, uint32_t rank)
{
    give_number(call, "epWorldSize", ranks.count);
    give_number(call, "epRankId", rank);
    give_number(call, "moeExpertNum", (double)s->experts);
    give_number(call, "sharedExpertNum", (double)(s->shared > 0 ? s->shared : random_below(2)));
    give_number(call, "sharedExpertRankNum", (double)s->shared_ranks);
    give_number(call, "globalBs", (double)(s->batch * ranks.count));
    give_number(call, "zeroExpertNum", s->special > 0);
    give_number(call, "copyExpertNum", s->special > 0);
    give_number(call, "constExpertNum", s->special > 0);
}

/* Rows of x or of expandX that are of few bits before they go, and what scales them. */
static inline void give_made_before(struct named_call *call, const struct setting *s, const char *x,
                                    const char *scales, int64_t rows)
{
    const bool is_word = s->made.dtype == ACL_INT32;
    if (is_word)
        GIVE(call, x, ACL_INT32, rows, s->width);
    else
        give_codes(call, x, s->made.dtype, 2, SHAPE(rows, s->width));
    if (s->own_scales > 0 && s->made.scales == MX)
        give_codes(call, scales, ACL_FLOAT8_E8M0, 2, SHAPE(rows, s->own_scales));
    else if (s->own_scales > 0 && is_word)
        GIVE(call, scales, ACL_FLOAT, rows);
    else if (s->own_scales > 0)
        GIVE(call, scales, ACL_FLOAT, rows, s->own_scales);
}

/* An element's bits. */
static inline unsigned bits_at(const struct layout *tensor, int64_t i, bool is_packed)
{
    return tensor->bytes == 4 ? *(const uint32_t *)(const void *)layout_element(tensor, i)
                              : code_at(tensor, i, is_packed);
}

static inline void give_dispatch(const struct setting *s, uint32_t rank)
{
    struct named_call *call = begin_rank(&ranks, rank, s->function);
    const int64_t tokens = s->tokens[rank];
    if (s->is_made_before)
        give_made_before(call, s, "x", "scales", tokens);
    else
        GIVE(call, "x", s->dtype, tokens, s->width);
    const struct layout *ids = GIVE(call, "expertIds", ACL_INT32, tokens, s->k);
    for (int64_t t = 0; t < tokens; t++)
        for (int64_t k = 0, before; k < s->k; k++) { /* distinct ones of a token */
            do {
                set_whole(ids, t * s->k + k, random_below(s->experts + s->special));
                for (before = 0;
                     before < k && whole_of(ids, t * s->k + before) != whole_of(ids, t * s->k + k); before++)
                    continue;
            } while (before < k);
        }
    const struct layout *mask = s->mask == 0   ? NULL
                                : s->mask == 1 ? GIVE(call, "xActiveMask", ACL_BOOL, tokens)
                                               : GIVE(call, "xActiveMask", ACL_BOOL, tokens, s->k);
    for (int64_t i = 0; mask != NULL && i < mask->count; i++)
        *(unsigned char *)layout_element(mask, i) = random_below(3) > 0;
    if (s->has_factors)
        GIVE(call, "scales", ACL_FLOAT, s->shared + s->experts, s->width);
    if (s->has_weights)
        GIVE(call, "expertScales", ACL_FLOAT, tokens, s->k);
    give_places(call, s, rank);
    give_number(call, "quantMode", s->mode);
    give_number(call, "expertTokenNumsType", s->is_cumulated ? 0 : 1);
    if (s->is_made_before)
        give_made_before(call, s, "expandX", "dynamicScales", s->rows);
    else if (s->mode == 0)
        GIVE(call, "expandX", s->dtype, s->rows, s->width);
    else
        give_codes(call, "expandX", s->made.dtype, 2, SHAPE(s->rows, s->width));
    if (s->is_made_before)
        (void)0;
    else if (s->made.scales == NO_SCALE)
        GIVE(call, "dynamicScales", ACL_FLOAT, s->rows);
    else
        give_made_scales(call, "dynamicScales", &s->made, s->rows, s->width);
    GIVE(call, "expandIdx", ACL_INT32, tokens * s->k + random_below(2));
    GIVE(call, "assistInfoForCombine", ACL_INT32, s->rows * 128 + random_below(2));
    GIVE(call, "expertTokenNums", ACL_INT64, experts_of(s, rank));
    GIVE(call, "epRecvCounts", ACL_INT32, ranks.count * experts_of(s, rank) + random_below(3));
    GIVE(call, "tpRecvCounts", ACL_INT32, random_below(3));
    GIVE(call, "expandScales", ACL_FLOAT, s->rows);
}

/* Whether choice k of a token of a rank counts, shared experts behind the others. */
static inline bool is_active(const struct setting *s, uint32_t rank, int64_t token, int64_t k)
{
    if (s->mask == 0)
        return true;
    const struct layout *mask = tensor_named(&sent[rank], "xActiveMask");
    if (s->mask == 1)
        return *(unsigned char *)layout_element(mask, token);
    for (int64_t i = 0; k >= s->k && i < s->k; i++)
        if (*(unsigned char *)layout_element(mask, token * s->k + i))
            return true;
    return k < s->k && *(unsigned char *)layout_element(mask, token * s->k + k);
}

/* Whether it goes to an expert of a rank. */
static inline bool goes_to(const struct setting *s, uint32_t rank, int64_t token, int64_t k, uint32_t goal,
                           int64_t expert)
{
    if (!is_active(s, rank, token, k))
        return false;
    if (k >= s->k)
        return expert == 0 && goal < s->shared_ranks && goal == k - s->k; /* each shared one is on one rank */
    return goal >= s->shared_ranks && whole_of(tensor_named(&sent[rank], "expertIds"), token * s->k + k) ==
                                          (goal - s->shared_ranks) * s->each + expert;
}

static inline void judge_row(const struct setting *s, uint32_t rank, int64_t row, uint32_t from,
                             int64_t token, int64_t k)
{
    struct named_call *call = &ranks.call[rank];
    const struct layout *x = tensor_named(&sent[from], "x"), *out = tensor_named(call, "expandX");
    const int64_t factors =
        k >= s->k ? k - s->k : s->shared + whole_of(tensor_named(&sent[from], "expertIds"), token * s->k + k);
    for (int64_t h = 0; s->is_made_before && h < s->width; h++)
        assert_int_equal(bits_at(out, row * s->width + h, dtype_is_packed(s->made.dtype)),
                         bits_at(x, token * s->width + h, dtype_is_packed(s->made.dtype)));
    for (int64_t i = 0; i < s->own_scales; i++)
        assert_int_equal(bits_at(tensor_named(call, "dynamicScales"), row * s->own_scales + i, false),
                         bits_at(tensor_named(&sent[from], "scales"), token * s->own_scales + i, false));
    for (int64_t h = 0; !s->is_made_before && h < s->width; h++) {
        wanted[h] = element_of(x, token * s->width + h);
        if (s->has_factors)
            wanted[h] *= element_of(tensor_named(&sent[from], "scales"), factors * s->width + h);
        if (s->mode == 0)
            assert_true(element_of(out, row * s->width + h) == wanted[h]);
    }
    if (s->mode != 0)
        expect_made(&s->made, out, false,
                    s->made.scales != NO_SCALE ? tensor_named(call, "dynamicScales") : NULL, row, s->width,
                    wanted);
    assert_true(element_of(tensor_named(call, "expandScales"), row) ==
                (s->has_weights && k < s->k
                     ? element_of(tensor_named(&sent[from], "expertScales"), token * s->k + k)
                     : 0));
    if (s->version > 0) {
        const struct layout *assist = tensor_named(call, "assistInfoForCombine");
        assert_int_equal(whole_of(assist, row * 128), from);
        assert_int_equal(whole_of(assist, row * 128 + 1), token);
        assert_int_equal(whole_of(assist, row * 128 + 2), k);
        assert_int_equal(whole_of(assist, row * 128 + 3), 0);
    }
}

static inline void judge_dispatch(const struct setting *s, uint32_t rank)
{
    struct named_call *call = &ranks.call[rank];
    int64_t row = 0;
    for (int64_t expert = 0; expert < experts_of(s, rank); expert++) {
        const int64_t before = row;
        for (uint32_t from = 0; from < ranks.count; from++) {
            for (int64_t i = 0; i < s->tokens[from] * (s->k + s->shared); i++)
                if (goes_to(s, from, i / (s->k + s->shared), i % (s->k + s->shared), rank, expert))
                    judge_row(s, rank, row++, from, i / (s->k + s->shared), i % (s->k + s->shared));
            assert_int_equal(whole_of(tensor_named(call, "epRecvCounts"), expert * ranks.count + from), row);
        }
        assert_int_equal(whole_of(tensor_named(call, "expertTokenNums"), expert),
                         s->is_cumulated ? row : row - before);
    }
    const struct layout *out = tensor_named(call, "expandX");
    for (int64_t i = row * s->width; s->mode == 0 && i < s->rows * s->width; i++)
        assert_true(s->is_made_before ? bits_at(out, i, dtype_is_packed(s->made.dtype)) == 0
                                      : element_of(out, i) == 0);
    for (int64_t i = row * s->own_scales; i < s->rows * s->own_scales; i++)
        assert_int_equal(bits_at(tensor_named(call, "dynamicScales"), i, false), 0);
    for (int64_t i = row; s->mode != 0 && i < s->rows; i++)
        expect_nothing(&s->made, out, false,
                       s->made.scales != NO_SCALE ? tensor_named(call, "dynamicScales") : NULL, i, s->width);
    const struct layout *counts = tensor_named(call, "epRecvCounts");
    for (int64_t i = ranks.count * experts_of(s, rank); i < counts->count; i++)
        assert_int_equal(whole_of(counts, i), 0);
    for (int64_t i = 0; s->version == 0 && i < s->tokens[rank] * s->k; i++) {
        int64_t earlier = 0;
        for (int64_t j = 0; j < i; j++)
            earlier +=
                is_active(s, rank, j / s->k, j % s->k) && is_active(s, rank, i / s->k, i % s->k) &&
                whole_of(tensor_named(call, "expertIds"), i) < s->experts &&
                whole_of(tensor_named(call, "expertIds"), i) == whole_of(tensor_named(call, "expertIds"), j);
        assert_int_equal(whole_of(tensor_named(call, "expandIdx"), i), earlier);
    }
}

#endif
