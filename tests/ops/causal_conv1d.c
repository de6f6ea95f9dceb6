/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolution along tokens, with a cache of the last ones and with a mask, against loops in long double; what is a
 * fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { SEQUENCES = 3, LINES = 5, PADDING = 77, ROWS_MAX = 64 };

struct sequences {
    int64_t start[SEQUENCES + 1], line[SEQUENCES], accepted[SEQUENCES], computed[SEQUENCES];
    int64_t window, kept, channels, mode;
    bool has_accepted, has_computed, is_residual;
};

/* A channel of a sequence: what comes out of its tokens, and what its line becomes. */
static void expect_channel(const struct trial *trial, const struct sequences *of, int b, int64_t c,
                           const char *out, const double *x, const double *states, const double *before)
{
    const int64_t length = of->start[b + 1] - of->start[b], first = of->start[b], width = of->window - 1;
    const bool is_new = of->has_computed && of->computed[b] == 0;
    const int64_t off = is_new ? 0 : of->has_accepted ? of->accepted[b] - 1 : of->kept - width;
    const int64_t all = off + width + length, left = all < of->kept ? all : of->kept;
    const aclDataType dtype = given(trial, out)->dtype;
    long double row[ROWS_MAX];
    if (of->line[b] == PADDING) {
        for (int64_t t = first; t < first + length; t++)
            assert_true(at(trial, out, t * of->channels + c) == before[t * of->channels + c]);
        return;
    }
    for (int64_t p = 0; p < all; p++)
        row[p] = p >= off + width ? (long double)x[(first + p - off - width) * of->channels + c]
                 : is_new         ? 0
                                  : (long double)states[(of->line[b] * of->kept + p) * of->channels + c];
    const int64_t computed = of->has_computed ? of->computed[b] : 100;
    for (int64_t i = 0; i < length; i++) {
        long double sum = 0;
        for (int64_t k = 0; k < of->window && !(of->mode == 1 && i < width - computed); k++)
            sum += (long double)at(trial, "weight", k * of->channels + c) * row[off + i + k];
        sum += of->is_residual ? row[off + width + i] : 0;
        assert_near(out, given(trial, out), (first + i) * of->channels + c, sum, dtype, 1e-12L);
    }
    for (int64_t r = 0; r < of->kept; r++) {
        const int64_t place = (of->line[b] * of->kept + r) * of->channels + c;
        const long double wanted = r < of->kept - left ? (long double)states[place] : row[all - of->kept + r];
        assert_near("convStates", given(trial, "convStates"), place, wanted, dtype, 0);
    }
}

static void convolve_with(const char *api, const char *out)
{
    struct sequences of = {.window = 1 + random_below(4), .mode = random_below(2)};
    const aclDataType dtype = short_dtypes[random_below(3)];
    const bool is_joined = random_below(2) == 0, has_lines = random_below(3) > 0;
    of.kept = of.window - 1 + random_below(4);
    of.channels = random_below(4) == 0 ? 131 : 1 + random_below(9);
    of.has_accepted = random_below(3) == 0;
    of.has_computed = random_below(2) == 0;
    of.is_residual = random_below(2) == 0;
    const int64_t length = random_below(7);
    for (int b = 0; b < SEQUENCES; b++) {
        of.start[b + 1] = of.start[b] + (is_joined ? random_below(7) : length);
        of.line[b] = !has_lines ? b : random_below(5) == 0 ? PADDING : LINES - 1 - b;
        of.accepted[b] = 1 + random_below(of.kept + 2 - of.window);
        of.computed[b] = random_below(4);
    }
    const int64_t tokens = of.start[SEQUENCES] + (is_joined ? random_below(3) : 0);
    struct trial trial = trial_of(api);
    const unsigned rank = is_joined ? 2 : 3;
    const int64_t joined[] = {tokens, of.channels}, apart[] = {SEQUENCES, length, of.channels};
    give(&trial, "x", dtype, rank, is_joined ? joined : apart, 1);
    if (strcmp(out, "x") != 0)
        give(&trial, out, dtype, rank, is_joined ? joined : apart, 1);
    give(&trial, "weight", dtype, 2, DIMS(of.window, of.channels), 1);
    give(&trial, "convStates", dtype, 3, DIMS(LINES, of.kept, of.channels), 1);
    if (is_joined)
        give_numbers(&trial, "queryStartLocOptional", ACL_INT32, 1, DIMS(SEQUENCES + 1), of.start);
    if (has_lines)
        give_numbers(&trial, "cacheIndicesOptional", ACL_INT32, 1, DIMS(SEQUENCES), of.line);
    if (of.has_accepted)
        give_numbers(&trial, "numAcceptedTokensOptional", ACL_INT32, 1, DIMS(SEQUENCES), of.accepted);
    if (of.has_computed)
        give_numbers(&trial, "numComputedTokensOptional", ACL_INT32, 1, DIMS(SEQUENCES), of.computed);
    give_value(&trial, "padSlotId", argument_of_integer(PADDING));
    give_value(&trial, "convMode", argument_of_integer(of.mode));
    give_value(&trial, "residualConnection", argument_of_integer(of.is_residual));
    double *x = numbers_of(&trial, "x"), *states = numbers_of(&trial, "convStates"),
           *before = numbers_of(&trial, out);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t c = 0; c < of.channels; c++)
            expect_channel(&trial, &of, b, c, out, x, states, before);
    for (int64_t i = of.start[SEQUENCES] * of.channels; i < tokens * of.channels; i++)
        assert_true(at(&trial, out, i) == (strcmp(out, "x") == 0 ? x[i] : 0));
    free(x);
    free(states);
    free(before);
    if (has_lines && of.channels > 0 && tokens + SEQUENCES > 0) {
        const int32_t beyond = LINES;
        memcpy(layout_element(given(&trial, "cacheIndicesOptional"), 1), &beyond, sizeof beyond);
        expect_fault(&trial, "cacheIndices holds 5 at [1]; 0 to 4 are expected");
    }
    end_trial(&trial);
}

static void tokens_follow_those_that_are_kept(void)
{
    convolve_with("aclnnFusedCausalConv1d", "y");
}

static void results_may_take_the_place_of_tokens(void)
{
    convolve_with("aclnnInplaceFusedCausalConv1d", "x");
}

struct masked {
    int64_t tokens, batches, channels, window;
    bool has_mask;
};

static struct masked give_masked(struct trial *trial, aclDataType dtype)
{
    const struct masked of = {random_below(8), 1 + random_below(3),
                              random_below(4) == 0 ? 133 : 1 + random_below(9), 1 + random_below(4),
                              random_below(3) > 0};
    give(trial, "x", dtype, 3, DIMS(of.tokens, of.batches, of.channels), 1);
    give(trial, "weight", dtype, 2, DIMS(of.window, of.channels), 1);
    if (of.has_mask) {
        int64_t mask[64];
        for (int64_t i = 0; i < of.tokens * of.batches; i++)
            mask[i] = random_below(4) > 0;
        give_numbers(trial, "maskOptional", ACL_BOOL, 2, DIMS(of.batches, of.tokens), mask);
    }
    return of;
}

static bool is_hidden(const struct trial *trial, const struct masked *of, int64_t b, int64_t s)
{
    return of->has_mask && at(trial, "maskOptional", b * of->tokens + s) == 0;
}

static void masks_hide_tokens(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnMaskedCausalConv1d");
    const struct masked of = give_masked(&trial, dtype);
    give(&trial, "out", dtype, 3, DIMS(of.tokens, of.batches, of.channels), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < given(&trial, "out")->count; i++) {
        const int64_t c = i % of.channels, b = i / of.channels % of.batches, s = i / of.channels / of.batches;
        long double sum = 0;
        for (int64_t k = 0; k < of.window; k++) {
            const int64_t from = s - (of.window - 1 - k);
            if (from >= 0 && !is_hidden(&trial, &of, b, s))
                sum += (long double)at(&trial, "weight", k * of.channels + c) *
                       (long double)at(&trial, "x", (from * of.batches + b) * of.channels + c);
        }
        assert_near("out", given(&trial, "out"), i, sum, dtype, 1e-12L);
    }
    end_trial(&trial);
}

static void masks_hide_gradients(void)
{
    const aclDataType dtype = short_dtypes[random_below(3)];
    struct trial trial = trial_of("aclnnMaskedCausalConv1dBackward");
    const struct masked of = give_masked(&trial, dtype);
    const int64_t count = of.tokens * of.batches * of.channels;
    long double *of_x = calloc((size_t)(count + of.window * of.channels), sizeof *of_x),
                *of_weight = of_x + count;
    give(&trial, "gradOut", dtype, 3, DIMS(of.tokens, of.batches, of.channels), 1);
    give(&trial, "gradX", dtype, 3, DIMS(of.tokens, of.batches, of.channels), 1);
    give(&trial, "gradWeight", dtype, 2, DIMS(of.window, of.channels), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t i = 0; i < count; i++) {
        const int64_t c = i % of.channels, b = i / of.channels % of.batches, s = i / of.channels / of.batches;
        for (int64_t k = 0; k < of.window; k++) {
            const int64_t from = s - (of.window - 1 - k), place = (from * of.batches + b) * of.channels + c;
            if (from < 0 || is_hidden(&trial, &of, b, s))
                continue;
            of_x[place] += (long double)at(&trial, "gradOut", i) *
                           (long double)at(&trial, "weight", k * of.channels + c);
            of_weight[k * of.channels + c] +=
                (long double)at(&trial, "gradOut", i) * (long double)at(&trial, "x", place);
        }
    }
    for (int64_t i = 0; i < count; i++)
        assert_near("gradX", given(&trial, "gradX"), i, of_x[i], dtype, 1e-12L);
    for (int64_t i = 0; i < of.window * of.channels; i++)
        assert_near("gradWeight", given(&trial, "gradWeight"), i, of_weight[i], dtype, 1e-12L);
    free(of_x);
    end_trial(&trial);
}

static void (*const rounds[])(void) = {tokens_follow_those_that_are_kept,
                                       results_may_take_the_place_of_tokens, masks_hide_tokens,
                                       masks_hide_gradients};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(200));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 12);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnFusedCausalConv1d");
    refuse_tensor(&trial, "x", ACL_FLOAT, 2, DIMS(3, 4),
                  "x has shape [3, 4]; then queryStartLocOptional is expected");
    refuse_tensor(&trial, "x", ACL_FLOAT, 1, DIMS(4), "x has shape [4]; (tokens, channels)");
    refuse_tensor(&trial, "weight", ACL_FLOAT, 2, DIMS(3, 5), "weight has shape [3, 5]; [-1, 4] is expected");
    refuse_tensor(&trial, "weight", ACL_FLOAT, 2, DIMS(6, 4), "convStates keeps 4 rows for a window of 6");
    refuse_tensor(&trial, "convStates", ACL_FLOAT16, 3, DIMS(3, 4, 4), "convStates has dtype FLOAT16");
    refuse_tensor(&trial, "cacheIndicesOptional", ACL_INT32, 2, DIMS(2, 1),
                  "cacheIndicesOptional has shape [2, 1]");
    refuse_tensor(&trial, "blockIdxLastScheduledTokenOptional", ACL_INT32, 1, DIMS(2),
                  "blockIdxLastScheduledTokenOptional is given");
    refuse_trial(&trial, "convMode", argument_of_integer(2), "convMode is 2; 0 or 1 is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnMaskedCausalConv1dBackward");
    refuse_tensor(&trial, "gradOut", ACL_FLOAT, 3, DIMS(3, 2, 5), "gradOut has shape [3, 2, 5]");
    refuse_tensor(&trial, "maskOptional", ACL_BOOL, 2, DIMS(3, 2),
                  "maskOptional has shape [3, 2]; [2, 3] is expected");
    refuse_tensor(&trial, "weight", ACL_FLOAT, 2, DIMS(0, 4), "weight has shape [0, 4]; a row or more");
    release(&attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contract_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
