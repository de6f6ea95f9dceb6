/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of experts back to their tokens: aclnnMoeDistributeCombineV2 with experts behind the others:
 * zeroExpertNum that add nothing, copyExpertNum whose row is that of oriX: the dtype of expandX, [tokens,
 * width], and constExpertNum whose row is alpha1 * oriX + alpha2 * v: constExpertAlpha1, constExpertAlpha2
 * and constExpertV, [constExpertNum, width] (161001 where one is asked for and NULL). elasticInfo is NULL.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_V3_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeCombineV3, const aclTensor *expandX, const aclTensor *expertIds,
               const aclTensor *assistInfoForCombine, const aclTensor *epSendCounts,
               const aclTensor *expertScales, const aclTensor *tpSendCounts, const aclTensor *xActiveMask,
               const aclTensor *activationScale, const aclTensor *weightScale, const aclTensor *groupList,
               const aclTensor *expandScales, const aclTensor *sharedExpertX, const aclTensor *elasticInfo,
               const aclTensor *oriX, const aclTensor *constExpertAlpha1, const aclTensor *constExpertAlpha2,
               const aclTensor *constExpertV, const char *groupEp, int64_t epWorldSize, int64_t epRankId,
               int64_t moeExpertNum, const char *groupTp, int64_t tpWorldSize, int64_t tpRankId,
               int64_t expertShardType, int64_t sharedExpertNum, int64_t sharedExpertRankNum,
               int64_t globalBs, int64_t outDtype, int64_t commQuantMode, int64_t groupListType,
               const char *commAlg, int64_t zeroExpertNum, int64_t copyExpertNum, int64_t constExpertNum,
               aclTensor *x)
#endif
