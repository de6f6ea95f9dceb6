/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The keys that a row wants most, by the rules of aclnn_lightning_indexer.h, of quantised queries and keys.
 * - query, key: INT8; on Ascend950 FLOAT8_E4M3FN, FLOAT8_E5M2 and HIFLOAT8, too; one dtype. queryDequantScale
 *   and keyDequantScale: FLOAT, FLOAT16 or BFLOAT16, the shapes of query and key without their last dim. The
 *   sum of a key is its scale times the sum over heads of weight * scale of the head's row * max(q k, 0).
 * - queryQuantMode and keyQuantMode: 0.
 * Everything is in DOUBLE: scales are not rounded on the way, so that sums that nearly equal one another may
 * come in another order than on a device. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_LIGHTNING_INDEXER_H
#define BELAY_ACLNNOP_ACLNN_QUANT_LIGHTNING_INDEXER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantLightningIndexer, const aclTensor *query, const aclTensor *key,
               const aclTensor *weights, const aclTensor *queryDequantScale, const aclTensor *keyDequantScale,
               const aclTensor *actualSeqLengthsQueryOptional, const aclTensor *actualSeqLengthsKeyOptional,
               const aclTensor *blockTableOptional, int64_t queryQuantMode, int64_t keyQuantMode,
               char *layoutQuery, char *layoutKey, int64_t sparseCount, int64_t sparseMode, int64_t preTokens,
               int64_t nextTokens, aclTensor *sparseIndicesOut)
#endif
