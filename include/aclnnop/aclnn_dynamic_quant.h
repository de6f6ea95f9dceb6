/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of x as INT8 or INT4 and a scale for each. Of v = x smoothScales: scale = the greatest |v| / 127, or
 * 7 for INT4, rounded to FLOAT; y = v / scale in DOUBLE, rounded to the nearest whole number, ties to even,
 * and no further than -128 and 127, or -8 and 7; 0 where that is no number, as in rows of zeros.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more, whose last one is the rows; smoothScalesOptional: NULL,
 * or of the dtype of x, one for each element of a row; yOut: INT8 or INT4, the shape of x, or INT32, each of
 * which has eight INT4 of a row, the first one in the lowest bits; INT4 contiguous, in whole bytes; scaleOut:
 * FLOAT, the shape of x without the last dim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnDynamicQuant, const aclTensor *x, const aclTensor *smoothScalesOptional, aclTensor *yOut,
               aclTensor *scaleOut)

#endif
