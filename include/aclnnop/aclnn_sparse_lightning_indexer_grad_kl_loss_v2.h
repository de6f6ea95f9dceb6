/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The same as aclnn_sparse_lightning_indexer_grad_kl_loss.h, with sinksOptional, FLOAT: where it is given the weights of attention are
 * brought to the sum 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SPARSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_V2_H
#define BELAY_ACLNNOP_ACLNN_SPARSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSparseLightningIndexerGradKLLossV2, const aclTensor *query, const aclTensor *key,
               const aclTensor *queryIndex, const aclTensor *keyIndex, const aclTensor *weights,
               const aclTensor *sparseIndices, const aclTensor *softmaxMax, const aclTensor *softmaxSum,
               const aclTensor *queryRopeOptional, const aclTensor *keyRopeOptional,
               const aclIntArray *actualSeqLengthsQueryOptional,
               const aclIntArray *actualSeqLengthsKeyOptional, const aclTensor *sinksOptional,
               double scaleValue, char *layout, int64_t sparseMode, int64_t preTokens, int64_t nextTokens,
               bool deterministic, aclTensor *dQueryIndexOut, aclTensor *dKeyIndexOut, aclTensor *dWeightsOut,
               aclTensor *lossOut)
#endif
