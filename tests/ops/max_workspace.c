/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnXxxGetMaxWorkspaceSize: what it answers serves calls of any lengths, also where BELAY_WORKSPACE asks
 * for some, and it refuses what phase 1 refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v3.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v5.h"
#include "support/failure.h"

enum { HEADS = 2, KEYS = 16, DEPTH = 8, WORKSPACE = 4096 };

static aclrtStream stream;
static aclTensor *query, *key, *value, *out[2], *lse;
static aclTensorList *keys, *values;
static float *memory[5];

/* What all three have in common. */
#define NO_QUANTISATION NULL, NULL, NULL, NULL, NULL, NULL, NULL
#define NO_MORE         NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
#define INPUTS(lengths) query, keys, values, NULL, NULL, NULL, lengths, NO_QUANTISATION, NO_MORE
#define OPTIONS(layout) HEADS, 0.25, INT32_MAX, INT32_MAX, layout, HEADS, 0, 0, 0, 0, false, 0, 0
#define RESULTS(into)   into, lse, &bytes, &executor

enum phase_1 { USUAL, MAX };

/* Phase 1 of the given version: its status, and both results. */
static int plan(int version, enum phase_1 which, const aclIntArray *lengths, aclTensor *into, uint64_t *size,
                aclOpExecutor **result)
{
    static char layout[] = "BNSD";
    uint64_t bytes = 99;
    aclOpExecutor *executor = NULL;
    int status;
    if (version == 3)
        status = (which == MAX ? aclnnFusedInferAttentionScoreV3GetMaxWorkspaceSize
                               : aclnnFusedInferAttentionScoreV3GetWorkspaceSize)(
            INPUTS(lengths), OPTIONS(layout), RESULTS(into));
    else if (version == 4)
        status = (which == MAX ? aclnnFusedInferAttentionScoreV4GetMaxWorkspaceSize
                               : aclnnFusedInferAttentionScoreV4GetWorkspaceSize)(
            INPUTS(lengths), NULL, NULL, OPTIONS(layout), 0, RESULTS(into));
    else
        status = (which == MAX ? aclnnFusedInferAttentionScoreV5GetMaxWorkspaceSize
                               : aclnnFusedInferAttentionScoreV5GetWorkspaceSize)(
            INPUTS(lengths), NULL, NULL, NULL, NULL, OPTIONS(layout), 0, 0, RESULTS(into));
    *size = bytes;
    *result = executor;
    return status;
}

static int launch(int version, void *workspace, uint64_t bytes, aclOpExecutor *executor)
{
    return (version == 3   ? aclnnFusedInferAttentionScoreV3
            : version == 4 ? aclnnFusedInferAttentionScoreV4
                           : aclnnFusedInferAttentionScoreV5)(workspace, bytes, executor, stream);
}

static void one_workspace_serves_all_lengths(void **state)
{
    (void)state;
    for (int version = 3; version <= 5; version++) {
        uint64_t most, bytes;
        aclOpExecutor *executor;
        void *workspace;
        const int64_t all = KEYS;
        aclIntArray *lengths = aclCreateIntArray(&all, 1);
        assert_int_equal(plan(version, MAX, lengths, out[0], &most, &executor), 0);
        assert_int_equal(most, WORKSPACE);
        assert_int_equal(aclDestroyAclOpExecutor(executor), 0); /* as frameworks do */
        aclDestroyIntArray(lengths);
        assert_int_equal(aclrtMalloc(&workspace, most, ACL_MEM_MALLOC_HUGE_FIRST), 0);
        for (int64_t length = 1; length <= KEYS; length++) {
            lengths = aclCreateIntArray(&length, 1);
            assert_int_equal(plan(version, USUAL, lengths, out[0], &bytes, &executor), 0);
            assert_true(bytes <= most);
            assert_int_equal(launch(version, workspace, most, executor), 0);
            /* The executor of the maximum runs, too. */
            assert_int_equal(plan(version, MAX, lengths, out[1], &bytes, &executor), 0);
            assert_int_equal(bytes, most);
            assert_int_equal(launch(version, workspace, most, executor), 0);
            assert_int_equal(aclrtSynchronizeStream(stream), 0);
            for (int i = 0; i < HEADS * DEPTH; i++)
                assert_true(memory[3][i] == memory[4][i]);
            assert_true(memory[3][0] >= 0 && memory[3][0] <= (float)(length - 1));
            assert_true(length == 1 || memory[3][0] > 0);
            aclDestroyIntArray(lengths);
        }
        assert_int_equal(aclrtFree(workspace), 0);
    }
}

static void what_phase_1_refuses_is_refused(void **state)
{
    (void)state;
    const int64_t two[] = {3, -1};
    aclIntArray *lengths = aclCreateIntArray(two + 1, 1);
    for (int version = 3; version <= 5; version++) {
        uint64_t bytes;
        aclOpExecutor *executor;
        assert_failure(plan(version, MAX, lengths, out[0], &bytes, &executor), 161002, "-1");
        assert_failure(plan(version, MAX, NULL, NULL, &bytes, &executor), 161001, "attentionOut");
        assert_int_equal(bytes, 99);
        assert_null(executor);
    }
    aclDestroyIntArray(lengths);
}

/* Sequences one after another, whose ends change. */
static void sequences_have_one_workspace(void **state)
{
    (void)state;
    static char layout[] = "TND";
    const int64_t rows[] = {KEYS, HEADS, DEPTH}, eight[] = {KEYS, HEADS, 8};
    float *data = NULL;
    assert_int_equal(aclrtMalloc((void **)&data, 8 * KEYS * HEADS * 8 * sizeof(float), 0), 0);
    aclTensor *tensor[8];
    for (int i = 0; i < 8; i++)
        tensor[i] = aclCreateTensor(i < 5 ? rows : eight, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND,
                                    i < 5 ? rows : eight, 3, data + i * KEYS * HEADS * 8);
    const int64_t end = KEYS;
    aclIntArray *ends = aclCreateIntArray(&end, 1);
    uint64_t bytes[4];
    int status[4];
    aclOpExecutor *executor[4] = {NULL};
#define FORWARD(name, n)                                                                                     \
    status[n] = name(tensor[0], NULL, tensor[1], NULL, tensor[2], NULL, NULL, NULL, NULL, NULL, NULL, ends,  \
                     ends, NULL, NULL, 1, 1, KEYS, KEYS, HEADS, layout, 0, 0, 1, NULL, tensor[5], tensor[6], \
                     NULL, tensor[3], &bytes[n], &executor[n])
#define BACKWARD(name, n)                                                                                   \
    status[n] = name(tensor[0], NULL, tensor[1], NULL, tensor[2], tensor[3], NULL, NULL, NULL, NULL,        \
                     tensor[5], tensor[6], NULL, tensor[4], NULL, NULL, ends, ends, NULL, NULL, 1, 1, KEYS, \
                     KEYS, HEADS, layout, 0, 0, 1, NULL, tensor[0], NULL, tensor[1], NULL, tensor[2], NULL, \
                     NULL, &bytes[n], &executor[n])
    FORWARD(aclnnFlashAttentionVarLenScoreV5GetWorkspaceSize, 0);
    FORWARD(aclnnFlashAttentionVarLenScoreV5GetMaxWorkspaceSize, 1);
    BACKWARD(aclnnFlashAttentionUnpaddingScoreGradV5GetWorkspaceSize, 2);
    BACKWARD(aclnnFlashAttentionUnpaddingScoreGradV5GetMaxWorkspaceSize, 3);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(status[i], 0);
        assert_int_equal(bytes[i], WORKSPACE);
        assert_int_equal(aclDestroyAclOpExecutor(executor[i]), 0);
    }
    aclDestroyIntArray(ends);
    for (int i = 0; i < 8; i++)
        aclDestroyTensor(tensor[i]);
    assert_int_equal(aclrtFree(data), 0);
}

static aclTensor *tensor_of(int64_t rows, float **data)
{
    const int64_t shape[] = {1, HEADS, rows, DEPTH};
    const int64_t count = HEADS * rows * DEPTH;
    if (aclrtMalloc((void **)data, (size_t)count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        return NULL;
    for (int64_t i = 0; i < count; i++)
        (*data)[i] = (float)(i / DEPTH % rows);
    return aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, shape, 4, *data);
}

static int set_up(void **state)
{
    (void)state;
    if (aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0)
        return -1;
    query = tensor_of(1, &memory[0]);
    key = tensor_of(KEYS, &memory[1]);
    value = tensor_of(KEYS, &memory[2]);
    out[0] = tensor_of(1, &memory[3]);
    out[1] = tensor_of(1, &memory[4]);
    const int64_t none = 0;
    lse = aclCreateTensor(&none, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &none, 1, memory[4]);
    const aclTensor *const k = key, *const v = value;
    keys = aclCreateTensorList(&k, 1);
    values = aclCreateTensorList(&v, 1);
    return query == NULL || out[1] == NULL || lse == NULL || keys == NULL || values == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    aclDestroyTensorList(keys); /* and what is in them */
    aclDestroyTensorList(values);
    aclDestroyTensor(query);
    aclDestroyTensor(out[0]);
    aclDestroyTensor(out[1]);
    aclDestroyTensor(lse);
    for (int i = 0; i < 5; i++)
        if (aclrtFree(memory[i]) != 0)
            return -1;
    return aclrtDestroyStream(stream) != 0 || aclrtResetDevice(0) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_workspace_serves_all_lengths),
        cmocka_unit_test(what_phase_1_refuses_is_refused),
        cmocka_unit_test(sequences_have_one_workspace),
    };
    setenv("BELAY_WORKSPACE", "4096", 1);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
