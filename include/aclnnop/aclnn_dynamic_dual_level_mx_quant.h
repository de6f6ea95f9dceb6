/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * FLOAT4_E2M1 with scales of two levels: FLOAT of each 512 numbers of a row, and powers of two of each 32 of what is left.
 * - x: FLOAT, FLOAT16 or BFLOAT16, of 1 to 7 dims, the last one even; smoothScaleOptional: that dtype, one number for each of a
 *   row, which x is multiplied by.
 * - level0ScaleOut: FLOAT, for each 512 of a row the greatest size over 6; level1ScaleOut and yOut: those of x over it, rounded
 *   to the dtype of x, in MX blocks with scaleAlg 0, as aclnn_dynamic_mx_quant_v2.h says.
 * - level0BlockSize: 512; level1BlockSize: 32. roundModeOptional: "rint" or NULL, "round", "floor", "ceil", "trunc".
 * 161002 too: on other products than Ascend950.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_DUAL_LEVEL_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_DUAL_LEVEL_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicDualLevelMxQuant, const aclTensor *x, const aclTensor *smoothScaleOptional,
               char *roundModeOptional, int64_t level0BlockSize, int64_t level1BlockSize, aclTensor *yOut,
               aclTensor *level0ScaleOut, aclTensor *level1ScaleOut)
#endif
