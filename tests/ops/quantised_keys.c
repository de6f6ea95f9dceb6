/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Keys that are quantised, found and attended to, and the gradients of attention over chosen keys, against loops
 * over whole tensors; what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/sequences.h"

enum { ELEMENTS_MAX = 64 };

static void give_range(struct trial *trial, const char *name, int64_t least, int64_t count)
{
    for (int64_t i = 0; i < given(trial, name)->count; i++)
        set_element(given(trial, name), i, (double)(least + random_below(count)));
}

static void quantised_keys_are_found(void)
{
    struct sequences of = draw();
    const int64_t depth = 1 + random_below(9), count = 1 + random_below(COUNT_MAX);
    of.key_heads = 1;
    struct trial trial = trial_of("aclnnQuantLightningIndexer");
    give_rows(&trial, &of, "query", ACL_INT8, of.heads, depth);
    give_keys(&trial, &of, "key", ACL_INT8, depth);
    give_rows(&trial, &of, "weights", ACL_FLOAT16, of.heads, -1);
    give_rows(&trial, &of, "queryDequantScale", ACL_FLOAT, of.heads, -1);
    const struct layout *key = given(&trial, "key");
    give(&trial, "keyDequantScale", ACL_FLOAT, key->rank - 1, key->shape, 1);
    /* Few numbers: exact sums, many of them equal. */
    give_range(&trial, "query", -1, 3);
    give_range(&trial, "key", -1, 3);
    give_range(&trial, "weights", -2, 5);
    give_range(&trial, "queryDequantScale", 1, 3);
    give_range(&trial, "keyDequantScale", 1, 3);
    give_lengths(&trial, &of, "actualSeqLengthsKeyOptional");
    give_value(&trial, "layoutKey", argument_of_pointer(keys_of(&of)));
    give_value(&trial, "sparseCount", argument_of_integer(count));
    give_rows(&trial, &of, "sparseIndicesOut", ACL_INT32, 1, count);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t r = 0; r < of.length[b]; r++) {
            const int64_t row = row_at(&of, b, r), seen = seen_by(&of, b, r);
            double sum[KEYS_MAX * 4];
            bool is_taken[KEYS_MAX * 4] = {false};
            for (int64_t j = 0; j < seen; j++) {
                const int64_t place = key_at(&of, b, j);
                sum[j] = 0;
                for (int64_t n = 0; n < of.heads; n++)
                    sum[j] += at(&trial, "weights", row * of.heads + n) *
                              at(&trial, "queryDequantScale", row * of.heads + n) *
                              fmax(product(&trial, "query", row * of.heads + n, "key", place, depth), 0);
                sum[j] *= at(&trial, "keyDequantScale", place);
            }
            for (int64_t i = 0; i < count; i++) {
                int64_t best = -1;
                for (int64_t j = 0; j < seen; j++)
                    if (!is_taken[j] && (best < 0 || sum[j] > sum[best]))
                        best = j;
                assert_int_equal((int64_t)at(&trial, "sparseIndicesOut", row * count + i), best);
                if (best >= 0)
                    is_taken[best] = true;
            }
        }
    end_trial(&trial);
}

static void give_indices(struct trial *trial, const struct sequences *of, int64_t count, int64_t block)
{
    give_rows(trial, of, "sparseIndices", ACL_INT32, of->key_heads, count);
    const struct layout *indices = given(trial, "sparseIndices");
    for (int64_t i = 0; i < indices->count; i++) {
        const int32_t index = random_below(6) == 0 ? -1 : (int32_t)random_below(of->keys / block + 1);
        memcpy(layout_element(indices, i), &index, sizeof index);
    }
    give_value(trial, "sparseBlockSize", argument_of_integer(block));
}

/* The keys of a row, by their number in the sequence. */
static int64_t chosen_by(const struct trial *trial, const struct sequences *of, int b, int64_t r,
                         int64_t head, int64_t count, int64_t block, int64_t *key)
{
    int64_t keys = 0;
    for (int64_t k = 0; k < count; k++) {
        const int64_t index =
            (int64_t)at(trial, "sparseIndices", (row_at(of, b, r) * of->key_heads + head) * count + k);
        if (index < 0)
            break;
        for (int64_t e = index * block; e < (index + 1) * block; e++)
            if (e < seen_by(of, b, r))
                key[keys++] = e;
    }
    return keys;
}

/* A row of bytes as the numbers and elements that are in it. */
static void row_of_bytes(const struct trial *trial, int64_t place, int64_t numbers, int64_t rope,
                         int64_t tile, aclDataType dtype, double *key)
{
    const int64_t tiles = (numbers + tile - 1) / tile, bytes = numbers + 2 * rope + 4 * tiles;
    unsigned char row[ELEMENTS_MAX * 4];
    for (int64_t i = 0; i < bytes; i++)
        row[i] = *layout_element(given(trial, "key"), place * bytes + i);
    for (int64_t e = 0; e < numbers; e++) {
        float scale;
        memcpy(&scale, row + numbers + 2 * rope + 4 * (e / tile), sizeof scale);
        key[e] = (double)(int8_t)row[e] * (double)scale;
    }
    for (int64_t e = 0; e < rope; e++)
        conversion_reference(row + numbers + 2 * e, dtype, &key[numbers + e], ACL_DOUBLE);
}

static void quantised_keys_are_attended_to(void)
{
    const struct sequences of = draw();
    const aclDataType dtype = short_dtypes[1 + random_below(2)];
    const int64_t numbers = 1 + random_below(9), rope = random_below(4), tile = 1 + random_below(5),
                  tiles = (numbers + tile - 1) / tile, bytes = numbers + 2 * rope + 4 * tiles,
                  count = 1 + random_below(COUNT_MAX), block = 1 + random_below(2), whole = numbers + rope;
    struct trial trial = example_of("aclnnKvQuantSparseFlashAttention");
    give_rows(&trial, &of, "query", dtype, of.heads, whole);
    give_keys(&trial, &of, "key", ACL_INT8, bytes);
    give_keys(&trial, &of, "value", ACL_INT8, bytes);
    const struct layout *key = given(&trial, "key");
    for (int64_t i = 0; i < key->count; i++) { /* elements and scales that are numbers */
        const int64_t e = i % bytes;
        double number = (double)random_below(100) / 50 - 1;
        unsigned char two[4];
        const float scale = (float)(0.01 + (double)random_below(100) / 1000);
        conversion_reference(&number, ACL_DOUBLE, two, dtype);
        if (e >= numbers && e < numbers + 2 * rope && (e - numbers) % 2 == 0)
            for (int k = 0; k < 2; k++)
                *layout_element(key, i + k) = two[k];
        memcpy(two, &scale, sizeof scale);
        if (e >= numbers + 2 * rope && (e - numbers - 2 * rope) % 4 == 0)
            for (int k = 0; k < 4; k++)
                *layout_element(key, i + k) = two[k];
    }
    give_rows(&trial, &of, "attentionOut", dtype, of.heads, numbers);
    give_indices(&trial, &of, count, block);
    give_lengths(&trial, &of, "actualSeqLengthsKvOptional");
    give_value(&trial, "layoutKv", argument_of_pointer(keys_of(&of)));
    give_value(&trial, "scaleValue", argument_of_fp64(0.5));
    give_value(&trial, "tileSize", argument_of_integer(tile));
    give_value(&trial, "ropeHeadDim", argument_of_integer(rope));
    assert_int_equal(run_trial(&trial), 0);
    const int64_t group = of.heads / of.key_heads;
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * of.heads; i++) {
            const int64_t r = i / of.heads, n = i % of.heads, m = n / group, row = row_at(&of, b, r);
            int64_t chosen[KEYS_MAX * COUNT_MAX];
            static double rows[KEYS_MAX * COUNT_MAX][ELEMENTS_MAX];
            double score[KEYS_MAX * COUNT_MAX], most = -(double)INFINITY, sum = 0;
            const int64_t keys = chosen_by(&trial, &of, b, r, m, count, block, chosen);
            for (int64_t k = 0; k < keys; k++) {
                row_of_bytes(&trial, key_at(&of, b, chosen[k]) * of.key_heads + m, numbers, rope, tile, dtype,
                             rows[k]);
                score[k] = 0;
                for (int64_t e = 0; e < whole; e++)
                    score[k] += 0.5 * at(&trial, "query", (row * of.heads + n) * whole + e) * rows[k][e];
                most = fmax(most, score[k]);
            }
            for (int64_t k = 0; k < keys; k++)
                sum += exp(score[k] - most);
            for (int64_t e = 0; e < numbers; e++) {
                double out = 0;
                for (int64_t k = 0; k < keys; k++)
                    out += exp(score[k] - most) / sum * rows[k][e];
                assert_near("attentionOut", given(&trial, "attentionOut"), (row * of.heads + n) * numbers + e,
                            (long double)out, dtype, 1e-10L * (1 + fabsl((long double)out)));
            }
        }
    end_trial(&trial);
}

/* The gradients as loops have them, and what the forward pass has. */
struct gradients {
    double query[4096], key[4096], value[4096], query_rope[4096], key_rope[4096];
};

static void chosen_keys_have_gradients(void)
{
    struct sequences of = draw();
    static struct gradients sums;
    while (of.has_blocks)
        of = draw();
    memset(&sums, 0, sizeof sums);
    const bool has_rope = random_below(2) == 0, has_value = random_below(3) > 0;
    const aclDataType dtype = short_dtypes[1 + random_below(2)];
    const int64_t depth = 1 + random_below(9), wide = has_value ? 1 + random_below(9) : depth, rope = 3,
                  count = 1 + random_below(COUNT_MAX), block = 1 + random_below(2),
                  group = of.heads / of.key_heads,
                  all = of.is_packed ? sum_of(of.length, SEQUENCES) + 1 : of.rows;
    const char *value = has_value ? "valueOptional" : "key";
    struct trial trial = example_of("aclnnSparseFlashAttentionGrad");
    give_rows(&trial, &of, "query", dtype, of.heads, depth);
    give_keys(&trial, &of, "key", dtype, depth);
    if (has_value)
        give_keys(&trial, &of, "valueOptional", dtype, wide);
    if (has_rope) {
        give_rows(&trial, &of, "queryRopeOptional", dtype, of.heads, rope);
        give_keys(&trial, &of, "keyRopeOptional", dtype, rope);
        give_rows(&trial, &of, "dQueryRopeOut", dtype, of.heads, rope);
        give_keys(&trial, &of, "dKeyRopeOut", dtype, rope);
    }
    give_rows(&trial, &of, "dOut", dtype, of.heads, wide);
    give_rows(&trial, &of, "out", dtype, of.heads, wide);
    const char *const statistics[] = {"softmaxMax", "softmaxSum"};
    for (int i = 0; i < 2; i++)
        give(&trial, statistics[i], ACL_FLOAT, of.is_packed ? 3 : 4,
             of.is_packed ? DIMS(of.key_heads, all, group) : DIMS(SEQUENCES, of.key_heads, all, group), 1);
    for (int64_t i = 0; i < given(&trial, "softmaxSum")->count; i++)
        set_element(given(&trial, "softmaxSum"), i, 1 + fabs(at(&trial, "softmaxSum", i)));
    give_indices(&trial, &of, count, block);
    give_lengths(&trial, &of, "actualSeqLengthsKvOptional");
    give_value(&trial, "scaleValue", argument_of_fp64(0.5));
    give_rows(&trial, &of, "dQueryOut", dtype, of.heads, depth);
    give_keys(&trial, &of, "dKeyOut", dtype, depth);
    give_keys(&trial, &of, "dValueOut", dtype, wide);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * of.heads; i++) {
            const int64_t r = i / of.heads, n = i % of.heads, m = n / group, row = row_at(&of, b, r),
                          q = row * of.heads + n,
                          place =
                              ((of.is_packed ? m : b * of.key_heads + m) * all + (of.is_packed ? row : r)) *
                                  group +
                              n % group;
            int64_t chosen[KEYS_MAX * COUNT_MAX];
            const int64_t keys = chosen_by(&trial, &of, b, r, m, count, block, chosen);
            const double delta = product(&trial, "dOut", q, "out", q, wide);
            for (int64_t j = 0; j < keys; j++) {
                const int64_t k = key_at(&of, b, chosen[j]) * of.key_heads + m;
                double score = product(&trial, "query", q, "key", k, depth);
                if (has_rope)
                    score += product(&trial, "queryRopeOptional", q, "keyRopeOptional", k, rope);
                const double p = exp(0.5 * score - at(&trial, "softmaxMax", place)) /
                                 at(&trial, "softmaxSum", place),
                             slope = 0.5 * p * (product(&trial, "dOut", q, value, k, wide) - delta);
                for (int64_t e = 0; e < wide; e++)
                    sums.value[k * wide + e] += p * at(&trial, "dOut", q * wide + e);
                for (int64_t e = 0; e < depth; e++) {
                    sums.query[q * depth + e] += slope * at(&trial, "key", k * depth + e);
                    sums.key[k * depth + e] += slope * at(&trial, "query", q * depth + e);
                }
                for (int64_t e = 0; has_rope && e < rope; e++) {
                    sums.query_rope[q * rope + e] += slope * at(&trial, "keyRopeOptional", k * rope + e);
                    sums.key_rope[k * rope + e] += slope * at(&trial, "queryRopeOptional", q * rope + e);
                }
            }
        }
    const struct {
        const char *name;
        const double *wanted;
    } results[] = {{"dQueryOut", sums.query},
                   {"dKeyOut", sums.key},
                   {"dValueOut", sums.value},
                   {"dQueryRopeOut", sums.query_rope},
                   {"dKeyRopeOut", sums.key_rope}};
    for (int i = 0; i < (has_rope ? 5 : 3); i++)
        for (int64_t e = 0; e < given(&trial, results[i].name)->count; e++)
            assert_near(results[i].name, given(&trial, results[i].name), e, (long double)results[i].wanted[e],
                        dtype, 1e-9L * (1 + fabsl((long double)results[i].wanted[e])));
    end_trial(&trial);
}

static void sums_have_gradients(void)
{
    struct sequences of = draw();
    static struct gradients sums;
    while (of.has_blocks)
        of = draw();
    of.key_heads = 1;
    memset(&sums, 0, sizeof sums);
    double *d_weights = sums.value;
    const aclDataType dtype = short_dtypes[1 + random_below(2)];
    const int64_t depth = 1 + random_below(9), count = 1 + random_below(COUNT_MAX);
    struct trial trial = example_of("aclnnLightningIndexerGrad");
    give_rows(&trial, &of, "query", dtype, of.heads, depth);
    give_keys(&trial, &of, "key", dtype, depth);
    give_rows(&trial, &of, "weights", random_below(2) == 0 ? ACL_FLOAT : dtype, of.heads, -1);
    give_rows(&trial, &of, "dy", dtype, count, -1);
    give_rows(&trial, &of, "sparseIndices", ACL_INT32, count, -1);
    const struct layout *indices = given(&trial, "sparseIndices");
    for (int64_t i = 0; i < indices->count; i++) {
        const int32_t index = (int32_t)random_below(of.keys + 2) - 1;
        memcpy(layout_element(indices, i), &index, sizeof index);
    }
    give_lengths(&trial, &of, "actualSeqLengthsKeyOptional");
    give_rows(&trial, &of, "dQueryOut", dtype, of.heads, depth);
    give_keys(&trial, &of, "dKeyOut", dtype, depth);
    give_rows(&trial, &of, "dWeightsOut", given(&trial, "weights")->dtype, of.heads, -1);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * count; i++) {
            const int64_t row = row_at(&of, b, i / count),
                          index = (int64_t)at(&trial, "sparseIndices", row * count + i % count);
            if (index < 0 || index >= of.key_length[b])
                continue;
            const int64_t k = key_at(&of, b, index);
            const double dy = at(&trial, "dy", row * count + i % count);
            for (int64_t n = 0; n < of.heads; n++) {
                const int64_t q = row * of.heads + n;
                const double score = product(&trial, "query", q, "key", k, depth),
                             slope = score < 0 ? 0 : dy * at(&trial, "weights", q);
                d_weights[q] += dy * fmax(score, 0);
                for (int64_t e = 0; e < depth; e++) {
                    sums.query[q * depth + e] += slope * at(&trial, "key", k * depth + e);
                    sums.key[k * depth + e] += slope * at(&trial, "query", q * depth + e);
                }
            }
        }
    const char *const results[] = {"dQueryOut", "dKeyOut", "dWeightsOut"};
    const double *const wanted[] = {sums.query, sums.key, d_weights};
    for (int i = 0; i < 3; i++)
        for (int64_t e = 0; e < given(&trial, results[i])->count; e++)
            assert_near(results[i], given(&trial, results[i]), e, (long double)wanted[i][e],
                        given(&trial, results[i])->dtype, 1e-10L * (1 + fabsl((long double)wanted[i][e])));
    end_trial(&trial);
}

static void (*const rounds[])(void) = {sums_have_gradients, quantised_keys_are_found,
                                       quantised_keys_are_attended_to, chosen_keys_have_gradients};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(120));
}

static uint64_t everything(void)
{
    TRY_ROUNDS(rounds, 20);
    return trial_hash;
}

static void what_is_not_in_the_contract_is_refused(void **state)
{
    (void)state;
    struct attempt attempt;
    struct trial trial = sample_of(&attempt, "aclnnQuantLightningIndexer");
    refuse_tensor(&trial, "keyDequantScale", ACL_FLOAT, 2, DIMS(2, 3),
                  "keyDequantScale has shape [2, 3]; a number for each head's row");
    refuse_trial(&trial, "queryQuantMode", argument_of_integer(1), "queryQuantMode is 1; 0 is expected");
    refuse_trial(&trial, "sparseCount", argument_of_integer(0), "sparseCount is 0; 1 or more is expected");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnKvQuantSparseFlashAttention");
    refuse_trial(&trial, "keyQuantMode", argument_of_integer(1), "keyQuantMode is 1; 2 is expected");
    refuse_trial(&trial, "quantScaleRepoMode", argument_of_integer(0),
                 "quantScaleRepoMode is 0; 1 is expected");
    refuse_trial(&trial, "tileSize", argument_of_integer(0), "tileSize is 0 and ropeHeadDim 2; 1 or more");
    refuse_trial(&trial, "ropeHeadDim", argument_of_integer(3),
                 "key has shape [2, 3, 1, 12]; rows of 13 bytes");
    refuse_tensor(&trial, "value", ACL_INT8, 4, DIMS(2, 3, 1, 11),
                  "value has shape [2, 3, 1, 11]; that of key");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnLightningIndexerGrad");
    refuse_tensor(&trial, "dy", ACL_FLOAT16, 3, DIMS(2, 2, 3),
                  "dy has shape [2, 2, 3]; numbers for each row");
    refuse_tensor(&trial, "weights", ACL_FLOAT16, 3, DIMS(2, 2, 1),
                  "weights has shape [2, 2, 1]; numbers for");
    refuse_tensor(&trial, "sparseIndices", ACL_INT32, 2, DIMS(2, 2),
                  "sparseIndices has shape [2, 2]; numbers");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnSparseFlashAttentionGrad");
    refuse_trial(&trial, "layout", argument_of_pointer("PA_BSND"), "layout is \"PA_BSND\"; BSND or TND");
    refuse_tensor(&trial, "softmaxSum", ACL_FLOAT, 4, DIMS(2, 2, 2, 1),
                  "softmaxSum has shape [2, 2, 2, 1]; [2, 1");
    refuse_tensor(&trial, "out", ACL_FLOAT16, 4, DIMS(2, 2, 2, 5),
                  "out has shape [2, 2, 2, 5]; that of query");
    refuse_tensor(&trial, "dKeyOut", ACL_FLOAT16, 4, DIMS(2, 3, 1, 5), "dKeyOut has shape [2, 3, 1, 5]");
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
