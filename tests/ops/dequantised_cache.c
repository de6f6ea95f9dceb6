/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Queries, keys and values of products of INT8, turned and as INT8 in caches, against loops over whole tensors in
 * double; what is a fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { TOKENS_MAX = 16, WIDTH_MAX = 80 };

struct sizes {
    bool is_flat, is_int32, by_pages, has_output;
    int64_t batches, rows, tokens, depth, heads, key_heads, width, batch_rows;
    aclDataType dtype;
    int64_t slot[TOKENS_MAX];
};

static struct sizes draw(void)
{
    struct sizes of = {.is_flat = random_below(2) == 0,
                       .is_int32 = random_below(2) == 0,
                       .by_pages = random_below(2) == 0,
                       .has_output = random_below(2) == 0,
                       .dtype = short_dtypes[1 + random_below(2)]};
    of.batches = 1 + random_below(3);
    of.rows = of.is_flat ? 1 : 1 + random_below(4);
    of.tokens = of.batches * of.rows;
    of.depth = 2 * (1 + random_below(3));
    of.heads = random_below(4);
    of.key_heads = 1 + random_below(2);
    of.width = (of.heads + 2 * of.key_heads) * of.depth;
    of.batch_rows = of.rows + random_below(4);
    return of;
}

static void give_sizes(struct trial *trial, struct sizes *of)
{
    const int64_t parts[] = {of->heads * of->depth, of->key_heads * of->depth, of->key_heads * of->depth};
    int64_t index[TOKENS_MAX];
    give_value(trial, "sizeSplits", argument_of_pointer(aclCreateIntArray(parts, 3)));
    for (int64_t t = 0; t < of->tokens; t++) {
        const int64_t b = t / of->rows;
        if (of->by_pages)
            of->slot[t] = index[t] = random_below(5) == 0 ? -1 : random_below(of->batches * of->batch_rows);
        else if (t % of->rows == 0)
            index[b] = random_below(5) == 0 ? -2 : random_below(of->batch_rows - of->rows + 1);
        if (!of->by_pages)
            of->slot[t] = index[b] < 0 ? -1 : b * of->batch_rows + index[b] + t % of->rows;
    }
    int32_t narrow[TOKENS_MAX];
    for (int64_t t = 0; t < of->tokens; t++)
        narrow[t] = t < (of->by_pages ? of->tokens : of->batches) ? (int32_t)index[t] : 0;
    give(trial, "indices", ACL_INT32, 1, DIMS(of->by_pages ? of->tokens : of->batches), 1);
    for (int64_t t = 0; t < given(trial, "indices")->count; t++)
        memcpy(layout_element(given(trial, "indices"), t), &narrow[t], sizeof narrow[t]);
    give_value(trial, "cacheModeOptional", argument_of_pointer(of->by_pages ? "page" : "contiguous"));
    give_value(trial, "kvOutput", argument_of_bool(of->has_output));
}

static void give_scales(struct trial *trial, const struct sizes *of)
{
    const char *const scales[] = {"scaleK", "scaleV"}, *const offsets[] = {"offsetKOptional",
                                                                           "offsetVOptional"};
    for (int i = 0; i < 2; i++) {
        give(trial, scales[i], ACL_FLOAT, 2, DIMS(of->key_heads, of->depth), 1);
        for (int64_t e = 0; e < given(trial, scales[i])->count; e++)
            set_element(given(trial, scales[i]), e, 0.05 + fabs(at(trial, scales[i], e)));
        if (random_below(2) == 0)
            give(trial, offsets[i], ACL_FLOAT, 2, DIMS(of->key_heads, of->depth), 3);
    }
    if (!of->is_int32)
        return;
    give(trial, "weightScaleOptional", ACL_FLOAT, 1, DIMS(of->width), 0.1);
    if (random_below(2) == 0)
        give(trial, "activationScaleOptional", ACL_FLOAT, 1, DIMS(of->tokens), 0.1);
    if (random_below(3) > 0)
        give(trial, "biasOptional", random_below(2) == 0 ? ACL_INT32 : ACL_FLOAT16, 1, DIMS(of->width), 3);
}

static struct trial give_all(struct sizes *of)
{
    struct trial trial = example_of("aclnnDequantRopeQuantKvcache");
    release_argument(&trial.function->parameter[place_named(&trial, "sizeSplits")],
                     trial.argument[place_named(&trial, "sizeSplits")]);
    give(&trial, "x", of->is_int32 ? ACL_INT32 : of->dtype, of->is_flat ? 2 : 3,
         of->is_flat ? DIMS(of->batches, of->width) : DIMS(of->batches, of->rows, of->width), 3);
    for (int64_t i = 0; of->is_int32 && i < given(&trial, "x")->count; i++)
        set_element(given(&trial, "x"), i, (double)(random_below(2001) - 1000));
    const char *const angles[] = {"cos", "sin"}, *const caches[] = {"kCacheRef", "vCacheRef"};
    for (int i = 0; i < 2; i++) {
        give(&trial, angles[i], of->dtype, of->is_flat ? 2 : 4,
             of->is_flat ? DIMS(of->batches, of->depth) : DIMS(of->batches, of->rows, 1, of->depth), 1);
        give(&trial, caches[i], ACL_INT8, 4, DIMS(of->batches, of->batch_rows, of->key_heads, of->depth), 9);
    }
    give_sizes(&trial, of);
    give_scales(&trial, of);
    const char *const results[] = {"qOut", "kOut", "vOut"};
    for (int i = 0; i < 3; i++) {
        const int64_t heads = i == 0 ? of->heads : of->key_heads;
        if (i > 0 && !of->has_output)
            give(&trial, results[i], of->dtype, 1, DIMS(0), 1);
        else
            give(&trial, results[i], of->dtype, of->is_flat ? 3 : 4,
                 of->is_flat ? DIMS(of->batches, heads, of->depth)
                             : DIMS(of->batches, of->rows, heads, of->depth),
                 1);
    }
    return trial;
}

/* All elements of a token, dequantised and turned. */
static void row_of(const struct trial *trial, const struct sizes *of, int64_t token, double *row)
{
    double plain[WIDTH_MAX];
    const bool has_bias = was_given(trial, "biasOptional"),
               is_before = has_bias && given(trial, "biasOptional")->dtype == ACL_INT32;
    for (int64_t e = 0; e < of->width; e++) {
        const double bias = has_bias ? at(trial, "biasOptional", e) : 0;
        plain[e] = at(trial, "x", token * of->width + e) + (is_before ? bias : 0);
        if (of->is_int32)
            plain[e] *=
                at(trial, "weightScaleOptional", e) * (was_given(trial, "activationScaleOptional")
                                                           ? at(trial, "activationScaleOptional", token)
                                                           : 1);
        plain[e] += is_before ? 0 : bias;
    }
    for (int64_t e = 0; e < of->width; e++) {
        const int64_t d = e % of->depth, half = of->depth / 2, other = e - d + (d + half) % of->depth;
        row[e] = e / of->depth >= of->heads + of->key_heads
                     ? plain[e]
                     : plain[e] * at(trial, "cos", token * of->depth + d) +
                           (d < half ? -1 : 1) * plain[other] * at(trial, "sin", token * of->depth + d);
    }
}

static double int8_of(double value)
{
    const double whole = nearbyint(value);
    return whole < -128 ? -128 : whole > 127 ? 127 : whole;
}

static void expect_cache(const struct trial *trial, const struct sizes *of, int part, const double *before)
{
    const char *cache = part == 1 ? "kCacheRef" : "vCacheRef", *scale = part == 1 ? "scaleK" : "scaleV",
               *offset = part == 1 ? "offsetKOptional" : "offsetVOptional";
    const int64_t width = of->key_heads * of->depth, first = of->heads * of->depth + (part == 2 ? width : 0);
    for (int64_t slot = 0; slot < of->batches * of->batch_rows; slot++) {
        double row[WIDTH_MAX];
        int64_t token = of->tokens - 1;
        while (token >= 0 && of->slot[token] != slot)
            token--;
        if (token >= 0)
            row_of(trial, of, token, row);
        for (int64_t e = 0; e < width; e++) {
            const double wanted = token < 0 ? before[slot * width + e]
                                            : int8_of(row[first + e] / at(trial, scale, e) +
                                                      (was_given(trial, offset) ? at(trial, offset, e) : 0));
            if (at(trial, cache, slot * width + e) != wanted)
                fail_msg("%s: slot %lld, element %lld", cache, (long long)slot, (long long)e);
        }
    }
}

static void tokens_go_to_caches(void)
{
    struct sizes of = draw();
    struct trial trial = give_all(&of);
    double *before[] = {numbers_of(&trial, "kCacheRef"), numbers_of(&trial, "vCacheRef")};
    assert_int_equal(run_trial(&trial), 0);
    for (int64_t t = 0; t < of.tokens; t++) {
        const char *const results[] = {"qOut", "kOut", "vOut"};
        double row[WIDTH_MAX];
        int64_t first = 0;
        row_of(&trial, &of, t, row);
        for (int i = 0; i < (of.has_output ? 3 : 1); i++) {
            const int64_t width = (i == 0 ? of.heads : of.key_heads) * of.depth;
            for (int64_t e = 0; e < width; e++)
                assert_near(results[i], given(&trial, results[i]), t * width + e, (long double)row[first + e],
                            of.dtype, 1e-11L);
            first += width;
        }
    }
    expect_cache(&trial, &of, 1, before[0]);
    expect_cache(&trial, &of, 2, before[1]);
    const int32_t beyond = (int32_t)(of.batches * of.batch_rows);
    memcpy(layout_element(given(&trial, "indices"), 0), &beyond, sizeof beyond);
    expect_fault(&trial, "indices leads to slot");
    free(before[0]);
    free(before[1]);
    end_trial(&trial);
}

static void (*const rounds[])(void) = {tokens_go_to_caches};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(300));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 40);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnDequantRopeQuantKvcache");
    const int64_t sizes[] = {8, 4, 8};
    aclIntArray *splits = aclCreateIntArray(sizes, 3);
    refuse_trial(&trial, "sizeSplits", argument_of_pointer(splits), "sizeSplits do not fit x of shape");
    assert_int_equal(aclDestroyIntArray(splits), 0);
    refuse_tensor(&trial, "x", ACL_FLOAT16, 1, DIMS(16), "x has shape [16] and kCacheRef");
    refuse_tensor(&trial, "x", ACL_BF16, 3, DIMS(2, 3, 16), "cos has dtype FLOAT16");
    refuse_tensor(&trial, "x", ACL_INT32, 3, DIMS(2, 3, 16), "weightScaleOptional was not given");
    refuse_tensor(&trial, "biasOptional", ACL_FLOAT, 1, DIMS(16), "biasOptional was given and x has dtype");
    refuse_tensor(&trial, "cos", ACL_FLOAT16, 4, DIMS(2, 3, 1, 2),
                  "cos has shape [2, 3, 1, 2]; 4 elements of");
    refuse_tensor(&trial, "scaleV", ACL_FLOAT, 1, DIMS(3), "scaleV has shape [3]; 4 numbers are expected");
    refuse_tensor(&trial, "offsetKOptional", ACL_FLOAT, 1, DIMS(3),
                  "offsetKOptional has shape [3]; 4 numbers");
    refuse_tensor(&trial, "vCacheRef", ACL_INT8, 4, DIMS(2, 4, 1, 4),
                  "vCacheRef has shape [2, 4, 1, 4]; that");
    refuse_tensor(&trial, "indices", ACL_INT32, 1, DIMS(3), "indices has shape [3] and kCacheRef");
    refuse_trial(&trial, "cacheModeOptional", argument_of_pointer("PA"), "cacheModeOptional is \"PA\"");
    refuse_trial(&trial, "quantModeOptional", argument_of_pointer("dynamic"),
                 "quantModeOptional is \"dynamic\"");
    refuse_trial(&trial, "layoutOptional", argument_of_pointer("TND"), "layoutOptional is \"TND\"; BSND");
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
