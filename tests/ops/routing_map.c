/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens along a map of tokens and experts: whole tensors in any layout beside references, worked examples, and
 * calls that are refused.
 */
#include "ops/check.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "ops/named_call.h"
#include "support/effort.h"

enum { FAULT = ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, MOST = 1024 };
#define NUMBERS(...) ((const double[]){__VA_ARGS__})

/* What a map says, worked out by the page's words: of each slot its row, token and expert. */
struct map {
    int64_t tokens, experts, each, slots, width;
    bool is_padded;
    bool entry[MOST];
    int64_t slot[MOST], row[MOST], token[MOST], expert[MOST]; /* -1: none */
    int64_t of_row[MOST];                                     /* the slot of each row; -1: none */
};

static struct map draw_map(void)
{
    struct map m = {
        .tokens = 1 + random_below(9), .experts = 1 + random_below(6), .width = 1 + random_below(600)};
    m.is_padded = random_below(2) == 0;
    m.each = m.is_padded ? random_below(m.tokens + 1) : random_below(m.experts + 1);
    m.slots = m.each * (m.is_padded ? m.experts : m.tokens);
    for (int64_t i = 0; i < m.slots; i++)
        m.slot[i] = m.row[i] = m.token[i] = m.expert[i] = m.of_row[i] = -1;
    for (int64_t t = 0; t < m.tokens; t++) {
        int64_t left = m.is_padded ? m.experts : m.each;
        for (int64_t e = 0; e < m.experts; e++) {
            m.entry[t * m.experts + e] = left > 0 && random_below(2) == 0;
            left -= m.entry[t * m.experts + e];
        }
    }
    int64_t row = 0;
    for (int64_t e = 0; e < m.experts; e++) {
        int64_t place = 0;
        for (int others = 0; others < (m.is_padded ? 2 : 1); others++)
            for (int64_t t = 0; t < m.tokens; t++) {
                if (m.entry[t * m.experts + e] == (others != 0) || (m.is_padded && place == m.each))
                    continue;
                int64_t before = 0;
                for (int64_t other = 0; other < e; other++)
                    before += m.entry[t * m.experts + other];
                const int64_t slot = m.is_padded ? e * m.each + place++ : t * m.each + before;
                m.slot[slot] = m.is_padded ? t : row;
                m.row[slot] = m.is_padded ? slot : row++;
                m.token[slot] = t;
                m.expert[slot] = e;
                m.of_row[m.row[slot]] = slot;
            }
    }
    return m;
}

static void give_map(struct named_call *call, const struct map *m, const char *name)
{
    const struct layout *map =
        GIVE(call, name, random_below(2) == 0 ? ACL_BOOL : ACL_INT8, m->tokens, m->experts);
    for (int64_t i = 0; i < map->count; i++)
        *(unsigned char *)layout_element(map, i) = m->entry[i];
}

static void give_slots(struct named_call *call, const struct map *m, const char *name)
{
    const struct layout *slots = GIVE(call, name, ACL_INT32, m->slots);
    for (int64_t i = 0; i < m->slots; i++)
        set_whole(slots, i, m->slot[i]);
}

static struct named_call call_there(const struct map *m, bool has_probs)
{
    struct named_call call = call_begin_named("aclnnMoeTokenPermuteWithRoutingMap");
    const aclDataType dtype = short_dtypes[random_below(3)], probs = short_dtypes[random_below(3)];
    GIVE(&call, "tokens", dtype, m->tokens, m->width);
    give_map(&call, m, "routingMap");
    give_number(&call, "numOutTokens", (double)(m->slots + (m->is_padded ? random_below(m->experts) : 0)));
    if (m->is_padded && m->each == m->tokens)
        give_number(&call, "numOutTokens", (double)m->slots);
    give_number(&call, "dropAndPad", m->is_padded);
    GIVE(&call, "permuteTokens", dtype, m->slots, m->width);
    GIVE(&call, "sortedIndices", ACL_INT32, m->slots);
    if (has_probs) {
        GIVE(&call, "probs", probs, m->tokens, m->experts);
        GIVE(&call, "permuteProbs", probs, m->slots);
    }
    return call;
}

static void tokens_follow_the_map(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const struct map m = draw_map();
        const bool has_probs = random_below(2) == 0;
        struct named_call call = call_there(&m, has_probs);
        assert_int_equal(run_named(&call), 0);
        const struct layout *rows = tensor_named(&call, "permuteTokens"),
                            *tokens = tensor_named(&call, "tokens");
        for (int64_t i = 0; i < m.slots; i++) {
            const int64_t slot = m.of_row[i];
            assert_int_equal(whole_of(tensor_named(&call, "sortedIndices"), i), m.slot[i]);
            for (int64_t h = 0; h < m.width; h++)
                assert_true(element_of(rows, i * m.width + h) ==
                            (slot < 0 ? 0 : element_of(tokens, m.token[slot] * m.width + h)));
            if (has_probs)
                assert_true(element_of(tensor_named(&call, "permuteProbs"), i) ==
                            (slot < 0 ? 0
                                      : element_of(tensor_named(&call, "probs"),
                                                   m.token[slot] * m.experts + m.expert[slot])));
        }
        end_named(&call);
    }
}

static struct named_call call_there_grad(const struct map *m, bool has_probs)
{
    struct named_call call = call_begin_named("aclnnMoeTokenPermuteWithRoutingMapGrad");
    const aclDataType dtype = short_dtypes[random_below(3)], probs = short_dtypes[random_below(3)];
    GIVE(&call, "permutedTokensGrad", dtype, m->slots, m->width);
    give_slots(&call, m, "sortedIndices");
    give_number(&call, "expertsNum", (double)m->experts);
    give_number(&call, "tokensNum", (double)m->tokens);
    give_number(&call, "dropAndPad", m->is_padded);
    GIVE(&call, "tokensGrad", dtype, m->tokens, m->width);
    if (has_probs) {
        GIVE(&call, "permutedProbsGrad", probs, m->slots);
        GIVE(&call, "probsGrad", probs, m->tokens, m->experts);
    }
    if (has_probs || random_below(2) == 0)
        give_map(&call, m, "routingMap");
    return call;
}

/* The weight of a slot, where probs are given. */
static long double prob_of(struct named_call *call, const struct map *m, int64_t slot)
{
    return !is_named(call, "probs") ? 1
                                    : (long double)element_of(tensor_named(call, "probs"),
                                                              m->token[slot] * m->experts + m->expert[slot]);
}

static void judge_sums(struct named_call *call, const struct map *m, const char *from, const char *to)
{
    const struct layout *rows = tensor_named(call, from), *sums = tensor_named(call, to);
    for (int64_t i = 0; i < m->tokens * m->width; i++) {
        long double sum = 0;
        for (int64_t slot = 0; slot < m->slots; slot++)
            if (m->token[slot] == i / m->width)
                sum += (strcmp(from, "permutedTokens") == 0 ? prob_of(call, m, slot) : 1) *
                       (long double)element_of(rows, m->row[slot] * m->width + i % m->width);
        assert_near(to, sums, i, sum, sums->dtype, 0x1p-40L);
    }
}

/* The place of a token and an expert among the slots, or -1. */
static int64_t slot_of(const struct map *m, int64_t pair)
{
    for (int64_t slot = 0; slot < m->slots; slot++)
        if (m->token[slot] >= 0 && m->token[slot] * m->experts + m->expert[slot] == pair)
            return slot;
    return -1;
}

static void gradients_of_tokens_come_back(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const struct map m = draw_map();
        const bool has_probs = random_below(2) == 0;
        struct named_call call = call_there_grad(&m, has_probs);
        assert_int_equal(run_named(&call), 0);
        judge_sums(&call, &m, "permutedTokensGrad", "tokensGrad");
        for (int64_t pair = 0; has_probs && pair < m.tokens * m.experts; pair++) {
            const int64_t slot = slot_of(&m, pair);
            const double wanted =
                slot < 0 ? 0 : element_of(tensor_named(&call, "permutedProbsGrad"), m.row[slot]);
            assert_true(element_of(tensor_named(&call, "probsGrad"), pair) == wanted);
        }
        end_named(&call);
    }
}

static struct named_call call_back(const struct map *m, bool has_probs)
{
    struct named_call call = call_begin_named("aclnnMoeTokenUnpermuteWithRoutingMap");
    const aclDataType dtype = short_dtypes[random_below(3)], probs = short_dtypes[random_below(3)];
    GIVE(&call, "permutedTokens", dtype, m->slots, m->width);
    give_slots(&call, m, "sortedIndices");
    give_number(&call, "paddedMode", m->is_padded);
    give_array(&call, "restoreShape", (const int64_t[]){m->tokens, m->width}, 2);
    GIVE(&call, "unpermutedTokens", dtype, m->tokens, m->width);
    GIVE(&call, "outIndex", ACL_INT32, m->slots);
    GIVE(&call, "permuteTokenId", ACL_INT32, m->slots);
    if (has_probs)
        GIVE(&call, "probs", probs, m->tokens, m->experts);
    if (has_probs && random_below(2) == 0)
        GIVE(&call, "permuteProbs", probs, m->slots);
    if (!has_probs || !m->is_padded)
        give_map(&call, m, "routingMap");
    return call;
}

static void rows_come_back_to_the_map(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const struct map m = draw_map();
        struct named_call call = call_back(&m, random_below(2) == 0);
        const struct layout *index = tensor_named(&call, "outIndex"),
                            *ids = tensor_named(&call, "permuteTokenId");
        assert_int_equal(run_named(&call), 0);
        judge_sums(&call, &m, "permutedTokens", "unpermutedTokens");
        int64_t place = 0;
        for (int64_t t = 0; m.is_padded && t < m.tokens; t++)
            for (int64_t slot = 0; slot < m.slots; slot++)
                if (m.token[slot] == t) {
                    assert_int_equal(whole_of(index, place), slot);
                    assert_int_equal(whole_of(ids, place++), t);
                }
        for (int64_t slot = 0; slot < m.slots; slot++) {
            if (!m.is_padded) {
                assert_int_equal(whole_of(index, slot), m.slot[slot]);
                assert_int_equal(whole_of(ids, slot), slot / m.each);
            }
            if (is_named(&call, "permuteProbs"))
                assert_true((long double)element_of(tensor_named(&call, "permuteProbs"), slot) ==
                            (m.token[slot] < 0 ? 0 : prob_of(&call, &m, slot)));
        }
        end_named(&call);
    }
}

static struct named_call call_back_grad(const struct map *m, bool has_probs)
{
    struct named_call call = call_begin_named("aclnnMoeTokenUnpermuteWithRoutingMapGrad");
    const aclDataType dtype = short_dtypes[random_below(3)];
    GIVE(&call, "unpermutedTokensGrad", dtype, m->tokens, m->width);
    give_slots(&call, m, "outIndex");
    give_slots(&call, m, "permuteTokenId");
    for (int64_t place = 0, slot = 0, t = 0; m->is_padded && t < m->tokens; slot = 0, t++)
        for (; slot < m->slots; slot++)
            if (m->token[slot] == t) {
                set_whole(tensor_named(&call, "outIndex"), place, slot);
                set_whole(tensor_named(&call, "permuteTokenId"), place++, t);
            }
    give_number(&call, "dropAndPad", m->is_padded);
    give_array(&call, "restoreShape", (const int64_t[]){m->tokens, m->width}, 2);
    GIVE(&call, "permutedTokensGrad", dtype, m->slots, m->width);
    if (has_probs) {
        GIVE(&call, "probs", short_dtypes[random_below(3)], m->tokens, m->experts);
        GIVE(&call, "permutedTokens", dtype, m->slots, m->width);
        GIVE(&call, "probsGrad", short_dtypes[random_below(3)], m->tokens, m->experts);
    }
    if (!has_probs || !m->is_padded)
        give_map(&call, m, "routingMap");
    return call;
}

static void gradients_of_rows_follow_the_map(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(120); round++) {
        const struct map m = draw_map();
        const bool has_probs = random_below(2) == 0;
        struct named_call call = call_back_grad(&m, has_probs);
        assert_int_equal(run_named(&call), 0);
        const struct layout *grad = tensor_named(&call, "unpermutedTokensGrad"),
                            *out = tensor_named(&call, "permutedTokensGrad");
        for (int64_t i = 0; i < m.slots * m.width; i++) {
            const int64_t slot = m.of_row[i / m.width];
            const long double wanted =
                slot < 0 ? 0
                         : prob_of(&call, &m, slot) *
                               (long double)element_of(grad, m.token[slot] * m.width + i % m.width);
            assert_near("permutedTokensGrad", out, i, wanted, out->dtype, 0x1p-40L);
        }
        for (int64_t pair = 0; has_probs && pair < m.tokens * m.experts; pair++) {
            const int64_t slot = slot_of(&m, pair);
            long double sum = 0;
            for (int64_t h = 0; slot >= 0 && h < m.width; h++)
                sum += (long double)element_of(tensor_named(&call, "permutedTokens"),
                                               m.row[slot] * m.width + h) *
                       (long double)element_of(grad, m.token[slot] * m.width + h);
            assert_near("probsGrad", tensor_named(&call, "probsGrad"), pair, sum,
                        tensor_named(&call, "probsGrad")->dtype, 0x1p-36L);
        }
        end_named(&call);
    }
}

static void maps_are_as_worked_out(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnMoeTokenPermuteWithRoutingMap");
    set_numbers(GIVE(&call, "tokens", ACL_FLOAT, 2, 1), NUMBERS(10, 11));
    set_numbers(GIVE(&call, "routingMap", ACL_INT8, 2, 3), NUMBERS(1, 0, 1, 1, 1, 0));
    set_numbers(GIVE(&call, "probs", ACL_FLOAT, 2, 3), NUMBERS(.5, 0, .25, .75, 2, 0));
    give_number(&call, "numOutTokens", 4);
    GIVE(&call, "permuteTokens", ACL_FLOAT, 4, 1);
    GIVE(&call, "permuteProbs", ACL_FLOAT, 4);
    GIVE(&call, "sortedIndices", ACL_INT32, 4);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "permuteTokens", NUMBERS(10, 11, 11, 10), 0);
    assert_numbers(&call, "sortedIndices", NUMBERS(0, 3, 1, 2), 0);
    assert_numbers(&call, "permuteProbs", NUMBERS(.5, .75, 2, .25), 0);
    set_numbers(tensor_named(&call, "routingMap"), NUMBERS(1, 1, 1, 1, 1, 0));
    assert_failure(run_named(&call), FAULT, "routingMap sends token 0 to more than 2 experts");
    give_number(&call, "numOutTokens", 5);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID,
                         "numOutTokens says 5; 0 to 2^31 - 1, and a multiple");
    give_number(&call, "numOutTokens", 8);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID,
                         "numOutTokens is 8; 2 tokens times 3 experts at most");
    give_number(&call, "numOutTokens", -1);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID, "numOutTokens says -1");
    end_named(&call);
    call = call_begin_named("aclnnMoeTokenPermuteWithRoutingMap");
    GIVE(&call, "tokens", ACL_FLOAT, 2, 1);
    set_numbers(GIVE(&call, "routingMap", ACL_INT8, 2, 3), NUMBERS(1, 0, 1, 1, 1, 0));
    give_number(&call, "numOutTokens", 3);
    give_number(&call, "dropAndPad", 1);
    GIVE(&call, "permuteTokens", ACL_FLOAT, 3, 1);
    GIVE(&call, "sortedIndices", ACL_INT32, 3);
    assert_int_equal(run_named(&call), 0);
    assert_numbers(&call, "sortedIndices", NUMBERS(0, 1, 0), 0);
    end_named(&call);
}

static void slots_outside_are_found(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnMoeTokenUnpermuteWithRoutingMap");
    GIVE(&call, "permutedTokens", ACL_FLOAT, 4, 1);
    set_numbers(GIVE(&call, "sortedIndices", ACL_INT32, 4), NUMBERS(0, 3, 4, 2));
    give_array(&call, "restoreShape", (const int64_t[]){2, 1}, 2);
    GIVE(&call, "unpermutedTokens", ACL_FLOAT, 2, 1);
    GIVE(&call, "outIndex", ACL_INT32, 4);
    GIVE(&call, "permuteTokenId", ACL_INT32, 4);
    assert_failure(run_named(&call), FAULT, "sortedIndices holds 4 at 2; 0 up to 4, or -1, is expected");
    GIVE(&call, "probs", ACL_FLOAT, 2, 3);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR, "routingMapOptional is NULL, which probsOptional");
    give_number(&call, "paddedMode", 1);
    assert_named_refused(&call, ACLNN_ERR_PARAM_INVALID,
                         "sortedIndices says 4; 0 to 2^31 - 1, and a multiple of");
    end_named(&call);
    call = call_begin_named("aclnnMoeTokenUnpermuteWithRoutingMapGrad");
    GIVE(&call, "unpermutedTokensGrad", ACL_FLOAT, 2, 1);
    set_numbers(GIVE(&call, "outIndex", ACL_INT32, 2), NUMBERS(0, 1));
    set_numbers(GIVE(&call, "permuteTokenId", ACL_INT32, 2), NUMBERS(0, 2));
    GIVE(&call, "routingMap", ACL_BOOL, 2, 1);
    give_array(&call, "restoreShape", (const int64_t[]){2, 1}, 2);
    GIVE(&call, "permutedTokensGrad", ACL_FLOAT, 2, 1);
    assert_int_equal(run_named(&call), 0); /* the tokens are not read */
    give_number(&call, "dropAndPad", 1);
    assert_failure(run_named(&call), FAULT, "permuteTokenId holds 2 at 1; 0 up to 2 is expected");
    GIVE(&call, "probs", ACL_FLOAT, 2, 1);
    assert_named_refused(&call, ACLNN_ERR_PARAM_NULLPTR,
                         "permutedTokensOptional is NULL, which probsOptional");
    end_named(&call);
}

static uint64_t everything(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int round = 0; round < 24; round++) {
        const struct map m = draw_map();
        const bool has_probs = round % 2 == 0;
        struct named_call calls[] = {call_there(&m, has_probs), call_there_grad(&m, has_probs),
                                     call_back(&m, has_probs), call_back_grad(&m, has_probs)};
        for (int i = 0; i < 4; i++) {
            if (run_named(&calls[i]) != 0)
                return 0;
            hash = hash_named(&calls[i], hash);
            end_named(&calls[i]);
        }
    }
    return hash;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_follow_the_map),     cmocka_unit_test(gradients_of_tokens_come_back),
        cmocka_unit_test(rows_come_back_to_the_map), cmocka_unit_test(gradients_of_rows_follow_the_map),
        cmocka_unit_test(maps_are_as_worked_out),    cmocka_unit_test(slots_outside_are_found),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
