/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention: of query, key, value, and of pse and sink where these were given.
 *
 *     P = e^(S - softmaxMax) / softmaxSum, S the scores as aclnn_flash_attention_score.h has them
 *     R = P where dropout keeps it, / keepProb; 0 elsewhere
 *     dS = P (dropout(dy value^T) - rowsum(dy attentionIn))
 *     dv = R^T dy, dq = scaleValue dS key, dk = scaleValue dS^T query
 * Gradients of keys and values are summed over the heads that share them. dpse is scaleValue dS, with pseType
 * 0 dS, summed over the dims that pse broadcasts; it is written where both are given and have elements, not
 * of slopes. dsink is -rowsum(dy attentionIn) times the sink's share, summed over batches and rows.
 * Shapes, dtypes, attributes and sequences are those of the forward functions; dy and attentionIn have the
 * shape of the output; softmaxMax and softmaxSum are what it wrote, read by the rule it wrote them by;
 * softmaxIn is not looked at. dqOut, dkOut, dvOut, dqRope, dkRope, dpse, dsink: dtypes and shapes of query,
 * key, value, queryRope, keyRope, pse, sink. Accumulation is in FLOAT in an order that follows from the
 * shapes, rounded once. FLOAT, FLOAT16 and BFLOAT16.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_GRAD_H
#define BELAY_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlashAttentionScoreGrad, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut, const aclTensor *dpseOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreGradV2, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *dqOut,
               const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreGradV3, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclTensor *sinkOptional,
               const aclIntArray *prefixOptional, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t pseType, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut, const aclTensor *dpseOut, const aclTensor *dsinkOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreGradV4, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclTensor *sinkOptional,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
               const aclTensor *dScaleQOptional, const aclTensor *dScaleKOptional,
               const aclTensor *dScaleVOptional, const aclTensor *dScaleDyOptional,
               const aclTensor *dScaleOOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLenOptional, const aclIntArray *actualSeqKvLenOptional,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               char *softmaxInLayout, int64_t innerPrecise, int64_t sparseMode, int64_t pseType, int64_t seed,
               int64_t offset, int64_t outDtype, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut, const aclTensor *dqRopeOut, const aclTensor *dkRopeOut,
               const aclTensor *dpseOut, const aclTensor *dsinkOut)
ACLNN_FUNCTION(aclnnFlashAttentionUnpaddingScoreGrad, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut, const aclTensor *dpseOut)
ACLNN_FUNCTION(aclnnFlashAttentionUnpaddingScoreGradV4, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut, const aclTensor *dpseOut, char *softmaxInLayout)
ACLNN_FUNCTION(aclnnFlashAttentionUnpaddingScoreGradV2, const aclTensor *query, const aclTensor *keyIn,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *dqOut,
               const aclTensor *dkOut, const aclTensor *dvOut, const aclTensor *dpseOut)
ACLNN_FUNCTION(aclnnFlashAttentionUnpaddingScoreGradV3, const aclTensor *query,
               const aclTensor *queryRopeOptional, const aclTensor *keyIn, const aclTensor *keyRopeOptional,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *dqOut,
               const aclTensor *dqRopeOut, const aclTensor *dkOut, const aclTensor *dkRopeOut,
               const aclTensor *dvOut, const aclTensor *dpseOut)
ACLNN_FUNCTION(aclnnFlashAttentionUnpaddingScoreGradV5, const aclTensor *query,
               const aclTensor *queryRopeOptional, const aclTensor *keyIn, const aclTensor *keyRopeOptional,
               const aclTensor *value, const aclTensor *dy, const aclTensor *pseShiftOptional,
               const aclTensor *dropMaskOptional, const aclTensor *paddingMaskOptional,
               const aclTensor *attenMaskOptional, const aclTensor *softmaxMaxOptional,
               const aclTensor *softmaxSumOptional, const aclTensor *softmaxInOptional,
               const aclTensor *attentionInOptional, const aclTensor *sinkOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
               const aclIntArray *actualSeqKvLen, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t pseType, char *softmaxInLayout, const aclTensor *dqOut,
               const aclTensor *dqRopeOut, const aclTensor *dkOut, const aclTensor *dkRopeOut,
               const aclTensor *dvOut, const aclTensor *dpseOut, const aclTensor *dsinkOut)
ACLNN_MAX_WORKSPACE(aclnnFlashAttentionUnpaddingScoreGradV5)
#endif
