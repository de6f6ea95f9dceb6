/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of the sums by which a row chooses its keys, those of aclnn_lightning_indexer.h: for each chosen
 * key k, with s = q k of each head,
 *     dWeights += dy max(s, 0); where s is not below 0 dQuery += dy w k, dKey += dy w q
 * - query, key, weights, lengths and sparseMode are those of aclnn_lightning_indexer.h; layout is "BSND" or
 *   "TND", of rows and keys alike. sparseIndices: INT32 or INT64, the rows of query and indices, maybe with 1
 *   between; negative ones, and those behind the sequence's end, are skipped. dy: FLOAT, FLOAT16 or BFLOAT16, as
 *   many numbers.
 * - dQueryOut, dKeyOut, dWeightsOut: like query, key, weights; rows and keys that take no part have 0.
 * In DOUBLE, keys' in the order of rows, rounded once. headNum, preTokens, nextTokens and deterministic change
 * nothing. Lengths that cannot be are faults of the run. 161002 too: other shapes, layouts, modes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LIGHTNING_INDEXER_GRAD_H
#define BELAY_ACLNNOP_ACLNN_LIGHTNING_INDEXER_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLightningIndexerGrad, const aclTensor *query, const aclTensor *key, const aclTensor *dy,
               const aclTensor *sparseIndices, const aclTensor *weights,
               const aclTensor *actualSeqLengthsQueryOptional, const aclTensor *actualSeqLengthsKeyOptional,
               int64_t headNum, char *layout, int64_t sparseMode, int64_t preTokens, int64_t nextTokens,
               bool deterministic, aclTensor *dQueryOut, aclTensor *dKeyOut, aclTensor *dWeightsOut)
#endif
