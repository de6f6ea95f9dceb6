/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The rows of all ranks, one rank's behind the other's, times x2: output = gather(x1) @ x2 + bias;
 * aclnnAllGatherMatmul, also of INT8. Then x1 and x2 are INT8, output is FLOAT16 or BFLOAT16, x2Scale:
 * FLOAT, or INT64 with a FLOAT in its lower bits, 1 element or n, x1Scale: FLOAT, 1 element or m, or NULL
 * for 1, the scales of each rank's rows; bias: INT32, added to the exact sums, or a float, added behind the
 * scales. Without INT8 the scales are NULL. quantScale is NULL; amaxOut is not looked at, and blockSize,
 * groupSize and commMode change nothing. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_V2_H
#define BELAY_ACLNNOP_ACLNN_ALL_GATHER_MATMUL_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAllGatherMatmulV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x1Scale, const aclTensor *x2Scale, const aclTensor *quantScale,
               int64_t blockSize, const char *group, int64_t gatherIndex, int64_t commTurn,
               int64_t streamMode, int64_t groupSize, const char *commMode, const aclTensor *output,
               const aclTensor *gatherOut, const aclTensor *amaxOut)
#endif
