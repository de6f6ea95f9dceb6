/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gated delta rule along tokens, with and without states of each token, against loops in long double; an example
 * of a known result; what is a fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { DEPTH = 5, WIDTH = 3, SEQUENCES = 3, TOKENS_MAX = 16, STATES = 6 };

/* Of a sequence's head: the token's outputs and, of `states`, what each token leaves. */
static void expect_head(const struct trial *trial, int64_t first, int64_t length, int64_t head, int64_t heads,
                        int64_t key_heads, long double (*state)[DEPTH], const char *gates)
{
    const aclDataType dtype = given(trial, "out")->dtype;
    for (int64_t t = first; t < first + length; t++) {
        const int64_t place = t * heads + head, key = (t * key_heads + head / (heads / key_heads)) * DEPTH;
        const long double beta =
            was_given(trial, "betaOptional") ? (long double)at(trial, "betaOptional", place) : 1;
        for (int v = 0; v < WIDTH; v++) {
            long double product = 0, out = 0;
            for (int d = 0; d < DEPTH; d++) {
                long double gate =
                    was_given(trial, "gOptional") ? (long double)at(trial, "gOptional", place) : 0;
                gate += gates != NULL && was_given(trial, gates)
                            ? (long double)at(trial, gates, place * DEPTH + d)
                            : 0;
                state[v][d] *= expl(gate);
                product += state[v][d] * (long double)at(trial, "key", key + d);
            }
            const long double apart = beta * ((long double)at(trial, "value", place * WIDTH + v) - product);
            for (int d = 0; d < DEPTH; d++) {
                state[v][d] += apart * (long double)at(trial, "key", key + d);
                out += state[v][d] * (long double)at(trial, "query", key + d) * 0.5L;
            }
            assert_near("out", given(trial, "out"), place * WIDTH + v, out, dtype, 1e-12L);
        }
    }
}

static void give_tokens(struct trial *trial, aclDataType dtype, int64_t tokens, int64_t heads,
                        int64_t key_heads)
{
    give(trial, "query", dtype, 3, DIMS(tokens, key_heads, DEPTH), 1);
    give(trial, "key", dtype, 3, DIMS(tokens, key_heads, DEPTH), 0.7);
    give(trial, "value", dtype, 3, DIMS(tokens, heads, WIDTH), 1);
    give(trial, "out", dtype, 3, DIMS(tokens, heads, WIDTH), 1);
    if (random_below(3) > 0)
        give(trial, "betaOptional", dtype, 2, DIMS(tokens, heads), 1);
    if (random_below(3) > 0)
        give(trial, "gOptional", ACL_FLOAT, 2, DIMS(tokens, heads), 0.5);
    give_value(trial, "scaleValue", argument_of_fp32(0.5F));
}

static void states_go_from_first_to_last(void)
{
    const int64_t key_heads = 1 + random_below(2), heads = key_heads * (1 + random_below(2));
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool has_lengths = random_below(3) > 0, has_first = random_below(2) == 0;
    int64_t length[SEQUENCES], tokens = 0;
    for (int b = 0; b < SEQUENCES; b++)
        tokens += length[b] = random_below(5);
    const int64_t all = tokens + random_below(2), sequences = has_lengths ? SEQUENCES : 1;
    struct trial trial = trial_of("aclnnChunkGatedDeltaRule");
    give_tokens(&trial, dtype, all, heads, key_heads);
    if (has_lengths)
        give_numbers(&trial, "actualSeqLengthsOptional", ACL_INT32, 1, DIMS(SEQUENCES), length);
    if (has_first)
        give(&trial, "initialStateOptional", short_dtypes[random_below(3)], 4,
             DIMS(sequences, heads, WIDTH, DEPTH), 1);
    give(&trial, "finalState", ACL_FLOAT, 4, DIMS(sequences, heads, WIDTH, DEPTH), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t b = 0, first = 0; b < sequences; first += length[b++])
        for (int64_t h = 0; h < heads; h++) {
            long double state[WIDTH][DEPTH];
            for (int i = 0; i < WIDTH * DEPTH; i++)
                state[i / DEPTH][i % DEPTH] = has_first ? (long double)at(&trial, "initialStateOptional",
                                                                          (b * heads + h) * WIDTH * DEPTH + i)
                                                        : 0;
            expect_head(&trial, first, has_lengths ? length[b] : all, h, heads, key_heads, state, NULL);
            for (int i = 0; i < WIDTH * DEPTH; i++)
                assert_near("finalState", given(&trial, "finalState"), (b * heads + h) * WIDTH * DEPTH + i,
                            state[i / DEPTH][i % DEPTH], ACL_FLOAT, 1e-12L);
        }
    for (int64_t i = tokens * heads * WIDTH; has_lengths && i < all * heads * WIDTH; i++)
        assert_true(at(&trial, "out", i) == 0);
    end_trial(&trial);
}

static void states_are_kept_by_token(void)
{
    const int64_t key_heads = 1, heads = 2;
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool has_indices = random_below(2) == 0, has_accepted = has_indices && random_below(2) == 0;
    int64_t length[2] = {1 + random_below(3), 1 + random_below(3)}, index[8], accepted[2];
    const int64_t tokens = length[0] + length[1];
    struct trial trial = trial_of("aclnnRecurrentGatedDeltaRule");
    give_tokens(&trial, dtype, tokens, heads, key_heads);
    give_numbers(&trial, "actualSeqLengthsOptional", ACL_INT32, 1, DIMS(2), length);
    give(&trial, "stateRef", ACL_FLOAT, 4, DIMS(STATES, heads, WIDTH, DEPTH), 1);
    if (random_below(2) == 0)
        give(&trial, "gkOptional", ACL_FLOAT, 3, DIMS(tokens, heads, DEPTH), 0.5);
    for (int64_t t = 0; t < tokens; t++) /* no two tokens of one state */
        index[t] = t < length[0] ? STATES - 1 - t : t - length[0];
    if (has_indices)
        give_numbers(&trial, "ssmStateIndicesOptional", ACL_INT32, 1, DIMS(tokens), index);
    for (int b = 0; b < 2; b++)
        accepted[b] = 1 + random_below(length[b]);
    if (has_accepted)
        give_numbers(&trial, "numAcceptedTokensOptional", ACL_INT32, 1, DIMS(2), accepted);
    double *before = numbers_of(&trial, "stateRef");
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t b = 0, first = 0; b < 2; first += length[b++])
        for (int64_t h = 0; h < heads; h++) {
            long double state[WIDTH][DEPTH];
            const int64_t from = has_indices ? index[first + (has_accepted ? accepted[b] : 1) - 1] : b;
            for (int i = 0; i < WIDTH * DEPTH; i++)
                state[i / DEPTH][i % DEPTH] = (long double)before[(from * heads + h) * WIDTH * DEPTH + i];
            for (int64_t t = first; t < first + length[b]; t++) {
                expect_head(&trial, t, 1, h, heads, key_heads, state, "gkOptional");
                const int64_t to = has_indices ? index[t] : b;
                const bool is_last = has_indices || t + 1 == first + length[b];
                for (int i = 0; is_last && i < WIDTH * DEPTH; i++)
                    assert_near("stateRef", given(&trial, "stateRef"), (to * heads + h) * WIDTH * DEPTH + i,
                                state[i / DEPTH][i % DEPTH], ACL_FLOAT, 1e-12L);
            }
        }
    free(before);
    if (has_indices) {
        const int32_t beyond = STATES;
        memcpy(layout_element(given(&trial, "ssmStateIndicesOptional"), 0), &beyond, sizeof beyond);
        expect_fault(&trial, "ssmStateIndices holds 6 at [0]; 0 to 5 are expected");
    }
    const int32_t long_length = 9;
    memcpy(layout_element(given(&trial, "actualSeqLengthsOptional"), 0), &long_length, sizeof long_length);
    expect_fault(&trial, "actualSeqLengths holds 9 at [0]");
    end_trial(&trial);
}

static void (*const rounds[])(void) = {states_go_from_first_to_last, states_are_kept_by_token};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(100));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 12);
    return trial_hash;
}

static void an_example_gives_what_it_should(void **state)
{
    static const double key[] = {1, 0}, query[] = {1, 1}, halves = -0.6931471805599453;
    (void)state;
    struct trial trial = example_of("aclnnRecurrentGatedDeltaRule");
    give(&trial, "query", ACL_FLOAT, 3, DIMS(1, 1, 2), 1);
    give(&trial, "key", ACL_FLOAT, 3, DIMS(1, 1, 2), 1);
    give(&trial, "value", ACL_FLOAT, 3, DIMS(1, 1, 1), 1);
    give(&trial, "betaOptional", ACL_FLOAT, 2, DIMS(1, 1), 1);
    give(&trial, "gOptional", ACL_FLOAT, 2, DIMS(1, 1), 1);
    give(&trial, "stateRef", ACL_FLOAT, 4, DIMS(1, 1, 1, 2), 1);
    give(&trial, "out", ACL_FLOAT, 3, DIMS(1, 1, 1), 1);
    for (int d = 0; d < 2; d++) {
        set_element(given(&trial, "query"), d, query[d]);
        set_element(given(&trial, "key"), d, key[d]);
        set_element(given(&trial, "stateRef"), d, 1);
    }
    set_element(given(&trial, "value"), 0, 2);
    set_element(given(&trial, "betaOptional"), 0, 0.5);
    set_element(given(&trial, "gOptional"), 0, halves);
    assert_int_equal(run_trial(&trial), 0);
    assert_near("state", given(&trial, "stateRef"), 0, 1.25L, ACL_FLOAT, 1e-7L);
    assert_near("state", given(&trial, "stateRef"), 1, 0.5L, ACL_FLOAT, 1e-7L);
    assert_near("out", given(&trial, "out"), 0, 1.75L, ACL_FLOAT, 1e-7L);
    end_trial(&trial);
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnRecurrentGatedDeltaRule");
    refuse_tensor(&trial, "query", ACL_FLOAT, 2, DIMS(3, 2),
                  "query has shape [3, 2]; [-1, -1, -1] is expected");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 3, DIMS(3, 1, 2), "key has dtype FLOAT16");
    refuse_tensor(&trial, "key", ACL_FLOAT, 3, DIMS(3, 1, 4),
                  "key has shape [3, 1, 4]; [3, 1, 2] is expected");
    refuse_tensor(&trial, "value", ACL_FLOAT, 3, DIMS(3, 0, 4), "value has 0 heads and key 1");
    refuse_tensor(&trial, "stateRef", ACL_FLOAT, 4, DIMS(3, 2, 2, 4), "stateRef has shape [3, 2, 2, 4]");
    refuse_tensor(&trial, "betaOptional", ACL_FLOAT, 2, DIMS(3, 1),
                  "betaOptional has shape [3, 1]; [3, 2] is expected");
    refuse_tensor(&trial, "gkOptional", ACL_FLOAT, 3, DIMS(3, 2, 4), "gkOptional has shape [3, 2, 4]");
    refuse_tensor(&trial, "numAcceptedTokensOptional", ACL_INT32, 1, DIMS(3),
                  "numAcceptedTokensOptional has shape [3]");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(an_example_gives_what_it_should),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
