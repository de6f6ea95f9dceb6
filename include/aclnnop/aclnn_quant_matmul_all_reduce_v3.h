/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnQuantMatmulAllReduceV2 whose values are INT8 on their way: commQuantScale1 and commQuantScale2, of floats,
 * 1 element or n, both or none. Each rank's values become a = value / commQuantScale1 to the nearest from -128 to
 * 127, ties to even; the exact sum of all ranks' becomes b = sum * commQuantScale1 / commQuantScale2 in the same
 * way, and output is b * commQuantScale2. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V3_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulAllReduceV3, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const aclTensor *dequantScale, const aclTensor *pertokenScale,
               const aclTensor *commQuantScale1, const aclTensor *commQuantScale2, const char *group,
               const char *reduceOp, int64_t commTurn, int64_t streamMode, const aclTensor *output)
#endif
