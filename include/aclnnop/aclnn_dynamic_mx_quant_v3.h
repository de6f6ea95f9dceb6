/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 or 4 bits in MX blocks along a dim: y, and for each block a power of two, mxscale.
 * x: FLOAT, FLOAT16 or BFLOAT16. dstType: 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, 40, FLOAT4_E2M1, or 41,
 * FLOAT4_E1M2, the dtype of y, whose shape is that of x (in elements of 4 bits too: two to a byte, of an even last
 * dim). roundMode: "rint" or NULL, to the nearest, ties to even; of FLOAT4 also "round", ties away from 0,
 * "floor", "ceil", "trunc".
 * axis: a dim of x, of 1 to 7. blocksize: elements of a block, a multiple of 32 up to 1024, 32 with scaleAlg 2; the
 * last one may be shorter. scaleAlg: 0, the exponent of the greatest size less that of the dtype's greatest number;
 * 1, of FLOAT8, the greatest size over the greatest number, rounded up to a power of two; 2, the same of
 * FLOAT4_E2M1. The byte is 127 more. y = x over the scale, no further than the greatest number. A block with an
 * infinity or NaN has the scale NaN (255) and y 0; one of zeros the byte 0.
 * mxscale: FLOAT8_E8M0, of the dims of x and one of 2: along axis half as many as there are blocks, rounded up, and
 * of element r there (r, 0) and (r, 1) are those of blocks 2 r and 2 r + 1, 0 where there is none.
 * dstTypeMax, with scaleAlg 2: what the greatest size is divided by, 6 to 12; 0: by 6.
 * maxLowBound, with scaleAlg 1: a greatest size that is less counts as this.
 * 161002 too: on other products than Ascend950; other dstType, roundMode, scaleAlg, blocksize or bounds. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_MX_QUANT_V3_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_MX_QUANT_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDynamicMxQuantV3, const aclTensor *x, int64_t axis, const char *roundMode,
               int64_t dstType, int64_t blocksize, int64_t scaleAlg, double dstTypeMax, double maxLowBound,
               aclTensor *y, aclTensor *mxscale)
#endif
