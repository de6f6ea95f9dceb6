/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over blocks of keys that lists or masks name, and its gradients from what it wrote, in each layout, against
 * loops over whole tensors; what is refused; and the same bits everywhere.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/trial.h"

enum { SEQUENCES = 3, KEYS_MAX = 64, ELEMENTS = 8192 };

struct sizes {
    bool by_mask, is_packed, is_causal, has_lengths;
    int64_t rows, keys, all_rows, all_keys, heads, key_heads, depth, wide, block_rows, block, count;
    int64_t length[SEQUENCES], key_length[SEQUENCES];
    aclDataType dtype;
};

static struct sizes draw(bool by_mask)
{
    struct sizes of = {.by_mask = by_mask,
                       .is_packed = !by_mask || random_below(2) == 0,
                       .is_causal = !by_mask && random_below(2) == 0,
                       .rows = 1 + random_below(5),
                       .keys = 1 + random_below(9),
                       .key_heads = 1 + random_below(2),
                       .depth = 1 + random_below(9),
                       .wide = 1 + random_below(9),
                       .block_rows = 1 + random_below(3),
                       .block = 1 + random_below(4),
                       .count = 1 + random_below(3),
                       .dtype = short_dtypes[1 + random_below(2)]};
    of.heads = of.key_heads * (1 + random_below(3));
    of.has_lengths = of.is_packed || random_below(2) == 0;
    for (int b = 0; b < SEQUENCES; b++) {
        of.length[b] = of.has_lengths ? random_below(of.rows + 1) : of.rows;
        of.key_length[b] = of.has_lengths ? random_below(of.keys + 1) : of.keys;
        of.all_rows += of.length[b];
        of.all_keys += of.key_length[b];
    }
    of.all_rows += 1; /* a row and two keys that are of no sequence */
    of.all_keys += 2;
    return of;
}

/* The number of a head's row, or key. */
static int64_t place_of(const struct sizes *of, int b, int64_t row, int64_t head, bool is_key)
{
    const int64_t *length = is_key ? of->key_length : of->length, heads = is_key ? of->key_heads : of->heads;
    int64_t first = 0;
    for (int k = 0; k < b; k++)
        first += length[k];
    return of->is_packed ? (first + row) * heads + head
                         : (b * heads + head) * (is_key ? of->keys : of->rows) + row;
}

static void give_operand(struct trial *trial, const struct sizes *of, const char *name, aclDataType dtype,
                         bool is_key, int64_t elements)
{
    const int64_t heads = is_key ? of->key_heads : of->heads;
    give(trial, name, dtype, of->is_packed ? 3 : 4,
         of->is_packed ? DIMS(is_key ? of->all_keys : of->all_rows, heads, elements)
                       : DIMS(SEQUENCES, heads, is_key ? of->keys : of->rows, elements),
         1);
}

static void give_array(struct trial *trial, const char *name, const int64_t *number, uint64_t count)
{
    const unsigned place = place_named(trial, name);
    release_argument(&trial->function->parameter[place], trial->argument[place]);
    trial->argument[place] = argument_of_pointer(number == NULL ? NULL : aclCreateIntArray(number, count));
}

static void give_names(struct trial *trial, const struct sizes *of)
{
    int64_t ends[2][SEQUENCES];
    for (int b = 0; b < SEQUENCES; b++)
        for (int i = 0; i < 2; i++)
            ends[i][b] =
                (i == 0 ? of->length : of->key_length)[b] + (!of->by_mask && b > 0 ? ends[i][b - 1] : 0);
    give_value(trial, "scaleValue", argument_of_fp64(0.5));
    if (of->by_mask) {
        const char *layout = of->is_packed ? "TND" : "BNSD";
        give_value(trial, "qInputLayout", argument_of_pointer(layout));
        give_value(trial, "kvInputLayout", argument_of_pointer(layout));
        give_value(trial, "numKeyValueHeads", argument_of_integer(of->key_heads));
        give_array(trial, "blockShape", DIMS(of->block_rows, of->block), 2);
        give_array(trial, "actualSeqLengthsOptional", of->has_lengths ? ends[0] : NULL, SEQUENCES);
        give_array(trial, "actualSeqLengthsKvOptional", of->has_lengths ? ends[1] : NULL, SEQUENCES);
        return;
    }
    give_value(trial, "headNum", argument_of_integer(of->heads));
    give_value(trial, "sparseMode", argument_of_integer(of->is_causal ? 2 : 0));
    give_value(trial, "selectBlockSize", argument_of_integer(of->block));
    give_value(trial, "selectBlockCount", argument_of_integer(of->count));
    give_array(trial, "actualSeqQLen", ends[0], SEQUENCES);
    give_array(trial, "actualSeqKvLen", ends[1], SEQUENCES);
}

static void give_lists(struct trial *trial, const struct sizes *of)
{
    if (!of->by_mask) {
        give(trial, "topkIndices", ACL_INT32, 3, DIMS(of->all_rows, of->key_heads, of->count), 1);
        const struct layout *names = given(trial, "topkIndices");
        for (int64_t i = 0; i < names->count; i++) {
            const int32_t block = (int32_t)random_below(of->keys / of->block + 2) - 1;
            memcpy(layout_element(names, i), &block, sizeof block);
        }
        return;
    }
    give(trial, "blockSparseMask", ACL_INT8, 4,
         DIMS(SEQUENCES, of->heads, (of->rows + of->block_rows - 1) / of->block_rows,
              (of->keys + of->block - 1) / of->block),
         1);
    for (int64_t i = 0; i < given(trial, "blockSparseMask")->count; i++)
        *layout_element(given(trial, "blockSparseMask"), i) = (unsigned char)random_below(2);
}

static int64_t keys_of_row(const struct trial *trial, const struct sizes *of, int b, int64_t row,
                           int64_t head, int64_t *key)
{
    const int64_t seen = of->is_causal ? row + of->key_length[b] - of->length[b] + 1 : of->key_length[b],
                  blocks = (of->keys + of->block - 1) / of->block,
                  row_blocks = (of->rows + of->block_rows - 1) / of->block_rows;
    int64_t count = 0;
    for (int64_t i = 0; i < (of->by_mask ? blocks : of->count); i++) {
        int64_t block = i;
        if (of->by_mask) {
            if (at(trial, "blockSparseMask",
                   ((b * of->heads + head) * row_blocks + row / of->block_rows) * blocks + i) == 0)
                continue;
        } else {
            const int64_t list = place_of(of, b, row, 0, false) / of->heads * of->key_heads +
                                 head / (of->heads / of->key_heads);
            block = (int64_t)at(trial, "topkIndices", list * of->count + i);
        }
        for (int64_t k = block * of->block; block >= 0 && k < (block + 1) * of->block; k++)
            if (k < seen && k < of->key_length[b])
                key[count++] = k;
    }
    return count;
}

static double product(const struct trial *trial, const char *a, int64_t row, const char *b, int64_t key,
                      int64_t depth)
{
    double sum = 0;
    for (int64_t e = 0; e < depth; e++)
        sum += at(trial, a, row * depth + e) * at(trial, b, key * depth + e);
    return sum;
}

static bool is_near(double got, double wanted)
{
    return got == wanted || fabs(got - wanted) <= 1e-6 * (1 + fabs(wanted));
}

static void expect_forward(const struct trial *trial, const struct sizes *of, int b, int64_t row,
                           int64_t head)
{
    const int64_t place = place_of(of, b, row, head, false), m = head / (of->heads / of->key_heads);
    int64_t key[KEYS_MAX];
    double score[KEYS_MAX], most = -(double)INFINITY, sum = 0;
    const int64_t keys = keys_of_row(trial, of, b, row, head, key);
    for (int64_t k = 0; k < keys; k++) {
        score[k] = 0.5 * product(trial, "query", place, "key", place_of(of, b, key[k], m, true), of->depth);
        most = fmax(most, score[k]);
    }
    for (int64_t k = 0; k < keys; k++)
        sum += exp(score[k] - most);
    for (int64_t e = 0; e < of->wide; e++) {
        double out = 0;
        for (int64_t k = 0; k < keys; k++)
            out += exp(score[k] - most) / sum *
                   at(trial, "value", place_of(of, b, key[k], m, true) * of->wide + e);
        assert_near("attentionOut", given(trial, "attentionOut"), place * of->wide + e, (long double)out,
                    of->dtype, 1e-11L);
    }
    if (of->by_mask)
        assert_true(
            is_near(at(trial, "softmaxLseOptional", place), keys == 0 ? (double)INFINITY : most + log(sum)));
    for (int64_t k = 0; !of->by_mask && k < 8; k++) {
        assert_true(is_near(at(trial, "softmaxMaxOut", place * 8 + k), keys == 0 ? -(double)FLT_MAX : most));
        assert_true(is_near(at(trial, "softmaxSumOut", place * 8 + k), keys == 0 ? (double)FLT_MAX : sum));
    }
}

static double sums[3][ELEMENTS]; /* gradients of query, key and value */

static void add_backward(const struct trial *trial, const struct sizes *of, const char *d_out, int b,
                         int64_t row, int64_t head)
{
    const int64_t q = place_of(of, b, row, head, false), m = head / (of->heads / of->key_heads);
    int64_t key[KEYS_MAX];
    const int64_t keys = keys_of_row(trial, of, b, row, head, key);
    const double delta = product(trial, d_out, q, "attentionOut", q, of->wide);
    for (int64_t j = 0; j < keys; j++) {
        const int64_t k = place_of(of, b, key[j], m, true);
        const double score = 0.5 * product(trial, "query", q, "key", k, of->depth),
                     p = of->by_mask
                             ? exp(score - at(trial, "softmaxLse", q))
                             : exp(score - at(trial, "softmaxMax", q * 8)) / at(trial, "softmaxSum", q * 8),
                     slope = 0.5 * p * (product(trial, d_out, q, "value", k, of->wide) - delta);
        for (int64_t e = 0; e < of->wide; e++)
            sums[2][k * of->wide + e] += p * at(trial, d_out, q * of->wide + e);
        for (int64_t e = 0; e < of->depth; e++) {
            sums[0][q * of->depth + e] += slope * at(trial, "key", k * of->depth + e);
            sums[1][k * of->depth + e] += slope * at(trial, "query", q * of->depth + e);
        }
    }
}

static void attend(bool by_mask)
{
    const struct sizes of = draw(by_mask);
    struct trial trial = example_of(by_mask ? "aclnnBlockSparseAttention" : "aclnnNsaSelectedAttention");
    give_operand(&trial, &of, "query", of.dtype, false, of.depth);
    give_operand(&trial, &of, "key", of.dtype, true, of.depth);
    give_operand(&trial, &of, "value", of.dtype, true, of.wide);
    give_lists(&trial, &of);
    give_names(&trial, &of);
    give_operand(&trial, &of, "attentionOut", of.dtype, false, of.wide);
    if (by_mask) {
        give_operand(&trial, &of, "softmaxLseOptional", ACL_FLOAT, false, 1);
    } else {
        give_operand(&trial, &of, "softmaxMaxOut", ACL_FLOAT, false, 8);
        give_operand(&trial, &of, "softmaxSumOut", ACL_FLOAT, false, 8);
    }
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * of.heads; i++)
            expect_forward(&trial, &of, b, i / of.heads, i % of.heads);
    for (int64_t e = 0; of.is_packed && e < of.heads * of.wide; e++) /* the row of no sequence */
        assert_true(at(&trial, "attentionOut", (of.all_rows - 1) * of.heads * of.wide + e) == 0);
    end_trial(&trial);
}

static void go_back(bool by_mask)
{
    const struct sizes of = draw(by_mask);
    struct trial trial =
        example_of(by_mask ? "aclnnBlockSparseAttentionGrad" : "aclnnNsaSelectedAttentionGrad");
    const char *d_out = by_mask ? "dOut" : "attentionOutGrad";
    memset(sums, 0, sizeof sums);
    give_operand(&trial, &of, "query", of.dtype, false, of.depth);
    give_operand(&trial, &of, "key", of.dtype, true, of.depth);
    give_operand(&trial, &of, "value", of.dtype, true, of.wide);
    give_operand(&trial, &of, "attentionOut", of.dtype, false, of.wide);
    give_operand(&trial, &of, d_out, of.dtype, false, of.wide);
    if (by_mask) {
        give_operand(&trial, &of, "softmaxLse", ACL_FLOAT, false, 1);
    } else {
        give_operand(&trial, &of, "softmaxMax", ACL_FLOAT, false, 8);
        give_operand(&trial, &of, "softmaxSum", ACL_FLOAT, false, 8);
        for (int64_t i = 0; i < given(&trial, "softmaxSum")->count; i++)
            set_element(given(&trial, "softmaxSum"), i, 1 + fabs(at(&trial, "softmaxSum", i)));
    }
    give_lists(&trial, &of);
    give_names(&trial, &of);
    give_operand(&trial, &of, "dQueryOut", of.dtype, false, of.depth);
    give_operand(&trial, &of, "dKeyOut", of.dtype, true, of.depth);
    give_operand(&trial, &of, "dValueOut", of.dtype, true, of.wide);
    assert_int_equal(run_trial(&trial), 0);
    for (int b = 0; b < SEQUENCES; b++)
        for (int64_t i = 0; i < of.length[b] * of.heads; i++)
            add_backward(&trial, &of, d_out, b, i / of.heads, i % of.heads);
    static const char *const results[] = {"dQueryOut", "dKeyOut", "dValueOut"};
    for (int i = 0; i < 3; i++)
        for (int64_t e = 0; e < given(&trial, results[i])->count; e++)
            assert_near(results[i], given(&trial, results[i]), e, (long double)sums[i][e], of.dtype,
                        1e-10L * (1 + fabsl((long double)sums[i][e])));
    end_trial(&trial);
}

static void lists_name_blocks(void)
{
    attend(false);
    go_back(false);
}

static void masks_have_blocks(void)
{
    attend(true);
    go_back(true);
}

static void (*const rounds[])(void) = {lists_name_blocks, masks_have_blocks};

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
    struct trial trial = sample_of(&attempt, "aclnnNsaSelectedAttention");
    refuse_trial(&trial, "inputLayout", argument_of_pointer("BNSD"),
                 "inputLayout is \"BNSD\"; TND is expected");
    refuse_trial(&trial, "headNum", argument_of_integer(1),
                 "headNum is 1; 2, the heads of query, is expected");
    refuse_trial(&trial, "sparseMode", argument_of_integer(1), "sparseMode 1; 1 or more of each, and 0 or 2");
    refuse_trial(&trial, "selectBlockCount", argument_of_integer(3),
                 "topkIndices has shape [3, 1, 2]; [3, 1, 3]");
    refuse_tensor(&trial, "key", ACL_FLOAT16, 3, DIMS(4, 1, 4), "query has shape [3, 2, 4], key [4, 1, 4]");
    aclIntArray *ends = aclCreateIntArray(DIMS(2, 1), 2), *one = aclCreateIntArray(DIMS(3), 1);
    refuse_trial(&trial, "actualSeqQLen", argument_of_pointer(ends),
                 "actualSeqQLen has 1 at [1]; 3 rows are");
    refuse_trial(&trial, "actualSeqQLen", argument_of_pointer(one),
                 "actualSeqKvLen has 2 numbers; one for each");
    release(&attempt);
    trial = sample_of(&attempt, "aclnnBlockSparseAttention");
    refuse_trial(&trial, "kvInputLayout", argument_of_pointer("TND"),
                 "kvInputLayout is \"TND\"; BNSD is expected");
    refuse_trial(&trial, "maskType", argument_of_integer(1), "maskType is 1; 0 is expected");
    refuse_trial(&trial, "numKeyValueHeads", argument_of_integer(2),
                 "numKeyValueHeads is 2; 1, the heads of key");
    refuse_trial(&trial, "blockShape", argument_of_pointer(one),
                 "blockShape has 1 numbers; two, of 1 or more");
    refuse_tensor(&trial, "blockSparseMask", ACL_INT8, 4, DIMS(1, 2, 1, 3),
                  "blockSparseMask has shape [1, 2, 1, 3]");
    refuse_tensor(&trial, "attenMaskOptional", ACL_INT8, 2, DIMS(3, 5), "attenMaskOptional was given; NULL");
    assert_int_equal(aclDestroyIntArray(ends), 0);
    assert_int_equal(aclDestroyIntArray(one), 0);
    release(&attempt);
    trial = sample_of(&attempt, "aclnnBlockSparseAttentionGrad");
    refuse_tensor(&trial, "softmaxLse", ACL_FLOAT, 4, DIMS(1, 2, 3, 2),
                  "softmaxLse has shape [1, 2, 3, 2]; [1, 2");
    refuse_tensor(&trial, "dOut", ACL_FLOAT16, 4, DIMS(1, 2, 3, 5),
                  "dOut has shape [1, 2, 3, 5]; [1, 2, 3, 4]");
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
