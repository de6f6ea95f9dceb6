/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnMoeTokenPermuteWithRoutingMap, by its sortedIndices: INT32, [n]. permutedTokensGrad:
 * FLOAT, FLOAT16 or BFLOAT16, [n, width]; tokensGradOut: its dtype, [tokensNum, width], the sum of the rows
 * of each token, in DOUBLE in their order, rounded once. permutedProbsGradOptional: any of the three
 * dtypes, [n], or NULL, with, unless dropAndPad is true, routingMapOptional: BOOL or INT8, [tokensNum,
 * expertsNum]; probsGradOutOptional: its dtype, [tokensNum, expertsNum], where each came from, 0 elsewhere.
 * n is a multiple of tokensNum, with dropAndPad of expertsNum. Indices that are no row, or with dropAndPad
 * no token, make the task fail. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeTokenPermuteWithRoutingMapGrad, const aclTensor *permutedTokensGrad,
               const aclTensor *permutedProbsGradOptional, const aclTensor *sortedIndices,
               const aclTensor *routingMapOptional, int64_t expertsNum, int64_t tokensNum, bool dropAndPad,
               aclTensor *tokensGradOut, aclTensor *probsGradOutOptional)
#endif
