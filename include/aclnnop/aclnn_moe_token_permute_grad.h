/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of the tokens of aclnnMoeTokenPermute: of each token the sum of the rows at its numTopk
 * places, in DOUBLE in their order, rounded once.
 * permutedTokensGrad: FLOAT, FLOAT16 or BFLOAT16, (P, H); tokensGradOut: of its dtype, (T, H).
 * sortedIndices: INT32, of one dim. Its numbers are 0 to T topK - 1, what aclnnMoeTokenPermute gives;
 * another one fails the task before anything is written. One that has no row, as it was cut off, adds
 * nothing. Order as torch_npu 2.14 passes it.
 * 161002 too: numTopk below 1; paddedMode true.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_GRAD_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_GRAD_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeTokenPermuteGrad, const aclTensor *permutedTokensGrad, const aclTensor *sortedIndices,
               int64_t numTopk, bool paddedMode, aclTensor *tokensGradOut)

#endif
