/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of x as INT8 or INT4 and a scale for each. Of v = x smoothScales: scale = the greatest |v| / 127, or
 * 7 for INT4, rounded to FLOAT; y = v / scale in DOUBLE, rounded to the nearest whole number, ties to even,
 * and no further than -128 and 127, or -8 and 7; 0 where that is no number, as in rows of zeros.
 * With offsetOut: scale = (the greatest v - the least) / 255, or 15, offset = 127, or 7, - the greatest v /
 * scale, rounded to FLOAT, and y = v / scale + offset. Where that scale is 0, y is 0, too, and offset is 0 if
 * the greatest |v| / 255, or 15, rounds to 0 as well, and infinite otherwise, as in rows of one number.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more, whose last one is the rows; smoothScalesOptional: NULL,
 * or of the dtype of x, one for each element of a row; yOut: INT8 or INT4, the shape of x, or INT32, each of
 * which has eight INT4 of a row, the first one in the lowest bits; INT4 contiguous, in whole bytes; scaleOut:
 * FLOAT, the shape of x without the last dim. groupIndexOptional: NULL, or INT32 of one dim, where groups of
 * rows end; smoothScalesOptional has a row for each of them then. A number that falls, or a last one that is
 * not the number of rows, fails the task before anything is written. offsetOut: NULL, or as scaleOut. Order
 * as torch_npu 2.14 passes it. With Ascend950 yOut may be HIFLOAT8, FLOAT8_E5M2 or FLOAT8_E4M3FN, dstType 34,
 * 35 and 36: its greatest number stands in place of 127 then, and its least one of -128.
 * 161002 too: dstType, of yOut, other than these, 2, INT8, 3, INT32, and 29, INT4; rows
 * of yOut that are no whole elements of INT32, or bytes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_V2_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnDynamicQuantV2, const aclTensor *x, const aclTensor *smoothScalesOptional,
               const aclTensor *groupIndexOptional, int64_t dstType, aclTensor *yOut, aclTensor *scaleOut,
               aclTensor *offsetOut)

#endif
