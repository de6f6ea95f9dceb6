/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FusedInferAttentionScore and its later versions.
 */
#include "aclnnop/aclnn_fused_infer_attention_score.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v2.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v3.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v4.h"
#include "aclnnop/aclnn_fused_infer_attention_score_v5.h"
#include "ops/attention/inference.h"
#include "ops/check.h"
#include "ops/dtypes.h"
#include "ops/function.h"

/* Rows beyond the lengths that are given, and pages that nothing names, are not read. */
#define OPERAND(name, sample_) READ(name, &dtypes_fp32_fp16_bf16, .sample = (sample_), .is_partly_read = true)
#define OPERANDS(name, sample_)                                                            \
    READ(name, &dtypes_fp32_fp16_bf16, .kind = PARAMETER_TENSOR_LIST, .sample = (sample_), \
         .is_partly_read = true)
#define OPTIONAL(name, sample_) READ(name, &dtypes_fp32_fp16_bf16, .is_optional = true, .sample = (sample_))
#define ABSENT(name)            READ(name, &dtypes_all, .is_optional = true, .sample = "")
#define LENGTHS(name)                                                           \
    {                                                                           \
        (name), .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = "3" \
    }
#define MASK READ("attenMaskOptional", &dtypes_int8_uint8_bool, .is_optional = true, .sample = "3x5:BOOL")

/* Each version has the parameters of the one before it, and more. */
#define INPUTS_V1                                                                                          \
    OPERAND("query", "2x2x3x4"), OPERANDS("key", "1x2x5x4"), OPERANDS("value", "1x2x5x4"),                 \
        OPTIONAL("pseShiftOptional", "1x2x3x5"), MASK, LENGTHS("actualSeqLengthsOptional"),                \
        LENGTHS("actualSeqLengthsKvOptional"), ABSENT("deqScale1Optional"), ABSENT("quantScale1Optional"), \
        ABSENT("deqScale2Optional"), ABSENT("quantScale2Optional"), ABSENT("quantOffset2Optional"),        \
        ABSENT("antiquantScaleOptional"), ABSENT("antiquantOffsetOptional"),                               \
        READ("blockTableOptional", &dtypes_int32, .is_optional = true, .sample = ""),                      \
        ABSENT("queryPaddingSizeOptional"),                                                                \
        READ("kvPaddingSizeOptional", &dtypes_int64, .is_optional = true, .sample = "")
#define INPUTS_V2                                                                                       \
    INPUTS_V1, ABSENT("keyAntiquantScaleOptional"), ABSENT("keyAntiquantOffsetOptional"),               \
        ABSENT("valueAntiquantScaleOptional"), ABSENT("valueAntiquantOffsetOptional"),                  \
        ABSENT("keySharedPrefixOptional"), ABSENT("valueSharedPrefixOptional"),                         \
    {                                                                                                   \
        "actualSharedPrefixLenOptional", .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = "" \
    }
#define INPUTS_V3                                                                  \
    INPUTS_V2, OPTIONAL("queryRopeOptional", ""), OPTIONAL("keyRopeOptional", ""), \
        ABSENT("keyRopeAntiquantScaleOptional")
#define INPUTS_V4 INPUTS_V3, ABSENT("dequantScaleQueryOptional"), OPTIONAL("learnableSinkOptional", "")
#define INPUTS_V5                                                                                     \
    INPUTS_V4, {"qStartIdxOptional", .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = ""}, \
    {                                                                                                 \
        "kvStartIdxOptional", .kind = PARAMETER_INT_ARRAY, .is_optional = true, .sample = ""          \
    }
#define OPTIONS_V1                                                                                          \
    USUAL("numHeads", INT64, "2"), USUAL("scaleValue", DOUBLE, "1"),                                        \
        USUAL("preTokens", INT64, "2147483647"), USUAL("nextTokens", INT64, "2147483647"),                  \
        USUAL("inputLayout", STRING, "BNSD"), USUAL("numKeyValueHeads", INT64, "0"),                        \
        USUAL("sparseMode", INT64, "0"), USUAL("innerPrecise", INT64, "0"), USUAL("blockSize", INT64, "0"), \
        USUAL("antiquantMode", INT64, "0"), USUAL("softmaxLseFlag", BOOL, "true")
#define OPTIONS_V2 OPTIONS_V1, USUAL("keyAntiquantMode", INT64, "0"), USUAL("valueAntiquantMode", INT64, "0")
#define OPTIONS_V4 OPTIONS_V2, USUAL("queryQuantMode", INT64, "0")
#define OPTIONS_V5 OPTIONS_V4, USUAL("pseType", INT64, "0")
#define OUTPUTS \
    WRITTEN("attentionOut", &dtypes_fp32_fp16_bf16), WRITTEN("softmaxLse", &dtypes_fp32, .is_optional = true)

static const struct attention_inference fused_infer_attention_score_places = {.row_lengths = 5,
                                                                              .key_lengths = 6,
                                                                              .pages = 14,
                                                                              .padding = 16,
                                                                              .query_rope = NOWHERE,
                                                                              .key_rope = NOWHERE,
                                                                              .heads = 17,
                                                                              .scale = 18,
                                                                              .tokens = 19,
                                                                              .layout = 21,
                                                                              .key_heads = 22,
                                                                              .mode = 23,
                                                                              .page = 25,
                                                                              .wants_lse = 27,
                                                                              .out = 28,
                                                                              .lse = 29};
static const struct parameter fused_infer_attention_score[] = {INPUTS_V1, OPTIONS_V1, OUTPUTS};
FUNCTION(aclnnFusedInferAttentionScore,
         (const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
          const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
          const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
          const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
          const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
          const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
          const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
          const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional, int64_t numHeads,
          double scaleValue, int64_t preTokens, int64_t nextTokens, char *inputLayout,
          int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
          int64_t antiquantMode, bool softmaxLseFlag, const aclTensor *attentionOut,
          const aclTensor *softmaxLse),
         (ARG(query), ARG(key), ARG(value), ARG(pseShiftOptional), ARG(attenMaskOptional),
          ARG(actualSeqLengthsOptional), ARG(actualSeqLengthsKvOptional), ARG(deqScale1Optional),
          ARG(quantScale1Optional), ARG(deqScale2Optional), ARG(quantScale2Optional),
          ARG(quantOffset2Optional), ARG(antiquantScaleOptional), ARG(antiquantOffsetOptional),
          ARG(blockTableOptional), ARG(queryPaddingSizeOptional), ARG(kvPaddingSizeOptional), ARG(numHeads),
          ARG(scaleValue), ARG(preTokens), ARG(nextTokens), ARG(inputLayout), ARG(numKeyValueHeads),
          ARG(sparseMode), ARG(innerPrecise), ARG(blockSize), ARG(antiquantMode), ARG(softmaxLseFlag),
          ARG(attentionOut), ARG(softmaxLse)),
         .stem = "fused_infer_attention_score", PARAMETERS(fused_infer_attention_score),
         INFERENCE(&fused_infer_attention_score_places));

static const struct attention_inference fused_infer_attention_score_v2_places = {.row_lengths = 5,
                                                                                 .key_lengths = 6,
                                                                                 .pages = 14,
                                                                                 .padding = 16,
                                                                                 .query_rope = NOWHERE,
                                                                                 .key_rope = NOWHERE,
                                                                                 .heads = 24,
                                                                                 .scale = 25,
                                                                                 .tokens = 26,
                                                                                 .layout = 28,
                                                                                 .key_heads = 29,
                                                                                 .mode = 30,
                                                                                 .page = 32,
                                                                                 .wants_lse = 34,
                                                                                 .out = 37,
                                                                                 .lse = 38};
static const struct parameter fused_infer_attention_score_v2[] = {INPUTS_V2, OPTIONS_V2, OUTPUTS};
FUNCTION(aclnnFusedInferAttentionScoreV2,
         (const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
          const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
          const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
          const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
          const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
          const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
          const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
          const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional,
          const aclTensor *keyAntiquantScaleOptional, const aclTensor *keyAntiquantOffsetOptional,
          const aclTensor *valueAntiquantScaleOptional, const aclTensor *valueAntiquantOffsetOptional,
          const aclTensor *keySharedPrefixOptional, const aclTensor *valueSharedPrefixOptional,
          const aclIntArray *actualSharedPrefixLenOptional, int64_t numHeads, double scaleValue,
          int64_t preTokens, int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads,
          int64_t sparseMode, int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode,
          bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
          const aclTensor *attentionOut, const aclTensor *softmaxLse),
         (ARG(query), ARG(key), ARG(value), ARG(pseShiftOptional), ARG(attenMaskOptional),
          ARG(actualSeqLengthsOptional), ARG(actualSeqLengthsKvOptional), ARG(deqScale1Optional),
          ARG(quantScale1Optional), ARG(deqScale2Optional), ARG(quantScale2Optional),
          ARG(quantOffset2Optional), ARG(antiquantScaleOptional), ARG(antiquantOffsetOptional),
          ARG(blockTableOptional), ARG(queryPaddingSizeOptional), ARG(kvPaddingSizeOptional),
          ARG(keyAntiquantScaleOptional), ARG(keyAntiquantOffsetOptional), ARG(valueAntiquantScaleOptional),
          ARG(valueAntiquantOffsetOptional), ARG(keySharedPrefixOptional), ARG(valueSharedPrefixOptional),
          ARG(actualSharedPrefixLenOptional), ARG(numHeads), ARG(scaleValue), ARG(preTokens), ARG(nextTokens),
          ARG(inputLayout), ARG(numKeyValueHeads), ARG(sparseMode), ARG(innerPrecise), ARG(blockSize),
          ARG(antiquantMode), ARG(softmaxLseFlag), ARG(keyAntiquantMode), ARG(valueAntiquantMode),
          ARG(attentionOut), ARG(softmaxLse)),
         .stem = "fused_infer_attention_score_v2", PARAMETERS(fused_infer_attention_score_v2),
         INFERENCE(&fused_infer_attention_score_v2_places));

static const struct attention_inference fused_infer_attention_score_v3_places = {.row_lengths = 5,
                                                                                 .key_lengths = 6,
                                                                                 .pages = 14,
                                                                                 .padding = 16,
                                                                                 .query_rope = 24,
                                                                                 .key_rope = 25,
                                                                                 .heads = 27,
                                                                                 .scale = 28,
                                                                                 .tokens = 29,
                                                                                 .layout = 31,
                                                                                 .key_heads = 32,
                                                                                 .mode = 33,
                                                                                 .page = 35,
                                                                                 .wants_lse = 37,
                                                                                 .out = 40,
                                                                                 .lse = 41};
static const struct parameter fused_infer_attention_score_v3[] = {INPUTS_V3, OPTIONS_V2, OUTPUTS};
FUNCTION(aclnnFusedInferAttentionScoreV3,
         (const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
          const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
          const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
          const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
          const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
          const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
          const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
          const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional,
          const aclTensor *keyAntiquantScaleOptional, const aclTensor *keyAntiquantOffsetOptional,
          const aclTensor *valueAntiquantScaleOptional, const aclTensor *valueAntiquantOffsetOptional,
          const aclTensor *keySharedPrefixOptional, const aclTensor *valueSharedPrefixOptional,
          const aclIntArray *actualSharedPrefixLenOptional, const aclTensor *queryRopeOptional,
          const aclTensor *keyRopeOptional, const aclTensor *keyRopeAntiquantScaleOptional, int64_t numHeads,
          double scaleValue, int64_t preTokens, int64_t nextTokens, char *inputLayout,
          int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
          int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
          const aclTensor *attentionOut, const aclTensor *softmaxLse),
         (ARG(query), ARG(key), ARG(value), ARG(pseShiftOptional), ARG(attenMaskOptional),
          ARG(actualSeqLengthsOptional), ARG(actualSeqLengthsKvOptional), ARG(deqScale1Optional),
          ARG(quantScale1Optional), ARG(deqScale2Optional), ARG(quantScale2Optional),
          ARG(quantOffset2Optional), ARG(antiquantScaleOptional), ARG(antiquantOffsetOptional),
          ARG(blockTableOptional), ARG(queryPaddingSizeOptional), ARG(kvPaddingSizeOptional),
          ARG(keyAntiquantScaleOptional), ARG(keyAntiquantOffsetOptional), ARG(valueAntiquantScaleOptional),
          ARG(valueAntiquantOffsetOptional), ARG(keySharedPrefixOptional), ARG(valueSharedPrefixOptional),
          ARG(actualSharedPrefixLenOptional), ARG(queryRopeOptional), ARG(keyRopeOptional),
          ARG(keyRopeAntiquantScaleOptional), ARG(numHeads), ARG(scaleValue), ARG(preTokens), ARG(nextTokens),
          ARG(inputLayout), ARG(numKeyValueHeads), ARG(sparseMode), ARG(innerPrecise), ARG(blockSize),
          ARG(antiquantMode), ARG(softmaxLseFlag), ARG(keyAntiquantMode), ARG(valueAntiquantMode),
          ARG(attentionOut), ARG(softmaxLse)),
         .stem = "fused_infer_attention_score_v3", PARAMETERS(fused_infer_attention_score_v3),
         INFERENCE(&fused_infer_attention_score_v3_places));
ALSO_CALLED(aclnnFusedInferAttentionScoreV3GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV3GetWorkspaceSize);

/* With the scale of a quantised query, which must be NULL, and a sink. */
static const struct attention_inference fused_infer_attention_score_v4_places = {.row_lengths = 5,
                                                                                 .key_lengths = 6,
                                                                                 .pages = 14,
                                                                                 .padding = 16,
                                                                                 .query_rope = 24,
                                                                                 .key_rope = 25,
                                                                                 .heads = 29,
                                                                                 .scale = 30,
                                                                                 .tokens = 31,
                                                                                 .layout = 33,
                                                                                 .key_heads = 34,
                                                                                 .mode = 35,
                                                                                 .page = 37,
                                                                                 .wants_lse = 39,
                                                                                 .out = 43,
                                                                                 .lse = 44,
                                                                                 .sink = 28};
static const struct parameter fused_infer_attention_score_v4[] = {INPUTS_V4, OPTIONS_V4, OUTPUTS};
FUNCTION(aclnnFusedInferAttentionScoreV4,
         (const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
          const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
          const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
          const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
          const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
          const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
          const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
          const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional,
          const aclTensor *keyAntiquantScaleOptional, const aclTensor *keyAntiquantOffsetOptional,
          const aclTensor *valueAntiquantScaleOptional, const aclTensor *valueAntiquantOffsetOptional,
          const aclTensor *keySharedPrefixOptional, const aclTensor *valueSharedPrefixOptional,
          const aclIntArray *actualSharedPrefixLenOptional, const aclTensor *queryRopeOptional,
          const aclTensor *keyRopeOptional, const aclTensor *keyRopeAntiquantScaleOptional,
          const aclTensor *dequantScaleQueryOptional, const aclTensor *learnableSinkOptional,
          int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens, char *inputLayout,
          int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
          int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
          int64_t queryQuantMode, const aclTensor *attentionOut, const aclTensor *softmaxLse),
         (ARG(query), ARG(key), ARG(value), ARG(pseShiftOptional), ARG(attenMaskOptional),
          ARG(actualSeqLengthsOptional), ARG(actualSeqLengthsKvOptional), ARG(deqScale1Optional),
          ARG(quantScale1Optional), ARG(deqScale2Optional), ARG(quantScale2Optional),
          ARG(quantOffset2Optional), ARG(antiquantScaleOptional), ARG(antiquantOffsetOptional),
          ARG(blockTableOptional), ARG(queryPaddingSizeOptional), ARG(kvPaddingSizeOptional),
          ARG(keyAntiquantScaleOptional), ARG(keyAntiquantOffsetOptional), ARG(valueAntiquantScaleOptional),
          ARG(valueAntiquantOffsetOptional), ARG(keySharedPrefixOptional), ARG(valueSharedPrefixOptional),
          ARG(actualSharedPrefixLenOptional), ARG(queryRopeOptional), ARG(keyRopeOptional),
          ARG(keyRopeAntiquantScaleOptional), ARG(dequantScaleQueryOptional), ARG(learnableSinkOptional),
          ARG(numHeads), ARG(scaleValue), ARG(preTokens), ARG(nextTokens), ARG(inputLayout),
          ARG(numKeyValueHeads), ARG(sparseMode), ARG(innerPrecise), ARG(blockSize), ARG(antiquantMode),
          ARG(softmaxLseFlag), ARG(keyAntiquantMode), ARG(valueAntiquantMode), ARG(queryQuantMode),
          ARG(attentionOut), ARG(softmaxLse)),
         .stem = "fused_infer_attention_score_v4", PARAMETERS(fused_infer_attention_score_v4),
         INFERENCE(&fused_infer_attention_score_v4_places));
ALSO_CALLED(aclnnFusedInferAttentionScoreV4GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV4GetWorkspaceSize);

/* V5 has, behind those of V4, where queries and keys begin, which must be NULL. */
static const struct attention_inference fused_infer_attention_score_v5_places = {.row_lengths = 5,
                                                                                 .key_lengths = 6,
                                                                                 .pages = 14,
                                                                                 .padding = 16,
                                                                                 .query_rope = 24,
                                                                                 .key_rope = 25,
                                                                                 .heads = 31,
                                                                                 .scale = 32,
                                                                                 .tokens = 33,
                                                                                 .layout = 35,
                                                                                 .key_heads = 36,
                                                                                 .mode = 37,
                                                                                 .page = 39,
                                                                                 .wants_lse = 41,
                                                                                 .out = 46,
                                                                                 .lse = 47,
                                                                                 .sink = 28};
static aclnnStatus infer_v5(const struct call *call, struct result *result)
{
    enum { PSE_TYPE = 44 };
    TRY(attention_inference_infer(call, result));
    return call->argument[PSE_TYPE].int64 == 0
               ? ACLNN_SUCCESS
               : refuse(call, "pseType is %lld; 0 is expected", (long long)call->argument[PSE_TYPE].int64);
}

static const struct parameter fused_infer_attention_score_v5[] = {INPUTS_V5, OPTIONS_V5, OUTPUTS};
FUNCTION(aclnnFusedInferAttentionScoreV5,
         (const aclTensor *query, const aclTensorList *key, const aclTensorList *value,
          const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
          const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
          const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
          const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
          const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
          const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
          const aclTensor *queryPaddingSizeOptional, const aclTensor *kvPaddingSizeOptional,
          const aclTensor *keyAntiquantScaleOptional, const aclTensor *keyAntiquantOffsetOptional,
          const aclTensor *valueAntiquantScaleOptional, const aclTensor *valueAntiquantOffsetOptional,
          const aclTensor *keySharedPrefixOptional, const aclTensor *valueSharedPrefixOptional,
          const aclIntArray *actualSharedPrefixLenOptional, const aclTensor *queryRopeOptional,
          const aclTensor *keyRopeOptional, const aclTensor *keyRopeAntiquantScaleOptional,
          const aclTensor *dequantScaleQueryOptional, const aclTensor *learnableSinkOptional,
          const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, int64_t numHeads,
          double scaleValue, int64_t preTokens, int64_t nextTokens, char *inputLayout,
          int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise, int64_t blockSize,
          int64_t antiquantMode, bool softmaxLseFlag, int64_t keyAntiquantMode, int64_t valueAntiquantMode,
          int64_t queryQuantMode, int64_t pseType, const aclTensor *attentionOut,
          const aclTensor *softmaxLse),
         (ARG(query), ARG(key), ARG(value), ARG(pseShiftOptional), ARG(attenMaskOptional),
          ARG(actualSeqLengthsOptional), ARG(actualSeqLengthsKvOptional), ARG(deqScale1Optional),
          ARG(quantScale1Optional), ARG(deqScale2Optional), ARG(quantScale2Optional),
          ARG(quantOffset2Optional), ARG(antiquantScaleOptional), ARG(antiquantOffsetOptional),
          ARG(blockTableOptional), ARG(queryPaddingSizeOptional), ARG(kvPaddingSizeOptional),
          ARG(keyAntiquantScaleOptional), ARG(keyAntiquantOffsetOptional), ARG(valueAntiquantScaleOptional),
          ARG(valueAntiquantOffsetOptional), ARG(keySharedPrefixOptional), ARG(valueSharedPrefixOptional),
          ARG(actualSharedPrefixLenOptional), ARG(queryRopeOptional), ARG(keyRopeOptional),
          ARG(keyRopeAntiquantScaleOptional), ARG(dequantScaleQueryOptional), ARG(learnableSinkOptional),
          ARG(qStartIdxOptional), ARG(kvStartIdxOptional), ARG(numHeads), ARG(scaleValue), ARG(preTokens),
          ARG(nextTokens), ARG(inputLayout), ARG(numKeyValueHeads), ARG(sparseMode), ARG(innerPrecise),
          ARG(blockSize), ARG(antiquantMode), ARG(softmaxLseFlag), ARG(keyAntiquantMode),
          ARG(valueAntiquantMode), ARG(queryQuantMode), ARG(pseType), ARG(attentionOut), ARG(softmaxLse)),
         .stem = "fused_infer_attention_score_v5", PARAMETERS(fused_infer_attention_score_v5),
         INFERENCE_BY(&fused_infer_attention_score_v5_places, infer_v5));
ALSO_CALLED(aclnnFusedInferAttentionScoreV5GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV5GetWorkspaceSize);
