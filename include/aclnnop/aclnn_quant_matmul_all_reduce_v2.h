/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnQuantMatmulAllReduce with pertokenScale: FLOAT, 1 element or one for each row of x1, by which the scaled
 * rows are multiplied, or NULL for 1. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V2_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulAllReduceV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const aclTensor *dequantScale, const aclTensor *pertokenScale,
               const char *group, const char *reduceOp, int64_t commTurn, int64_t streamMode,
               const aclTensor *output)
#endif
