/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of all ranks added up: output = the sum over ranks of (x1 @ x2 + bias + x3):
 * aclnnMatmulAllReduce with x3, of the dtype and shape of output, or NULL, which each rank adds. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MATMUL_ALL_REDUCE_V2_H
#define BELAY_ACLNNOP_ACLNN_MATMUL_ALL_REDUCE_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMatmulAllReduceV2, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const char *group, const char *reduceOp, int64_t commTurn,
               int64_t streamMode, const aclTensor *output)
#endif
