/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far an indexer's weights are from those of attention over the keys that were chosen, and the gradients of that, by the rules of
 * aclnn_dense_lightning_indexer_grad_kl_loss.h.
 * sparseIndices: INT32 (B, S, C) or (B, S, 1, C), with layout "TND" (T, C) or (T, 1, C): keys within the sequence; numbers that are none
 * are left out. s is the softmax over the chosen keys. deterministic changes nothing: results are always the same.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPARSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_H
#define BELAY_ACLNNOP_ACLNN_SPARSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSparseLightningIndexerGradKLLoss, const aclTensor *query, const aclTensor *key,
               const aclTensor *queryIndex, const aclTensor *keyIndex, const aclTensor *weights,
               const aclTensor *sparseIndices, const aclTensor *softmaxMax, const aclTensor *softmaxSum,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
               const aclIntArray *actualSeqLengthsQueryOptional,
               const aclIntArray *actualSeqLengthsKeyOptional, double scaleValue, char *layout,
               int64_t sparseMode, int64_t preTokens, int64_t nextTokens, bool deterministic,
               aclTensor *dQueryIndexOut, aclTensor *dKeyIndexOut, aclTensor *dWeightsOut, aclTensor *lossOut)
#endif
