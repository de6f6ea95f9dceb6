/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Tokens to the ranks of their experts: aclnnMoeDistributeDispatch with commAlg, which may be NULL and
 * changes nothing, and assistInfoForCombine instead of expandIdx: INT32, 128 for each row of expandX or
 * more, the rank, token and choice that it is of and zeros. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_V2_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_DISPATCH_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeDispatchV2, const aclTensor *x, const aclTensor *expertIds,
               const aclTensor *scales, const aclTensor *xActiveMask, const aclTensor *expertScales,
               const char *groupEp, int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum,
               const char *groupTp, int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType,
               int64_t sharedExpertNum, int64_t sharedExpertRankNum, int64_t quantMode, int64_t globalBs,
               int64_t expertTokenNumsType, const char *commAlg, aclTensor *expandX, aclTensor *dynamicScales,
               aclTensor *assistInfoForCombine, aclTensor *expertTokenNums, aclTensor *epRecvCounts,
               aclTensor *tpRecvCounts, aclTensor *expandScales)
#endif
