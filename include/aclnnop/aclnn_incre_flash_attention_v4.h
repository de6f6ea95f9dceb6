/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of a row at a time over pages of keys, by the rules of aclnn_incre_flash_attention.h.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_V4_H
#define BELAY_ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_V4_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnIncreFlashAttentionV4, const aclTensor *query, const aclTensorList *key,
               const aclTensorList *value, const aclTensor *pseShiftOptional,
               const aclTensor *attenMaskOptional, const aclIntArray *actualSeqLengthsOptional,
               const aclTensor *deqScale1Optional, const aclTensor *quantScale1Optional,
               const aclTensor *deqScale2Optional, const aclTensor *quantScale2Optional,
               const aclTensor *quantOffset2Optional, const aclTensor *antiquantScaleOptional,
               const aclTensor *antiquantOffsetOptional, const aclTensor *blockTableOptional,
               const aclTensor *kvPaddingSizeOptional, int64_t numHeads, double scaleValue, char *inputLayout,
               int64_t numKeyValueHeads, int64_t blockSize, int64_t innerPrecise,
               const aclTensor *attentionOut)
#endif
