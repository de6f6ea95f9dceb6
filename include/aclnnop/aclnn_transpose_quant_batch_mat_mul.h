/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of batches of small numbers with scales, whose dims are permuted: x1 by permX1 is (batch, row, k), x2 by
 * permX2 (batch, k, column), and out has the rows first: (row, batch, column).
 * x1, x2, scales, groupSize: as aclnnQuantMatmulV5 has them (aclnn_quant_matmul_v5.h), of rank 3: floats of 8 and of
 * 4 bits under Ascend950, and whole numbers. x1ScaleOptional: FLOAT, one for each row or one, or with the dims of x1
 * by blocks or of MX; x2ScaleOptional, which is asked for: n elements or one, or with the dims of x2; these are
 * permuted as x1 and x2 are. biasOptional: FLOAT, FLOAT16 or BFLOAT16. dtype: out's, 0, 1 or 27. permX1: {0, 1, 2}
 * or {1, 0, 2}; permX2: {0, 1, 2} or {0, 2, 1}; permY: {1, 0, 2}; batchSplitFactor: 1. Sums and rounding as there.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRANSPOSE_QUANT_BATCH_MAT_MUL_H
#define BELAY_ACLNNOP_ACLNN_TRANSPOSE_QUANT_BATCH_MAT_MUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTransposeQuantBatchMatMul, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *biasOptional, const aclTensor *x1ScaleOptional,
               const aclTensor *x2ScaleOptional, int32_t dtype, int64_t groupSize, const aclIntArray *permX1,
               const aclIntArray *permX2, const aclIntArray *permY, int32_t batchSplitFactor, aclTensor *out)
/* The same by the name that is called for an x2 in FRACTAL_NZ. */
ACLNN_FUNCTION(aclnnTransposeQuantBatchMatMulWeightNz, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *biasOptional, const aclTensor *x1ScaleOptional,
               const aclTensor *x2ScaleOptional, int32_t dtype, int64_t groupSize, const aclIntArray *permX1,
               const aclIntArray *permX2, const aclIntArray *permY, int32_t batchSplitFactor, aclTensor *out)
#endif
