/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnMoeTokenUnpermute: of each row the gradient of its token times its prob, of each
 * prob the product of its row and the gradient of its token, summed in DOUBLE in a fixed order, rounded
 * once. Rows that no number has get 0.
 * permutedTokens, unpermutedTokensGrad: FLOAT, FLOAT16 or BFLOAT16, one for both, (P, H) and (T, H); probs:
 * NULL or any of these, (T, topK); permutedTokensGradOut: (P, H) of the dtype of permutedTokens;
 * probsGradOut: as probs, and not looked at without. sortedIndices: INT32, of one dim. Its numbers are 0 to
 * T topK - 1, what aclnnMoeTokenPermute gives; another one fails the task before anything is written. One
 * that has no row, as it was cut off, adds nothing. Order as torch_npu 2.14 passes it.
 * 161002 too: paddedMode true.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_UNPERMUTE_GRAD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeTokenUnpermuteGrad, const aclTensor *permutedTokens,
               const aclTensor *unpermutedTokensGrad, const aclTensor *sortedIndices, const aclTensor *probs,
               bool paddedMode, const aclIntArray *restoreShape, aclTensor *permutedTokensGradOut,
               aclTensor *probsGradOut)

#endif
