/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Products by groups of floats that become INT8 by rows.
 * x: FLOAT16 or BFLOAT16 (m, k); weight: INT8 (groups, n, k), or (groups, k, n) with transposeWeight false,
 * plain or FRACTAL_NZ; weightScale: FLOAT (groups, n), or INT64 whose lower half is a FLOAT that has xScale
 * in it. groupList: INT64 (groups), the rows of x up to the end of each group. smoothScaleOptional: FLOAT or
 * FLOAT16 (k), by which x is multiplied first. xScaleOptional: FLOAT or FLOAT16, (1) or (m); NULL: the
 * greatest size in each row over 127. q = x / xScale to the nearest from -128 to 127, ties to even; out = (q
 * @ weight) * weightScale * xScale, of the dtype of x; sums are exact in INT32, the rest is in DOUBLE,
 * rounded once. Rows of no group are 0. quantModeOptional: NULL, "pertoken" or "pertensor", whatever the
 * shape of xScale says. biasOptional, xOffsetOptional: NULL.
 * The work fails for a groupList that falls or goes beyond m. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H
#define BELAY_ACLNNOP_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnQuantGroupedMatmulDequant, const aclTensor *x, const aclTensor *weight,
               const aclTensor *weightScale, const aclTensor *groupList, const aclTensor *biasOptional,
               const aclTensor *xScaleOptional, const aclTensor *xOffsetOptional,
               const aclTensor *smoothScaleOptional, char *quantModeOptional, bool transposeWeight,
               aclTensor *out)
#endif
