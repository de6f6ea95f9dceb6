/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of the rows of groups, x turned, added to a matrix of each: y_g += x_g^T @ weight_g.
 * x: (k, m), weight: (k, n), FLOAT16 or BFLOAT16, of one dtype; groupList: INT64 (groups), the rows up to
 * the end of each group; yRef: FLOAT (groups, m, n), or (groups * m, n). transposeX true, transposeWeight
 * false, groupType 2. In FLOAT as aclnnAddmm adds, rounded once; a group without rows leaves its matrix.
 * 161002 too: other transposeX, transposeWeight and groupType. The work fails for a groupList that falls or
 * goes beyond k. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_ADD_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_ADD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulAdd, const aclTensor *x, const aclTensor *weight, const aclTensor *groupList,
               aclTensor *yRef, bool transposeX, bool transposeWeight, int64_t groupType)
#endif
