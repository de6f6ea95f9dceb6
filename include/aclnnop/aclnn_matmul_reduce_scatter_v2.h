/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of all ranks added up, of which each rank gets its part of the rows; aclnnMatmulReduceScatter,
 * also of INT8. Then x1 and x2 are INT8, output is FLOAT16 or BFLOAT16, x2Scale: FLOAT, or INT64 with a
 * FLOAT in its lower bits, 1 element or n, x1Scale: FLOAT, 1 element or m, or NULL for 1; bias: INT32,
 * added to the exact sums, or a float, added behind the scales. Without INT8 the scales are NULL.
 * quantScale is NULL; amaxOut is not looked at, and blockSize, groupSize and commMode change nothing. Order
 * as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MATMUL_REDUCE_SCATTER_V2_H
#define BELAY_ACLNNOP_ACLNN_MATMUL_REDUCE_SCATTER_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMatmulReduceScatterV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x1Scale, const aclTensor *x2Scale, const aclTensor *quantScale,
               int64_t blockSize, const char *group, const char *reduceOp, int64_t commTurn,
               int64_t streamMode, int64_t groupSize, const char *commMode, const aclTensor *output,
               const aclTensor *amaxOut)
#endif
