/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of INT8 with scales, added up over the batch: out is the sum over b of (x1 @ x2) * x1Scale * x2Scale.
 * x1: INT8 [b, m, k], or [b, k, m] with transposeX1; x2: INT8 [b, k, n], or [b, n, k] with transposeX2, in
 * FRACTAL_NZ or plain; x1Scale: FLOAT [b, m]; x2Scale: FLOAT, FLOAT16 or BFLOAT16, n elements or 1. out: FLOAT,
 * FLOAT16 or BFLOAT16 [m, n], or [1, m, n] with keepDims. Products are exact in INT32, the rest is in DOUBLE, in the
 * order of b, rounded once. dims: one entry, which stands for the batch whatever it says, as torch_npu 2.14 passes
 * any number there; groupSize changes nothing; yScaleOptional, x1OffsetOptional, x2OffsetOptional, yOffsetOptional
 * and biasOptional: NULL. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_REDUCE_SUM_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_REDUCE_SUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulReduceSumWeightNz, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *x1Scale, const aclTensor *x2Scale, const aclTensor *yScaleOptional,
               const aclTensor *x1OffsetOptional, const aclTensor *x2OffsetOptional,
               const aclTensor *yOffsetOptional, const aclTensor *biasOptional, bool transposeX1,
               bool transposeX2, int64_t groupSize, const aclIntArray *dims, bool keepDims, aclTensor *out)
#endif
