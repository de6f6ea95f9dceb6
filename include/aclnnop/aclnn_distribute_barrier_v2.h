/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * All ranks of a group wait for one another on their streams: aclnnDistributeBarrier with timeOut: INT32,
 * or NULL, which is not looked at, and elasticInfo, which is NULL. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_V2_H
#define BELAY_ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDistributeBarrierV2, const aclTensor *xRef, const aclTensor *timeOut,
               const aclTensor *elasticInfo, const char *group, int64_t worldSize)
#endif
