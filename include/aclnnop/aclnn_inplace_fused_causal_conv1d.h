/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FusedCausalConv1d, whose result takes the memory of x: aclnn_fused_causal_conv1d.h has the rules.
 * Rows behind the last sequence stay as they are.
 */
#ifndef BELAY_ACLNNOP_ACLNN_INPLACE_FUSED_CAUSAL_CONV1D_H
#define BELAY_ACLNNOP_ACLNN_INPLACE_FUSED_CAUSAL_CONV1D_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceFusedCausalConv1d, aclTensor *x, const aclTensor *weight, aclTensor *convStates,
               const aclTensor *queryStartLocOptional, const aclTensor *cacheIndicesOptional,
               const aclTensor *initialStateModeOptional, const aclTensor *biasOptional,
               const aclTensor *numAcceptedTokensOptional, const aclTensor *numComputedTokensOptional,
               const aclTensor *blockIdxFirstScheduledTokenOptional,
               const aclTensor *blockIdxLastScheduledTokenOptional, const aclTensor *initialStateIdxOptional,
               int64_t activationMode, int64_t padSlotId, int64_t runMode, int64_t maxQueryLen,
               int64_t residualConnection, int64_t blockSize, int64_t convMode)
#endif
