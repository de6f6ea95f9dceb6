/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of floats of 8 bits with scales of blocks, and its gradients, and attention for inference over keys of
 * floats of 8 bits with a scale for each element of a head, against loops in doubles over whole tensors; what is
 * refused. Under Ascend950, which has these numbers.
 */
#include "ops/check.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ops/small_floats.h"
#include "support/effort.h"

enum {
    INVALID = ACLNN_ERR_PARAM_INVALID,
    ROWS = 300,
    KEYS = 600,
    ELEMENTS = 12,
    CELLS = 2 * 4 * KEYS * ELEMENTS
};
enum operand { Q, K, V, DY, OPERANDS };

/* What a call is of, and its operands as doubles, (batch, head, row, element). */
struct of {
    int64_t batches, heads, key_heads, rows, keys, depth, value_depth, mode;
    const char *layout;
    double scale;
    bool has_mask;
    double (*number)[CELLS];
};

static double numbers[OPERANDS][CELLS], out[CELLS], dq[CELLS], dk[CELLS], dv[CELLS], score[KEYS], slope[KEYS];

static bool is_of_keys(enum operand operand)
{
    return operand == K || operand == V;
}

static int64_t heads_of(const struct of *of, enum operand operand)
{
    return is_of_keys(operand) ? of->key_heads : of->heads;
}

static int64_t rows_of(const struct of *of, enum operand operand)
{
    return is_of_keys(operand) ? of->keys : of->rows;
}

static int64_t depth_of(const struct of *of, enum operand operand)
{
    return operand == V || operand == DY ? of->value_depth : of->depth;
}

static unsigned operand_shape(const struct of *of, enum operand operand, int64_t *shape)
{
    const int64_t b = of->batches, n = heads_of(of, operand), s = rows_of(of, operand),
                  d = depth_of(of, operand),
                  all[][4] = {{b, n, s, d}, {b, s, n, d}, {b, s, n * d, 0}, {s, b, n * d, 0}};
    const int which = strcmp(of->layout, "BNSD") == 0   ? 0
                      : strcmp(of->layout, "BSND") == 0 ? 1
                      : strcmp(of->layout, "BSH") == 0  ? 2
                                                        : 3;
    memcpy(shape, all[which], sizeof all[which]);
    return which < 2 ? 4 : 3;
}

static int64_t cell(const struct of *of, enum operand operand, int64_t b, int64_t n, int64_t s, int64_t d)
{
    return ((b * heads_of(of, operand) + n) * rows_of(of, operand) + s) * depth_of(of, operand) + d;
}

/* The place of the element in a tensor of the layout. */
static int64_t place_of(const struct of *of, enum operand operand, int64_t b, int64_t n, int64_t s, int64_t d)
{
    const int64_t heads = heads_of(of, operand), rows = rows_of(of, operand), depth = depth_of(of, operand);
    return strcmp(of->layout, "BNSD") == 0  ? cell(of, operand, b, n, s, d)
           : strcmp(of->layout, "SBH") == 0 ? ((s * of->batches + b) * heads + n) * depth + d
                                            : ((b * rows + s) * heads + n) * depth + d;
}

#define EACH_CELL(of, operand)                                 \
    for (int64_t b = 0; b < (of)->batches; b++)                \
        for (int64_t n = 0; n < heads_of(of, operand); n++)    \
            for (int64_t s = 0; s < rows_of(of, operand); s++) \
                for (int64_t d = 0; d < depth_of(of, operand); d++)

static struct of draw(int round)
{
    static const char *const layouts[] = {"BNSD", "BSND", "BSH", "SBH"};
    struct of of = {.batches = 1 + random_below(2),
                    .key_heads = 1 + random_below(2),
                    .rows = 1 + random_below(round % 4 == 0 ? ROWS : 20),
                    .keys = 1 + random_below(round % 3 == 0 ? KEYS : 30),
                    .depth = 1 + random_below(ELEMENTS),
                    .value_depth = 1 + random_below(ELEMENTS),
                    .layout = layouts[round % 4],
                    .scale = .3,
                    .has_mask = random_below(2) == 0,
                    .number = numbers};
    of.heads = of.key_heads * (1 + random_below(2));
    of.mode = of.has_mask ? random_below(4) : 0;
    return of;
}

/* Codes of sizes up to 2, so that scores are no farther apart than exponentials are. */
static void give_operand(struct named_call *call, const struct of *of, enum operand operand, const char *name,
                         const char *scales, aclDataType dtype)
{
    const int64_t size = is_of_keys(operand) ? 256 : 128, blocks = (rows_of(of, operand) + size - 1) / size;
    int64_t shape[4];
    const unsigned rank = operand_shape(of, operand, shape);
    const struct layout *layout = give_tensor(call, name, dtype, rank, shape),
                        *scale = random_below(2) == 0 ? GIVE(call, scales, ACL_FLOAT, of->batches,
                                                             heads_of(of, operand), blocks)
                                                      : GIVE(call, scales, ACL_FLOAT, of->batches,
                                                             heads_of(of, operand), blocks, 1);
    for (int64_t i = 0; i < scale->count; i++)
        set_element(scale, i, .2 + (double)random_below(1000) / 1000);
    EACH_CELL(of, operand)
    {
        unsigned code;
        do
            code = drawn_code(dtype);
        while (fabs(code_value(dtype, code)) > 2);
        *layout_element(layout, place_of(of, operand, b, n, s, d)) = (unsigned char)code;
        of->number[operand][cell(of, operand, b, n, s, d)] =
            code_value(dtype, code) * element_of(scale, (b * heads_of(of, operand) + n) * blocks + s / size);
    }
}

static void give_rest(struct named_call *call, const struct of *of)
{
    if (of->has_mask) {
        const struct layout *mask = GIVE(call, "attenMask", ACL_BOOL, of->rows, of->keys);
        for (int64_t i = 0; i < mask->count; i++)
            *layout_element(mask, i) = random_below(4) == 0;
    }
    give_number(call, "scaleValue", of->scale);
    give_number(call, "headNum", (double)of->heads);
    give_text(call, "inputLayout", of->layout);
    give_number(call, "sparseMode", (double)of->mode);
}

/* 0 and 1: by the mask; 2 and 3: keys up to the row, from the beginning or the end. */
static bool is_seen(struct named_call *call, const struct of *of, int64_t row, int64_t key)
{
    if (!of->has_mask)
        return true;
    return of->mode < 2 ? *layout_element(tensor_named(call, "attenMask"), row * of->keys + key) == 0
                        : key <= row + (of->mode == 3 ? of->keys - of->rows : 0);
}

static double product(const struct of *of, enum operand a, int64_t at, enum operand b, int64_t other)
{
    double sum = 0;
    for (int64_t d = 0; d < depth_of(of, a); d++)
        sum += of->number[a][at + d] * of->number[b][other + d];
    return sum;
}

/* The scores of a row, its greatest one and the sum of exponentials; false: it sees nothing. */
static bool score_row(struct named_call *call, const struct of *of, int64_t b, int64_t n, int64_t row,
                      double *greatest, double *sum)
{
    const int64_t own = n / (of->heads / of->key_heads);
    *greatest = -(double)INFINITY, *sum = 0;
    for (int64_t j = 0; j < of->keys; j++) {
        score[j] = is_seen(call, of, row, j)
                       ? of->scale * product(of, Q, cell(of, Q, b, n, row, 0), K, cell(of, K, b, own, j, 0))
                       : -(double)INFINITY;
        *greatest = fmax(*greatest, score[j]);
    }
    for (int64_t j = 0; j < of->keys; j++)
        *sum += isinf(score[j]) ? 0 : exp(score[j] - *greatest);
    return *sum > 0;
}

/* What comes out of a row, into `out`. */
static void finish_row(const struct of *of, int64_t b, int64_t n, int64_t row, double greatest, double sum)
{
    const int64_t own = n / (of->heads / of->key_heads);
    for (int64_t d = 0; d < of->value_depth; d++) {
        double *to = &out[cell(of, DY, b, n, row, d)];
        *to = 0;
        for (int64_t j = 0; j < of->keys && sum > 0; j++)
            if (!isinf(score[j]))
                *to += exp(score[j] - greatest) / sum * of->number[V][cell(of, V, b, own, j, d)];
    }
}

static void judge(const char *what, struct named_call *call, const struct of *of, enum operand like,
                  const char *name, const double *truth, double size)
{
    const struct layout *found = tensor_named(call, name);
    EACH_CELL(of, like)
    {
        const double value = truth[cell(of, like, b, n, s, d)];
        assert_near(what, found, place_of(of, like, b, n, s, d), (long double)value, found->dtype,
                    (long double)(4e-6 * (fabs(value) + size)));
    }
}

static const aclDataType codes[] = {ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E5M2, ACL_HIFLOAT8},
                         made[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static void blocks_are_scaled(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(16); round++) {
        struct named_call call = call_begin_named("aclnnQuantFlashAttentionScore");
        const struct of of = draw(round);
        const aclDataType dtype = codes[random_below(3)];
        int64_t shape[4];
        give_operand(&call, &of, Q, "query", "dScaleQ", dtype);
        give_operand(&call, &of, K, "key", "dScaleK", dtype);
        give_operand(&call, &of, V, "value", "dScaleV", dtype);
        give_rest(&call, &of);
        GIVE(&call, "softmaxMax", ACL_FLOAT, of.batches, of.heads, of.rows, 1);
        GIVE(&call, "softmaxSum", ACL_FLOAT, of.batches, of.heads, of.rows, 1);
        const unsigned rank = operand_shape(&of, DY, shape);
        give_tensor(&call, "attentionOut", made[random_below(3)], rank, shape);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < of.batches * of.heads * of.rows; i++) {
            const int64_t b = i / of.rows / of.heads, n = i / of.rows % of.heads, row = i % of.rows;
            double greatest, sum;
            const bool sees = score_row(&call, &of, b, n, row, &greatest, &sum);
            finish_row(&of, b, n, row, greatest, sum);
            assert_near("greatest", tensor_named(&call, "softmaxMax"), i,
                        sees ? (long double)greatest : -(long double)FLT_MAX, ACL_FLOAT, 1e-4L);
            assert_near("sum", tensor_named(&call, "softmaxSum"), i,
                        sees ? (long double)sum : (long double)FLT_MAX, ACL_FLOAT, 1e-5L * (long double)sum);
        }
        judge("attention", &call, &of, DY, "attentionOut", out, 4);
        end_named(&call);
    }
}

/* Adds what a row gives to the gradients. */
static void add_gradients(struct named_call *call, const struct of *of, int64_t b, int64_t n, int64_t row)
{
    const int64_t own = n / (of->heads / of->key_heads), dy = cell(of, DY, b, n, row, 0);
    double greatest, sum, meant = 0;
    if (!score_row(call, of, b, n, row, &greatest, &sum))
        return;
    finish_row(of, b, n, row, greatest, sum);
    for (int64_t d = 0; d < of->value_depth; d++)
        meant += of->number[DY][dy + d] *
                 element_of(tensor_named(call, "attentionIn"), place_of(of, DY, b, n, row, d));
    for (int64_t j = 0; j < of->keys; j++) {
        const int64_t key = cell(of, K, b, own, j, 0), value = cell(of, V, b, own, j, 0);
        const double p = isinf(score[j]) ? 0 : exp(score[j] - greatest) / sum;
        slope[j] = p * (product(of, DY, dy, V, value) - meant);
        for (int64_t d = 0; d < of->value_depth; d++)
            dv[value + d] += p * of->number[DY][dy + d];
        for (int64_t d = 0; d < of->depth; d++) {
            dq[cell(of, Q, b, n, row, d)] += of->scale * slope[j] * of->number[K][key + d];
            dk[key + d] += of->scale * slope[j] * of->number[Q][cell(of, Q, b, n, row, d)];
        }
    }
}

static double greatest_size_of(const double *value)
{
    double size = 0;
    for (int i = 0; i < CELLS; i++)
        size = fmax(size, fabs(value[i]));
    return size;
}

static void gradients_are_of_scaled_blocks(void **state)
{
    (void)state;
    for (int round = 0; round < times_effort(16); round++) {
        struct named_call call = call_begin_named("aclnnQuantFlashAttentionScoreGrad");
        const struct of of = draw(round);
        const aclDataType dtype = codes[random_below(3)];
        int64_t shape[4];
        memset(dq, 0, sizeof dq), memset(dk, 0, sizeof dk), memset(dv, 0, sizeof dv);
        give_operand(&call, &of, Q, "query", "dScaleQ", dtype);
        give_operand(&call, &of, K, "key", "dScaleK", dtype);
        give_operand(&call, &of, V, "value", "dScaleV", dtype);
        give_operand(&call, &of, DY, "dy", "dScaleDy", codes[random_below(3)]);
        give_rest(&call, &of);
        unsigned rank = operand_shape(&of, DY, shape);
        const struct layout *maximum = GIVE(&call, "softmaxMax", ACL_FLOAT, of.batches, of.heads, of.rows, 1),
                            *total = GIVE(&call, "softmaxSum", ACL_FLOAT, of.batches, of.heads, of.rows, 1),
                            *in = give_tensor(&call, "attentionIn", ACL_FLOAT, rank, shape);
        for (int64_t i = 0; i < of.batches * of.heads * of.rows; i++) {
            const int64_t b = i / of.rows / of.heads, n = i / of.rows % of.heads, row = i % of.rows;
            double greatest, sum;
            const bool sees = score_row(&call, &of, b, n, row, &greatest, &sum);
            finish_row(&of, b, n, row, greatest, sum);
            set_element(maximum, i, sees ? greatest : -(double)FLT_MAX);
            set_element(total, i, sees ? sum : (double)FLT_MAX);
            for (int64_t d = 0; d < of.value_depth; d++)
                set_element(in, place_of(&of, DY, b, n, row, d), out[cell(&of, DY, b, n, row, d)]);
            add_gradients(&call, &of, b, n, row);
        }
        const char *const names[] = {"dq", "dk", "dv"};
        const double *const truth[] = {dq, dk, dv};
        const aclDataType result = made[random_below(3)];
        for (int i = Q; i <= V; i++) {
            rank = operand_shape(&of, (enum operand)i, shape);
            give_tensor(&call, names[i], result, rank, shape);
        }
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int i = Q; i <= V; i++)
            judge(names[i], &call, &of, (enum operand)i, names[i], truth[i],
                  8 + 8 * greatest_size_of(truth[i]));
        end_named(&call);
    }
}

/* Keys and values of codes, (code + offset) scale for each element of a head. */
static void give_coded_keys(struct named_call *call, const struct of *of, enum operand operand,
                            aclDataType dtype)
{
    const char *const name = operand == K ? "key" : "value",
                      *const scales = operand == K ? "keyAntiquantScale" : "valueAntiquantScale",
                      *const offsets = operand == K ? "keyAntiquantOffset" : "valueAntiquantOffset";
    int64_t shape[4];
    const unsigned rank = operand_shape(of, operand, shape);
    const struct layout *layout = give_tensor(call, name, dtype, rank, shape),
                        *scale = GIVE(call, scales, ACL_FLOAT, of->key_heads, depth_of(of, operand)),
                        *offset = random_below(2) == 0
                                      ? GIVE(call, offsets, ACL_FLOAT, of->key_heads, depth_of(of, operand))
                                      : NULL;
    EACH_CELL(of, operand)
    {
        const int64_t of_head = n * depth_of(of, operand) + d;
        unsigned code;
        do
            code = drawn_code(dtype);
        while (fabs(code_value(dtype, code)) > 2);
        *layout_element(layout, place_of(of, operand, b, n, s, d)) = (unsigned char)code;
        of->number[operand][cell(of, operand, b, n, s, d)] =
            (code_value(dtype, code) + (offset != NULL ? element_of(offset, of_head) : 0)) *
            element_of(scale, of_head);
    }
}

static void keys_of_inference_are_scaled(void **state)
{
    static const char *const functions[] = {
        "aclnnFusedInferAttentionScoreV2", "aclnnFusedInferAttentionScoreV3",
        "aclnnFusedInferAttentionScoreV4", "aclnnFusedInferAttentionScoreV5"};
    (void)state;
    for (int round = 0; round < times_effort(16); round++) {
        struct named_call call = call_begin_named(functions[random_below(4)]);
        struct of of = draw(round);
        const aclDataType dtype = codes[random_below(3)];
        int64_t shape[4];
        of.has_mask = false, of.mode = 0;
        unsigned rank = operand_shape(&of, Q, shape);
        const struct layout *query = give_tensor(&call, "query", ACL_FLOAT, rank, shape);
        EACH_CELL(&of, Q)
        numbers[Q][cell(&of, Q, b, n, s, d)] = element_of(query, place_of(&of, Q, b, n, s, d));
        give_coded_keys(&call, &of, K, dtype);
        give_coded_keys(&call, &of, V, dtype);
        give_number(&call, "scaleValue", of.scale);
        give_number(&call, "numHeads", (double)of.heads);
        give_number(&call, "numKeyValueHeads", (double)of.key_heads);
        give_number(&call, "softmaxLseFlag", 0);
        give_text(&call, "inputLayout", of.layout);
        rank = operand_shape(&of, DY, shape);
        give_tensor(&call, "attentionOut", ACL_FLOAT, rank, shape);
        list_tensors(&call);
        if (run_named(&call) != 0)
            fail_msg("%s", aclGetRecentErrMsg());
        for (int64_t i = 0; i < of.batches * of.heads * of.rows; i++) {
            const int64_t b = i / of.rows / of.heads, n = i / of.rows % of.heads, row = i % of.rows;
            double greatest, sum;
            (void)score_row(&call, &of, b, n, row, &greatest, &sum);
            finish_row(&of, b, n, row, greatest, sum);
        }
        judge("inference", &call, &of, DY, "attentionOut", out, 8 + greatest_size_of(numbers[V]));
        end_named(&call);
    }
}

static void what_is_not_in_the_contracts_is_refused(void **state)
{
    (void)state;
    struct named_call call = call_begin_named("aclnnQuantFlashAttentionScore");
    const struct of of = {.batches = 1,
                          .heads = 2,
                          .key_heads = 1,
                          .rows = 130,
                          .keys = 260,
                          .depth = 4,
                          .value_depth = 4,
                          .layout = "BNSD",
                          .scale = 1,
                          .number = numbers};
    give_operand(&call, &of, Q, "query", "dScaleQ", ACL_FLOAT8_E5M2);
    give_operand(&call, &of, K, "key", "dScaleK", ACL_FLOAT8_E5M2);
    give_operand(&call, &of, V, "value", "dScaleV", ACL_FLOAT8_E5M2);
    give_rest(&call, &of);
    GIVE(&call, "softmaxMax", ACL_FLOAT, 1, 2, 130, 1), GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 2, 130, 8);
    GIVE(&call, "attentionOut", ACL_FLOAT, 1, 2, 130, 4);
    assert_named_refused(&call, INVALID, "softmaxSumOut has shape [1, 2, 130, 8]");
    GIVE(&call, "dScaleQ", ACL_FLOAT, 1, 2, 3);
    assert_named_refused(&call, INVALID,
                         "dScaleQ has shape [1, 2, 3]; [1, 2, 2], a scale for each batch, head and 128 rows");
    GIVE(&call, "dScaleQ", ACL_FLOAT, 1, 2, 2), GIVE(&call, "dScaleV", ACL_FLOAT, 1, 2, 2);
    assert_named_refused(&call, INVALID, "dScaleV has shape [1, 2, 2]; [1, 1, 2]");
    GIVE(&call, "value", ACL_FLOAT8_E4M3FN, 1, 1, 260, 4);
    assert_named_refused(&call, INVALID, "value has dtype FLOAT8_E4M3FN");
    GIVE(&call, "value", ACL_FLOAT8_E5M2, 1, 1, 260, 4), GIVE(&call, "dScaleV", ACL_FLOAT, 1, 1, 2);
    GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 2, 130, 1);
    REFUSED(call, "sparseMode", 6, "prefix has 0 numbers");
    give_text(&call, "inputLayout", "TND");
    assert_named_refused(&call, INVALID, "inputLayout is \"TND\"; BSH, SBH, BNSD or BSND is expected");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_scaled),
        cmocka_unit_test(gradients_are_of_scaled_blocks),
        cmocka_unit_test(keys_of_inference_are_scaled),
        cmocka_unit_test(what_is_not_in_the_contracts_is_refused),
    };
    setenv("BELAY_SOC", "Ascend950PR", 1);
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
