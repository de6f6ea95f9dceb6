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
#include "ops/attention/inference_parameters.h"
#include "ops/check.h"

/* Each version has the parameters of the one before it, and more. */
#define INPUTS_V1(X, of) INPUTS_OF(X, of, &dtypes_fp32_fp16_bf16)
#define INPUTS_OF(X, of, dtypes)                                                    \
    OPERAND(X, of, query, "2x2x3x4")                                                \
    OPERANDS(X, of, key, dtypes, "1x2x5x4")                                         \
    OPERANDS(X, of, value, dtypes, "1x2x5x4")                                       \
    OPTIONAL(X, of, pseShiftOptional, "1x2x3x5")                                    \
    MASK(X, of)                                                                     \
    LENGTHS(X, of, actualSeqLengthsOptional, "3")                                   \
    LENGTHS(X, of, actualSeqLengthsKvOptional, "3")                                 \
    ABSENT(X, of, deqScale1Optional)                                                \
    ABSENT(X, of, quantScale1Optional)                                              \
    ABSENT(X, of, deqScale2Optional)                                                \
    ABSENT(X, of, quantScale2Optional)                                              \
    ABSENT(X, of, quantOffset2Optional)                                             \
    ABSENT(X, of, antiquantScaleOptional)                                           \
    ABSENT(X, of, antiquantOffsetOptional)                                          \
    X(of, IN, blockTableOptional, &dtypes_int32, .is_optional = true, .sample = "") \
    ABSENT(X, of, queryPaddingSizeOptional)                                         \
    X(of, IN, kvPaddingSizeOptional, &dtypes_int64, .is_optional = true, .sample = "")
#define INPUTS_V2(X, of)                                          \
    INPUTS_OF(X, of, &dtypes_fp32_fp16_bf16_int8_hifloat8_float8) \
    OPTIONAL(X, of, keyAntiquantScaleOptional, "")                \
    OPTIONAL(X, of, keyAntiquantOffsetOptional, "")               \
    OPTIONAL(X, of, valueAntiquantScaleOptional, "")              \
    OPTIONAL(X, of, valueAntiquantOffsetOptional, "")             \
    ABSENT(X, of, keySharedPrefixOptional)                        \
    ABSENT(X, of, valueSharedPrefixOptional)                      \
    LENGTHS(X, of, actualSharedPrefixLenOptional, "")
#define INPUTS_V3(X, of)                   \
    INPUTS_V2(X, of)                       \
    OPTIONAL(X, of, queryRopeOptional, "") \
    OPTIONAL(X, of, keyRopeOptional, "")   \
    ABSENT(X, of, keyRopeAntiquantScaleOptional)
#define INPUTS_V4(X, of)                     \
    INPUTS_V3(X, of)                         \
    ABSENT(X, of, dequantScaleQueryOptional) \
    OPTIONAL(X, of, learnableSinkOptional, "")
#define INPUTS_V5(X, of)                  \
    INPUTS_V4(X, of)                      \
    LENGTHS(X, of, qStartIdxOptional, "") \
    LENGTHS(X, of, kvStartIdxOptional, "")
#define OPTIONS_V1(X, of)                     \
    NUMBER(X, of, numHeads, "2")              \
    X(of, DOUBLE, scaleValue, .usual = "1")   \
    NUMBER(X, of, preTokens, "2147483647")    \
    NUMBER(X, of, nextTokens, "2147483647")   \
    X(of, TEXT, inputLayout, .usual = "BNSD") \
    NUMBER(X, of, numKeyValueHeads, "0")      \
    NUMBER(X, of, sparseMode, "0")            \
    NUMBER(X, of, innerPrecise, "0")          \
    NUMBER(X, of, blockSize, "0")             \
    NUMBER(X, of, antiquantMode, "0")         \
    X(of, BOOL, softmaxLseFlag, .usual = "true")
#define OPTIONS_V2(X, of)                \
    OPTIONS_V1(X, of)                    \
    NUMBER(X, of, keyAntiquantMode, "0") \
    NUMBER(X, of, valueAntiquantMode, "0")
#define OPTIONS_V4(X, of) \
    OPTIONS_V2(X, of)     \
    NUMBER(X, of, queryQuantMode, "0")
#define OPTIONS_V5(X, of) \
    OPTIONS_V4(X, of)     \
    NUMBER(X, of, pseType, "0")
#define OUTPUTS(X, of)                                     \
    X(of, CONST_OUT, attentionOut, &dtypes_fp32_fp16_bf16) \
    X(of, CONST_OUT, softmaxLse, &dtypes_fp32, .is_optional = true)

#define FUSED_V1(X, of) INPUTS_V1(X, of) OPTIONS_V1(X, of) OUTPUTS(X, of)
#define FUSED_V2(X, of) INPUTS_V2(X, of) OPTIONS_V2(X, of) OUTPUTS(X, of)
#define FUSED_V3(X, of) INPUTS_V3(X, of) OPTIONS_V2(X, of) OUTPUTS(X, of)
#define FUSED_V4(X, of) INPUTS_V4(X, of) OPTIONS_V4(X, of) OUTPUTS(X, of)
#define FUSED_V5(X, of) INPUTS_V5(X, of) OPTIONS_V5(X, of) OUTPUTS(X, of)
SIGNATURE(FUSED_V1)
SIGNATURE(FUSED_V2)
SIGNATURE(FUSED_V3)
SIGNATURE(FUSED_V4)
SIGNATURE(FUSED_V5)

/* Where the parameters are that all of them have, and what else a version has. */
#define PLACES(of, ...)                                     \
    static const struct attention_inference of##_places = { \
        .row_lengths = of##_actualSeqLengthsOptional,       \
        .key_lengths = of##_actualSeqLengthsKvOptional,     \
        .pages = of##_blockTableOptional,                   \
        .padding = of##_kvPaddingSizeOptional,              \
        .heads = of##_numHeads,                             \
        .scale = of##_scaleValue,                           \
        .tokens = of##_preTokens,                           \
        .layout = of##_inputLayout,                         \
        .key_heads = of##_numKeyValueHeads,                 \
        .mode = of##_sparseMode,                            \
        .page = of##_blockSize,                             \
        .wants_lse = of##_softmaxLseFlag,                   \
        .out = of##_attentionOut,                           \
        .lse = of##_softmaxLse,                             \
        __VA_ARGS__,                                        \
    }
#define WITH_SCALES(of) .scales = of##_keyAntiquantScaleOptional, .scale_modes = of##_keyAntiquantMode
#define WITHOUT_ROPE    .query_rope = NOWHERE, .key_rope = NOWHERE
#define WITH_ROPE(of)   .query_rope = of##_queryRopeOptional, .key_rope = of##_keyRopeOptional

PLACES(FUSED_V1, WITHOUT_ROPE);
PLACES(FUSED_V2, WITHOUT_ROPE, WITH_SCALES(FUSED_V2));
PLACES(FUSED_V3, WITH_ROPE(FUSED_V3), WITH_SCALES(FUSED_V3));
PLACES(FUSED_V4, WITH_ROPE(FUSED_V4), WITH_SCALES(FUSED_V4), .sink = FUSED_V4_learnableSinkOptional);
PLACES(FUSED_V5, WITH_ROPE(FUSED_V5), WITH_SCALES(FUSED_V5), .sink = FUSED_V5_learnableSinkOptional);

/* Where queries and keys begin must be NULL, and no pse is known but the usual one. */
static aclnnStatus infer_v5(const struct call *call, struct result *result)
{
    const int64_t type = call->argument[FUSED_V5_pseType].int64;
    TRY(attention_inference_infer(call, result));
    return type == 0 ? ACLNN_SUCCESS : refuse(call, "pseType is %lld; 0 is expected", (long long)type);
}

FUNCTION_OF(aclnnFusedInferAttentionScore, FUSED_V1, .stem = "fused_infer_attention_score",
            INFERENCE(&FUSED_V1_places));
FUNCTION_OF(aclnnFusedInferAttentionScoreV2, FUSED_V2, .stem = "fused_infer_attention_score_v2",
            INFERENCE(&FUSED_V2_places));
FUNCTION_OF(aclnnFusedInferAttentionScoreV3, FUSED_V3, .stem = "fused_infer_attention_score_v3",
            INFERENCE(&FUSED_V3_places));
ALSO_CALLED(aclnnFusedInferAttentionScoreV3GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV3GetWorkspaceSize);

/* With the scale of a quantised query, which must be NULL, and a sink. */
FUNCTION_OF(aclnnFusedInferAttentionScoreV4, FUSED_V4, .stem = "fused_infer_attention_score_v4",
            INFERENCE(&FUSED_V4_places));
ALSO_CALLED(aclnnFusedInferAttentionScoreV4GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV4GetWorkspaceSize);
FUNCTION_OF(aclnnFusedInferAttentionScoreV5, FUSED_V5, .stem = "fused_infer_attention_score_v5",
            INFERENCE_BY(&FUSED_V5_places, infer_v5));
ALSO_CALLED(aclnnFusedInferAttentionScoreV5GetMaxWorkspaceSize,
            aclnnFusedInferAttentionScoreV5GetWorkspaceSize);
