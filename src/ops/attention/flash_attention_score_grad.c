/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FlashAttentionScoreGrad and its kin: the gradients of query, key, value, pse and sink.
 */
#include "aclnnop/aclnn_flash_attention_score_grad.h"
#include "aclnnop/aclnn_quant_flash_attention_score_grad.h"

#include "ops/attention/parameters.h"

/* softmaxIn is reserved. */
/* softmaxInOptional is reserved. */
#define TENSORS_OF(X, of, query_, key_, pse_, statistic_) \
    OPERAND(X, of, query, query_)                         \
    OPERAND(X, of, keyIn, key_)                           \
    OPERAND(X, of, value, key_)                           \
    OPERAND(X, of, dy, query_)                            \
    OPTIONAL(X, of, pseShiftOptional, pse_)               \
    MASKS(X, of)                                          \
    STATISTIC(X, of, softmaxMaxOptional, statistic_)      \
    STATISTIC(X, of, softmaxSumOptional, statistic_)      \
    NOT_READ(X, of, softmaxInOptional)                    \
    OPERAND(X, of, attentionInOptional, query_)
#define TENSORS(X, of) TENSORS_OF(X, of, "1x2x3x4", "1x2x5x4", "3x5", "1x2x3x8")
/* Without pse, which beside TND has slopes alone. */
#define TENSORS_PACKED(X, of)   TENSORS_OF(X, of, "6x2x4", "7x2x4", "", "6x2x8")
#define RESULTS(X, of)          RESULT(X, of, dqOut) RESULT(X, of, dkOut) RESULT(X, of, dvOut)
#define GRADIENT_OF_PSE(X, of)  X(of, CONST_OUT, dpseOut, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define GRADIENT_OF_SINK(X, of) X(of, CONST_OUT, dsinkOut, &dtypes_fp32, .is_optional = true)

#define V1(X, of)                      \
    TENSORS(X, of)                     \
    PREFIX(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    RESULTS(X, of)                     \
    GRADIENT_OF_PSE(X, of)
SIGNATURE(V1)
static const struct attention_form of_v1 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = NOWHERE,
                                            .prefix = V1_prefixOptional,
                                            .lengths = NOWHERE,
                                            .starts = NOWHERE,
                                            .numbers = V1_scaleValue,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = V1_sparseMode,
                                            .pse_type = NOWHERE,
                                            .seed = NOWHERE,
                                            .outputs = V1_dqOut};
FUNCTION_OF(aclnnFlashAttentionScoreGrad, V1, .stem = "flash_attention_score_grad", ATTENTION(&of_v1));

#define V2(X, of)                      \
    TENSORS(X, of)                     \
    PREFIX(X, of)                      \
    STARTS(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    PSE_TYPE(X, of)                    \
    RESULTS(X, of)                     \
    GRADIENT_OF_PSE(X, of)
SIGNATURE(V2)
static const struct attention_form of_v2 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = NOWHERE,
                                            .prefix = V2_prefixOptional,
                                            .lengths = NOWHERE,
                                            .starts = V2_qStartIdxOptional,
                                            .numbers = V2_scaleValue,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = V2_sparseMode,
                                            .pse_type = V2_pseType,
                                            .seed = NOWHERE,
                                            .outputs = V2_dqOut};
FUNCTION_OF(aclnnFlashAttentionScoreGradV2, V2, .stem = "flash_attention_score_grad", ATTENTION(&of_v2));

#define V3(X, of)                      \
    TENSORS(X, of)                     \
    SINK_OF_HEADS(X, of)               \
    PREFIX(X, of)                      \
    STARTS(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    PSE_TYPE(X, of)                    \
    RESULTS(X, of)                     \
    GRADIENT_OF_PSE(X, of)             \
    GRADIENT_OF_SINK(X, of)
SIGNATURE(V3)
static const struct attention_form of_v3 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = V3_sinkOptional,
                                            .prefix = V3_prefixOptional,
                                            .lengths = NOWHERE,
                                            .starts = V3_qStartIdxOptional,
                                            .numbers = V3_scaleValue,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = V3_sparseMode,
                                            .pse_type = V3_pseType,
                                            .seed = NOWHERE,
                                            .outputs = V3_dqOut};
FUNCTION_OF(aclnnFlashAttentionScoreGradV3, V3, .stem = "flash_attention_score_grad", ATTENTION(&of_v3));

#define V4(X, of)                                                            \
    TENSORS(X, of)                                                           \
    SINK_OF_HEADS(X, of)                                                     \
    ROPES(X, of)                                                             \
    OPTIONAL(X, of, dScaleQOptional, "")                                     \
    OPTIONAL(X, of, dScaleKOptional, "")                                     \
    OPTIONAL(X, of, dScaleVOptional, "")                                     \
    OPTIONAL(X, of, dScaleDyOptional, "")                                    \
    OPTIONAL(X, of, dScaleOOptional, "")                                     \
    PREFIX(X, of)                                                            \
    NUMBERS(X, of, actualSeqQLenOptional, "")                                \
    NUMBERS(X, of, actualSeqKvLenOptional, "")                               \
    STARTS(X, of)                                                            \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD")                                       \
    OPTIONAL_TEXT(X, of, softmaxInLayout)                                    \
    PRECISE_AND_MODE(X, of)                                                  \
    PSE_TYPE(X, of)                                                          \
    X(of, INT64, seed, .usual = "0")                                         \
    X(of, INT64, offset, .usual = "0")                                       \
    X(of, INT64, outDtype, .usual = "0")                                     \
    RESULTS(X, of)                                                           \
    X(of, CONST_OUT, dqRopeOut, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    X(of, CONST_OUT, dkRopeOut, &dtypes_fp32_fp16_bf16, .is_optional = true) \
    GRADIENT_OF_PSE(X, of)                                                   \
    GRADIENT_OF_SINK(X, of)
SIGNATURE(V4)
static const struct attention_form of_v4 = {.is_gradient = true,
                                            .sink = V4_sinkOptional,
                                            .rope = V4_queryRopeOptional,
                                            .scales = V4_dScaleQOptional,
                                            .scale_count = 5,
                                            .prefix = V4_prefixOptional,
                                            .lengths = V4_actualSeqQLenOptional,
                                            .starts = V4_qStartIdxOptional,
                                            .numbers = V4_scaleValue,
                                            .statistics_layout = V4_softmaxInLayout,
                                            .sparse_mode = V4_sparseMode,
                                            .pse_type = V4_pseType,
                                            .seed = V4_seed,
                                            .outputs = V4_dqOut};
FUNCTION_OF(aclnnFlashAttentionScoreGradV4, V4, .stem = "flash_attention_score_grad", ATTENTION(&of_v4));

#define PACKED(X, of)                     \
    TENSORS_PACKED(X, of)                 \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    RESULTS(X, of)                        \
    NOT_READ(X, of, dpseOut)
SIGNATURE(PACKED)
static const struct attention_form of_packed = {.is_gradient = true,
                                                .has_lengths = true,
                                                .rope = NOWHERE,
                                                .scales = NOWHERE,
                                                .sink = NOWHERE,
                                                .prefix = PACKED_prefixOptional,
                                                .lengths = PACKED_actualSeqQLen,
                                                .starts = NOWHERE,
                                                .numbers = PACKED_scaleValue,
                                                .statistics_layout = NOWHERE,
                                                .sparse_mode = PACKED_sparseMode,
                                                .pse_type = NOWHERE,
                                                .seed = NOWHERE,
                                                .outputs = PACKED_dqOut};
FUNCTION_OF(aclnnFlashAttentionUnpaddingScoreGrad, PACKED, .stem = "flash_attention_score_grad",
            ATTENTION(&of_packed));

#define PACKED_V4(X, of)                  \
    TENSORS_PACKED(X, of)                 \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    RESULTS(X, of)                        \
    NOT_READ(X, of, dpseOut)              \
    OPTIONAL_TEXT(X, of, softmaxInLayout)
SIGNATURE(PACKED_V4)
static const struct attention_form of_packed_v4 = {.is_gradient = true,
                                                   .has_lengths = true,
                                                   .rope = NOWHERE,
                                                   .scales = NOWHERE,
                                                   .sink = NOWHERE,
                                                   .prefix = PACKED_V4_prefixOptional,
                                                   .lengths = PACKED_V4_actualSeqQLen,
                                                   .starts = NOWHERE,
                                                   .numbers = PACKED_V4_scaleValue,
                                                   .statistics_layout = PACKED_V4_softmaxInLayout,
                                                   .sparse_mode = PACKED_V4_sparseMode,
                                                   .pse_type = NOWHERE,
                                                   .seed = NOWHERE,
                                                   .outputs = PACKED_V4_dqOut};
FUNCTION_OF(aclnnFlashAttentionUnpaddingScoreGradV4, PACKED_V4, .stem = "flash_attention_score_grad",
            ATTENTION(&of_packed_v4));

/* With the arguments of slopes; with further elements of heads behind query and key; with a sink. */
#define NUMBERS_PACKED(X, of)             \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    STARTS(X, of)                         \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    PSE_TYPE(X, of)
#define PACKED_V2(X, of) TENSORS_PACKED(X, of) NUMBERS_PACKED(X, of) RESULTS(X, of) NOT_READ(X, of, dpseOut)
#define TENSORS_WITH_ROPES(X, of)                 \
    OPERAND(X, of, query, "6x2x4")                \
    OPTIONAL(X, of, queryRopeOptional, "6x2x2")   \
    OPERAND(X, of, keyIn, "7x2x4")                \
    OPTIONAL(X, of, keyRopeOptional, "7x2x2")     \
    OPERAND(X, of, value, "7x2x4")                \
    OPERAND(X, of, dy, "6x2x4")                   \
    OPTIONAL(X, of, pseShiftOptional, "")         \
    MASKS(X, of)                                  \
    STATISTIC(X, of, softmaxMaxOptional, "6x2x8") \
    STATISTIC(X, of, softmaxSumOptional, "6x2x8") \
    NOT_READ(X, of, softmaxInOptional)            \
    OPERAND(X, of, attentionInOptional, "6x2x4")
#define GRADIENT_OF_ROPE(X, of, name) X(of, CONST_OUT, name, &dtypes_fp32_fp16_bf16, .is_optional = true)
#define RESULTS_WITH_ROPES(X, of)      \
    RESULT(X, of, dqOut)               \
    GRADIENT_OF_ROPE(X, of, dqRopeOut) \
    RESULT(X, of, dkOut)               \
    GRADIENT_OF_ROPE(X, of, dkRopeOut) \
    RESULT(X, of, dvOut)               \
    NOT_READ(X, of, dpseOut)
#define PACKED_V3(X, of) TENSORS_WITH_ROPES(X, of) NUMBERS_PACKED(X, of) RESULTS_WITH_ROPES(X, of)
#define PACKED_V5(X, of)                  \
    TENSORS_WITH_ROPES(X, of)             \
    SINK_OF_HEADS(X, of)                  \
    NUMBERS_PACKED(X, of)                 \
    OPTIONAL_TEXT(X, of, softmaxInLayout) \
    RESULTS_WITH_ROPES(X, of)             \
    GRADIENT_OF_SINK(X, of)
SIGNATURE(PACKED_V2)
SIGNATURE(PACKED_V3)
SIGNATURE(PACKED_V5)
#define PLACES_PACKED(of)                                                                        \
    .is_gradient = true, .has_lengths = true, .scales = NOWHERE, .prefix = of##_prefixOptional,  \
    .lengths = of##_actualSeqQLen, .starts = of##_qStartIdxOptional, .numbers = of##_scaleValue, \
    .sparse_mode = of##_sparseMode, .pse_type = of##_pseType, .seed = NOWHERE, .outputs = of##_dqOut
static const struct attention_form of_packed_v2 = {PLACES_PACKED(PACKED_V2), .rope = NOWHERE, .sink = NOWHERE,
                                                   .statistics_layout = NOWHERE};
static const struct attention_form of_packed_v3 = {PLACES_PACKED(PACKED_V3), .has_ropes_between = true,
                                                   .rope = PACKED_V3_queryRopeOptional, .sink = NOWHERE,
                                                   .statistics_layout = NOWHERE};
static const struct attention_form of_packed_v5 = {
    PLACES_PACKED(PACKED_V5), .has_ropes_between = true, .rope = PACKED_V5_queryRopeOptional,
    .sink = PACKED_V5_sinkOptional, .statistics_layout = PACKED_V5_softmaxInLayout};
FUNCTION_OF(aclnnFlashAttentionUnpaddingScoreGradV2, PACKED_V2, .stem = "flash_attention_score_grad",
            ATTENTION(&of_packed_v2));
FUNCTION_OF(aclnnFlashAttentionUnpaddingScoreGradV3, PACKED_V3, .stem = "flash_attention_score_grad",
            ATTENTION(&of_packed_v3));
FUNCTION_OF(aclnnFlashAttentionUnpaddingScoreGradV5, PACKED_V5, .stem = "flash_attention_score_grad",
            ATTENTION(&of_packed_v5));
ALSO_CALLED(aclnnFlashAttentionUnpaddingScoreGradV5GetMaxWorkspaceSize,
            aclnnFlashAttentionUnpaddingScoreGradV5GetWorkspaceSize);

/* Of floats of 8 bits. */
#define QUANT(X, of)                        \
    CODED(X, of, query, "1x2x3x4")          \
    CODED(X, of, key, "1x2x5x4")            \
    CODED(X, of, value, "1x2x5x4")          \
    CODED(X, of, dy, "1x2x3x4")             \
    MASK_OF_CODED(X, of)                    \
    STATISTIC(X, of, softmaxMax, "1x2x3x1") \
    STATISTIC(X, of, softmaxSum, "1x2x3x1") \
    OPERAND(X, of, attentionIn, "1x2x3x4")  \
    BLOCKS(X, of, dScaleQ)                  \
    BLOCKS(X, of, dScaleK)                  \
    BLOCKS(X, of, dScaleV)                  \
    BLOCKS(X, of, dScaleDy)                 \
    NOT_READ(X, of, dsScaleOptional)        \
    NOT_READ(X, of, pScaleOptional)         \
    VALUES_OF_CODED(X, of)                  \
    X(of, INT64, outDtype, .usual = "1")    \
    RESULTS(X, of)
SIGNATURE(QUANT)
static const struct attention_form of_quant = {PLACES_OF_CODED(QUANT), .is_gradient = true,
                                               .outputs = QUANT_dqOut};
FUNCTION_OF(aclnnQuantFlashAttentionScoreGrad, QUANT, .stem = "quant_flash_attention_score_grad",
            ATTENTION(&of_quant));
