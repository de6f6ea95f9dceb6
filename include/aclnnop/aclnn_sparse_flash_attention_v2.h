/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention of each row over the keys that its indices name, by the rules of aclnn_sparse_flash_attention.h,
 * with a sink.
 * - sinksOptional: FLOAT, a number for each head of query: one more score, which is not scaled, in the
 *   greatest score and the sum of exponentials, and of no value.
 * The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_V2_H
#define BELAY_ACLNNOP_ACLNN_SPARSE_FLASH_ATTENTION_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSparseFlashAttentionV2, const aclTensor *query, const aclTensor *key,
               const aclTensor *valueOptional, const aclTensor *sparseIndices,
               const aclTensor *blockTableOptional, const aclTensor *actualSeqLengthsQueryOptional,
               const aclTensor *actualSeqLengthsKvOptional, const aclTensor *queryRopeOptional,
               const aclTensor *keyRopeOptional, const aclTensor *sinksOptional, double scaleValue,
               int64_t sparseBlockSize, char *layoutQuery, char *layoutKv, int64_t sparseMode,
               int64_t preTokens, int64_t nextTokens, int64_t attentionMode, bool returnSoftmaxLse,
               aclTensor *attentionOut, aclTensor *softmaxMaxOut, aclTensor *softmaxSumOut)
#endif
