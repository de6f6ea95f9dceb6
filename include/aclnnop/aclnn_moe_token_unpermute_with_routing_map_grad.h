/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnMoeTokenUnpermuteWithRoutingMap. unpermutedTokensGrad: FLOAT, FLOAT16 or BFLOAT16,
 * [tokens, width]; outIndex and permuteTokenId: INT32, [n], as they came; without dropAndPad outIndex is
 * sortedIndices and permuteTokenId is not read. permutedTokensGradOut: the dtype of the gradient, [n,
 * width], the token's gradient times the prob of the row, rounded once, 0 for a row of no token. With
 * probsOptional: any of the three dtypes, [tokens, experts], come routingMapOptional, unless dropAndPad is
 * true: BOOL or INT8, [tokens, experts], permutedTokensOptional: the dtype of the gradient, [n, width], and
 * probsGradOutOptional: any of the three dtypes, [tokens, experts], the sums of products of rows and
 * gradients, in DOUBLE, 0 elsewhere. restoreShape: [tokens, width]. Indices that are no row or no token
 * make the task fail. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_WITH_ROUTING_MAP_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeTokenUnpermuteWithRoutingMapGrad, const aclTensor *unpermutedTokensGrad,
               const aclTensor *outIndex, const aclTensor *permuteTokenId,
               const aclTensor *routingMapOptional, const aclTensor *permutedTokensOptional,
               const aclTensor *probsOptional, bool dropAndPad, const aclIntArray *restoreShape,
               aclTensor *permutedTokensGradOut, aclTensor *probsGradOutOptional)
#endif
