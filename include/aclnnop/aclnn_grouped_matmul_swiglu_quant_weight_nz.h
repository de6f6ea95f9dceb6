/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGroupedMatmulSwigluQuant with a weight whose memory is FRACTAL_NZ, or plain.
 * x: INT8 (m, k), or INT4, which INT32 may hold eight of, the first in the lowest bits; weight: INT8 or INT4
 * (experts, k, n), INT4 beside an x of INT4, n even; plain, FRACTAL_NZ, or of 5 dims (experts, n / c, k /
 * 16, 16, c). weightScale: FLOAT, FLOAT16, BFLOAT16 or INT64 or UINT64 whose lower half is a FLOAT:
 * (experts, n), (experts, 1, n), and of INT4 (experts, g, n) for g parts of k. xScale: FLOAT (m).
 * biasOptional: NULL, or, of INT8 by INT4, FLOAT (experts, n), 8 times the sums over k of weight and its
 * scale: 8 is taken from each x then; offsetOptional: NULL or FLOAT like weightScale, times the sums of x in
 * its part, beside INT4. groupList: INT64 (experts), sums of rows up to each expert.
 * With c = ((x w) weightScale [+ bias]) xScale and a, g the halves of its row: s = a / (1 + e^-a) g.
 * outputScale: FLOAT (m), the greatest size in a row of s over 127; output: INT8 (m, n / 2), s over it to
 * the nearest, ties to even. Sums are exact in INT32, the rest is in DOUBLE. Rows of no expert are 0.
 * outputOffset: not looked at.
 * The work fails for a groupList that falls or goes beyond m. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_WEIGHT_NZ_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_WEIGHT_NZ_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulSwigluQuantWeightNZ, const aclTensor *x, const aclTensor *weight,
               const aclTensor *biasOptional, const aclTensor *offsetOptional, const aclTensor *weightScale,
               const aclTensor *xScale, const aclTensor *groupList, aclTensor *output, aclTensor *outputScale,
               aclTensor *outputOffset)
#endif
