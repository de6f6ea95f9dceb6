/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of floats of 4 bits with scales of two levels: out = x1 @ x2^T + bias, where an element of x1 or x2 is
 * multiplied by a power of two of its 32 steps of k and by a FLOAT of its 512. x1: FLOAT4_E2M1 (m, k); x2:
 * FLOAT4_E2M1 (n, k), or INT8 (n, k / 2) with two of its numbers in a byte, the even one in the low half, plain or
 * FRACTAL_NZ; x1Level0Scale: FLOAT (m, ceil(k / 512)); x2Level0Scale: FLOAT (ceil(k / 512), n); x1Level1Scale,
 * x2Level1Scale: FLOAT8_E8M0 (m, ceil(k / 64), 2) and (n, ceil(k / 64), 2); bias: FLOAT (n), or NULL; out: FLOAT16 or
 * BFLOAT16 (m, n). transposeX1: false; transposeX2: true; level0GroupSize: 512; level1GroupSize: 32. Sums of 32
 * steps are exact in FLOAT; all behind them is in DOUBLE and rounded once. Ascend950 alone has these dtypes.
 * - 161001: a tensor but bias is NULL; 161002: dtypes, shapes, another order or other sizes of groups
 */
#ifndef BELAY_ACLNNOP_ACLNN_DUAL_LEVEL_QUANT_MATMUL_NZ_H
#define BELAY_ACLNNOP_ACLNN_DUAL_LEVEL_QUANT_MATMUL_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDualLevelQuantMatmulWeightNz, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *x1Level0Scale, const aclTensor *x2Level0Scale, const aclTensor *x1Level1Scale,
               const aclTensor *x2Level1Scale, const aclTensor *bias, bool transposeX1, bool transposeX2,
               int64_t level0GroupSize, int64_t level1GroupSize, aclTensor *out)
#endif
