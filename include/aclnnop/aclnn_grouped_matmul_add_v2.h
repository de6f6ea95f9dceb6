/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGroupedMatmulAdd (aclnn_grouped_matmul_add.h) with groupListType: 0, groupList has the rows up to the
 * end of each group; 1, how many each has; 2, it is (groups, 2), pairs of a group and how many it has.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_ADD_V2_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_ADD_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulAddV2, const aclTensor *x, const aclTensor *weight,
               const aclTensor *groupList, aclTensor *yRef, bool transposeX, bool transposeWeight,
               int64_t groupType, int64_t groupListType)
#endif
