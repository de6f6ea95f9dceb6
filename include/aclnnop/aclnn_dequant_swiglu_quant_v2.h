/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnDequantSwigluQuant with a dtype, a rounding, a dim and clipped forms to choose.
 *
 * swigluMode 0: v as there. 1: A are the even elements of a row and B the odd ones, 2: A and B are halves;
 * v = a sigmoid(gluAlpha a) (b + gluBias) of a = A, at most clampLimit, and b = B, between clampLimit and
 * its negative. 3: of the left half A v = min(A sigmoid(A), clampLimit) b. dstType: the dtype of yOut: 2,
 * INT8, 3, INT32 of eight INT4 each, 29, INT4; with Ascend950 34, HIFLOAT8, 35, FLOAT8_E5M2, 36,
 * FLOAT8_E4M3FN, 40, FLOAT4_E2M1, 41, FLOAT4_E1M2. roundModeOptional: "rint" (NULL too), "round", to the
 * nearest, ties away from 0, "floor", "ceil" or "trunc"; of floats of 8 bits "rint" alone. activateDim: the
 * dim that has A and B; another than the last without groups and INT32. The other parameters are those of
 * aclnnDequantSwigluQuant.
 *
 * 161002 too: swigluMode 1 with activateLeft false. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEQUANT_SWIGLU_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_DEQUANT_SWIGLU_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDequantSwigluQuantV2, const aclTensor *x, const aclTensor *weightScaleOptional,
               const aclTensor *activationScaleOptional, const aclTensor *biasOptional,
               const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
               const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
               int64_t dstType, char *roundModeOptional, int64_t activateDim, int64_t swigluMode,
               double clampLimit, double gluAlpha, double gluBias, aclTensor *yOut, aclTensor *scaleOut)
#endif
