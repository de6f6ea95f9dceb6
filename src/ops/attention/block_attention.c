/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * NsaSelectedAttention and BlockSparseAttention, which name blocks of keys by lists and by masks, and their
 * gradients.
 */
#include "aclnnop/aclnn_block_sparse_attention.h"
#include "aclnnop/aclnn_block_sparse_attention_grad.h"
#include "aclnnop/aclnn_nsa_selected_attention.h"
#include "aclnnop/aclnn_nsa_selected_attention_grad.h"
#include "ops/attention/named_blocks.h"
#include "ops/signature.h"

#define ROWS(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp16_bf16, .sample = sample_, .is_partly_read = true)
#define STATISTIC(X, of, name, sample_) \
    X(of, IN, name, &dtypes_fp32, .sample = sample_, .is_partly_read = true)
#define GRADIENTS(X, of)                     \
    X(of, OUT, dQueryOut, &dtypes_fp16_bf16) \
    X(of, OUT, dKeyOut, &dtypes_fp16_bf16)   \
    X(of, OUT, dValueOut, &dtypes_fp16_bf16)
#define PACKED(X, of)                   \
    ROWS(X, of, query, "3x2x4:FLOAT16") \
    ROWS(X, of, key, "5x1x4:FLOAT16")   \
    ROWS(X, of, value, "5x1x4:FLOAT16")
#define INDICES(X, of) X(of, IN, topkIndices, &dtypes_int32, .sample = "3x1x2:INT32")
#define MASK(X, of)    X(of, UNUSED, attenMaskOptional, &dtypes_all, .is_optional = true)
#define ENDS(X, of)                             \
    X(of, INTS, actualSeqQLen, .sample = "1,3") \
    X(of, INTS, actualSeqKvLen, .sample = "2,5")
#define BLOCKS(X, of)                           \
    X(of, INT64, selectBlockSize, .usual = "2") \
    X(of, INT64, selectBlockCount, .usual = "2")
#define LAYOUT(X, of)                        \
    X(of, INT64, headNum, .usual = "2")      \
    X(of, TEXT, inputLayout, .usual = "TND") \
    X(of, INT64, sparseMode, .usual = "0")
#define SELECTED(X, of)                     \
    PACKED(X, of)                           \
    INDICES(X, of)                          \
    MASK(X, of)                             \
    ENDS(X, of)                             \
    X(of, DOUBLE, scaleValue, .usual = "1") \
    LAYOUT(X, of)                           \
    BLOCKS(X, of)                           \
    X(of, OUT, softmaxMaxOut, &dtypes_fp32) \
    X(of, OUT, softmaxSumOut, &dtypes_fp32) \
    X(of, OUT, attentionOut, &dtypes_fp16_bf16)
#define SELECTED_GRAD(X, of)                       \
    PACKED(X, of)                                  \
    ROWS(X, of, attentionOut, "3x2x4:FLOAT16")     \
    ROWS(X, of, attentionOutGrad, "3x2x4:FLOAT16") \
    STATISTIC(X, of, softmaxMax, "3x2x8:FLOAT")    \
    STATISTIC(X, of, softmaxSum, "3x2x8:FLOAT")    \
    INDICES(X, of)                                 \
    ENDS(X, of)                                    \
    MASK(X, of)                                    \
    X(of, DOUBLE, scaleValue, .usual = "1")        \
    BLOCKS(X, of)                                  \
    LAYOUT(X, of)                                  \
    GRADIENTS(X, of)
SIGNATURE(SELECTED)
SIGNATURE(SELECTED_GRAD)
#define LISTED(list)                                                                     \
    .query = list##_query, .names = list##_topkIndices, .lengths = list##_actualSeqQLen, \
    .scale = list##_scaleValue, .heads = list##_headNum, .layout = list##_inputLayout,   \
    .mode = list##_sparseMode, .block = list##_selectBlockSize
static const struct named_form selected = {LISTED(SELECTED), .outputs = SELECTED_softmaxMaxOut};
static const struct named_form selected_grad = {LISTED(SELECTED_GRAD),
                                                .is_gradient = true,
                                                .outputs = SELECTED_GRAD_dQueryOut,
                                                .out = SELECTED_GRAD_attentionOut,
                                                .d_out = SELECTED_GRAD_attentionOutGrad,
                                                .maximum = SELECTED_GRAD_softmaxMax,
                                                .sum = SELECTED_GRAD_softmaxSum};

#define BY_BATCH(X, of)                   \
    ROWS(X, of, query, "1x2x3x4:FLOAT16") \
    ROWS(X, of, key, "1x1x5x4:FLOAT16")   \
    ROWS(X, of, value, "1x1x5x4:FLOAT16")
#define BLOCK_MASK(X, of)                                                                                 \
    X(of, IN, blockSparseMask, &dtypes_int8_uint8_bool, .sample = "1x2x2x3:INT8", .is_partly_read = true) \
    X(of, IN, attenMaskOptional, &dtypes_int8_uint8_bool, .is_optional = true, .sample = "")              \
    X(of, INTS, blockShape, .sample = "2,2")                                                              \
    X(of, INTS, actualSeqLengthsOptional, .is_optional = true, .sample = "")                              \
    X(of, INTS, actualSeqLengthsKvOptional, .is_optional = true, .sample = "")
#define BLOCK_LAYOUT(X, of)                      \
    X(of, TEXT, qInputLayout, .usual = "BNSD")   \
    X(of, TEXT, kvInputLayout, .usual = "BNSD")  \
    X(of, INT64, numKeyValueHeads, .usual = "1") \
    X(of, INT64, maskType, .usual = "0")         \
    X(of, DOUBLE, scaleValue, .usual = "1")
#define TOKENS(X, of)                              \
    X(of, INT64, preTokens, .usual = "2147483647") \
    X(of, INT64, nextTokens, .usual = "2147483647")
#define SPARSE(X, of)                                                               \
    BY_BATCH(X, of)                                                                 \
    BLOCK_MASK(X, of)                                                               \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "") \
    BLOCK_LAYOUT(X, of)                                                             \
    X(of, INT64, innerPrecise, .usual = "1")                                        \
    X(of, INT64, blockSize, .usual = "0")                                           \
    TOKENS(X, of)                                                                   \
    X(of, INT64, softmaxLseFlag, .usual = "1")                                      \
    X(of, OUT, attentionOut, &dtypes_fp16_bf16)                                     \
    X(of, OUT, softmaxLseOptional, &dtypes_fp32, .is_optional = true, .may_be_infinite = true)
#define SPARSE_GRAD(X, of)                        \
    ROWS(X, of, dOut, "1x2x3x4:FLOAT16")          \
    BY_BATCH(X, of)                               \
    ROWS(X, of, attentionOut, "1x2x3x4:FLOAT16")  \
    STATISTIC(X, of, softmaxLse, "1x2x3x1:FLOAT") \
    BLOCK_MASK(X, of)                             \
    BLOCK_LAYOUT(X, of)                           \
    TOKENS(X, of)                                 \
    GRADIENTS(X, of)
SIGNATURE(SPARSE)
SIGNATURE(SPARSE_GRAD)
#define MASKED(list)                                                                          \
    .by_mask = true, .query = list##_query, .names = list##_blockSparseMask,                  \
    .lengths = list##_actualSeqLengthsOptional, .scale = list##_scaleValue,                   \
    .heads = list##_numKeyValueHeads, .layout = list##_qInputLayout, .mode = list##_maskType, \
    .block = list##_blockShape, .refused[0] = list##_attenMaskOptional
static const struct named_form sparse = {MASKED(SPARSE), .outputs = SPARSE_attentionOut,
                                         .refused[1] = SPARSE_blockTableOptional,
                                         .lse_flag = SPARSE_softmaxLseFlag};
static const struct named_form sparse_grad = {MASKED(SPARSE_GRAD),
                                              .is_gradient = true,
                                              .outputs = SPARSE_GRAD_dQueryOut,
                                              .refused[1] = NO_PLACE,
                                              .out = SPARSE_GRAD_attentionOut,
                                              .d_out = SPARSE_GRAD_dOut,
                                              .maximum = NO_PLACE,
                                              .sum = SPARSE_GRAD_softmaxLse};

#define NAMES(form)                                                                      \
    .family = FAMILY_ATTENTION, .promise = &promise_sum, .of_family = (form), ROW_TASKS, \
    .infer = named_infer, .plan = named_plan
FUNCTION_OF(aclnnNsaSelectedAttention, SELECTED, .stem = "nsa_selected_attention", NAMES(&selected));
FUNCTION_OF(aclnnNsaSelectedAttentionGrad, SELECTED_GRAD, .stem = "nsa_selected_attention_grad",
            NAMES(&selected_grad));
FUNCTION_OF(aclnnBlockSparseAttention, SPARSE, .stem = "block_sparse_attention", NAMES(&sparse));
FUNCTION_OF(aclnnBlockSparseAttentionGrad, SPARSE_GRAD, .stem = "block_sparse_attention_grad",
            NAMES(&sparse_grad));
