/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each token's sum of the rows that aclnnMoeTokenPermuteWithRoutingMap gave it, times their probs.
 * permutedTokens: FLOAT, FLOAT16 or BFLOAT16, [n, width]; sortedIndices: INT32, [n]; routingMapOptional:
 * BOOL or INT8, [tokens, experts]; probsOptional: any of the three dtypes, [tokens, experts], or NULL for
 * 1, with routingMapOptional unless paddedMode is true; restoreShape: [tokens, width]. unpermutedTokens:
 * the dtype of permutedTokens, in DOUBLE in the order of the rows of a token, rounded once; -1 adds
 * nothing, others that are no row, or with paddedMode no token, make the task fail. outIndex and
 * permuteTokenId: INT32, [n], with paddedMode the places of sortedIndices in ascending order and the tokens
 * there, else sortedIndices and the token of each; permuteProbsOptional: the dtype of probs, [n], the prob
 * of each. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeTokenUnpermuteWithRoutingMap, const aclTensor *permutedTokens,
               const aclTensor *sortedIndices, const aclTensor *routingMapOptional,
               const aclTensor *probsOptional, bool paddedMode, const aclIntArray *restoreShape,
               aclTensor *unpermutedTokens, aclTensor *outIndex, aclTensor *permuteTokenId,
               aclTensor *permuteProbsOptional)
#endif
