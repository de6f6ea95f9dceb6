/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference with rotated elements apart, by the rules of aclnn_fused_infer_attention_score.h.
 * dequantScaleQueryOptional is expected to be NULL, and queryQuantMode changes nothing.
 * learnableSinkOptional, FLOAT, FLOAT16 or BFLOAT16 {heads}, is one more score in each sum of exponentials,
 * and of no value; it is not scaled. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V4_H
#define BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V4_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnFusedInferAttentionScoreV4, const aclTensor *query, const aclTensorList *key,
               const aclTensorList *value, const aclTensor *pseShiftOptional,
               const aclTensor *attenMaskOptional, const aclIntArray *actualSeqLengthsOptional,
               const aclIntArray *actualSeqLengthsKvOptional, const aclTensor *deqScale1Optional,
               const aclTensor *quantScale1Optional, const aclTensor *deqScale2Optional,
               const aclTensor *quantScale2Optional, const aclTensor *quantOffset2Optional,
               const aclTensor *antiquantScaleOptional, const aclTensor *antiquantOffsetOptional,
               const aclTensor *blockTableOptional, const aclTensor *queryPaddingSizeOptional,
               const aclTensor *kvPaddingSizeOptional, const aclTensor *keyAntiquantScaleOptional,
               const aclTensor *keyAntiquantOffsetOptional, const aclTensor *valueAntiquantScaleOptional,
               const aclTensor *valueAntiquantOffsetOptional, const aclTensor *keySharedPrefixOptional,
               const aclTensor *valueSharedPrefixOptional, const aclIntArray *actualSharedPrefixLenOptional,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
               const aclTensor *keyRopeAntiquantScaleOptional, const aclTensor *dequantScaleQueryOptional,
               const aclTensor *learnableSinkOptional, int64_t numHeads, double scaleValue, int64_t preTokens,
               int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
               int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
               int64_t keyAntiquantMode, int64_t valueAntiquantMode, int64_t queryQuantMode,
               const aclTensor *attentionOut, const aclTensor *softmaxLse)
ACLNN_MAX_WORKSPACE(aclnnFusedInferAttentionScoreV4)

#endif
