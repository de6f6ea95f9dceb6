/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Losses of indexers with their gradients, and Floyd attention with its own, in any layout, against plain loops in long
 * double; what is refused; and that bits depend neither on the level nor on the number of threads.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/rounds.h"

enum { INVALID = ACLNN_ERR_PARAM_INVALID, MOST = 1 << 13, KEYS = 12, HEADS = 4 };

/* Within what slopes that are rounded to 16 bits, and one rounding at the end, may change. */
static void expect_near(const struct named_call *call, const struct layout *layout, int64_t i,
                        long double wanted, long double size)
{
    const long double ulp = layout->dtype == ACL_FLOAT  ? 1e-6L
                            : layout->dtype == ACL_BF16 ? 0x1p-8L
                                                        : 0x1p-11L;
    const double found = element_of(layout, i);
    if (!(fabsl((long double)found - wanted) <= ulp * (fabsl(wanted) + size) + 1e-6L))
        fail_msg("%s: [%d] is %.9g; %.9Lg is expected", call->function->operation.name, (int)i, found,
                 wanted);
}

static long double dot(const struct layout *a, int64_t at, const struct layout *b, int64_t other,
                       int64_t count)
{
    long double sum = 0;
    for (int64_t e = 0; e < count; e++)
        sum += (long double)element_of(a, at * count + e) * (long double)element_of(b, other * count + e);
    return sum;
}

struct loss {
    struct named_call call;
    bool is_packed, is_causal, is_sparse, has_rope, has_sinks;
    int64_t sequences, rows, keys, heads, key_heads, depth, rope, own_heads, own_depth, chosen;
    int64_t row[3], row_end[3], key[3], key_end[3]; /* of all */
    const struct layout *query, *key_rows, *query_rope, *key_rope, *index, *index_key, *weight, *picked;
};

static void give_indexer(struct loss *l, aclDataType dtype)
{
    struct named_call *call = &l->call;
    const int64_t b = l->sequences;
    if (l->is_packed) {
        l->index = GIVE(call, "queryIndex", dtype, l->rows, l->own_heads, l->own_depth);
        l->index_key = GIVE(call, "keyIndex", dtype, l->keys, 1, l->own_depth);
        l->weight = GIVE(call, "weights", ACL_FLOAT, l->rows, l->own_heads);
        give_array(call, "actualSeqLengthsQuery", l->row_end, (uint64_t)b);
        give_array(call, "actualSeqLengthsKey", l->key_end, (uint64_t)b);
    } else {
        l->index = GIVE(call, "queryIndex", dtype, b, l->rows / b, l->own_heads, l->own_depth);
        l->index_key = GIVE(call, "keyIndex", dtype, b, l->keys / b, 1, l->own_depth);
        l->weight = GIVE(call, "weights", ACL_FLOAT, b, l->rows / b, l->own_heads);
    }
    call->argument[place_named(call, "layout")].string = l->is_packed ? "TND" : "BSND";
    give_number(call, "sparseMode", l->is_causal ? 3 : 0);
}

static struct loss draw_loss(const char *name, bool is_sparse)
{
    struct loss l = {.call = call_begin_named(name),
                     .is_packed = random_below(2) == 0,
                     .is_causal = random_below(3) > 0,
                     .is_sparse = is_sparse};
    l.sequences = 1 + random_below(2);
    l.own_heads = 1 + random_below(3);
    l.own_depth = 1 + random_below(6);
    l.key_heads = 1 + random_below(2);
    l.heads = l.key_heads * (1 + random_below(2));
    l.depth = 1 + random_below(6);
    const int64_t rows = 1 + random_below(4), keys = rows + random_below(4);
    for (int64_t b = 0; b < l.sequences; b++) {
        l.row[b] = l.rows;
        l.key[b] = l.keys;
        l.rows += l.is_packed ? random_below(rows + 1) : rows;
        l.keys += l.is_packed ? keys + random_below(3) : keys;
        l.row_end[b] = l.rows;
        l.key_end[b] = l.keys;
    }
    l.rows += l.is_packed ? 1 : 0; /* one of no sequence */
    return l;
}

/* The keys that a row of a sequence sees. */
static int64_t find_keys(const struct loss *l, int64_t b, int64_t row, int64_t *index)
{
    const int64_t keys = l->key_end[b] - l->key[b],
                  seen = l->is_causal ? row - l->row_end[b] + keys + 1 : keys;
    int64_t count = 0;
    for (int64_t i = 0; i < (l->is_sparse ? l->chosen : seen); i++) {
        const int64_t j = l->is_sparse ? whole_of(l->picked, row * l->chosen + i) : i;
        if (j >= 0 && j < keys)
            index[count++] = j;
    }
    return count;
}

static long double index_score(const struct loss *l, int64_t row, int64_t key)
{
    long double sum = 0;
    for (int64_t n = 0; n < l->own_heads; n++)
        sum += fmaxl(0, dot(l->index, row * l->own_heads + n, l->index_key, key, l->own_depth)) *
               (long double)element_of(l->weight, row * l->own_heads + n);
    return sum;
}

/* Greatest and sum of exponentials of the indexer's sums. */
static void index_statistics(const struct loss *l, int64_t b, int64_t row, const int64_t *index,
                             int64_t count, long double *s, long double *greatest, long double *sum)
{
    *greatest = -(long double)INFINITY;
    *sum = 0;
    for (int64_t i = 0; i < count; i++)
        *greatest = fmaxl(*greatest, s[i] = index_score(l, row, l->key[b] + index[i]));
    for (int64_t i = 0; i < count; i++)
        *sum += expl(s[i] - *greatest);
}

static void statistics(void)
{
    struct loss l = draw_loss("aclnnDenseLightningIndexerSoftmaxLse", false);
    give_indexer(&l, random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16);
    const int64_t b_ = l.is_packed ? 1 : l.sequences;
    const struct layout *most = l.is_packed ? GIVE(&l.call, "softmaxMax", ACL_FLOAT, 1, l.rows)
                                            : GIVE(&l.call, "softmaxMax", ACL_FLOAT, b_, 1, l.rows / b_),
                        *sum = l.is_packed ? GIVE(&l.call, "softmaxSum", ACL_FLOAT, 1, l.rows)
                                           : GIVE(&l.call, "softmaxSum", ACL_FLOAT, b_, 1, l.rows / b_);
    assert_int_equal(run_named(&l.call), 0);
    for (int64_t b = 0; b < l.sequences; b++)
        for (int64_t row = l.row[b]; row < l.row_end[b]; row++) {
            int64_t index[2 * KEYS];
            long double s[2 * KEYS], greatest, total;
            index_statistics(&l, b, row, index, find_keys(&l, b, row, index), s, &greatest, &total);
            expect_near(&l.call, most, row, greatest, 1);
            expect_near(&l.call, sum, row, total, 1);
        }
    if (l.is_packed)
        assert_true(element_of(most, l.rows - 1) < -3e38 && element_of(sum, l.rows - 1) > 3e38);
    finish_named(&l.call);
}

static int64_t statistic_at(const struct loss *l, int64_t b, int64_t row, int64_t head)
{
    const int64_t group = l->heads / l->key_heads, per = l->is_packed ? l->rows : l->rows / l->sequences;
    return (((l->is_packed ? 0 : b) * l->key_heads + head / group) * per +
            (l->is_packed ? row : row - b * per)) *
               group +
           head % group;
}

static struct layout *give_rows(struct loss *l, const char *name, aclDataType dtype, int64_t all,
                                int64_t heads, int64_t depth)
{
    return l->is_packed ? GIVE(&l->call, name, dtype, all, heads, depth)
                        : GIVE(&l->call, name, dtype, l->sequences, all / l->sequences, heads, depth);
}

static void losses(void)
{
    const int kind = (int)random_below(3);
    struct loss l = draw_loss(kind == 0   ? "aclnnDenseLightningIndexerGradKLLoss"
                              : kind == 1 ? "aclnnSparseLightningIndexerGradKLLoss"
                                          : "aclnnSparseLightningIndexerGradKLLossV2",
                              kind > 0);
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    static long double scores[64][HEADS][2 * KEYS], d_query[MOST], d_key[MOST], d_weight[MOST];
    const int64_t group = l.heads / l.key_heads;
    give_indexer(&l, dtype);
    l.query = give_rows(&l, "query", dtype, l.rows, l.heads, l.depth);
    l.key_rows = give_rows(&l, "key", dtype, l.keys, l.key_heads, l.depth);
    l.has_rope = random_below(2) == 0;
    if (l.has_rope) {
        l.rope = 1 + random_below(4);
        l.query_rope = give_rows(&l, "queryRope", dtype, l.rows, l.heads, l.rope);
        l.key_rope = give_rows(&l, "keyRope", dtype, l.keys, l.key_heads, l.rope);
    }
    l.chosen = 1 + random_below(4);
    l.picked = !l.is_sparse ? NULL
               : l.is_packed
                   ? GIVE(&l.call, "sparseIndices", ACL_INT32, l.rows, l.chosen)
                   : GIVE(&l.call, "sparseIndices", ACL_INT32, l.sequences, l.rows / l.sequences, l.chosen);
    for (int64_t i = 0; l.is_sparse && i < l.picked->count; i++)
        set_whole(l.picked, i,
                  i % l.chosen == 0 ? random_below(2)
                                    : i % l.chosen * 2 + random_below(2) - (i % 7 == 3 ? 99 : 0));
    l.has_sinks = kind == 2 && random_below(2) == 0;
    if (l.has_sinks)
        GIVE(&l.call, "sinks", ACL_FLOAT, l.heads);
    const char *const names[] = {"softmaxMax", "softmaxSum", "softmaxMaxIndex", "softmaxSumIndex"};
    for (int i = 0; i < 4; i++)
        if (i < 2)
            l.is_packed
                ? GIVE(&l.call, names[i], ACL_FLOAT, l.key_heads, l.rows, group)
                : GIVE(&l.call, names[i], ACL_FLOAT, l.sequences, l.key_heads, l.rows / l.sequences, group);
        else
            l.is_packed ? GIVE(&l.call, names[i], ACL_FLOAT, 1, l.rows)
                        : GIVE(&l.call, names[i], ACL_FLOAT, l.sequences, 1, l.rows / l.sequences);
    const struct layout *dq = give_rows(&l, "dQueryIndex", dtype, l.rows, l.own_heads, l.own_depth),
                        *dk = give_rows(&l, "dKeyIndex", dtype, l.keys, 1, l.own_depth),
                        *dw = l.is_packed ? GIVE(&l.call, "dWeights", ACL_FLOAT, l.rows, l.own_heads)
                                          : GIVE(&l.call, "dWeights", ACL_FLOAT, l.sequences,
                                                 l.rows / l.sequences, l.own_heads),
                        *loss = GIVE(&l.call, "loss", ACL_FLOAT, 1);
    give_number(&l.call, "scaleValue", .5);
    /* What attention has left: statistics in FLOAT of these scores. */
    for (int64_t b = 0; b < l.sequences; b++)
        for (int64_t row = l.row[b]; row < l.row_end[b]; row++) {
            int64_t index[2 * KEYS];
            long double s[2 * KEYS], greatest, sum;
            const int64_t count = find_keys(&l, b, row, index);
            for (int64_t n = 0; n < l.heads; n++) {
                greatest = -(long double)INFINITY;
                sum = 0;
                for (int64_t i = 0; i < count; i++) {
                    const int64_t key = (l.key[b] + index[i]) * l.key_heads + n / group;
                    scores[row][n][i] =
                        .5L *
                        (dot(l.query, row * l.heads + n, l.key_rows, key, l.depth) +
                         (l.has_rope ? dot(l.query_rope, row * l.heads + n, l.key_rope, key, l.rope) : 0));
                    greatest = fmaxl(greatest, scores[row][n][i]);
                }
                for (int64_t i = 0; i < count; i++)
                    sum += expl(scores[row][n][i] - greatest);
                set_element(tensor_named(&l.call, "softmaxMax"), statistic_at(&l, b, row, n),
                            (double)greatest);
                set_element(tensor_named(&l.call, "softmaxSum"), statistic_at(&l, b, row, n), (double)sum);
            }
            if (!l.is_sparse) {
                index_statistics(&l, b, row, index, count, s, &greatest, &sum);
                set_element(tensor_named(&l.call, "softmaxMaxIndex"), row, (double)greatest);
                set_element(tensor_named(&l.call, "softmaxSumIndex"), row, (double)sum);
            }
        }
    assert_int_equal(run_named(&l.call), 0);
    long double total = 0;
    memset(d_query, 0, sizeof d_query);
    memset(d_key, 0, sizeof d_key);
    memset(d_weight, 0, sizeof d_weight);
    for (int64_t b = 0; b < l.sequences; b++)
        for (int64_t row = l.row[b]; row < l.row_end[b]; row++) {
            int64_t index[2 * KEYS];
            long double s[2 * KEYS], p[2 * KEYS] = {0}, greatest, sum, all = 0;
            const int64_t count = find_keys(&l, b, row, index);
            index_statistics(&l, b, row, index, count, s, &greatest, &sum);
            for (int64_t i = 0; i < count; i++) {
                s[i] = expl(s[i] - greatest) / sum;
                for (int64_t n = 0; n < l.heads; n++)
                    p[i] +=
                        expl(scores[row][n][i] - (long double)element_of(tensor_named(&l.call, "softmaxMax"),
                                                                         statistic_at(&l, b, row, n))) /
                        (long double)element_of(tensor_named(&l.call, "softmaxSum"),
                                                statistic_at(&l, b, row, n)) /
                        l.heads;
                all += p[i];
            }
            for (int64_t i = 0; i < count; i++) {
                p[i] /= l.has_sinks ? all : 1;
                total += p[i] * (logl(fmaxl(p[i], 1e-8L)) - logl(fmaxl(s[i], 1e-8L)));
                for (int64_t n = 0; n < l.own_heads; n++) {
                    const int64_t at = row * l.own_heads + n, key = l.key[b] + index[i];
                    const long double score = dot(l.index, at, l.index_key, key, l.own_depth),
                                      slope = (s[i] - p[i]) * (long double)element_of(l.weight, at);
                    if (score <= 0)
                        continue;
                    d_weight[at] += (s[i] - p[i]) * score;
                    for (int64_t e = 0; e < l.own_depth; e++) {
                        d_query[at * l.own_depth + e] +=
                            slope * (long double)element_of(l.index_key, key * l.own_depth + e);
                        d_key[key * l.own_depth + e] +=
                            slope * (long double)element_of(l.index, at * l.own_depth + e);
                    }
                }
            }
        }
    expect_near(&l.call, loss, 0, total, 1);
    for (int64_t i = 0; i < dq->count; i++)
        expect_near(&l.call, dq, i, d_query[i], 8);
    for (int64_t i = 0; i < dk->count; i++)
        expect_near(&l.call, dk, i, d_key[i], 8);
    for (int64_t i = 0; i < dw->count; i++)
        expect_near(&l.call, dw, i, d_weight[i], 8);
    finish_named(&l.call);
}

static void floyd(void)
{
    const bool is_gradient = random_below(2) == 0;
    struct named_call call =
        call_begin_named(is_gradient ? "aclnnFusedFloydAttentionGrad" : "aclnnFusedFloydAttention");
    const int64_t B = 1 + random_below(2), H = 1 + random_below(2), N = 1 + random_below(3),
                  M = 1 + random_below(3), K = 1 + random_below(5), D = 1 + random_below(6);
    const aclDataType dtype = random_below(2) == 0 ? ACL_FLOAT16 : ACL_BF16;
    const struct layout *q = GIVE(&call, "query", dtype, B, H, N, M, D),
                        *k1 = GIVE(&call, "key1", dtype, B, H, N, K, D),
                        *v1 = GIVE(&call, "value1", dtype, B, H, N, K, D),
                        *k2 = GIVE(&call, "key2", dtype, B, H, K, M, D),
                        *v2 = GIVE(&call, "value2", dtype, B, H, K, M, D),
                        *mask =
                            random_below(2) == 0 ? GIVE(&call, "attenMask", ACL_BOOL, B, 1, N, 1, K) : NULL,
                        *most = GIVE(&call, "softmaxMax", ACL_FLOAT, B, H, N, M, 8),
                        *sums = GIVE(&call, "softmaxSum", ACL_FLOAT, B, H, N, M, 8),
                        *out =
                            GIVE(&call, is_gradient ? "attentionIn" : "attentionOut", dtype, B, H, N, M, D),
                        *dy = GIVE(&call, "dOut", dtype, B, H, N, M, D);
    static const char *const names[] = {"dQuery", "dKey1", "dValue1", "dKey2", "dValue2"};
    static long double wanted[5][MOST];
    const struct layout *gradient[5] = {NULL};
    for (int i = 0; is_gradient && i < 5; i++)
        gradient[i] = i == 0  ? GIVE(&call, names[i], dtype, B, H, N, M, D)
                      : i < 3 ? GIVE(&call, names[i], dtype, B, H, N, K, D)
                              : GIVE(&call, names[i], dtype, B, H, K, M, D);
    for (int64_t i = 0; mask != NULL && i < mask->count; i++)
        *layout_element(mask, i) = random_below(3) == 0 && i % K != 0;
    give_number(&call, "scaleValue", .5);
    if (!is_gradient)
        assert_int_equal(run_named(&call), 0);
    memset(wanted, 0, sizeof wanted);
    for (int64_t row = 0; row < B * H * N * M; row++) {
        const int64_t m = row % M, n = row / M % N, head = row / M / N, b = head / H;
        long double p[8], greatest = -(long double)INFINITY, sum = 0, delta = 0;
        for (int64_t k = 0; k < K; k++) {
            const bool is_hidden = mask != NULL && *layout_element(mask, (b * N + n) * K + k) != 0;
            p[k] = is_hidden ? -(long double)INFINITY
                             : .5L * (dot(q, row, k1, (head * N + n) * K + k, D) +
                                      dot(q, row, k2, (head * K + k) * M + m, D));
            greatest = fmaxl(greatest, p[k]);
        }
        for (int64_t k = 0; k < K; k++)
            sum += p[k] = expl(p[k] - greatest);
        for (int64_t e = 0; e < D; e++) {
            long double own = 0;
            for (int64_t k = 0; k < K; k++)
                own += p[k] / sum *
                       ((long double)element_of(v1, ((head * N + n) * K + k) * D + e) +
                        (long double)element_of(v2, ((head * K + k) * M + m) * D + e));
            if (is_gradient)
                set_element(out, row * D + e, (double)own);
            else
                expect_near(&call, out, row * D + e, own, 0);
        }
        for (int i = 0; i < 8 && is_gradient; i++) {
            set_element(most, row * 8 + i, (double)greatest);
            set_element(sums, row * 8 + i, (double)sum);
        }
        if (!is_gradient) {
            expect_near(&call, most, row * 8 + 5, greatest, 1);
            expect_near(&call, sums, row * 8 + 2, sum, 1);
            continue;
        }
        delta = dot(dy, row, out, row, D);
        for (int64_t k = 0; k < K; k++) {
            const int64_t first = (head * N + n) * K + k, second = (head * K + k) * M + m;
            const long double w = p[k] / sum,
                              d = .5L * w *
                                  (dot(dy, row, v1, first, D) + dot(dy, row, v2, second, D) - delta);
            for (int64_t e = 0; e < D; e++) {
                const long double x = (long double)element_of(q, row * D + e),
                                  g = (long double)element_of(dy, row * D + e);
                wanted[0][row * D + e] += d * ((long double)element_of(k1, first * D + e) +
                                               (long double)element_of(k2, second * D + e));
                wanted[1][first * D + e] += d * x;
                wanted[2][first * D + e] += w * g;
                wanted[3][second * D + e] += d * x;
                wanted[4][second * D + e] += w * g;
            }
        }
    }
    if (is_gradient)
        assert_int_equal(run_named(&call), 0);
    for (int i = 0; i < 5 && is_gradient; i++)
        for (int64_t k = 0; k < gradient[i]->count; k++)
            expect_near(&call, gradient[i], k, wanted[i][k], 1e-3L);
    finish_named(&call);
}

static void (*const rounds[])(void) = {statistics, losses, floyd, NULL};

static void results_are_those_of_loops(void **state)
{
    (void)state;
    try_rounds(rounds, 20);
}

static uint64_t everything(void)
{
    return hash_of_rounds(rounds);
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnDenseLightningIndexerSoftmaxLse");
    GIVE(&call, "queryIndex", ACL_FLOAT16, 2, 3, 2, 4);
    GIVE(&call, "keyIndex", ACL_FLOAT16, 2, 3, 1, 4);
    GIVE(&call, "weights", ACL_FLOAT16, 2, 3, 2);
    GIVE(&call, "softmaxMax", ACL_FLOAT, 2, 1, 3);
    GIVE(&call, "softmaxSum", ACL_FLOAT, 2, 1, 3);
    const int64_t lengths[] = {3, 4};
    call.argument[place_named(&call, "layout")].string = "SBH";
    assert_named_refused(&call, INVALID, "layout is \"SBH\"; \"BSND\" or \"TND\" is expected");
    call.argument[place_named(&call, "layout")].string = "BSND";
    give_number(&call, "sparseMode", 1);
    assert_named_refused(&call, INVALID, "sparseMode is 1; 0 or 3 is expected");
    give_number(&call, "sparseMode", 3);
    give_array(&call, "actualSeqLengthsQuery", lengths, 2);
    assert_named_refused(&call, INVALID, "actualSeqLengthsQueryOptional has 4 at [1]; 3 are there");
    end_named(&call);
    call = call_begin_named("aclnnFusedFloydAttention");
    GIVE(&call, "query", ACL_FLOAT16, 1, 2, 2, 3, 4);
    GIVE(&call, "key1", ACL_FLOAT16, 1, 2, 2, 5, 4);
    GIVE(&call, "value1", ACL_FLOAT16, 1, 2, 2, 5, 4);
    GIVE(&call, "key2", ACL_FLOAT16, 1, 2, 4, 3, 4);
    GIVE(&call, "value2", ACL_FLOAT16, 1, 2, 5, 3, 4);
    GIVE(&call, "softmaxMax", ACL_FLOAT, 1, 2, 2, 3, 8);
    GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 2, 2, 3, 8);
    GIVE(&call, "attentionOut", ACL_FLOAT16, 1, 2, 2, 3, 4);
    assert_named_refused(&call, INVALID, "key2 has shape [1, 2, 4, 3, 4]; [1, 2, 5, 3, 4] is expected");
    end_named(&call);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    assert_same_everywhere(everything);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
