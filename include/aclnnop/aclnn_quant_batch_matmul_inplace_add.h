/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of small numbers with scales, added to what is there: yRef += (x1 @ x2) * x1Scale * x2Scale.
 * x1, x2, x1ScaleOptional, x2Scale, transposeX1, transposeX2, groupSize: as aclnnQuantMatmulV5 has them
 * (aclnn_quant_matmul_v5.h): floats of 8 and of 4 bits under Ascend950, also with scales of MX, and whole numbers;
 * with transposeX1 x1 and its scales are the other way round. yRef: FLOAT [.., m, n], read and written; the sum is
 * rounded once. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_BATCH_MATMUL_INPLACE_ADD_H
#define BELAY_ACLNNOP_ACLNN_QUANT_BATCH_MATMUL_INPLACE_ADD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantBatchMatmulInplaceAdd, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *x1ScaleOptional, const aclTensor *x2Scale, aclTensor *yRef, bool transposeX1,
               bool transposeX2, int64_t groupSize)
#endif
