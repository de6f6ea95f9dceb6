/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Halves A and B of rows, maybe sums of INT8 products that are scaled first, as numbers of few bits of v =
 * A sigmoid(A) B. A is the left half with activateLeft, else the right one.
 *
 * x: FLOAT, FLOAT16, BFLOAT16 or INT32, of 1 dim or more, the last one even. Of INT32 it is (x + bias)
 * weightScale activationScale, or with a bias of floats x weightScale activationScale + bias;
 * weightScaleOptional: FLOAT, one for each of a row of x, or a row of them for each group;
 * activationScaleOptional: FLOAT, one for each row, or NULL; biasOptional: INT32, FLOAT, FLOAT16 or
 * BFLOAT16, as weightScaleOptional, or NULL. With another x the three are NULL.
 *
 * quantModeOptional: "static", which NULL is too: y = v / quantScale + quantOffset; quantScaleOptional
 * must be given (161001). "dynamic": u = v quantScale, scaleOut = the greatest |u| of a row / 127, 7 for
 * INT4, rounded to FLOAT, y = u / scaleOut; 0 in rows of zeros. quantScaleOptional, quantOffsetOptional:
 * FLOAT, FLOAT16 or BFLOAT16, 1 element, one for each of a row of yOut, or with groups a row of them for
 * each; or NULL. groupIndexOptional: NULL, or INT64 of one dim, how many rows each group has, with
 * "dynamic" alone. A number that is negative, or a sum beyond the rows, fails the task; rows behind the
 * sum are not written. yOut: INT8, or INT4: of that dtype, contiguous, or eight to an element of INT32,
 * the first in the lowest bits, and the last dim over 8; with Ascend950 FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8 too.
 * Whole numbers are the nearest, ties to even, no further than the ends of INT8 or INT4, 0 for NaN; floats
 * no further than the greatest number. scaleOut: FLOAT, the shape of yOut without the last dim; with
 * "static" it is of any shape and is not written. In DOUBLE.
 *
 * 161002 too: another mode; scales of INT32 with another x; rows of yOut that are no whole elements. Order
 * as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEQUANT_SWIGLU_QUANT_H
#define BELAY_ACLNNOP_ACLNN_DEQUANT_SWIGLU_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDequantSwigluQuant, const aclTensor *x, const aclTensor *weightScaleOptional,
               const aclTensor *activationScaleOptional, const aclTensor *biasOptional,
               const aclTensor *quantScaleOptional, const aclTensor *quantOffsetOptional,
               const aclTensor *groupIndexOptional, bool activateLeft, char *quantModeOptional,
               aclTensor *yOut, aclTensor *scaleOut)
#endif
