/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of experts back to their tokens: aclnnMoeDistributeCombine with the assistInfoForCombine of
 * dispatch, which is not read, sharedExpertX: the dtype of expandX, [tokens, width] or with one more dim in
 * front, which is added, or NULL, and commAlg, which may be NULL and changes nothing. Order as torch_npu
 * 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_V2_H
#define BELAY_ACLNNOP_ACLNN_MOE_DISTRIBUTE_COMBINE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeDistributeCombineV2, const aclTensor *expandX, const aclTensor *expertIds,
               const aclTensor *assistInfoForCombine, const aclTensor *epSendCounts,
               const aclTensor *expertScales, const aclTensor *tpSendCounts, const aclTensor *xActiveMask,
               const aclTensor *activationScale, const aclTensor *weightScale, const aclTensor *groupList,
               const aclTensor *expandScales, const aclTensor *sharedExpertX, const char *groupEp,
               int64_t epWorldSize, int64_t epRankId, int64_t moeExpertNum, const char *groupTp,
               int64_t tpWorldSize, int64_t tpRankId, int64_t expertShardType, int64_t sharedExpertNum,
               int64_t sharedExpertRankNum, int64_t globalBs, int64_t outDtype, int64_t commQuantMode,
               int64_t groupListType, const char *commAlg, aclTensor *x)
#endif
