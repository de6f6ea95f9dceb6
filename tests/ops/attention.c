/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention and its gradients against loops in double over single scores: layouts, masks, biases, dropout and
 * sequences, in tensors of any strides; equal bits at each level and number of threads; calls that are
 * refused.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/attention_case.h"
#include "support/effort.h"

#define SCORE           "aclnnFlashAttentionScore", "aclnnFlashAttentionScoreGrad"
#define SCORE_V2        "aclnnFlashAttentionScoreV2", "aclnnFlashAttentionScoreGradV2"
#define SCORE_V3        "aclnnFlashAttentionScoreV3", "aclnnFlashAttentionScoreGradV3"
#define SCORE_V4        "aclnnFlashAttentionScoreV4", "aclnnFlashAttentionScoreGradV4"
#define PACKED          "aclnnFlashAttentionVarLenScore", "aclnnFlashAttentionUnpaddingScoreGrad", "TND"
#define PACKED_V2       "aclnnFlashAttentionVarLenScoreV2", "aclnnFlashAttentionUnpaddingScoreGrad", "TND"
#define PACKED_V3       "aclnnFlashAttentionVarLenScoreV3", "aclnnFlashAttentionUnpaddingScoreGradV3", "TND"
#define PACKED_V5       "aclnnFlashAttentionVarLenScoreV5", "aclnnFlashAttentionUnpaddingScoreGradV5", "TND"
#define PACKED_V2_TO_V2 "aclnnFlashAttentionVarLenScoreV2", "aclnnFlashAttentionUnpaddingScoreGradV2", "TND"
#define PACKED_V4       "aclnnFlashAttentionVarLenScoreV4", "aclnnFlashAttentionUnpaddingScoreGradV4", "TND"
#define ENDS            .sequences = 3, .row_end = {3, 3, 9}, .key_end = {2, 6, 11}
static const struct attention_case cases[] = {
    {SCORE, "BNSD", F32, 2, 3, 3, 5, 7, 8, 8, .keep = 1},
    {SCORE, "BSH", F32, 2, 4, 2, 5, 7, 8, 4, .keep = 1},
    {SCORE, "SBH", F16, 2, 4, 1, 9, 4, 3, 3, .keep = 1, .mask = MASK_OF_PAIRS},
    {SCORE_V2, "BSND", B16, 1, 2, 2, 6, 5, 17, 16, .keep = 1, .pse_type = 1},
    {SCORE, "BNSD", F32, 1, 2, 1, 200, 150, 16, 16, .keep = 1},
    {SCORE, "BNSD", F32, 1, 1, 1, 130, 300, 40, 33, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 2},
    {SCORE, "BNSD", F32, 1, 1, 1, 300, 130, 8, 8, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 3},
    {SCORE, "BSH", F32, 1, 2, 2, 140, 290, 8, 8, .keep = 1, .mask = MASK_OF_KEYS, .mode = 4, .pre = 60,
     .next = -20},
    {SCORE, "BNSD", F32, 2, 2, 2, 9, 40, 8, 8, .keep = 1, .mask = MASK_OF_HEADS, .pre = 3, .next = 30},
    /* A row of each head, whose heads share keys: masks and biases of each head. */
    {SCORE, "BNSD", F32, 2, 6, 2, 1, 40, 8, 8, .keep = 1, .mask = MASK_OF_HEADS, .pre = 40, .next = 40},
    {SCORE, "BSND", F16, 2, 6, 2, 1, 40, 8, 8, .keep = 1, .has_pse = true, .pse_type = 1},
    {SCORE, "BNSD", F32, 2, 2, 2, 9, 40, 8, 8, .keep = 1, .mask = MASK_OF_BATCHES, .mode = 1},
    {SCORE, "BNSD", F16, 2, 2, 2, 9, 40, 8, 8, .keep = 1, .mask = MASK_LARGER, .mode = 1},
    {SCORE, "BNSD", F32, 2, 2, 2, 9, 40, 8, 8, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 6,
     .prefix = {35, 0}},
    {SCORE, "BNSD", F32, 2, 2, 2, 9, 40, 8, 8, .keep = 1, .mask = MASK_OF_KEYS, .mode = 5, .pre = 1},
    {SCORE, "BNSD", F32, 2, 3, 1, 9, 40, 8, 8, .keep = 1, .has_pse = true, .pse_type = 1},
    {SCORE_V2, "BNSD", F16, 2, 3, 3, 9, 40, 8, 8, .keep = 1, .has_pse = true},
    {SCORE_V2, "BNSD", F32, 1, 2, 1, 9, 300, 8, 8, .keep = 1, .has_pse = true, .unseen = 50},
    {SCORE_V3, "BSH", B16, 2, 2, 2, 3, 280, 17, 9, .keep = 0.7, .has_pse = true, .has_sink = true,
     .unseen = 130},
    {SCORE_V2, "BNSD", F32, 1, 2, 2, 5, 140, 8, 8, .keep = 1, .has_pse = true, .unseen = 140},
    {SCORE_V3, "BNSD", F32, 1, 2, 2, 5, 140, 8, 8, .keep = 1, .has_pse = true, .has_sink = true,
     .unseen = 140},
    {SCORE_V2, "BNSD", F32, 2, 3, 3, 9, 40, 8, 8, .keep = 1, .has_pse = true, .pse_type = 2},
    {SCORE_V3, "BNSD", F32, 2, 3, 3, 9, 140, 8, 8, .keep = 1, .has_pse = true, .pse_type = 3,
     .has_sink = true},
    {SCORE, "BNSD", F32, 2, 3, 3, 9, 41, 8, 8, .keep = 0.7},
    {SCORE, "BSND", F32, 1, 2, 1, 150, 141, 8, 8, .keep = 0.5, .mask = MASK_OF_PAIRS, .mode = 2},
    {SCORE_V4, "BNSD", F32, 2, 3, 1, 9, 41, 8, 4, .rope = 3, .keep = 1, .pse_type = 1, .has_sink = true},
    {SCORE_V4, "BSH", B16, 1, 2, 2, 9, 41, 8, 8, .rope = 8, .keep = 0.6, .draws = true, .pse_type = 1},
    {SCORE_V4, "TND", F32, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .pse_type = 1, ENDS},
    {SCORE_V4, "TND", F32, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .pse_type = 1, .same_as_input = true, ENDS},
    {PACKED, F32, 1, 2, 2, 10, 12, 8, 8, .keep = 0.5, ENDS},
    {PACKED_V2, F32, 1, 2, 2, 10, 12, 8, 8, .keep = 1, .pse_type = 1, ENDS},
    {PACKED_V2_TO_V2, F32, 1, 2, 2, 10, 12, 8, 8, .keep = 1, .has_pse = true, .pse_type = 2, ENDS},
    {PACKED_V3, F32, 1, 4, 2, 10, 12, 8, 5, .rope = 3, .keep = 1, .has_pse = true, .pse_type = 3, ENDS},
    {PACKED_V3, F16, 1, 2, 2, 10, 12, 8, 8, .keep = 0.5, .pse_type = 1, ENDS},
    {PACKED_V5, F32, 1, 4, 2, 10, 12, 8, 5, .rope = 3, .keep = 1, .has_sink = true, .pse_type = 1,
     .mask = MASK_OF_PAIRS, .mode = 3, ENDS},
    {PACKED_V5, B16, 1, 2, 1, 10, 12, 8, 8, .rope = 8, .keep = 1, .pse_type = 1, .same_as_input = true, ENDS},
    {PACKED, F16, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 3, ENDS},
    {PACKED, F32, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 7, .pre = 1, .next = 1,
     ENDS},
    {PACKED, F32, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .mask = MASK_OF_PAIRS, .mode = 8, .pre = 1, .next = 1,
     ENDS},
    {PACKED_V4, F32, 1, 2, 1, 10, 12, 8, 8, .keep = 1, .same_as_input = true, ENDS},
    {PACKED, F32, 1, 1, 1, 290, 40, 8, 8, .keep = 1, .sequences = 2, .row_end = {130, 258},
     .key_end = {20, 40}},
    {SCORE, "BSH", F16, 1, 2, 1, 5, 7, 300, 260, .keep = 1},
    {SCORE_V4, "BSND", F32, 1, 2, 1, 5, 7, 270, 300, .rope = 33, .keep = 1, .pse_type = 1},
    {SCORE, "BNSD", F32, 1, 2, 2, 4, 0, 8, 8, .keep = 1},
    {SCORE, "BNSD", F32, 0, 2, 2, 4, 3, 8, 8, .keep = 1},
    {SCORE, "BNSD", F32, 1, 2, 2, 0, 3, 8, 8, .keep = 1},
};

/* One sequence of the reference: a batch, or a part of TND. */
struct part {
    int64_t number, batch, row, key, rows, keys, scores_before;
    bool is_first, is_last, is_apart; /* is_apart: behind the last sequence */
};

static bool is_hidden(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i, int64_t j)
{
    const struct attention_case *of = drawn->of;
    const int64_t *shape = drawn->mask_shape, apart = part->keys - part->rows;
    int64_t mode = of->mode;
    if (of->mask == NO_MASK)
        return false;
    if (mode == 7)
        mode = part->is_last ? 4 : 3;
    if (mode == 8)
        mode = part->is_first ? 4 : 2;
    const int64_t at =
        ((part->batch % shape[0] * shape[1] + n % shape[1]) * shape[2] + (shape[2] == 1 ? 0 : i)) * shape[3] +
        j;
    const bool is_masked = *layout_element(&drawn->mask, at) != 0;
    switch (mode) {
    case 0:
        return is_masked || j < i - of->pre || j > i + of->next;
    case 2:
        return j > i;
    case 3:
        return j > i + apart;
    case 4:
        return j < i + apart - of->pre || j > i + apart + of->next;
    case 6:
        return j > i + apart && j >= of->prefix[part->number];
    default:
        return is_masked;
    }
}

static double score(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i, int64_t j)
{
    const struct attention_case *of = drawn->of;
    const int64_t b = part->batch, h = n / (of->heads / of->key_heads);
    double sum = 0;
    for (int64_t d = 0; d < of->depth; d++)
        sum += operand(drawn, Q, b, n, part->row + i, d) * operand(drawn, K, b, h, part->key + j, d);
    for (int64_t d = 0; d < of->rope; d++)
        sum += operand(drawn, QR, b, n, part->row + i, d) * operand(drawn, KR, b, h, part->key + j, d);
    if (!of->has_pse)
        return drawn->scale * sum;
    if (of->pse_type > 1) {
        const double apart = fabs((double)(i + drawn->starts[0] - j - drawn->starts[1]));
        return drawn->scale * sum - number(&drawn->pse, n) * (of->pse_type == 2 ? apart : sqrt(apart));
    }
    const double pse = number(&drawn->pse, (n * of->rows + i) * of->keys + j);
    return of->pse_type == 1 ? drawn->scale * (sum + pse) : drawn->scale * sum + pse;
}

/* What dropout makes of 1. */
static double dropped(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i, int64_t j)
{
    if (drawn->of->keep == 1)
        return 1;
    const int64_t e = part->scores_before + (n * part->rows + i) * part->keys + j;
    return (*layout_element(&drawn->drop, e / 8) >> e % 8 & 1) / drawn->of->keep;
}

static double tolerance(const struct drawn *drawn)
{
    return drawn->of->dtype == F32 ? 4e-6 : drawn->of->dtype == F16 ? 2e-3 : 1.6e-2;
}

static void assert_near(const struct drawn *drawn, const char *what, double got, double wanted, double size)
{
    const double allowed = tolerance(drawn) * (fabs(wanted) + size);
    if (!(fabs(got - wanted) <= allowed))
        fail_msg("%s %s %s %lldx%lld, mode %lld: %s is %.9g instead of %.9g", drawn->of->api,
                 drawn->of->layout, dtype_name(drawn->of->dtype), (long long)drawn->of->rows,
                 (long long)drawn->of->keys, (long long)drawn->of->mode, what, got, wanted);
}

static int64_t statistic_index(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i)
{
    const struct attention_case *of = drawn->of;
    if (!is_packed(of))
        return ((part->batch * of->heads + n) * of->rows + i) * 8;
    if (of->same_as_input)
        return ((part->row + i) * of->heads + n) * 8;
    return (part->row * of->heads + n * part->rows + i) * 8;
}

/* The gradients that the reference adds up. */
static double gradient[5][ROOM], pse_gradient[ROOM], sink_gradient[16];
static const int gradients[] = {DQ, DK, DV, DQR, DKR};

static double *gradient_of(const struct drawn *drawn, int which, int64_t b, int64_t n, int64_t s, int64_t d)
{
    return &gradient[which - DQ][index_of(drawn->of, which, b, n, s, d)];
}

static void add_gradients(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i, int64_t j,
                          double p, double row_sum)
{
    const struct attention_case *of = drawn->of;
    const int64_t b = part->batch, h = n / (of->heads / of->key_heads), row = part->row + i,
                  key = part->key + j;
    const double kept = dropped(drawn, part, n, i, j);
    double slope = 0;
    for (int64_t d = 0; d < of->value_depth; d++) {
        slope += operand(drawn, DY, b, n, row, d) * operand(drawn, V, b, h, key, d);
        *gradient_of(drawn, DV, b, h, key, d) += p * kept * operand(drawn, DY, b, n, row, d);
    }
    slope = p * (kept * slope - row_sum);
    for (int64_t d = 0; d < of->depth; d++) {
        *gradient_of(drawn, DQ, b, n, row, d) += drawn->scale * slope * operand(drawn, K, b, h, key, d);
        *gradient_of(drawn, DK, b, h, key, d) += drawn->scale * slope * operand(drawn, Q, b, n, row, d);
    }
    for (int64_t d = 0; d < of->rope; d++) {
        *gradient_of(drawn, DQR, b, n, row, d) += drawn->scale * slope * operand(drawn, KR, b, h, key, d);
        *gradient_of(drawn, DKR, b, h, key, d) += drawn->scale * slope * operand(drawn, QR, b, n, row, d);
    }
    if (of->has_pse && of->pse_type < 2)
        pse_gradient[(n * of->rows + i) * of->keys + j] += (of->pse_type == 1 ? drawn->scale : 1) * slope;
}

/* A row of the forward pass, and what it adds to the gradients. */
static void expect_row(const struct drawn *drawn, const struct part *part, int64_t n, int64_t i)
{
    const struct attention_case *of = drawn->of;
    const int64_t b = part->batch, h = n / (of->heads / of->key_heads), row = part->row + i,
                  keys = part->keys - of->unseen;
    static double p[512], out[512];
    const bool has_sink = of->has_sink && !part->is_apart;
    double most = has_sink ? number(&drawn->sink, n) : -(double)INFINITY, sum, row_sum = 0;
    const double sink = most;
    for (int64_t j = 0; j < keys; j++) {
        p[j] = is_hidden(drawn, part, n, i, j) ? -(double)INFINITY : score(drawn, part, n, i, j);
        most = p[j] > most ? p[j] : most;
    }
    const bool sees_nothing = most == -(double)INFINITY;
    sum = has_sink ? exp(sink - most) : 0;
    for (int64_t j = 0; j < keys; j++)
        sum += p[j] = sees_nothing ? 0 : exp(p[j] - most);
    for (int64_t d = 0; d < of->value_depth; d++) {
        out[d] = 0;
        for (int64_t j = 0; j < keys; j++)
            out[d] += sees_nothing ? 0
                                   : p[j] / sum * dropped(drawn, part, n, i, j) *
                                         operand(drawn, V, b, h, part->key + j, d);
        assert_near(drawn, "attentionOut", operand(drawn, OUT, b, n, row, d), out[d], 1);
        row_sum += operand(drawn, OUT, b, n, row, d) * operand(drawn, DY, b, n, row, d);
    }
    const int64_t at = statistic_index(drawn, part, n, i);
    for (int k = 0; k < 8; k++) {
        if (sees_nothing) {
            assert_true(number(&drawn->max, at + k) == -(double)FLT_MAX);
            assert_true(number(&drawn->sum, at + k) == (double)FLT_MAX);
        } else {
            assert_true(fabs(number(&drawn->max, at + k) - most) <= 4e-6 * (1 + fabs(most)));
            assert_true(fabs(number(&drawn->sum, at + k) - sum) <= 8e-6 * sum);
        }
    }
    for (int64_t j = 0; j < keys && !sees_nothing; j++)
        add_gradients(drawn, part, n, i, j, p[j] / sum, row_sum);
    if (has_sink && !sees_nothing)
        sink_gradient[n] -= exp(sink - most) / sum * row_sum;
}

/* The sequences, and what is behind the last one as one without keys or rows. */
static int64_t parts_of(const struct attention_case *of, struct part *part)
{
    if (!is_packed(of)) {
        for (int64_t b = 0; b < of->batches; b++)
            part[b] = (struct part){.number = b,
                                    .batch = b,
                                    .rows = of->rows,
                                    .keys = of->keys,
                                    .scores_before = b * of->heads * of->rows * of->keys};
        return of->batches;
    }
    int64_t scores = 0, row = 0, key = 0;
    for (int64_t b = 0; b < of->sequences; b++) {
        part[b] = (struct part){b,
                                0,
                                row,
                                key,
                                of->row_end[b] - row,
                                of->key_end[b] - key,
                                scores,
                                b == 0,
                                b == of->sequences - 1,
                                false};
        scores += of->heads * part[b].rows * part[b].keys;
        row = of->row_end[b];
        key = of->key_end[b];
    }
    part[of->sequences] = (struct part){.row = row, .key = key, .rows = of->rows - row, .is_apart = true};
    return of->sequences + 1;
}

static void expect(const struct drawn *drawn)
{
    const struct attention_case *of = drawn->of;
    struct part part[SEQUENCES_MAX + 1];
    const int64_t parts = parts_of(of, part);
    memset(gradient, 0, sizeof gradient);
    memset(pse_gradient, 0, sizeof pse_gradient);
    memset(sink_gradient, 0, sizeof sink_gradient);
    for (int64_t b = 0; b < parts; b++)
        for (int64_t n = 0; n < of->heads; n++)
            for (int64_t i = 0; i < part[b].rows; i++)
                expect_row(drawn, &part[b], n, i);
    for (unsigned k = 0; k < 5; k++) {
        static const char *const names[] = {"dq", "dk", "dv", "dqRope", "dkRope"};
        const struct layout *layout = &drawn->tensor[gradients[k]];
        for (int64_t i = 0; i < layout->count && layout->count > 0; i++)
            assert_near(drawn, names[k], number(layout, i), gradient[k][i], 2);
    }
    for (int64_t i = 0; of->has_pse && of->pse_type < 2 && i < drawn->dpse.count; i++)
        assert_near(drawn, "dpse", number(&drawn->dpse, i), pse_gradient[i], 2);
    for (int64_t n = 0; of->has_sink && n < of->heads; n++)
        assert_near(drawn, "dsink", number(&drawn->dsink, n), sink_gradient[n], 2);
}

/* The bits that the function draws itself are those of a mask with its seed. */
static void draw_bits(const struct drawn *drawn)
{
    const struct attention_case *of = drawn->of;
    const int64_t scores[] = {of->batches * of->heads * of->rows * of->keys},
                  bytes[] = {(scores[0] + 127) / 128 * 16};
    struct layout mask = layout_create(ACL_UINT8, 1, bytes, LAYOUT_CONTIGUOUS);
    const struct function *function = find("aclnnDropoutGenMask");
    const union argument argument[] = {argument_of_pointer(aclCreateIntArray(scores, 1)),
                                       argument_of_fp64(1 - of->keep), argument_of_integer(77),
                                       argument_of_integer(5), argument_of_pointer(mask.tensor)};
    uint64_t workspace_bytes;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = function_plan_anew(function, argument, &workspace_bytes, &executor);
    finish(function->launch, status, executor);
    for (int64_t i = 0; i < drawn->drop.count; i++)
        *layout_element(&drawn->drop, i) = *layout_element(&mask, i);
    assert_int_equal(aclDestroyIntArray(argument[0].ints), 0);
    layout_destroy(&mask);
}

static void results_are_those_of_loops(void **state)
{
    (void)state;
    const unsigned times = effort() < 0.2 ? 1 : 3;
    for (unsigned i = 0; i < times * sizeof cases / sizeof cases[0]; i++) {
        const struct attention_case *of = &cases[i / times];
        struct drawn drawn = draw(of);
        if (of->draws)
            draw_bits(&drawn);
        call(&drawn, of->api);
        call(&drawn, of->grad_api);
        expect(&drawn);
        release_drawn(&drawn);
    }
}

static uint64_t hash_of_results(void)
{
    uint64_t hash = 1;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct drawn drawn = draw(&cases[i]);
        call(&drawn, cases[i].api);
        call(&drawn, cases[i].grad_api);
        const struct layout *results[] = {&drawn.tensor[OUT], &drawn.tensor[DQ], &drawn.tensor[DK],
                                          &drawn.tensor[DV],  &drawn.max,        &drawn.sum,
                                          &drawn.dpse,        &drawn.dsink};
        for (unsigned k = 0; k < sizeof results / sizeof results[0]; k++)
            for (int64_t e = 0; e < results[k]->count; e++)
                hash = hash_of(layout_element(results[k], e), results[k]->bytes, hash);
        release_drawn(&drawn);
    }
    return hash;
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    assert_same_everywhere(hash_of_results);
}

/* Outputs in the memory of inputs: as if these were copied first. */
static void outputs_may_overlap_inputs(void **state)
{
    (void)state;
    static const struct attention_case plain = {SCORE, "BNSD", F32, 2, 2, 2, 140, 140, 8, 8, .keep = 1};
    struct drawn drawn = draw(&plain);
    struct layout kept[2] = {drawn.tensor[OUT], drawn.tensor[DQ]};
    call(&drawn, plain.api);
    call(&drawn, plain.grad_api);
    struct drawn other = drawn;
    for (int i = 0; i < 2; i++) { /* in place of the values, and of dy */
        const int64_t shape[] = {2, 2, 140, 8};
        const int from = i == 0 ? V : DY;
        struct layout copy = layout_create(F32, 4, shape, LAYOUT_CONTIGUOUS);
        for (int64_t e = 0; e < copy.count; e++)
            memcpy(layout_element(&copy, e), layout_element(&drawn.tensor[from], e), sizeof(float));
        other.tensor[from] = copy;
        other.tensor[i == 0 ? OUT : DQ] = copy;
        call(&other, i == 0 ? plain.api : plain.grad_api);
        for (int64_t e = 0; e < copy.count; e++)
            assert_memory_equal(layout_element(&copy, e), layout_element(&kept[i], e), sizeof(float));
        layout_destroy(&copy);
        other = drawn;
    }
    release_drawn(&drawn);
}

static unsigned place_of(const struct function *function, const char *name)
{
    for (unsigned i = 0; i < function->parameter_count; i++)
        if (strcmp(function->parameter[i].name, name) == 0)
            return i;
    fail_msg("%s has no %s", function->operation.name, name);
    return 0;
}

static void refuse_value(const char *api, const char *name, union argument value, const char *sentence)
{
    struct attempt attempt = accepted(find(api));
    const unsigned place = place_of(attempt.function, name);
    const union argument before = attempt.argument[place];
    attempt.argument[place] = value;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    attempt.argument[place] = before;
    release(&attempt);
}

static void refuse_tensor(const char *api, const char *name, aclTensor *tensor, const char *sentence)
{
    struct attempt attempt = accepted(find(api));
    const unsigned place = place_of(attempt.function, name);
    if (attempt.argument[place].handle != NULL)
        replace(&attempt, place, tensor);
    attempt.argument[place].tensor = tensor;
    assert_refused(&attempt, ACLNN_ERR_PARAM_INVALID, sentence);
    release(&attempt);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    static const char *const apis[] = {SCORE_V2};
    for (int i = 0; i < 2; i++) {
        const char *api = apis[i];
        refuse_value(api, "inputLayout", argument_of_pointer("BNS"), "inputLayout is \"BNS\"");
        refuse_value(api, "inputLayout", argument_of_pointer("TND"), "inputLayout is \"TND\"");
        refuse_value(api, "headNum", argument_of_integer(3), "headNum is 3");
        refuse_value(api, "keepProb", argument_of_fp64(0), "keepProb is 0");
        refuse_value(api, "keepProb", argument_of_fp64(1.5), "keepProb is 1.5");
        refuse_value(api, "keepProb", argument_of_fp64((double)NAN), "keepProb is ");
        refuse_value(api, "sparseMode", argument_of_integer(7), "sparseMode is 7");
        refuse_value(api, "sparseMode", argument_of_integer(-1), "sparseMode is -1");
        refuse_value(api, "sparseMode", argument_of_integer(6), "prefix has 0 numbers");
        refuse_value(api, "pseType", argument_of_integer(4), "pseType is 4");
        refuse_tensor(api, "value", tensor_with(F32, 4, DIMS(1, 2, 4, 4), NULL), "value has shape");
        refuse_tensor(api, "value", tensor_with(F16, 4, DIMS(1, 2, 5, 4), NULL), "value has dtype FLOAT16");
        refuse_tensor(api, "query", tensor_with(F32, 3, DIMS(1, 3, 8), NULL), "query has shape");
        refuse_tensor(api, "attenMaskOptional", tensor_with(ACL_BOOL, 2, DIMS(3, 4), NULL),
                      "attenMaskOptional has shape");
    }
    refuse_tensor(apis[0], "realShiftOptional", tensor_with(F32, 2, DIMS(3, 4), NULL), "realShift");
    refuse_tensor(apis[0], "attentionOutOut", tensor_with(F32, 4, DIMS(1, 2, 3, 5), NULL), "attentionOutOut");
    refuse_tensor(apis[0], "softmaxMaxOut", tensor_with(F32, 4, DIMS(1, 2, 3, 1), NULL), "softmaxMaxOut");
    refuse_tensor(apis[1], "dy", tensor_with(F32, 4, DIMS(1, 2, 4, 4), NULL), "dy has shape");
    refuse_tensor(apis[1], "softmaxSumOptional", tensor_with(F32, 4, DIMS(1, 2, 3, 4), NULL), "softmaxSum");
    refuse_tensor("aclnnFlashAttentionScoreV4", "dScaleQOptional", tensor_with(F32, 1, DIMS(1), NULL),
                  "dScaleQOptional was given");
    const aclIntArray *wrong[] = {aclCreateIntArray(DIMS(4, 3), 2), aclCreateIntArray(DIMS(3), 1),
                                  aclCreateIntArray(DIMS(3, 7), 2)};
    for (int i = 0; i < 3; i++) {
        refuse_value("aclnnFlashAttentionVarLenScore", "actualSeqQLen", argument_of_pointer(wrong[i]),
                     "actualSeqQLen ");
        assert_int_equal(aclDestroyIntArray(wrong[i]), 0);
    }
    refuse_value("aclnnFlashAttentionVarLenScore", "inputLayout", argument_of_pointer("BNSD"),
                 "inputLayout is \"BNSD\"; TND is expected");
    refuse_value("aclnnFlashAttentionVarLenScore", "sparseMode", argument_of_integer(5), "sparseMode is 5");
}

int main(void)
{
    const struct CMUnitTest first[] = {cmocka_unit_test(bits_are_the_same_everywhere)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_loops),
        cmocka_unit_test(outputs_may_overlap_inputs),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(first, NULL, NULL) + cmocka_run_group_tests(tests, open_arena, close_arena);
}
