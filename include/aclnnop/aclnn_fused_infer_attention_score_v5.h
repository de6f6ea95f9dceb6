/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention for inference with rotated elements apart, by the rules of aclnn_fused_infer_attention_score.h.
 * dequantScaleQueryOptional and both of where sequences begin are expected to be NULL,
 * and pseType to be 0; queryQuantMode changes nothing. Order as torch_npu 2.14 passes it; the names of the
 * last two of those that must be NULL, and of pseType, are not known from elsewhere.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V5_H
#define BELAY_ACLNNOP_ACLNN_FUSED_INFER_ATTENTION_SCORE_V5_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnFusedInferAttentionScoreV5, const aclTensor *query, const aclTensorList *key,
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
               const aclTensor *learnableSinkOptional, const aclIntArray *qStartIdxOptional,
               const aclIntArray *kvStartIdxOptional, int64_t numHeads, double scaleValue, int64_t preTokens,
               int64_t nextTokens, char *inputLayout, int64_t numKeyValueHeads, int64_t sparseMode,
               int64_t innerPrecise, int64_t blockSize, int64_t antiquantMode, bool softmaxLseFlag,
               int64_t keyAntiquantMode, int64_t valueAntiquantMode, int64_t queryQuantMode, int64_t pseType,
               const aclTensor *attentionOut, const aclTensor *softmaxLse)
ACLNN_MAX_WORKSPACE(aclnnFusedInferAttentionScoreV5)

#endif
