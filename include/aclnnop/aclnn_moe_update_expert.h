/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The places that stand for experts which lie in several, and which choices of a token are kept. expertIds:
 * INT32 or INT64, [tokens, topK]; eplbTable: INT32, [experts, places + 1]: how many places an expert has, 1
 * or more, then these. balancedExpertIds: as expertIds, with balanceMode 0 the place of this rank, number
 * localRankId / ceil(worldSize / count), with 1 number token modulo count. expertScalesOptional: FLOAT,
 * FLOAT16 or BFLOAT16, [tokens, topK], with pruningThresholdOptional: FLOAT, [topK] or [1, topK]: a choice
 * is kept whose scale is at least its threshold times the sum of the token's scales; activeMaskOptional:
 * BOOL, [tokens], keeps none of a token that is false. balancedActiveMask: BOOL, [tokens, topK], which is
 * looked at where these are given. An expert outside the table and a count outside its row make the task
 * fail. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_UPDATE_EXPERT_H
#define BELAY_ACLNNOP_ACLNN_MOE_UPDATE_EXPERT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeUpdateExpert, const aclTensor *expertIds, const aclTensor *eplbTable,
               const aclTensor *expertScalesOptional, const aclTensor *pruningThresholdOptional,
               const aclTensor *activeMaskOptional, int64_t localRankId, int64_t worldSize,
               int64_t balanceMode, const aclTensor *balancedExpertIds, const aclTensor *balancedActiveMask)
#endif
