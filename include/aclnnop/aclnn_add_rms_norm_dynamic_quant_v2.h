/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The norm of a sum as one row or two of numbers of few bits and their scales: of u = ((x1 + x2) rstd
 * gamma + beta) smoothScale: scale = the greatest |u| of a row / 127, 7 for INT4, rounded to FLOAT, y = u
 * / scale; 0 in rows of zeros.
 *
 * x1, x2, xOut: one dtype of FLOAT, FLOAT16 and BFLOAT16, one shape; xOut: x1 + x2, rounded, while the
 * norm is of the sum that is not; gamma: FLOAT or that dtype, of the last dims of x1, or [1, last dim];
 * betaOptional: NULL, or as gamma. Smooth scales: NULL, which is 1, or FLOAT, FLOAT16 or BFLOAT16, 1
 * element, or one for each of a row. outputMaskOptional: two entries, which rows and scales are written;
 * NULL: the first, and the second where both smooth scales are given. What is not written may be of any
 * shape. y1, y2: the shape of x1, INT8, or INT4: of that dtype, contiguous, or eight to an element of
 * INT32, the first in the lowest bits, and the last dim over 8; with Ascend950 FLOAT8_E4M3FN or
 * FLOAT8_E5M2 too. Whole numbers are the nearest, ties to even, no further than the ends of INT8 or INT4,
 * 0 for NaN; floats no further than the greatest number. There the scale is the greatest |u| / the
 * greatest number. scale1, scale2: FLOAT, an element for each row, in any shape. In DOUBLE, sums in an
 * order that the length of a row fixes.
 *
 * 161002 too: a mask that asks for nothing, a smooth scale whose row is not asked for, or the second
 * without the first and a mask; rows that are no whole elements of y1. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_QUANT_V2_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_DYNAMIC_QUANT_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormDynamicQuantV2, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *gamma, const aclTensor *smoothScale1Optional,
               const aclTensor *smoothScale2Optional, const aclTensor *betaOptional, double epsilon,
               const aclBoolArray *outputMaskOptional, aclTensor *y1, aclTensor *y2, aclTensor *xOut,
               aclTensor *scale1, aclTensor *scale2)
#endif
