/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 or 4 bits in MX blocks of 32 by 32 of the last two dims, with a power of two for each block.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 2 to 7 dims. dstType: 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, 40, FLOAT4_E2M1, or
 * 41, FLOAT4_E1M2, the dtype of y, whose shape is that of x. roundMode, scaleAlg and dstTypeMax as in
 * aclnnDynamicMxQuantV3, whose scales along the last dim scale1 has, and those along the dim before it scale2: the
 * same one for each row, and for each column, of a block.
 * 161002 too: on other products than Ascend950; other dstType, roundMode, scaleAlg or dstTypeMax; an odd last dim of
 * FLOAT4. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_BLOCK_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_BLOCK_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicBlockMxQuant, const aclTensor *x, const char *roundMode, int64_t dstType,
               int64_t scaleAlg, double dstTypeMax, aclTensor *y, aclTensor *scale1, aclTensor *scale2)
#endif
