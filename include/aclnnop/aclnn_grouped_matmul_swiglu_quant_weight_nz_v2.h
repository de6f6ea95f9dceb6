/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnGroupedMatmulSwigluQuantV2 with a weight whose memory is FRACTAL_NZ, or plain.
 * All of aclnnGroupedMatmulSwigluQuant (aclnn_grouped_matmul_swiglu_quant.h), with lists of one tensor for
 * all experts or one for each: weight, weightScale, and weightAssistMatrixOptional in the place of its bias.
 * biasOptional: NULL. smoothScaleOptional: FLOAT, (experts) or (experts, n / 2), by which s is multiplied.
 * groupListType: 0, sums; 1, counts; 2, groupList is (experts, 2), pairs of an expert and a count.
 * dequantMode: 0 or 1, whatever the shape of weightScale says; dequantDtype: 0, 1 or 27, which changes
 * nothing; quantMode: 0. tuningConfigOptional changes nothing.
 * Floats, under Ascend950, as aclnnGroupedMatmulV5 has them: output is FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8
 * then, with the greatest size over the greatest number as the scale. dequantMode: 2 with weightScale and
 * xScale of FLOAT8_E8M0, 0 or 1 without; quantMode: 0, or 2: output is FLOAT8 or FLOAT4_E2M1 and outputScale
 * FLOAT8_E8M0 (m, n / 128, 2), rounded up, of 32 numbers each: the least power of two with which they fit, of
 * FLOAT4 that of the greatest one's exponent less 2; behind the last ones 0. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_WEIGHT_NZ_V2_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_MATMUL_SWIGLU_QUANT_WEIGHT_NZ_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedMatmulSwigluQuantWeightNzV2, const aclTensor *x, const aclTensorList *weight,
               const aclTensorList *weightScale, const aclTensorList *weightAssistMatrixOptional,
               const aclTensor *biasOptional, const aclTensor *xScale, const aclTensor *smoothScaleOptional,
               const aclTensor *groupList, int64_t dequantMode, int64_t dequantDtype, int64_t quantMode,
               int64_t groupListType, const aclIntArray *tuningConfigOptional, aclTensor *output,
               aclTensor *outputScale)
#endif
