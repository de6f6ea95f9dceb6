/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The greatest of the sums by which rows choose their keys, and the sum of the exponentials of all less it.
 * - queryIndex (B, S, N, D), keyIndex (B, K, 1, D), weights (B, S, N), with layout "TND" (T, N, D), (K, 1, D), (T, N): FLOAT16 or
 *   BFLOAT16, weights also FLOAT. A key has for a row the sum over n of weights[n] times what of queryIndex[n] keyIndex is above 0.
 * - Lists: with "TND" where the rows and keys of sequences end; else how many each batch has, or NULL.
 * - sparseMode 3: row r sees keys up to r + keys - rows of its sequence; 0: all. preTokens, nextTokens change nothing.
 * - softmaxMaxOut, softmaxSumOut: FLOAT (B, 1, S) or (1, T); of rows that see nothing the greatest negative number and the greatest.
 * In doubles. Known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DENSE_LIGHTNING_INDEXER_SOFTMAX_LSE_H
#define BELAY_ACLNNOP_ACLNN_DENSE_LIGHTNING_INDEXER_SOFTMAX_LSE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDenseLightningIndexerSoftmaxLse, const aclTensor *queryIndex, const aclTensor *keyIndex,
               const aclTensor *weights, const aclIntArray *actualSeqLengthsQueryOptional,
               const aclIntArray *actualSeqLengthsKeyOptional, char *layout, int64_t sparseMode,
               int64_t preTokens, int64_t nextTokens, aclTensor *softmaxMaxOut, aclTensor *softmaxSumOut)
#endif
