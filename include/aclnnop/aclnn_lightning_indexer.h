/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The keys that a row wants most: those with the greatest sums over heads of weight * max(q k, 0), in
 * descending order, of equal ones the first first.
 * - query: FLOAT16 or BFLOAT16; key: that dtype, one head; weights: FLOAT, FLOAT16 or BFLOAT16, a number for
 *   each head of query. layoutQuery "BSND": (B, S, N, D); "TND": (T, N, D). layoutKey the same, or
 *   "PA_BSND": (blocks, rows, 1, D) with blockTable, INT32 (B, blocks of a sequence). actualSeqLengthsQuery,
 *   INT32 (B): where sequences end of TND, else rows of each, optional; actualSeqLengthsKey likewise, of
 *   PA_BSND keys of each sequence.
 * - sparseMode 3: row r sees keys up to r + keys - rows of its sequence; 0: all. preTokens and nextTokens
 *   change nothing.
 * - sparseIndicesOut: INT32, the shape of query with 1 and sparseCount as its last dims: numbers of keys
 *   within the sequence, -1 where there are no more. sparseValuesOut: the dtype of query, their sums, -inf
 *   there; of any shape and not written unless returnValue.
 * Sums are DOUBLE; NaN counts as the greatest. Lengths and blocks that cannot be are faults of the run.
 * 161002 too: other shapes, layouts, modes. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LIGHTNING_INDEXER_H
#define BELAY_ACLNNOP_ACLNN_LIGHTNING_INDEXER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLightningIndexer, const aclTensor *query, const aclTensor *key, const aclTensor *weights,
               const aclTensor *actualSeqLengthsQueryOptional, const aclTensor *actualSeqLengthsKeyOptional,
               const aclTensor *blockTableOptional, char *layoutQuery, char *layoutKey, int64_t sparseCount,
               int64_t sparseMode, int64_t preTokens, int64_t nextTokens, bool returnValue,
               aclTensor *sparseIndicesOut, aclTensor *sparseValuesOut)
#endif
