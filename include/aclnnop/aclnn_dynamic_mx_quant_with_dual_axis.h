/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 or 4 bits in MX blocks of 32 along the last dim, y1 and mxscale1, and along the one before it, y2
 * and mxscale2: what aclnnDynamicMxQuant makes along -1 and -2.
 * x: FLOAT, FLOAT16 or BFLOAT16. dstType: 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, 40, FLOAT4_E2M1, or 41,
 * FLOAT4_E1M2, the dtype of y, whose shape is that of x (in elements of 4 bits too: two to a byte, of an even last
 * dim). roundMode: "rint" or NULL, to the nearest, ties to even; of FLOAT4 also "round", ties away from 0,
 * "floor", "ceil", "trunc".
 * x: of 2 to 7 dims. scaleAlg: 0, 1 of FLOAT8, 2 of FLOAT4_E2M1.
 * 161002 too: on other products than Ascend950; other dstType, roundMode, scaleAlg, blocksize or bounds. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_MX_QUANT_WITH_DUAL_AXIS_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_MX_QUANT_WITH_DUAL_AXIS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicMxQuantWithDualAxis, const aclTensor *x, const char *roundMode, int64_t dstType,
               int64_t scaleAlg, aclTensor *y1, aclTensor *mxscale1, aclTensor *y2, aclTensor *mxscale2)
#endif
