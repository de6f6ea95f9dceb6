/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Rows of x as INT8 and a scale for each. Of v = x smoothScales: scale = the greatest |v| / 127, rounded to
 * FLOAT; y = v / scale in DOUBLE, rounded to the nearest whole number, ties to even, and no further than
 * -128 and 127; 0 where that is no number, as in rows of zeros.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 1 dim or more, whose last one is the rows; smoothScalesOptional: NULL,
 * or of the dtype of x, one for each element of a row; yOut: INT8, the shape of x; scaleOut: FLOAT, the
 * shape of x without the last dim.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_H
#define BELAY_ACLNNOP_ACLNN_DYNAMIC_QUANT_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(DynamicQuant, const aclTensor *x, const aclTensor *smoothScalesOptional, aclTensor *yOut,
               aclTensor *scaleOut)

#endif
