/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of attention of floats of 8 bits, aclnn_quant_flash_attention_score.h.
 *
 *     P = e^(S - softmaxMax) / softmaxSum, dS = P ((dScaleDy dy) (dScaleV value)^T - rowsum(dScaleDy dy attentionIn))
 *     dv = P^T (dScaleDy dy), dq = scaleValue dS (dScaleK key), dk = scaleValue dS^T (dScaleQ query)
 *
 * dy: FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8, with the heads of query and the elements of value; dScaleDy as
 * dScaleQ. attentionIn: FLOAT, FLOAT16 or BFLOAT16; softmaxMax, softmaxSum: FLOAT (batch, head, row, 1).
 * dqOut, dkOut, dvOut: FLOAT, FLOAT16 or BFLOAT16, which they say themselves: outDtype changes nothing.
 * dsScale and pScale are not looked at. With Ascend950. One source has the order, torch_npu 2.14's own call.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_FLASH_ATTENTION_SCORE_GRAD_H
#define BELAY_ACLNNOP_ACLNN_QUANT_FLASH_ATTENTION_SCORE_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantFlashAttentionScoreGrad, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *dy, const aclTensor *attenMaskOptional,
               const aclTensor *softmaxMax, const aclTensor *softmaxSum, const aclTensor *attentionIn,
               const aclTensor *dScaleQ, const aclTensor *dScaleK, const aclTensor *dScaleV,
               const aclTensor *dScaleDy, const aclTensor *dsScaleOptional, const aclTensor *pScaleOptional,
               double scaleValue, int64_t preTokens, int64_t nextTokens, int64_t headNum, char *inputLayout,
               int64_t sparseMode, int64_t outDtype, const aclTensor *dqOut, const aclTensor *dkOut,
               const aclTensor *dvOut)
#endif
