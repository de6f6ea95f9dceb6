/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of INT8 whose sums are scaled by columns and rows.
 * x1: INT8, [.., m, k], or [.., k, m] with transposeX1; x2: INT8, [.., k, n], or [.., n, k] with transposeX2,
 * plain or FRACTAL_NZ; 2 to 6 dims, those before the last two broadcast. x1ScaleOptional: FLOAT, 1 or m
 * elements; x2Scale: FLOAT, FLOAT16, BFLOAT16, or INT64 or UINT64 as aclnnTransQuantParamV2 makes them, 1 or
 * n; biasOptional: INT32, FLOAT, FLOAT16 or BFLOAT16, [n], [1, n] or [batches, 1, n]; x2OffsetOptional: FLOAT,
 * 1 or n, where out is INT8. An empty tensor stands for NULL. yScaleOptional, x1OffsetOptional and
 * yOffsetOptional must be NULL; groupSize is not looked at, as there are no scales by blocks.
 * out: FLOAT, FLOAT16, BFLOAT16, or INT8: (x1 @ x2 + bias of INT32) * x2Scale * x1Scale + other bias, +
 * offset where it is INT8: x2Offset, or that in the bits of x2Scale; INT32: x1 @ x2 + bias, which must be
 * INT32. Products are exact in INT32, which wraps; the rest is in DOUBLE, rounded once, for INT8 to the
 * nearest whole number from -128 to 127, ties to even.
 * 161002 too: products of INT4 and of floats of 8 and 4 bits. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V5_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_V5_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulV5, const aclTensor *x1, const aclTensor *x2, const aclTensor *x1ScaleOptional,
               const aclTensor *x2Scale, const aclTensor *yScaleOptional, const aclTensor *x1OffsetOptional,
               const aclTensor *x2OffsetOptional, const aclTensor *yOffsetOptional,
               const aclTensor *biasOptional, bool transposeX1, bool transposeX2, int64_t groupSize,
               aclTensor *out)
#endif
