/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of whole prompts, by the rules of aclnn_fused_infer_attention_score.h.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H
#define BELAY_ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPromptFlashAttentionV3, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *actualSeqLengthsOptional, const aclIntArray *actualSeqLengthsKvOptional,
               const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
               const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
               const aclTensor *quantOffset2Optional, int64_t numHeads, double scaleValue, int64_t preTokens,
               int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
               int64_t innerPrecise, const aclTensor *attentionOut)
#endif
