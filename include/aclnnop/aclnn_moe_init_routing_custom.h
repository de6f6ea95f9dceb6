/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnMoeInitRoutingV3 under the name by which vllm-ascend calls it.
 * The parameters, and what becomes of them, are the same.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_CUSTOM_H
#define BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_CUSTOM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeInitRoutingCustom, const aclTensor *x, const aclTensor *expertIdx,
               const aclTensor *scaleOptional, const aclTensor *offsetOptional, int64_t activeNum,
               int64_t expertCapacity, int64_t expertNum, int64_t dropPadMode, int64_t expertTokensNumType,
               bool expertTokensNumFlag, int64_t quantMode, const aclIntArray *activeExpertRangeOptional,
               int64_t rowIdxType, aclTensor *expandedXOut, aclTensor *expandedRowIdxOut,
               aclTensor *expertTokensCountOrCumsumOut, aclTensor *expandedScaleOut)
#endif
