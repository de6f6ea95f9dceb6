/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of floats of 8 bits with scales of blocks.
 *
 *     S = scaleValue (dScaleQ query) (dScaleK key)^T
 *     attentionOut = (e^(S - softmaxMax) / softmaxSum) (dScaleV value)
 *
 * - query, key, value: FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8, one of them for all; inputLayout BSH, SBH, BNSD
 *   or BSND. headNum, attenMask, preTokens, nextTokens and sparseMode but 6: as in
 *   aclnn_flash_attention_score.h.
 * - dScaleQ: FLOAT [batches, heads, ceil(rows / 128)], maybe with a last dim of 1, a scale for 128 rows of a
 *   head each; dScaleK and dScaleV with the heads of key, for 256 keys each.
 * - softmaxMaxOut, softmaxSumOut: FLOAT (batch, head, row, 1). attentionOut: FLOAT, FLOAT16 or BFLOAT16.
 * - softmaxOutOut and pScale are not looked at: weights stay FLOAT, where a device makes them floats of 8 bits
 *   by pScale.
 * With Ascend950. One source has the order, torch_npu 2.14's own call; the scales' shapes are inferred.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_FLASH_ATTENTION_SCORE_H
#define BELAY_ACLNNOP_ACLNN_QUANT_FLASH_ATTENTION_SCORE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantFlashAttentionScore, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *attenMaskOptional, const aclTensor *dScaleQ,
               const aclTensor *dScaleK, const aclTensor *dScaleV, const aclTensor *pScaleOptional,
               double scaleValue, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t sparseMode, const aclTensor *softmaxMaxOut, const aclTensor *softmaxSumOut,
               const aclTensor *softmaxOutOut, const aclTensor *attentionOutOut)
#endif
