/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the ranks of their experts: aclnnMoeDistributeDispatchV3 with performanceInfo: INT64, or NULL,
 * which stays as it is: no time passes on a device here. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_V4_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_V4_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeDispatchV4, const aclTensor *x, const aclTensor *expertIds,
               const aclTensor *scales, const aclTensor *xActiveMask, const aclTensor *expertScales,
               const aclTensor *elasticInfo, const aclTensor *performanceInfo, const char *groupEp,
               int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum, const char *groupTp,
               int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType, int64_t sharedExpertNum,
               int64_t sharedExpertRankNum, int64_t quantMode, int64_t globalBs, int64_t expertTokenNumsType,
               const char *commAlg, int64_t zeroExpertNum, int64_t copyExpertNum, int64_t constExpertNum,
               aclTensor *expandX, aclTensor *dynamicScales, aclTensor *assistInfoForCombine,
               aclTensor *expertTokenNums, aclTensor *epRecvCounts, aclTensor *tpRecvCounts,
               aclTensor *expandScales)
#endif
