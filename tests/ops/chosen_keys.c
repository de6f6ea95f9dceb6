/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Which keys a row wants most, and attention over keys that are chosen, in all layouts of rows and keys, against
 * loops over whole tensors; what is a fault, what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/sequences.h"

static void keys_are_found(void)
{
    struct sequences of = draw();
    const aclDataType dtype = short_dtypes[1 + random_below(2)];
    const int64_t depth = 1 + random_below(9), count = 1 + random_below(COUNT_MAX);
    of.key_heads = 1;
    struct trial trial = trial_of("aclnnLightningIndexer");
    give_rows(&trial, &of, "query", dtype, of.heads, depth);
    give_keys(&trial, &of, "key", dtype, depth);
    for (int64_t i = 0; i < given(&trial, "query")->count;
         i++) /* few numbers, exact sums, many of them equal */
        set_element(given(&trial, "query"), i, (double)random_below(3) - 1);
    for (int64_t i = 0; i < given(&trial, "key")->count; i++)
        set_element(given(&trial, "key"), i, (double)random_below(3) - 1);
    give_rows(&trial, &of, "weights", random_below(2) == 0 ? ACL_FLOAT : dtype, of.heads, -1);
    for (int64_t i = 0; i < given(&trial, "weights")->count; i++)
        set_element(given(&trial, "weights"), i, (double)random_below(5) - 2);
    give_lengths(&trial, &of, "actualSeqLengthsKeyOptional");
    give_value(&trial, "layoutKey", argument_of_pointer(keys_of(&of)));
    give_value(&trial, "sparseCount", argument_of_integer(count));
    give_rows(&trial, &of, "sparseIndicesOut", ACL_INT32, 1, count);
    const bool wants_values = random_below(2) == 0;
    give_value(&trial, "returnValue", argument_of_bool(wants_values));
    if (wants_values)
        give_rows(&trial, &of, "sparseValuesOut", dtype, 1, count);
    else
        give(&trial, "sparseValuesOut", dtype, 1, DIMS(0), 1);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t r = 0; r < of.length[b]; r++) {
            const int64_t row = row_at(&of, b, r), seen = seen_by(&of, b, r);
            double sum[KEYS_MAX * 4];
            bool is_taken[KEYS_MAX * 4] = {false};
            for (int64_t j = 0; j < seen; j++) {
                sum[j] = 0;
                for (int64_t n = 0; n < of.heads; n++)
                    sum[j] +=
                        at(&trial, "weights", row * of.heads + n) *
                        fmax(product(&trial, "query", row * of.heads + n, "key", key_at(&of, b, j), depth),
                             0);
            }
            for (int64_t i = 0; i < count; i++) {
                int64_t best = -1;
                for (int64_t j = 0; j < seen; j++)
                    if (!is_taken[j] && (best < 0 || sum[j] > sum[best]))
                        best = j;
                assert_int_equal((int64_t)at(&trial, "sparseIndicesOut", row * count + i), best);
                if (wants_values)
                    assert_true(at(&trial, "sparseValuesOut", row * count + i) ==
                                (best < 0 ? -(double)INFINITY : sum[best]));
                if (best >= 0)
                    is_taken[best] = true;
            }
        }
    end_trial(&trial);
}

static void chosen_keys_are_attended_to(void)
{
    const struct sequences of = draw();
    const bool has_rope = random_below(2) == 0, has_value = random_below(2) == 0,
               has_sink = random_below(2) == 0, wants_sums = random_below(2) == 0;
    const aclDataType dtype = short_dtypes[1 + random_below(2)];
    const int64_t depth = 1 + random_below(9), value_depth = has_value ? 1 + random_below(9) : depth,
                  rope = 3, count = 1 + random_below(COUNT_MAX), is_whole = random_below(8) == 0,
                  block = is_whole ? of.keys + 1 : 1 + random_below(2), group = of.heads / of.key_heads;
    const char *value = has_value ? "valueOptional" : "key";
    struct trial trial = trial_of(has_sink ? "aclnnSparseFlashAttentionV2" : "aclnnSparseFlashAttention");
    give_rows(&trial, &of, "query", dtype, of.heads, depth);
    give_keys(&trial, &of, "key", dtype, depth);
    if (has_value)
        give_keys(&trial, &of, "valueOptional", dtype, value_depth);
    if (has_rope) {
        give_rows(&trial, &of, "queryRopeOptional", dtype, of.heads, rope);
        give_keys(&trial, &of, "keyRopeOptional", dtype, rope);
    }
    if (has_sink)
        give(&trial, "sinksOptional", ACL_FLOAT, 1, DIMS(of.heads), 1);
    give_rows(&trial, &of, "attentionOut", dtype, of.heads, value_depth);
    give_rows(&trial, &of, "sparseIndices", ACL_INT32, of.key_heads, count);
    const struct layout *indices = given(&trial, "sparseIndices");
    for (int64_t i = 0; i < indices->count; i++) {
        const int32_t index =
            random_below(6) == 0 ? -1 : (int32_t)random_below(of.keys / block + 1 + is_whole);
        memcpy(layout_element(indices, i), &index, sizeof index);
    }
    const int64_t all = of.is_packed ? sum_of(of.length, SEQUENCES) + 1 : of.rows;
    give(&trial, "softmaxMaxOut", ACL_FLOAT, of.is_packed ? 3 : 4,
         of.is_packed ? DIMS(of.key_heads, all, group) : DIMS(SEQUENCES, of.key_heads, all, group), 1);
    give(&trial, "softmaxSumOut", ACL_FLOAT, of.is_packed ? 3 : 4,
         of.is_packed ? DIMS(of.key_heads, all, group) : DIMS(SEQUENCES, of.key_heads, all, group), 1);
    give_lengths(&trial, &of, "actualSeqLengthsKvOptional");
    give_value(&trial, "layoutKv", argument_of_pointer(keys_of(&of)));
    give_value(&trial, "scaleValue", argument_of_fp64(0.5));
    give_value(&trial, "sparseBlockSize", argument_of_integer(is_whole ? INT64_MAX : block));
    give_value(&trial, "returnSoftmaxLse", argument_of_bool(wants_sums));
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * of.heads; i++) {
            const int64_t r = i / of.heads, n = i % of.heads, m = n / group, row = row_at(&of, b, r);
            double score[KEYS_MAX * COUNT_MAX],
                most = has_sink ? at(&trial, "sinksOptional", n) : -(double)INFINITY, sum = 0;
            int64_t key[KEYS_MAX * COUNT_MAX], keys = 0;
            for (int64_t k = 0; k < count; k++) {
                const int64_t index =
                    (int64_t)at(&trial, "sparseIndices", (row * of.key_heads + m) * count + k);
                if (index < 0)
                    break;
                for (int64_t e = index * block; e < (index + 1) * block; e++)
                    if (e < seen_by(&of, b, r))
                        key[keys++] = key_at(&of, b, e) * of.key_heads + m;
            }
            for (int64_t k = 0; k < keys; k++) {
                score[k] = product(&trial, "query", row * of.heads + n, "key", key[k], depth);
                if (has_rope)
                    score[k] += product(&trial, "queryRopeOptional", row * of.heads + n, "keyRopeOptional",
                                        key[k], rope);
                score[k] *= 0.5;
                most = fmax(most, score[k]);
            }
            sum = has_sink ? exp(at(&trial, "sinksOptional", n) - most) : 0;
            for (int64_t k = 0; k < keys; k++)
                sum += exp(score[k] - most);
            for (int64_t e = 0; e < value_depth; e++) {
                double out = 0;
                for (int64_t k = 0; k < keys; k++)
                    out += exp(score[k] - most) / sum * at(&trial, value, key[k] * value_depth + e);
                assert_near("attentionOut", given(&trial, "attentionOut"),
                            (row * of.heads + n) * value_depth + e, (long double)out, dtype, 1e-12L);
            }
            const int64_t place =
                ((of.is_packed ? m : b * of.key_heads + m) * all + (of.is_packed ? row : r)) * group +
                n % group;
            const bool is_empty = keys == 0 && !has_sink;
            if (wants_sums) {
                assert_near("max", given(&trial, "softmaxMaxOut"), place,
                            is_empty ? -(long double)FLT_MAX : (long double)most, ACL_FLOAT, 1e-12L);
                assert_near("sum", given(&trial, "softmaxSumOut"), place,
                            is_empty ? (long double)FLT_MAX : (long double)sum, ACL_FLOAT, 1e-12L);
            }
        }
    if (of.has_blocks && of.key_length[0] > 0) {
        const int32_t beyond = (int32_t)of.blocks;
        memcpy(layout_element(given(&trial, "blockTableOptional"), 0), &beyond, sizeof beyond);
        expect_fault(&trial, "for block 0 of sequence 0");
    }
    if (of.has_lengths) {
        const int32_t below = -1;
        memcpy(layout_element(given(&trial, "actualSeqLengthsQueryOptional"), 0), &below, sizeof below);
        expect_fault(&trial, "actualSeqLengthsQuery holds -1 at [0]");
    }
    end_trial(&trial);
}

static void (*const rounds[])(void) = {keys_are_found, chosen_keys_are_attended_to};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    TRY_ROUNDS(rounds, times_effort(150));
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
    struct trial trial = sample_of(&attempt, "aclnnLightningIndexer");
    refuse_trial(&trial, "layoutQuery", argument_of_pointer("BNSD"),
                 "layoutQuery is \"BNSD\"; BSND or TND is expected");
    refuse_trial(&trial, "layoutKey", argument_of_pointer("TND"),
                 "layoutKey is \"TND\"; BSND or PA_BSND is expected");
    refuse_trial(&trial, "layoutKey", argument_of_pointer("PA_BSND"),
                 "blockTableOptional is expected with keys in blocks");
    refuse_trial(&trial, "sparseMode", argument_of_integer(1), "sparseMode is 1; 0 or 3 is expected");
    refuse_trial(&trial, "sparseCount", argument_of_integer(0), "sparseCount is 0; 1 or more is expected");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 4, DIMS(2, 3, 1, 5),
                  "query has shape [2, 2, 2, 4] and key [2, 3, 1, 5]");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 4, DIMS(3, 3, 1, 4),
                  "key has shape [3, 3, 1, 4]; 2 batches are expected");
    refuse_tensor(&trial, "key", ACL_BF16, 4, DIMS(2, 3, 1, 4), "key has dtype BFLOAT16");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 4, DIMS(2, 3, 2, 4),
                  "weights has shape [2, 2, 2] and key 2 heads");
    refuse_tensor(&trial, "weights", ACL_FLOAT, 3, DIMS(2, 2, 3),
                  "weights has shape [2, 2, 3] and key 1 heads");
    refuse_tensor(&trial, "actualSeqLengthsKeyOptional", ACL_INT32, 1, DIMS(3),
                  "actualSeqLengthsKeyOptional has shape [3]");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnSparseFlashAttentionV2");
    refuse_trial(&trial, "keyRopeOptional", argument_of_pointer(NULL),
                 "only one of queryRopeOptional and keyRopeOptional");
    refuse_trial(&trial, "sparseBlockSize", argument_of_integer(0),
                 "sparseBlockSize is 0 and attentionMode 0");
    refuse_tensor(&trial, "valueOptional", ACL_FLOAT16, 4, DIMS(2, 4, 1, 4),
                  "valueOptional has shape [2, 4, 1, 4]; that of key");
    refuse_tensor(&trial, "sparseIndices", ACL_INT32, 4, DIMS(2, 2, 2, 2),
                  "sparseIndices has shape [2, 2, 2, 2]; indices of");
    refuse_tensor(&trial, "sinksOptional", ACL_FLOAT, 1, DIMS(3),
                  "sinksOptional has shape [3]; a number for each of 2 heads");
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
