/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products of batches of matrices whose dims are permuted: x1 by permX1 is (batch, row, k), x2 by permX2 (batch,
 * k, column), and out has the rows first: (row, batch, column). Sums and their rounding are those of
 * aclnnBatchMatMul.
 *
 * - x1, x2, out: FLOAT, FLOAT16, BFLOAT16, one dtype for both inputs; rank 3
 * - permX1: {0, 1, 2} or {1, 0, 2}; permX2: {0, 1, 2} or {0, 2, 1}; permY: {1, 0, 2}
 * - batchSplitFactor f, which divides the batches: out is (f, row, batch / f * column), part i of it with those
 *   of the batch from i * batch / f on side by side; for 1 it is as above
 * - scale: NULL, or INT64 or UINT64 (batch * column), each a FLOAT in the lower 32 bits, of which the upper 19
 *   count: of FLOAT16 inputs, with batchSplitFactor 1, out is (row, 1, batch * column), the results times the
 *   scales to nearest, ties to even, within -128 and 127, of INT8 or, as torch_npu has it, of floats
 * - bias: not supported, NULL; cubeMathType: 0 to 4, changes nothing
 */
#ifndef BELAY_ACLNNOP_ACLNN_TRANSPOSE_BATCH_MAT_MUL_H
#define BELAY_ACLNNOP_ACLNN_TRANSPOSE_BATCH_MAT_MUL_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnTransposeBatchMatMul, const aclTensor *x1, const aclTensor *x2, const aclTensor *bias,
               const aclTensor *scale, const aclIntArray *permX1, const aclIntArray *permX2,
               const aclIntArray *permY, int8_t cubeMathType, int32_t batchSplitFactor, aclTensor *out)
/* The same by the name that is called for an x2 in FRACTAL_NZ. */
ACLNN_FUNCTION(aclnnTransposeBatchMatMulWeightNz, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *bias, const aclTensor *scale, const aclIntArray *permX1,
               const aclIntArray *permX2, const aclIntArray *permY, int8_t cubeMathType,
               int32_t batchSplitFactor, aclTensor *out)
#endif
