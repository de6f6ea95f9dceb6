/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of all ranks added up: output = the sum over ranks of (x1 @ x2 + bias + x3):
 * aclnnMatmulAllReduceV2 with commMode, which may be NULL and changes nothing. Order as torch_npu 2.14
 * passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MATMUL_ALL_REDUCE_V3_H
#define BELAY_ACLNNOP_ACLNN_MATMUL_ALL_REDUCE_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMatmulAllReduceV3, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const char *group, const char *reduceOp, const char *commMode,
               int64_t commTurn, int64_t streamMode, const aclTensor *output)
#endif
