/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FlashAttentionScore and its kin: out = dropout(softmax(scores)) value.
 */
#include "aclnnop/aclnn_flash_attention_score.h"
#include "aclnnop/aclnn_quant_flash_attention_score.h"

#include "ops/attention/parameters.h"

#define TENSORS_OF(X, of, query_, key_, pse_) \
    OPERAND(X, of, query, query_)             \
    OPERAND(X, of, key, key_)                 \
    OPERAND(X, of, value, key_)               \
    OPTIONAL(X, of, realShiftOptional, pse_)  \
    MASKS(X, of)
#define TENSORS(X, of) TENSORS_OF(X, of, "1x2x3x4", "1x2x5x4", "3x5")
/* Without pse, which beside TND has slopes alone. */
#define TENSORS_PACKED(X, of) TENSORS_OF(X, of, "6x2x4", "7x2x4", "")
#define RESULTS(X, of)                            \
    X(of, CONST_OUT, softmaxMaxOut, &dtypes_fp32) \
    X(of, CONST_OUT, softmaxSumOut, &dtypes_fp32) \
    NOT_READ(X, of, softmaxOutOut)                \
    RESULT(X, of, attentionOutOut)

#define V1(X, of)                      \
    TENSORS(X, of)                     \
    PREFIX(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    RESULTS(X, of)
SIGNATURE(V1)
static const struct attention_form of_v1 = {.rope = NOWHERE,
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
                                            .outputs = V1_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionScore, V1, .stem = "flash_attention_score", ATTENTION(&of_v1));

#define V2(X, of)                      \
    TENSORS(X, of)                     \
    PREFIX(X, of)                      \
    STARTS(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    PSE_TYPE(X, of)                    \
    RESULTS(X, of)
SIGNATURE(V2)
static const struct attention_form of_v2 = {.rope = NOWHERE,
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
                                            .outputs = V2_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionScoreV2, V2, .stem = "flash_attention_score", ATTENTION(&of_v2));

#define V3(X, of)                      \
    TENSORS(X, of)                     \
    SINK_OF_HEADS(X, of)               \
    PREFIX(X, of)                      \
    STARTS(X, of)                      \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD") \
    PRECISE_AND_MODE(X, of)            \
    PSE_TYPE(X, of)                    \
    RESULTS(X, of)
SIGNATURE(V3)
static const struct attention_form of_v3 = {.rope = NOWHERE,
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
                                            .outputs = V3_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionScoreV3, V3, .stem = "flash_attention_score", ATTENTION(&of_v3));

#define V4(X, of)                              \
    TENSORS(X, of)                             \
    ROPES(X, of)                               \
    OPTIONAL(X, of, dScaleQOptional, "")       \
    OPTIONAL(X, of, dScaleKOptional, "")       \
    OPTIONAL(X, of, dScaleVOptional, "")       \
    SINK_OF_HEADS(X, of)                       \
    PREFIX(X, of)                              \
    NUMBERS(X, of, actualSeqQLenOptional, "")  \
    NUMBERS(X, of, actualSeqKvLenOptional, "") \
    STARTS(X, of)                              \
    VALUES_UP_TO_LAYOUT(X, of, "BNSD")         \
    PRECISE_AND_MODE(X, of)                    \
    X(of, INT64, outDtype, .usual = "0")       \
    PSE_TYPE(X, of)                            \
    OPTIONAL_TEXT(X, of, softmaxOutLayout)     \
    X(of, INT64, seed, .usual = "0")           \
    X(of, INT64, offset, .usual = "0")         \
    RESULTS(X, of)
SIGNATURE(V4)
static const struct attention_form of_v4 = {.rope = V4_queryRopeOptional,
                                            .scales = V4_dScaleQOptional,
                                            .scale_count = 3,
                                            .sink = V4_sinkOptional,
                                            .prefix = V4_prefixOptional,
                                            .lengths = V4_actualSeqQLenOptional,
                                            .starts = V4_qStartIdxOptional,
                                            .numbers = V4_scaleValue,
                                            .statistics_layout = V4_softmaxOutLayout,
                                            .sparse_mode = V4_sparseMode,
                                            .pse_type = V4_pseType,
                                            .seed = V4_seed,
                                            .outputs = V4_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionScoreV4, V4, .stem = "flash_attention_score", ATTENTION(&of_v4));

/* The form in which sequences lie one after another. */
#define PACKED(X, of)                     \
    TENSORS_PACKED(X, of)                 \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    RESULTS(X, of)
SIGNATURE(PACKED)
static const struct attention_form of_packed = {.has_lengths = true,
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
                                                .outputs = PACKED_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionVarLenScore, PACKED, .stem = "flash_attention_score", ATTENTION(&of_packed));

#define PACKED_V2(X, of)                  \
    TENSORS_PACKED(X, of)                 \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    STARTS(X, of)                         \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    PSE_TYPE(X, of)                       \
    RESULTS(X, of)
SIGNATURE(PACKED_V2)
static const struct attention_form of_packed_v2 = {.has_lengths = true,
                                                   .rope = NOWHERE,
                                                   .scales = NOWHERE,
                                                   .sink = NOWHERE,
                                                   .prefix = PACKED_V2_prefixOptional,
                                                   .lengths = PACKED_V2_actualSeqQLen,
                                                   .starts = PACKED_V2_qStartIdxOptional,
                                                   .numbers = PACKED_V2_scaleValue,
                                                   .statistics_layout = NOWHERE,
                                                   .sparse_mode = PACKED_V2_sparseMode,
                                                   .pse_type = PACKED_V2_pseType,
                                                   .seed = NOWHERE,
                                                   .outputs = PACKED_V2_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionVarLenScoreV2, PACKED_V2, .stem = "flash_attention_score",
            ATTENTION(&of_packed_v2));

#define PACKED_V4(X, of)                   \
    TENSORS_PACKED(X, of)                  \
    PREFIX(X, of)                          \
    LENGTHS(X, of, actualSeqQLen, "3,6")   \
    LENGTHS(X, of, actualSeqKvLen, "2,7")  \
    VALUES_UP_TO_LAYOUT(X, of, "TND")      \
    PRECISE_AND_MODE(X, of)                \
    OPTIONAL_TEXT(X, of, softmaxOutLayout) \
    RESULTS(X, of)
SIGNATURE(PACKED_V4)
static const struct attention_form of_packed_v4 = {.has_lengths = true,
                                                   .rope = NOWHERE,
                                                   .scales = NOWHERE,
                                                   .sink = NOWHERE,
                                                   .prefix = PACKED_V4_prefixOptional,
                                                   .lengths = PACKED_V4_actualSeqQLen,
                                                   .starts = NOWHERE,
                                                   .numbers = PACKED_V4_scaleValue,
                                                   .statistics_layout = PACKED_V4_softmaxOutLayout,
                                                   .sparse_mode = PACKED_V4_sparseMode,
                                                   .pse_type = NOWHERE,
                                                   .seed = NOWHERE,
                                                   .outputs = PACKED_V4_softmaxMaxOut};
FUNCTION_OF(aclnnFlashAttentionVarLenScoreV4, PACKED_V4, .stem = "flash_attention_score",
            ATTENTION(&of_packed_v4));

/* With further elements of heads behind query and key, and a sink. */
#define TENSORS_WITH_ROPES(X, of)               \
    OPERAND(X, of, query, "6x2x4")              \
    OPTIONAL(X, of, queryRopeOptional, "6x2x2") \
    OPERAND(X, of, key, "7x2x4")                \
    OPTIONAL(X, of, keyRopeOptional, "7x2x2")   \
    OPERAND(X, of, value, "7x2x4")              \
    OPTIONAL(X, of, realShiftOptional, "")      \
    MASKS(X, of)
#define NUMBERS_WITH_ROPES(X, of)         \
    PREFIX(X, of)                         \
    LENGTHS(X, of, actualSeqQLen, "3,6")  \
    LENGTHS(X, of, actualSeqKvLen, "2,7") \
    STARTS(X, of)                         \
    VALUES_UP_TO_LAYOUT(X, of, "TND")     \
    PRECISE_AND_MODE(X, of)               \
    PSE_TYPE(X, of)
#define PACKED_V3(X, of) TENSORS_WITH_ROPES(X, of) NUMBERS_WITH_ROPES(X, of) RESULTS(X, of)
#define PACKED_V5(X, of)                   \
    TENSORS_WITH_ROPES(X, of)              \
    SINK_OF_HEADS(X, of)                   \
    NUMBERS_WITH_ROPES(X, of)              \
    OPTIONAL_TEXT(X, of, softmaxOutLayout) \
    RESULTS(X, of)
SIGNATURE(PACKED_V3)
SIGNATURE(PACKED_V5)
#define PLACES_WITH_ROPES(of)                                                                              \
    .has_lengths = true, .has_ropes_between = true, .rope = of##_queryRopeOptional, .scales = NOWHERE,     \
    .prefix = of##_prefixOptional, .lengths = of##_actualSeqQLen, .starts = of##_qStartIdxOptional,        \
    .numbers = of##_scaleValue, .sparse_mode = of##_sparseMode, .pse_type = of##_pseType, .seed = NOWHERE, \
    .outputs = of##_softmaxMaxOut
static const struct attention_form of_packed_v3 = {PLACES_WITH_ROPES(PACKED_V3), .sink = NOWHERE,
                                                   .statistics_layout = NOWHERE};
static const struct attention_form of_packed_v5 = {PLACES_WITH_ROPES(PACKED_V5),
                                                   .sink = PACKED_V5_sinkOptional,
                                                   .statistics_layout = PACKED_V5_softmaxOutLayout};
FUNCTION_OF(aclnnFlashAttentionVarLenScoreV3, PACKED_V3, .stem = "flash_attention_score",
            ATTENTION(&of_packed_v3));
FUNCTION_OF(aclnnFlashAttentionVarLenScoreV5, PACKED_V5, .stem = "flash_attention_score",
            ATTENTION(&of_packed_v5));
ALSO_CALLED(aclnnFlashAttentionVarLenScoreV5GetMaxWorkspaceSize,
            aclnnFlashAttentionVarLenScoreV5GetWorkspaceSize);

/* Of floats of 8 bits. */
#define QUANT(X, of)                \
    CODED(X, of, query, "1x2x3x4")  \
    CODED(X, of, key, "1x2x5x4")    \
    CODED(X, of, value, "1x2x5x4")  \
    MASK_OF_CODED(X, of)            \
    BLOCKS(X, of, dScaleQ)          \
    BLOCKS(X, of, dScaleK)          \
    BLOCKS(X, of, dScaleV)          \
    NOT_READ(X, of, pScaleOptional) \
    VALUES_OF_CODED(X, of)          \
    RESULTS(X, of)
SIGNATURE(QUANT)
static const struct attention_form of_quant = {PLACES_OF_CODED(QUANT), .outputs = QUANT_softmaxMaxOut};
FUNCTION_OF(aclnnQuantFlashAttentionScore, QUANT, .stem = "quant_flash_attention_score",
            ATTENTION(&of_quant));
