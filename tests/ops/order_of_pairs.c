/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Sums of BFLOAT16 products in convolutions, attention and products of groups take the second of each two terms
 * first, on every level and with any number of threads; those of FLOAT come in the order of their terms. The sum
 * of 2^24, 1, -2^24 and 1 is 0 in the one order, 1 in the other.
 */
#include "ops/check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "aclnnop/aclnn_grouped_matmul.h"
#include "ops/named_call.h"

enum { TERMS = 4, ROWS = 3, STATISTICS = 8 };
static const double telling[TERMS] = {0x1p24, 1, -0x1p24, 1};

/* Rows of the numbers that tell orders apart. */
static void give_telling(struct layout *layout)
{
    for (int64_t i = 0; i < layout->count; i++)
        set_element(layout, i, telling[i % TERMS]);
}

static void give_all(struct layout *layout, double value)
{
    for (int64_t i = 0; i < layout->count; i++)
        set_element(layout, i, value);
}

/* Whether every element is this one. */
static bool is_all(const struct layout *layout, double value)
{
    bool is_it = true;
    for (int64_t i = 0; i < layout->count; i++)
        is_it = is_it && fabs(element_of(layout, i) - value) < 0x1p-6;
    return is_it;
}

/* A convolution of one position by ones, or a gradient of its input that has as many terms. */
static bool convolution_is_right(aclDataType dtype, bool is_gradient)
{
    struct named_call call = call_begin_named(is_gradient ? "aclnnConvolutionBackward" : "aclnnConvolution");
    const int64_t ones[] = {1, 1}, zeros[] = {0, 0};
    const bool mask[] = {true, false, false};
    struct layout *in = is_gradient ? GIVE(&call, "gradOutput", dtype, ROWS, TERMS, 1, 1)
                                    : GIVE(&call, "input", dtype, ROWS, TERMS, 1, 1);
    struct layout *weight = is_gradient ? GIVE(&call, "weight", dtype, TERMS, 5, 1, 1)
                                        : GIVE(&call, "weight", dtype, 5, TERMS, 1, 1);
    struct layout *out = is_gradient ? GIVE(&call, "gradInput", dtype, ROWS, 5, 1, 1)
                                     : GIVE(&call, "output", dtype, ROWS, 5, 1, 1);
    if (is_gradient)
        GIVE(&call, "input", dtype, ROWS, 5, 1, 1);
    give_telling(in);
    give_all(weight, 1);
    give_array(&call, "stride", ones, 2);
    give_array(&call, "padding", zeros, 2);
    give_array(&call, "dilation", ones, 2);
    give_array(&call, "outputPadding", zeros, 2);
    give_number(&call, "groups", 1);
    const int place = place_named(&call, "outputMask");
    aclBoolArray *asked = is_gradient ? aclCreateBoolArray(mask, 3) : NULL;
    if (is_gradient)
        call.argument[place] = argument_of_pointer(asked);
    const bool is_right = run_named(&call) == 0 && is_all(out, dtype == ACL_BF16 ? 0 : 1);
    if (is_gradient)
        (void)aclDestroyBoolArray(asked);
    end_named(&call);
    return is_right;
}

/* Scores of two keys, one of which is 0: equal shares of both values where the other one is, too. */
static bool attention_is_right(aclDataType dtype)
{
    struct named_call call = call_begin_named("aclnnFlashAttentionScore");
    struct layout *query = GIVE(&call, "query", dtype, 1, 1, ROWS, TERMS), *key, *value, *out;
    key = GIVE(&call, "key", dtype, 1, 1, 2, TERMS);
    value = GIVE(&call, "value", dtype, 1, 1, 2, TERMS);
    GIVE(&call, "softmaxMax", ACL_FLOAT, 1, 1, ROWS, STATISTICS);
    GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 1, ROWS, STATISTICS);
    out = GIVE(&call, "attentionOut", dtype, 1, 1, ROWS, TERMS);
    give_telling(query);
    for (int64_t i = 0; i < key->count; i++) {
        set_element(key, i, i < TERMS ? 1 : 0);
        set_element(value, i, i < TERMS ? 1 : 0);
    }
    give_number(&call, "scaleValue", 1);
    give_number(&call, "headNum", 1);
    give_text(&call, "inputLayout", "BNSD");
    const bool is_right = run_named(&call) == 0 && is_all(out, dtype == ACL_BF16 ? 0.5 : 0.7310586);
    end_named(&call);
    return is_right;
}

/* The gradient of the query: that of two equal shares, by gradients of theirs that are the sums. */
static bool attention_gradient_is_right(aclDataType dtype)
{
    struct named_call call = call_begin_named("aclnnFlashAttentionScoreGrad");
    struct layout *query = GIVE(&call, "query", dtype, 1, 1, ROWS, TERMS), *key, *value, *dy, *max, *sum, *dq;
    key = GIVE(&call, "keyIn", dtype, 1, 1, 2, TERMS);
    value = GIVE(&call, "value", dtype, 1, 1, 2, TERMS);
    dy = GIVE(&call, "dy", dtype, 1, 1, ROWS, TERMS);
    max = GIVE(&call, "softmaxMax", ACL_FLOAT, 1, 1, ROWS, STATISTICS);
    sum = GIVE(&call, "softmaxSum", ACL_FLOAT, 1, 1, ROWS, STATISTICS);
    give_all(GIVE(&call, "attentionIn", dtype, 1, 1, ROWS, TERMS), 0);
    dq = GIVE(&call, "dq", dtype, 1, 1, ROWS, TERMS);
    GIVE(&call, "dk", dtype, 1, 1, 2, TERMS);
    GIVE(&call, "dv", dtype, 1, 1, 2, TERMS);
    give_all(query, 0);
    give_telling(dy);
    give_all(max, 0);
    give_all(sum, 2);
    for (int64_t i = 0; i < key->count; i++) {
        set_element(key, i, i < TERMS ? 1 : 0);
        set_element(value, i, i < TERMS ? 1 : 0);
    }
    give_number(&call, "scaleValue", 1);
    give_number(&call, "headNum", 1);
    give_text(&call, "inputLayout", "BNSD");
    const bool is_right = run_named(&call) == 0 && is_all(dq, 0) == (dtype == ACL_BF16);
    end_named(&call);
    return is_right;
}

/* One group of rows. */
static bool grouped_is_right(aclDataType dtype)
{
    struct layout x = layout_create(dtype, 2, DIMS(ROWS, TERMS), LAYOUT_CONTIGUOUS),
                  weight = layout_create(dtype, 2, DIMS(TERMS, 5), LAYOUT_CONTIGUOUS),
                  y = layout_create(dtype, 2, DIMS(ROWS, 5), LAYOUT_CONTIGUOUS);
    give_telling(&x);
    give_all(&weight, 1);
    const aclTensorList *list[] = {aclCreateTensorList((const aclTensor *const[]){x.tensor}, 1),
                                   aclCreateTensorList((const aclTensor *const[]){weight.tensor}, 1),
                                   aclCreateTensorList((const aclTensor *const[]){y.tensor}, 1)};
    uint64_t bytes;
    aclOpExecutor *executor;
    bool is_right = aclnnGroupedMatmulGetWorkspaceSize(list[0], list[1], NULL, NULL, NULL, NULL, NULL, NULL,
                                                       0, list[2], &bytes, &executor) == 0 &&
                    aclnnGroupedMatmul(NULL, bytes, executor, stream) == 0 &&
                    aclrtSynchronizeStream(stream) == 0;
    is_right = is_right && is_all(&y, dtype == ACL_BF16 ? 0 : 1);
    for (int i = 0; i < 3; i++)
        (void)aclDestroyTensorList(list[i]);
    return is_right;
}

/* A bit for each that is right. */
static uint64_t what_is_right(void)
{
    uint64_t right = 0;
    int bit = 0;
    for (int i = 0; i < 2; i++) {
        const aclDataType dtype = i == 0 ? ACL_BF16 : ACL_FLOAT;
        right |= (uint64_t)convolution_is_right(dtype, false) << bit++;
        right |= (uint64_t)convolution_is_right(dtype, true) << bit++;
        right |= (uint64_t)attention_is_right(dtype) << bit++;
        right |= (uint64_t)attention_gradient_is_right(dtype) << bit++;
        right |= (uint64_t)grouped_is_right(dtype) << bit++;
    }
    return right;
}

static void pairs_come_in_their_order_everywhere(void **state)
{
    (void)state;
    assert_int_equal(hash_with("baseline", "1", what_is_right), 0x3ff);
    assert_same_everywhere(what_is_right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_come_in_their_order_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
