/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention: the softmax of scores between queries and keys, times the values.
 *
 *     S = scaleValue (query key^T + pse)               pseType 1, and without the argument
 *     S = scaleValue query key^T + pse                 pseType 0
 *     S = scaleValue query key^T - slope |i - j|       pseType 2, with sqrt |i - j| pseType 3; pse: a FLOAT
 *         slope for each head, i and j counted from qStartIdx and kvStartIdx
 *     attentionOut = dropout(e^(S - softmaxMax) / softmaxSum) value
 *
 * - inputLayout: BSH (batch, row, heads and elements), SBH, BNSD, BSND; TND (rows of all sequences, head,
 *   element) where there are actualSeqQLen and actualSeqKvLen, the ends of the sequences, none before its
 *   predecessor; what is behind the last one is 0. headNum: heads of query, which those of key divide.
 * - query, key, value, pse, queryRope and keyRope (more elements of each head): FLOAT, FLOAT16, BFLOAT16, one
 *   of them for all. pse broadcasts to batch, head, row, key. attentionOut: like query, with the elements of
 *   value.
 * - attenMask: BOOL or UINT8, what is not 0 is left out; broadcasts like pse, or is larger in its last two
 *   dims. Without one nothing is left out. sparseMode, for row i and key j, o = keys - rows:
 *   0: besides j < i - preTokens and j > i + nextTokens; 1: the mask alone; and without looking into it
 *   2: j > i; 3: j > i + o; 4: j < i + o - preTokens and j > i + o + nextTokens;
 *   6: j > i + o from prefix on. 5: the mask alone. Of sequences 7: as 3, the last one as 4; 8: as 2, the
 *   first one as 4; and not 5.
 * - keepProb: more than 0, at most 1. dropMask: a bit for each score, 1 to keep it, in row-major order from
 *   the lowest bit of each byte on; kept ones are divided by keepProb. Without it nothing is dropped; V4
 *   draws the bits as aclnnDropoutV3 does with seed and offset.
 * - sink: a FLOAT for each head, one more score that no value belongs to, also of rows that see no key.
 * - softmaxMaxOut, softmaxSumOut: FLOAT (batch, head, row, 8), each number 8 times; TND: (rows, heads, 8),
 *   in memory (head, row, 8) for each sequence, with softmaxOutLayout "same_as_input" as the shape says. Rows
 *   that see no key have 0 as their output, and the lowest and the greatest FLOAT here.
 * - V3 and V5 of sequences have queryRope behind query and keyRope behind key.
 * - softmaxOutOut, paddingMask, innerPrecise and outDtype are not looked at; scales (dScale) must be absent.
 *   An optional tensor without elements counts as absent.
 * Scores, exponentials and sums are FLOAT, in blocks of 128 rows and keys and an order that follows from the
 * shapes alone; one rounding to the dtype of the output.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H
#define BELAY_ACLNNOP_ACLNN_FLASH_ATTENTION_SCORE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFlashAttentionScore, const aclTensor *query, const aclTensor *key, const aclTensor *value,
               const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
               const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreV2, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
               const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreV3, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclTensor *sinkOptional, const aclIntArray *prefixOptional,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
               const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionScoreV4, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
               const aclTensor *dScaleQOptional, const aclTensor *dScaleKOptional,
               const aclTensor *dScaleVOptional, const aclTensor *sinkOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLenOptional,
               const aclIntArray *actualSeqKvLenOptional, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t outDtype, int64_t pseType, char *softmaxOutLayout, int64_t seed,
               int64_t offset, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
               const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionVarLenScore, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
               const aclIntArray *actualSeqKvLen, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
               const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionVarLenScoreV2, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
               const aclIntArray *actualSeqKvLen, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
               const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionVarLenScoreV4, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
               const aclIntArray *actualSeqKvLen, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, char *softmaxOutLayout, const aclTensor *softmaxMaxOut,
               const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionVarLenScoreV3, const aclTensor *query, const aclTensor *queryRopeOptional,
               const aclTensor *key, const aclTensor *keyRopeOptional, const aclTensor *value,
               const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *prefixOptional, const aclIntArray *actualSeqQLen,
               const aclIntArray *actualSeqKvLen, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, double scaleValue, double keepProb, int64_t preTokens,
               int64_t nextTokens, int64_t headNum, char *inputLayout, int64_t innerPrecise,
               int64_t sparseMode, int64_t pseType, const aclTensor *softmaxMaxOut,
               const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_FUNCTION(aclnnFlashAttentionVarLenScoreV5, const aclTensor *query, const aclTensor *queryRopeOptional,
               const aclTensor *key, const aclTensor *keyRopeOptional, const aclTensor *value,
               const aclTensor *realShiftOptional, const aclTensor *dropMaskOptional,
               const aclTensor *paddingMaskOptional, const aclTensor *attenMaskOptional,
               const aclTensor *sinkOptional, const aclIntArray *prefixOptional,
               const aclIntArray *actualSeqQLen, const aclIntArray *actualSeqKvLen,
               const aclIntArray *qStartIdxOptional, const aclIntArray *kvStartIdxOptional, double scaleValue,
               double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t innerPrecise, int64_t sparseMode, int64_t pseType, char *softmaxOutLayout,
               const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut, const aclTensor *softmaxOutOut,
               const aclTensor *attentionOutOut)
ACLNN_MAX_WORKSPACE(aclnnFlashAttentionVarLenScoreV5)
#endif
