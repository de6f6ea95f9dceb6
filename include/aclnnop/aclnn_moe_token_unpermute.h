/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens in their own order again: of each token the sum of the rows at its topK places, times its probs, in
 * DOUBLE in their order, rounded once.
 * permutedTokens: FLOAT, FLOAT16 or BFLOAT16, (P, H); probs: NULL, for topK 1 and no factors, or any of
 * these, (T, topK); out: the dtype of permutedTokens, (T, H); restoreShape is not looked at. sortedIndices:
 * INT32, of one dim. Its numbers are 0 to T topK - 1, what aclnnMoeTokenPermute gives; another one fails the
 * task before anything is written. One that has no row, as it was cut off, adds nothing. Order as torch_npu
 * 2.14 passes it.
 * 161002 too: paddedMode true.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeTokenUnpermute, const aclTensor *permutedTokens, const aclTensor *sortedIndices,
               const aclTensor *probs, bool paddedMode, const aclIntArray *restoreShape, aclTensor *out)

#endif
