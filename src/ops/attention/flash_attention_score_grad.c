/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FlashAttentionScoreGrad and its kin: the gradients of query, key, value, pse and sink.
 */
#include "aclnnop/aclnn_flash_attention_score_grad.h"

#include "ops/attention/parameters.h"

/* softmaxIn is reserved. */
#define BEHIND_MASKS(statistic, attention)                                                  \
    STATISTIC("softmaxMaxOptional", statistic), STATISTIC("softmaxSumOptional", statistic), \
        UNUSED("softmaxInOptional"), OPERAND("attentionInOptional", attention)
#define TENSORS                                                                            \
    OPERAND("query", "1x2x3x4"), OPERAND("keyIn", "1x2x5x4"), OPERAND("value", "1x2x5x4"), \
        OPERAND("dy", "1x2x3x4"), OPTIONAL("pseShiftOptional", "3x5"),                     \
        MASKS("dropMaskOptional", "paddingMaskOptional", "attenMaskOptional"),             \
        BEHIND_MASKS("1x2x3x8", "1x2x3x4")
/* Without pse, which beside TND has slopes alone. */
#define TENSORS_PACKED                                                                                       \
    OPERAND("query", "6x2x4"), OPERAND("keyIn", "7x2x4"), OPERAND("value", "7x2x4"), OPERAND("dy", "6x2x4"), \
        OPTIONAL("pseShiftOptional", ""),                                                                    \
        MASKS("dropMaskOptional", "paddingMaskOptional", "attenMaskOptional"),                               \
        BEHIND_MASKS("6x2x8", "6x2x4")
#define RESULTS                                                                         \
    WRITTEN("dqOut", &dtypes_fp32_fp16_bf16), WRITTEN("dkOut", &dtypes_fp32_fp16_bf16), \
        WRITTEN("dvOut", &dtypes_fp32_fp16_bf16)
#define GRADIENT_OF_PSE  WRITTEN("dpseOut", &dtypes_fp32_fp16_bf16, .is_optional = true)
#define GRADIENT_OF_SINK WRITTEN("dsinkOut", &dtypes_fp32, .is_optional = true)

#define SCORE_GRAD(form, list) .stem = "flash_attention_score_grad", PARAMETERS(list), ATTENTION(&(form))

static const struct attention_form of_v1 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = NOWHERE,
                                            .prefix = 12,
                                            .lengths = NOWHERE,
                                            .starts = NOWHERE,
                                            .numbers = 13,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = 20,
                                            .pse_type = NOWHERE,
                                            .seed = NOWHERE,
                                            .outputs = 21};
static const struct parameter v1[] = {TENSORS,          PREFIX,  VALUES_UP_TO_LAYOUT("BNSD"),
                                      PRECISE_AND_MODE, RESULTS, GRADIENT_OF_PSE};
FUNCTION(aclnnFlashAttentionScoreGrad,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise, int64_t sparseMode,
          const aclTensor *dqOut, const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(prefixOptional), ARG(scaleValue),
          ARG(keepProb), ARG(preTokens), ARG(nextTokens), ARG(headNum), ARG(inputLayout), ARG(innerPrecise),
          ARG(sparseMode), ARG(dqOut), ARG(dkOut), ARG(dvOut), ARG(dpseOut)),
         SCORE_GRAD(of_v1, v1));

static const struct attention_form of_v2 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = NOWHERE,
                                            .prefix = 12,
                                            .lengths = NOWHERE,
                                            .starts = 13,
                                            .numbers = 15,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = 22,
                                            .pse_type = 23,
                                            .seed = NOWHERE,
                                            .outputs = 24};
static const struct parameter v2[] = {TENSORS,          PREFIX,   STARTS,  VALUES_UP_TO_LAYOUT("BNSD"),
                                      PRECISE_AND_MODE, PSE_TYPE, RESULTS, GRADIENT_OF_PSE};
FUNCTION(aclnnFlashAttentionScoreGradV2,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclIntArray *prefixOptional, const aclIntArray *qStartIdxOptional,
          const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise, int64_t sparseMode,
          int64_t pseType, const aclTensor *dqOut, const aclTensor *dkOut, const aclTensor *dvOut,
          const aclTensor *dpseOut),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(prefixOptional), ARG(qStartIdxOptional),
          ARG(kvStartIdxOptional), ARG(scaleValue), ARG(keepProb), ARG(preTokens), ARG(nextTokens),
          ARG(headNum), ARG(inputLayout), ARG(innerPrecise), ARG(sparseMode), ARG(pseType), ARG(dqOut),
          ARG(dkOut), ARG(dvOut), ARG(dpseOut)),
         SCORE_GRAD(of_v2, v2));

static const struct attention_form of_v3 = {.is_gradient = true,
                                            .rope = NOWHERE,
                                            .scales = NOWHERE,
                                            .sink = 12,
                                            .prefix = 13,
                                            .lengths = NOWHERE,
                                            .starts = 14,
                                            .numbers = 16,
                                            .statistics_layout = NOWHERE,
                                            .sparse_mode = 23,
                                            .pse_type = 24,
                                            .seed = NOWHERE,
                                            .outputs = 25};
static const struct parameter v3[] = {
    TENSORS,          SINK_OF_HEADS, PREFIX,  STARTS,          VALUES_UP_TO_LAYOUT("BNSD"),
    PRECISE_AND_MODE, PSE_TYPE,      RESULTS, GRADIENT_OF_PSE, GRADIENT_OF_SINK};
FUNCTION(aclnnFlashAttentionScoreGradV3,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclTensor *sinkOptional, const aclIntArray *prefixOptional,
          const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
          double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
          int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *dqOut,
          const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut,
          const aclTensor *dsinkOut),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(sinkOptional), ARG(prefixOptional),
          ARG(qStartIdxOptional), ARG(kvStartIdxOptional), ARG(scaleValue), ARG(keepProb), ARG(preTokens),
          ARG(nextTokens), ARG(headNum), ARG(inputLayout), ARG(innerPrecise), ARG(sparseMode), ARG(pseType),
          ARG(dqOut), ARG(dkOut), ARG(dvOut), ARG(dpseOut), ARG(dsinkOut)),
         SCORE_GRAD(of_v3, v3));

static const struct attention_form of_v4 = {.is_gradient = true,
                                            .sink = 12,
                                            .rope = 13,
                                            .scales = 15,
                                            .scale_count = 5,
                                            .prefix = 20,
                                            .lengths = 21,
                                            .starts = 23,
                                            .numbers = 25,
                                            .statistics_layout = 31,
                                            .sparse_mode = 33,
                                            .pse_type = 34,
                                            .seed = 35,
                                            .outputs = 38};
static const struct parameter v4[] = {TENSORS,
                                      SINK_OF_HEADS,
                                      ROPES,
                                      OPTIONAL("dScaleQOptional", ""),
                                      OPTIONAL("dScaleKOptional", ""),
                                      OPTIONAL("dScaleVOptional", ""),
                                      OPTIONAL("dScaleDyOptional", ""),
                                      OPTIONAL("dScaleOOptional", ""),
                                      PREFIX,
                                      NUMBERS("actualSeqQLenOptional", ""),
                                      NUMBERS("actualSeqKvLenOptional", ""),
                                      STARTS,
                                      VALUES_UP_TO_LAYOUT("BNSD"),
                                      OPTIONAL_TEXT("softmaxInLayout"),
                                      PRECISE_AND_MODE,
                                      PSE_TYPE,
                                      USUAL("seed", INT64, "0"),
                                      USUAL("offset", INT64, "0"),
                                      USUAL("outDtype", INT64, "0"),
                                      RESULTS,
                                      WRITTEN("dqRopeOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
                                      WRITTEN("dkRopeOut", &dtypes_fp32_fp16_bf16, .is_optional = true),
                                      GRADIENT_OF_PSE,
                                      GRADIENT_OF_SINK};
FUNCTION(aclnnFlashAttentionScoreGradV4,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclTensor *sinkOptional, const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
          const aclTensor *dScaleQOptional, const aclTensor *dScaleKOptional,
          const aclTensor *dScaleVOptional, const aclTensor *dScaleDyOptional,
          const aclTensor *dScaleOOptional, const aclIntArray *prefixOptional,
          const aclIntArray *actualSeqQLenOptional, const aclIntArray *actualSeqKvLenOptional,
          const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
          double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
          char *softmaxInLayout, int64_t innerPrecise, int64_t sparseMode, int64_t pseType, int64_t seed,
          int64_t offset, int64_t outDtype, const aclTensor *dqOut, const aclTensor *dkOut,
          const aclTensor *dvOut, const aclTensor *dqRopeOut, const aclTensor *dkRopeOut,
          const aclTensor *dpseOut, const aclTensor *dsinkOut),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(sinkOptional), ARG(queryRopeOptional),
          ARG(keyRopeOptional), ARG(dScaleQOptional), ARG(dScaleKOptional), ARG(dScaleVOptional),
          ARG(dScaleDyOptional), ARG(dScaleOOptional), ARG(prefixOptional), ARG(actualSeqQLenOptional),
          ARG(actualSeqKvLenOptional), ARG(qStartIdxOptional), ARG(kvStartIdxOptional), ARG(scaleValue),
          ARG(keepProb), ARG(preTokens), ARG(nextTokens), ARG(headNum), ARG(inputLayout),
          ARG(softmaxInLayout), ARG(innerPrecise), ARG(sparseMode), ARG(pseType), ARG(seed), ARG(offset),
          ARG(outDtype), ARG(dqOut), ARG(dkOut), ARG(dvOut), ARG(dqRopeOut), ARG(dkRopeOut), ARG(dpseOut),
          ARG(dsinkOut)),
         SCORE_GRAD(of_v4, v4));

static const struct attention_form of_packed = {.is_gradient = true,
                                                .has_lengths = true,
                                                .rope = NOWHERE,
                                                .scales = NOWHERE,
                                                .sink = NOWHERE,
                                                .prefix = 12,
                                                .lengths = 13,
                                                .starts = NOWHERE,
                                                .numbers = 15,
                                                .statistics_layout = NOWHERE,
                                                .sparse_mode = 22,
                                                .pse_type = NOWHERE,
                                                .seed = NOWHERE,
                                                .outputs = 23};
static const struct parameter packed[] = {TENSORS_PACKED,
                                          PREFIX,
                                          LENGTHS("actualSeqQLen", "3,6"),
                                          LENGTHS("actualSeqKvLen", "2,7"),
                                          VALUES_UP_TO_LAYOUT("TND"),
                                          PRECISE_AND_MODE,
                                          RESULTS,
                                          UNUSED("dpseOut")};
FUNCTION(aclnnFlashAttentionUnpaddingScoreGrad,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
          const aclIntArray *actualSeqKvLen, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise, int64_t sparseMode,
          const aclTensor *dqOut, const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(prefixOptional), ARG(actualSeqQLen),
          ARG(actualSeqKvLen), ARG(scaleValue), ARG(keepProb), ARG(preTokens), ARG(nextTokens), ARG(headNum),
          ARG(inputLayout), ARG(innerPrecise), ARG(sparseMode), ARG(dqOut), ARG(dkOut), ARG(dvOut),
          ARG(dpseOut)),
         SCORE_GRAD(of_packed, packed));

static const struct attention_form of_packed_v4 = {.is_gradient = true,
                                                   .has_lengths = true,
                                                   .rope = NOWHERE,
                                                   .scales = NOWHERE,
                                                   .sink = NOWHERE,
                                                   .prefix = 12,
                                                   .lengths = 13,
                                                   .starts = NOWHERE,
                                                   .numbers = 15,
                                                   .statistics_layout = 27,
                                                   .sparse_mode = 22,
                                                   .pse_type = NOWHERE,
                                                   .seed = NOWHERE,
                                                   .outputs = 23};
static const struct parameter packed_v4[] = {TENSORS_PACKED,
                                             PREFIX,
                                             LENGTHS("actualSeqQLen", "3,6"),
                                             LENGTHS("actualSeqKvLen", "2,7"),
                                             VALUES_UP_TO_LAYOUT("TND"),
                                             PRECISE_AND_MODE,
                                             RESULTS,
                                             UNUSED("dpseOut"),
                                             OPTIONAL_TEXT("softmaxInLayout")};
FUNCTION(aclnnFlashAttentionUnpaddingScoreGradV4,
         (const aclTensor *query, const aclTensor *keyIn, const aclTensor *value, const aclTensor *dy,
          const aclTensor *pseShiftOptional, const aclTensor *dropMaskOptional,
          const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
          const aclTensor *softmaxMaxOptional, const aclTensor *softmaxSumOptional,
          const aclTensor *softmaxInOptional, const aclTensor *attentionInOptional,
          const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
          const aclIntArray *actualSeqKvLen, double scaleValue, double keepProb, int64_t preTokens,
          int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise, int64_t sparseMode,
          const aclTensor *dqOut, const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut,
          char *softmaxInLayout),
         (ARG(query), ARG(keyIn), ARG(value), ARG(dy), ARG(pseShiftOptional), ARG(dropMaskOptional),
          ARG(paddingMaskOptional), ARG(attenMaskOptional), ARG(softmaxMaxOptional), ARG(softmaxSumOptional),
          ARG(softmaxInOptional), ARG(attentionInOptional), ARG(prefixOptional), ARG(actualSeqQLen),
          ARG(actualSeqKvLen), ARG(scaleValue), ARG(keepProb), ARG(preTokens), ARG(nextTokens), ARG(headNum),
          ARG(inputLayout), ARG(innerPrecise), ARG(sparseMode), ARG(dqOut), ARG(dkOut), ARG(dvOut),
          ARG(dpseOut), ARG(softmaxInLayout)),
         SCORE_GRAD(of_packed_v4, packed_v4));
