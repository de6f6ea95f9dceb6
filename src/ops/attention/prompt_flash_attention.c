/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * PromptFlashAttention and IncreFlashAttention: attention of whole prompts, and of a row at a time.
 */
#include "aclnnop/aclnn_prompt_flash_attention.h"
#include "aclnnop/aclnn_prompt_flash_attention_v2.h"
#include "aclnnop/aclnn_prompt_flash_attention_v3.h"
#include "aclnnop/aclnn_incre_flash_attention.h"
#include "aclnnop/aclnn_incre_flash_attention_v4.h"
#include "ops/attention/inference_parameters.h"

#define PROMPT_FLASH_ATTENTION(X, of)             \
    OPERAND(X, of, query, "2x2x3x4")              \
    OPERAND(X, of, key, "2x2x5x4")                \
    OPERAND(X, of, value, "2x2x5x4")              \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")  \
    MASK(X, of)                                   \
    LENGTHS(X, of, actualSeqLengthsOptional, "3") \
    NUMBER(X, of, numHeads, "2")                  \
    X(of, DOUBLE, scaleValue, .usual = "1")       \
    NUMBER(X, of, preTokens, "2147483647")        \
    NUMBER(X, of, nextTokens, "2147483647")       \
    X(of, TEXT, inputLayout, .usual = "BNSD")     \
    NUMBER(X, of, numKeyValueHeads, "0")          \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(PROMPT_FLASH_ATTENTION)
static const struct attention_inference prompt_flash_attention_places = {
    .row_lengths = PROMPT_FLASH_ATTENTION_actualSeqLengthsOptional,
    .key_lengths = NOWHERE,
    .pages = NOWHERE,
    .padding = NOWHERE,
    .query_rope = NOWHERE,
    .key_rope = NOWHERE,
    .heads = PROMPT_FLASH_ATTENTION_numHeads,
    .scale = PROMPT_FLASH_ATTENTION_scaleValue,
    .tokens = PROMPT_FLASH_ATTENTION_preTokens,
    .layout = PROMPT_FLASH_ATTENTION_inputLayout,
    .key_heads = PROMPT_FLASH_ATTENTION_numKeyValueHeads,
    .mode = NOWHERE,
    .page = NOWHERE,
    .wants_lse = NOWHERE,
    .out = PROMPT_FLASH_ATTENTION_attentionOut,
    .lse = NOWHERE};
FUNCTION_OF(aclnnPromptFlashAttention, PROMPT_FLASH_ATTENTION, .stem = "prompt_flash_attention",
            INFERENCE(&prompt_flash_attention_places));

#define PROMPT_FLASH_ATTENTION_V2(X, of)            \
    OPERAND(X, of, query, "2x2x3x4")                \
    OPERAND(X, of, key, "2x2x5x4")                  \
    OPERAND(X, of, value, "2x2x5x4")                \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")    \
    MASK(X, of)                                     \
    LENGTHS(X, of, actualSeqLengthsOptional, "3")   \
    LENGTHS(X, of, actualSeqLengthsKvOptional, "3") \
    ABSENT(X, of, deqScale1Optional)                \
    ABSENT(X, of, quantScale1Optional)              \
    ABSENT(X, of, deqScale2Optional)                \
    ABSENT(X, of, quantScale2Optional)              \
    ABSENT(X, of, quantOffset2Optional)             \
    NUMBER(X, of, numHeads, "2")                    \
    X(of, DOUBLE, scaleValue, .usual = "1")         \
    NUMBER(X, of, preTokens, "2147483647")          \
    NUMBER(X, of, nextTokens, "2147483647")         \
    X(of, TEXT, inputLayout, .usual = "BNSD")       \
    NUMBER(X, of, numKeyValueHeads, "0")            \
    NUMBER(X, of, sparseMode, "0")                  \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(PROMPT_FLASH_ATTENTION_V2)
static const struct attention_inference prompt_flash_attention_v2_places = {
    .row_lengths = PROMPT_FLASH_ATTENTION_V2_actualSeqLengthsOptional,
    .key_lengths = PROMPT_FLASH_ATTENTION_V2_actualSeqLengthsKvOptional,
    .pages = NOWHERE,
    .padding = NOWHERE,
    .query_rope = NOWHERE,
    .key_rope = NOWHERE,
    .heads = PROMPT_FLASH_ATTENTION_V2_numHeads,
    .scale = PROMPT_FLASH_ATTENTION_V2_scaleValue,
    .tokens = PROMPT_FLASH_ATTENTION_V2_preTokens,
    .layout = PROMPT_FLASH_ATTENTION_V2_inputLayout,
    .key_heads = PROMPT_FLASH_ATTENTION_V2_numKeyValueHeads,
    .mode = PROMPT_FLASH_ATTENTION_V2_sparseMode,
    .page = NOWHERE,
    .wants_lse = NOWHERE,
    .out = PROMPT_FLASH_ATTENTION_V2_attentionOut,
    .lse = NOWHERE};
FUNCTION_OF(aclnnPromptFlashAttentionV2, PROMPT_FLASH_ATTENTION_V2, .stem = "prompt_flash_attention_v2",
            INFERENCE(&prompt_flash_attention_v2_places));

#define PROMPT_FLASH_ATTENTION_V3(X, of)            \
    OPERAND(X, of, query, "2x2x3x4")                \
    OPERAND(X, of, key, "2x2x5x4")                  \
    OPERAND(X, of, value, "2x2x5x4")                \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")    \
    MASK(X, of)                                     \
    LENGTHS(X, of, actualSeqLengthsOptional, "3")   \
    LENGTHS(X, of, actualSeqLengthsKvOptional, "3") \
    ABSENT(X, of, deqScale1Optional)                \
    ABSENT(X, of, quantScale1Optional)              \
    ABSENT(X, of, deqScale2Optional)                \
    ABSENT(X, of, quantScale2Optional)              \
    ABSENT(X, of, quantOffset2Optional)             \
    NUMBER(X, of, numHeads, "2")                    \
    X(of, DOUBLE, scaleValue, .usual = "1")         \
    NUMBER(X, of, preTokens, "2147483647")          \
    NUMBER(X, of, nextTokens, "2147483647")         \
    X(of, TEXT, inputLayout, .usual = "BNSD")       \
    NUMBER(X, of, numKeyValueHeads, "0")            \
    NUMBER(X, of, sparseMode, "0")                  \
    NUMBER(X, of, innerPrecise, "0")                \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(PROMPT_FLASH_ATTENTION_V3)
static const struct attention_inference prompt_flash_attention_v3_places = {
    .row_lengths = PROMPT_FLASH_ATTENTION_V3_actualSeqLengthsOptional,
    .key_lengths = PROMPT_FLASH_ATTENTION_V3_actualSeqLengthsKvOptional,
    .pages = NOWHERE,
    .padding = NOWHERE,
    .query_rope = NOWHERE,
    .key_rope = NOWHERE,
    .heads = PROMPT_FLASH_ATTENTION_V3_numHeads,
    .scale = PROMPT_FLASH_ATTENTION_V3_scaleValue,
    .tokens = PROMPT_FLASH_ATTENTION_V3_preTokens,
    .layout = PROMPT_FLASH_ATTENTION_V3_inputLayout,
    .key_heads = PROMPT_FLASH_ATTENTION_V3_numKeyValueHeads,
    .mode = PROMPT_FLASH_ATTENTION_V3_sparseMode,
    .page = NOWHERE,
    .wants_lse = NOWHERE,
    .out = PROMPT_FLASH_ATTENTION_V3_attentionOut,
    .lse = NOWHERE};
FUNCTION_OF(aclnnPromptFlashAttentionV3, PROMPT_FLASH_ATTENTION_V3, .stem = "prompt_flash_attention_v3",
            INFERENCE(&prompt_flash_attention_v3_places));

#define INCRE_FLASH_ATTENTION(X, of)                          \
    OPERAND(X, of, query, "2x2x3x4")                          \
    OPERANDS(X, of, key, &dtypes_fp32_fp16_bf16, "1x2x5x4")   \
    OPERANDS(X, of, value, &dtypes_fp32_fp16_bf16, "1x2x5x4") \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")              \
    MASK(X, of)                                               \
    LENGTHS(X, of, actualSeqLengthsOptional, "3")             \
    NUMBER(X, of, numHeads, "2")                              \
    X(of, DOUBLE, scaleValue, .usual = "1")                   \
    X(of, TEXT, inputLayout, .usual = "BNSD")                 \
    NUMBER(X, of, numKeyValueHeads, "0")                      \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(INCRE_FLASH_ATTENTION)
static const struct attention_inference incre_flash_attention_places = {
    .row_lengths = NOWHERE,
    .key_lengths = INCRE_FLASH_ATTENTION_actualSeqLengthsOptional,
    .pages = NOWHERE,
    .padding = NOWHERE,
    .query_rope = NOWHERE,
    .key_rope = NOWHERE,
    .heads = INCRE_FLASH_ATTENTION_numHeads,
    .scale = INCRE_FLASH_ATTENTION_scaleValue,
    .tokens = NOWHERE,
    .layout = INCRE_FLASH_ATTENTION_inputLayout,
    .key_heads = INCRE_FLASH_ATTENTION_numKeyValueHeads,
    .mode = NOWHERE,
    .page = NOWHERE,
    .wants_lse = NOWHERE,
    .out = INCRE_FLASH_ATTENTION_attentionOut,
    .lse = NOWHERE};
FUNCTION_OF(aclnnIncreFlashAttention, INCRE_FLASH_ATTENTION, .stem = "incre_flash_attention",
            INFERENCE(&incre_flash_attention_places));

#define INCRE_FLASH_ATTENTION_V4(X, of)                                                \
    OPERAND(X, of, query, "2x2x3x4")                                                   \
    OPERANDS(X, of, key, &dtypes_fp32_fp16_bf16, "1x2x5x4")                            \
    OPERANDS(X, of, value, &dtypes_fp32_fp16_bf16, "1x2x5x4")                          \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")                                       \
    MASK(X, of)                                                                        \
    LENGTHS(X, of, actualSeqLengthsOptional, "3")                                      \
    ABSENT(X, of, deqScale1Optional)                                                   \
    ABSENT(X, of, quantScale1Optional)                                                 \
    ABSENT(X, of, deqScale2Optional)                                                   \
    ABSENT(X, of, quantScale2Optional)                                                 \
    ABSENT(X, of, quantOffset2Optional)                                                \
    ABSENT(X, of, antiquantScaleOptional)                                              \
    ABSENT(X, of, antiquantOffsetOptional)                                             \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "")    \
    X(of, IN, kvPaddingSizeOptional, &dtypes_int64, .is_optional = true, .sample = "") \
    NUMBER(X, of, numHeads, "2")                                                       \
    X(of, DOUBLE, scaleValue, .usual = "1")                                            \
    X(of, TEXT, inputLayout, .usual = "BNSD")                                          \
    NUMBER(X, of, numKeyValueHeads, "0")                                               \
    NUMBER(X, of, blockSize, "0")                                                      \
    NUMBER(X, of, innerPrecise, "0")                                                   \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16)
SIGNATURE(INCRE_FLASH_ATTENTION_V4)
static const struct attention_inference incre_flash_attention_v4_places = {
    .row_lengths = NOWHERE,
    .key_lengths = INCRE_FLASH_ATTENTION_V4_actualSeqLengthsOptional,
    .pages = INCRE_FLASH_ATTENTION_V4_blockTableOptional,
    .padding = INCRE_FLASH_ATTENTION_V4_kvPaddingSizeOptional,
    .query_rope = NOWHERE,
    .key_rope = NOWHERE,
    .heads = INCRE_FLASH_ATTENTION_V4_numHeads,
    .scale = INCRE_FLASH_ATTENTION_V4_scaleValue,
    .tokens = NOWHERE,
    .layout = INCRE_FLASH_ATTENTION_V4_inputLayout,
    .key_heads = INCRE_FLASH_ATTENTION_V4_numKeyValueHeads,
    .mode = NOWHERE,
    .page = INCRE_FLASH_ATTENTION_V4_blockSize,
    .wants_lse = NOWHERE,
    .out = INCRE_FLASH_ATTENTION_V4_attentionOut,
    .lse = NOWHERE};
FUNCTION_OF(aclnnIncreFlashAttentionV4, INCRE_FLASH_ATTENTION_V4, .stem = "incre_flash_attention_v4",
            INFERENCE(&incre_flash_attention_v4_places));
