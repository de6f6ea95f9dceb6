/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 or 4 bits in MX blocks of 32 rows, of groups of rows: a group begins a block.
 * x: FLOAT, FLOAT16 or BFLOAT16. dstType: 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN, 40, FLOAT4_E2M1, or 41,
 * FLOAT4_E1M2, the dtype of y, whose shape is that of x (in elements of 4 bits too: two to a byte, of an even last
 * dim). roundMode: "rint" or NULL, to the nearest, ties to even; of FLOAT4 also "round", ties away from 0,
 * "floor", "ceil", "trunc".
 * x: (m, n). groupIndex: INT32, where each of G groups ends, in numbers that do not fall. mxscale: FLOAT8_E8M0,
 * (m / 64 rounded down + G, n, 2): blocks 2 r and 2 r + 1 of group g, of rows from b on, have their scales in row
 * b / 64 + g + r; rows of no group are 0. Rows of y behind the last group are not written.
 * The scales are those of scaleAlg 0 of aclnnDynamicMxQuant.
 * 161002 too: on other products than Ascend950; other dstType, roundMode or blocksize. 507035 from the stream: a
 * groupIndex that falls or is beyond the rows. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_DYNAMIC_MX_QUANT_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_DYNAMIC_MX_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedDynamicMxQuant, const aclTensor *x, const aclTensor *groupIndex,
               const char *roundMode, int64_t dstType, int64_t blocksize, aclTensor *y, aclTensor *mxscale)
#endif
