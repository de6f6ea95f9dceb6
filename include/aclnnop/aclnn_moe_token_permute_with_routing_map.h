/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens in the order of the experts that a map sends them to. tokens: FLOAT, FLOAT16 or BFLOAT16, [tokens,
 * width]; routingMap: BOOL or INT8 of 0 and 1, [tokens, experts]; probsOptional: any of the three dtypes,
 * [tokens, experts], or NULL. Without dropAndPad numOutTokens, n, is a multiple of the tokens, topK for
 * each: row p of permuteTokensOut, [n, width], is the token of true entry p, expert by expert and token by
 * token, 0 behind the last; sortedIndicesOut: INT32, [n], at token * topK + j the row of the token's expert
 * j, ascending, -1 where it has fewer; more than topK make the task fail. With it each expert gets
 * numOutTokens / experts rows: the first tokens of those that the map sends there and then of the others;
 * sortedIndicesOut is the token of each row. permuteProbsOutOptional: the dtype of probs, [n], the prob of
 * each row, 0 behind the last. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_WITH_ROUTING_MAP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeTokenPermuteWithRoutingMap, const aclTensor *tokens, const aclTensor *routingMap,
               const aclTensor *probsOptional, int64_t numOutTokens, bool dropAndPad,
               aclTensor *permuteTokensOut, aclTensor *permuteProbsOutOptional, aclTensor *sortedIndicesOut)
#endif
