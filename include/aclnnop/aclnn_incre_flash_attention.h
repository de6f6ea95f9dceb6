/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of a row at a time, by the rules of aclnn_fused_infer_attention_score.h. actualSeqLengths are
 * those of keys; sparseMode is 0, and the tokens are not limited.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_H
#define BELAY_ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIncreFlashAttention, const aclTensor *query, const aclTensorList *key,
               const aclTensorList *value, const aclTensor *pseShiftOptional,
               const aclTensor *attenMaskOptional, const aclIntArray *actualSeqLengthsOptional,
               int64_t numHeads, double scaleValue, char *inputLayout, int64_t numKeyValueHeads,
               const aclTensor *attentionOut)
#endif
