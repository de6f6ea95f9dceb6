/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnWeightQuantMatmulAllReduce with commMode, which says how data go and changes nothing here. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_V2_H
#define BELAY_ACLNNOP_ACLNN_WEIGHT_QUANT_MATMUL_ALL_REDUCE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnWeightQuantMatmulAllReduceV2, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *bias, const aclTensor *antiquantScale, const aclTensor *antiquantOffset,
               const aclTensor *x3, const char *group, const char *reduceOp, const char *commMode,
               int64_t commTurn, int64_t streamMode, int64_t antiquantGroupSize, const aclTensor *output)
#endif
