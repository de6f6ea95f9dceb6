/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Attention over two parts of the keys as one: the greatest score M of both, the sum S of all exponentials,
 * and attention.
 * - M = max(prevMax, curMax), S = prevSum e^(prevMax - M) + curSum e^(curMax - M), attnOut = (prev prevSum
 *   e^(prevMax - M) + cur curSum e^(curMax - M)) / S; 0 where S is 0 or no part saw a key.
 * - prevAttnOut, curAttnOut, attnOut: FLOAT, FLOAT16 or BFLOAT16. inputLayout "SBH": (S, B, N * D), and the
 *   six numbers of rows FLOAT (B, N, S, 8), each 8 times. "TND": (T, N, D) and (T, N, 8); inputSoftmaxLayout
 *   "TND" has a row's at its place, "SBH", "" or NULL sequence after sequence (N, rows): actualSeqQlen,
 *   INT64, says where these end, a first 0 is no sequence, and without it there is one.
 * Ends that fall or lie beyond T are a fault of the run. In DOUBLE, rounded once. 161002 too: other shapes,
 * other layouts. The order of its parameters is known from one source.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RING_ATTENTION_UPDATE_V2_H
#define BELAY_ACLNNOP_ACLNN_RING_ATTENTION_UPDATE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRingAttentionUpdateV2, const aclTensor *prevAttnOut, const aclTensor *prevSoftmaxMax,
               const aclTensor *prevSoftmaxSum, const aclTensor *curAttnOut, const aclTensor *curSoftmaxMax,
               const aclTensor *curSoftmaxSum, const aclTensor *actualSeqQlenOptional, char *inputLayout,
               char *inputSoftmaxLayout, aclTensor *attnOut, aclTensor *softmaxMax, aclTensor *softmaxSum)
#endif
