/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Halves A and B of rows as numbers of few bits of h = A sigmoid(A) B, times smooth scales. A is the left
 * half with activateLeft, else the right one.
 *
 * x: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more, the last one even. quantModeOptional: "dynamic" (NULL
 * too): u = h smoothScales; scaleOut = 127, or 7 for INT4, / the greatest |u| of a row, rounded to FLOAT,
 * y = u scaleOut; scaleOut is 0 for rows of zeros. "static": y = h smoothScales + offsets;
 * smoothScalesOptional must be given (161001), scaleOut is not written. smoothScalesOptional,
 * offsetsOptional: FLOAT, one for each element of a row of yOut, or 1 element, for each group: [G, N],
 * [G]; without groups G is 1, and [N] is as [1, N]. groupIndexOptional: NULL, or INT32 or INT64 of one
 * dim: with groupListType 0 where groups of rows end, with 1 how many rows each has. Numbers that fall, or
 * are negative, or go beyond the rows fail the task; rows behind all groups are not written. dstType: 2,
 * yOut is INT8; 29, INT4, contiguous, or two to an element of INT8 with the last dim over 2, as torch_npu
 * passes it; 3, eight to an element of INT32; with Ascend950 34, HIFLOAT8, 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN. scaleOut:
 * FLOAT, the shape of x without the last dim. In DOUBLE.
 *
 * 161002 too: another mode, type of groups or dtype; rows that are no whole elements of yOut. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SWI_GLU_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_SWI_GLU_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSwiGluQuantV2, const aclTensor *x, const aclTensor *smoothScalesOptional,
               const aclTensor *offsetsOptional, const aclTensor *groupIndexOptional, bool activateLeft,
               char *quantModeOptional, int64_t groupListType, int64_t dstType, aclTensor *yOut,
               aclTensor *scaleOut)
#endif
