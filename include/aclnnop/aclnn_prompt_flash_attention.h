/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of whole prompts, by the rules of aclnn_fused_infer_attention_score.h; sparseMode is 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnPromptFlashAttention, const aclTensor *query, const aclTensor *key,
               const aclTensor *value, const aclTensor *pseShiftOptional, const aclTensor *attenMaskOptional,
               const aclIntArray *actualSeqLengthsOptional, int64_t numHeads, double scaleValue,
               int64_t preTokens, int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads,
               const aclTensor *attentionOut)
#endif
