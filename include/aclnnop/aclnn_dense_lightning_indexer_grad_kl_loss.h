/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * How far an indexer's weights s are from those of attention, p, over all keys that a row sees, and the gradients of that.
 * - query (B, S, N1, D), key (B, K, N2, D), ropes of more elements of them: FLOAT16 or BFLOAT16; softmaxMax, softmaxSum: FLOAT
 *   (B, N2, S, N1 / N2), with layout "TND" (N2, T, N1 / N2), what attention left. p = mean over heads of
 *   exp(scaleValue (q k + rope of both) - max) / sum.
 * - queryIndex, keyIndex, weights, lists, sparseMode: as aclnn_dense_lightning_indexer_softmax_lse.h says, softmaxMaxIndex and
 *   softmaxSumIndex what comes out there. s = exp(sum of the key - max) / sum.
 * - lossOut: FLOAT {1}, the sum of p (ln p - ln s), neither below 1e-8 there. dQueryIndexOut, dKeyIndexOut, dWeightsOut: like queryIndex,
 *   keyIndex, weights, of s - p; the slope of a head is rounded to the dtype of queryIndex before products. Rows and keys of no
 *   sequence are 0.
 * In doubles. Known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DENSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_H
#define BELAY_ACLNNOP_ACLNN_DENSE_LIGHTNING_INDEXER_GRAD_KL_LOSS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDenseLightningIndexerGradKLLoss, const aclTensor *query, const aclTensor *key,
               const aclTensor *queryIndex, const aclTensor *keyIndex, const aclTensor *weights,
               const aclTensor *softmaxMax, const aclTensor *softmaxSum, const aclTensor *softmaxMaxIndex,
               const aclTensor *softmaxSumIndex, const aclTensor *queryRopeOptional,
               const aclTensor *keyRopeOptional, const aclIntArray *actualSeqLengthsQueryOptional,
               const aclIntArray *actualSeqLengthsKeyOptional, double scaleValue, char *layout,
               int64_t sparseMode, int64_t preTokens, int64_t nextTokens, aclTensor *dQueryIndexOut,
               aclTensor *dKeyIndexOut, aclTensor *dWeightsOut, aclTensor *lossOut)
#endif
