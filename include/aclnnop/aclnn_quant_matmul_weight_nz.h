/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnQuantMatmulV5 with an x2 whose memory is FRACTAL_NZ, or plain.
 * x1: [.., m, k], or [.., k, m] with transposeX1; x2: [.., k, n], or [.., n, k] with transposeX2, plain or
 * FRACTAL_NZ; INT8 by INT8 or INT4, or INT4 by INT4, of which INT32 may hold eight, the first in the lowest
 * bits; 2 to 6 dims, those before the last two broadcast. x1ScaleOptional: FLOAT, 1 or m elements; x2Scale:
 * FLOAT, FLOAT16, BFLOAT16, or INT64 or UINT64 as aclnnTransQuantParamV2 makes them, 1 or n; biasOptional:
 * INT32, FLOAT, FLOAT16 or BFLOAT16, [n], [1, n] or [batches, 1, n]; x2OffsetOptional: FLOAT, 1 or n, where
 * out is INT8. An empty tensor stands for NULL. x1OffsetOptional must be NULL, and yScaleOptional but of FLOAT4.
 * out: FLOAT, FLOAT16, BFLOAT16, or INT8: (x1 @ x2 + bias of INT32) * x2Scale * x1Scale + other bias, +
 * offset where it is INT8: x2Offset, or that in the bits of x2Scale; INT32: x1 @ x2 + bias, which must be
 * INT32.
 * Scales of parts of k: x2Scale [parts, n], or of blocks of columns [parts, blocks], the parts' products
 * scaled on their own and added; x1Scale beside them also [blocks of rows, parts]; both turned as x1 and x2
 * are. groupSize: rows << 32 | columns << 16 | steps of a block; of 0 what divides the dim, or 128. INT4 by
 * INT4: x2OffsetOptional, FLOAT or FLOAT16 of the shape of x2Scale, is taken from x2. INT8 by INT4:
 * yOffsetOptional FLOAT [n]: ((x1 - 8) @ (x2 x2Scale) + yOffset) x1Scale, which is x1 @ (x2 x2Scale) x1Scale
 * where it is 8 times the columns' sums.
 * Products are exact in INT32, which wraps; the rest is in DOUBLE, rounded once, for INT8 to the nearest
 * whole number from -128 to 127, ties to even.
 * Floats, under Ascend950: FLOAT8_E4M3FN and FLOAT8_E5M2 by each other, HIFLOAT8 by itself, FLOAT8_E4M3FN or
 * FLOAT4_E2M1 by FLOAT4_E2M1, of which FLOAT may hold eight; out: FLOAT, FLOAT16 or BFLOAT16; biases of floats.
 * Scales as above, by blocks also with the dims of a batch, or FLOAT8_E8M0, of FLOAT4 always, on both sides:
 * powers of two of 32 steps of k, two in a last dim:
 * x1Scale [.., m, k / 64, 2], x2Scale [.., k / 64, n, 2], rounded up, turned as x1 and x2 are. Products are
 * exact, sums of a part and what follows are in DOUBLE, rounded once.
 * Of FLOAT4 by FLOAT8 without x1Scale: x2Scale [k / 32, n] of FLOAT16 or BFLOAT16, and yScaleOptional, INT64 or
 * UINT64 with a FLOAT in the lower half, 1 or n, by which columns are multiplied last. A bias beside an x2Scale
 * of INT64 or UINT64 is added to the sums. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_WEIGHT_NZ_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_WEIGHT_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulWeightNz, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *x1ScaleOptional, const aclTensor *x2Scale, const aclTensor *yScaleOptional,
               const aclTensor *x1OffsetOptional, const aclTensor *x2OffsetOptional,
               const aclTensor *yOffsetOptional, const aclTensor *biasOptional, bool transposeX1,
               bool transposeX2, int64_t groupSize, aclTensor *out)
#endif
