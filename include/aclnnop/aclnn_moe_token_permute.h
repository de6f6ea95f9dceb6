/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a mixture of experts in the order of their experts. The numbers of indices, topK for each
 * token in a row, are sorted; equal ones keep their order. Row p of permuteTokensOut is the token of the
 * number with place p in the order, and sortedIndicesOut[i] is the place of number i.
 * tokens: FLOAT, FLOAT16 or BFLOAT16, (T, H); indices: INT32 or INT64, (T, topK) or (T); numOutTokens: how
 * many rows there are: all for 0, all but so many for a negative one, at most all; permuteTokensOut: those
 * rows, of the dtype of tokens; sortedIndicesOut: INT32, T topK. Order as torch_npu 2.14 passes it.
 * 161002 too: paddedMode true.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_H
#define BELAY_ACLNNOP_ACLNN_MOE_TOKEN_PERMUTE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeTokenPermute, const aclTensor *tokens, const aclTensor *indices, int64_t numOutTokens,
               bool paddedMode, aclTensor *permuteTokensOut, aclTensor *sortedIndicesOut)

#endif
