/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of experts back to their tokens, with a residual, and their norm. aclnnMoeDistributeCombineV2,
 * whose sum residualX: the dtype of expandX, [tokens, 1, width] or [tokens, width], is added to: x, as
 * residualX, rounded once; y = sum / sqrt(mean of sum * sum + normEps) * gamma of the sum before it is
 * rounded, gamma: the dtype of expandX, [width]; rstd: FLOAT, as residualX with a last dim of 1. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_ADD_RMS_NORM_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_ADD_RMS_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeCombineAddRmsNorm, const aclTensor *expandX, const aclTensor *expertIds,
               const aclTensor *expandIdx, const aclTensor *epSendCounts, const aclTensor *expertScales,
               const aclTensor *residualX, const aclTensor *gamma, const aclTensor *tpSendCounts,
               const aclTensor *xActiveMask, const aclTensor *activationScale, const aclTensor *weightScale,
               const aclTensor *groupList, const aclTensor *expandScales, const aclTensor *sharedExpertX,
               const char *groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
               const char *groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
               int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t globalBs, int64_t outDtype,
               int64_t commQuantMode, int64_t groupListType, const char *commAlg, float normEps, aclTensor *y,
               aclTensor *rstd, aclTensor *x)
#endif
