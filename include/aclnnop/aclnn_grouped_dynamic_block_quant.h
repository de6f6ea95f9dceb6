/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Numbers of 8 bits in blocks of rows and columns, of groups of rows, with a FLOAT scale for each block.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 2 or 3 dims. dstType, the dtype of y, whose shape is that of x: 2, INT8, and
 * on Ascend950 34, HIFLOAT8, 35, FLOAT8_E5M2, 36, FLOAT8_E4M3FN. rowBlockSize: 1, 64, 128, 256 or 512;
 * colBlockSize: 64, 128, 192 or 256; blocks at the ends may be smaller. scale: FLOAT, for each block its greatest
 * size over the greatest number of the dtype (127, 32768, 57344, 448), and no less than minScale; 0 of a block of
 * zeros, of which y is 0. y = x over the scale, no further than the greatest number (-127 too), NaN as
 * NaN and 0 where there is none. roundMode: "rint" or NULL, ties to even; of HIFLOAT8 "round", ties away from 0 (NULL
 * too), or "hybrid", which is the same here.
 * groupList: INT32, where each of G groups of rows ends, in numbers that do not fall (groupListType 0). scale has
 * rows over rowBlockSize, rounded down, + G of them: a group begins a block, and that of rows from b on has its
 * scales from row b / rowBlockSize + g on; those of no group are 0. Rows of y behind the last group are not
 * written. 161002 too: other dtypes, block sizes, minScale, roundMode, groupListType. 507035 from the stream: a
 * groupList that falls or is beyond the rows. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_GROUPED_DYNAMIC_BLOCK_QUANT_H
#define BELAY_ACLNNOP_ACLNN_GROUPED_DYNAMIC_BLOCK_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnGroupedDynamicBlockQuant, const aclTensor *x, const aclTensor *groupList, double minScale,
               const char *roundMode, int64_t dstType, int64_t rowBlockSize, int64_t colBlockSize,
               int64_t groupListType, aclTensor *y, aclTensor *scale)
#endif
