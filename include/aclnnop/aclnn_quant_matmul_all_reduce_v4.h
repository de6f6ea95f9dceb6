/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnQuantMatmulAllReduceV3 with other names and another order: x1Scale is pertokenScale, x2Scale is
 * dequantScale. groupSize changes nothing; commQuantMode is 0. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V4_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_ALL_REDUCE_V4_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulAllReduceV4, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *x3, const aclTensor *x1Scale, const aclTensor *x2Scale,
               const aclTensor *commQuantScale1, const aclTensor *commQuantScale2, const char *group,
               const char *reduceOp, int64_t commTurn, int64_t streamMode, int64_t groupSize,
               int64_t commQuantMode, const aclTensor *output)
#endif
