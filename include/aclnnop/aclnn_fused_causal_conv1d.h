/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Convolution along the tokens of sequences, each behind the rows that a cache has kept of it.
 * - x, weight (K, dim), convStates (lines, C, dim) and y, like x: FLOAT, FLOAT16 or BFLOAT16, of one dtype; C is K - 1
 *   or more. x (tokens, dim) is cut by queryStartLocOptional, B + 1 numbers from 0; (B, S, dim) needs none.
 * - Sequence b has line cacheIndicesOptional[b], or b; where that is padSlotId it is left out, and y not written. Its
 *   history are the first K - 1 + skipped rows of its line, skipped being C - (K - 1), or numAcceptedTokensOptional[b] -
 *   1; where numComputedTokensOptional[b] is 0 it is K - 1 zeros and skipped 0. With P the rows of history and x,
 *   y[i] = sum of weight[k] P[skipped + i + k], and the last rows of P, C at most, become the last ones of the line.
 * - residualConnection 1: y has x added. convMode 1: before that, the first K - 1 - numComputedTokens[b] rows of a
 *   sequence are 0. Rows of y behind the last sequence are 0.
 * - biasOptional, initialStateModeOptional, activationMode, runMode, maxQueryLen and blockSize change nothing.
 * Indices are INT32; those that name nothing fail the work (507035). 161002 too: other shapes, another convMode, any of
 * the block indices or initialStateIdxOptional. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_CAUSAL_CONV1D_H
#define BELAY_ACLNNOP_ACLNN_FUSED_CAUSAL_CONV1D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedCausalConv1d, const aclTensor *x, const aclTensor *weight, aclTensor *convStates,
               const aclTensor *queryStartLocOptional, const aclTensor *cacheIndicesOptional,
               const aclTensor *initialStateModeOptional, const aclTensor *biasOptional,
               const aclTensor *numAcceptedTokensOptional, const aclTensor *numComputedTokensOptional,
               const aclTensor *blockIdxFirstScheduledTokenOptional,
               const aclTensor *blockIdxLastScheduledTokenOptional, const aclTensor *initialStateIdxOptional,
               int64_t activationMode, int64_t padSlotId, int64_t runMode, int64_t maxQueryLen,
               int64_t residualConnection, int64_t blockSize, int64_t convMode, aclTensor *y)
#endif
