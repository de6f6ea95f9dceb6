/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A product of floats that become INT8 by rows.
 * x: FLOAT16 or BFLOAT16 (m, k); weight: INT8 (n, k), or (k, n) with transposeWeight false, plain or
 * FRACTAL_NZ; weightScale: FLOAT (n), or INT64 whose lower half is a FLOAT that has xScale in it.
 * smoothScaleOptional: FLOAT or FLOAT16 (k), by which x is multiplied first. xScaleOptional: FLOAT or
 * FLOAT16, (1) or (m); NULL: the greatest size in each row over 127. q = x / xScale to the nearest from -128
 * to 127, ties to even; out = (q @ weight) * weightScale * xScale, of the dtype of x; sums are exact in
 * INT32, the rest is in DOUBLE, rounded once. quantModeOptional: NULL, "pertoken" or "pertensor", whatever
 * the shape of xScale says. biasOptional, xOffsetOptional: NULL.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_DEQUANT_H
#define BELAY_ACLNNOP_ACLNN_QUANT_MATMUL_DEQUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantMatmulDequant, const aclTensor *x, const aclTensor *weight,
               const aclTensor *weightScale, const aclTensor *biasOptional, const aclTensor *xScaleOptional,
               const aclTensor *xOffsetOptional, const aclTensor *smoothScaleOptional,
               char *quantModeOptional, bool transposeWeight, aclTensor *out)
#endif
