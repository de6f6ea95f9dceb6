/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The norm of a sum as numbers of few bits, by one scale or two: of h = (x1 + x2) rstd gamma y1 = h /
 * scales1 + zeroPoints1, y2 = h / scales2 + zeroPoints2; with divMode false h is multiplied. rstd = 1 /
 * sqrt(mean of (x1 + x2)^2 + epsilon) over the last dims, as many as gamma has.
 *
 * x1, x2, xOut: one dtype of FLOAT, FLOAT16 and BFLOAT16, one shape; xOut: x1 + x2, rounded, while the
 * norm is of the sum that is not; gamma: FLOAT or that dtype, of the last dims of x1, or [1, last dim].
 * scales1, scales2Optional: FLOAT, FLOAT16 or BFLOAT16, 1 element, or one for each of a row; zero points:
 * one of these, INT8 or INT32, as many, or NULL; without scales2Optional y2 is not written, whatever it
 * is. y1, y2: the shape of x1, INT8, or INT4: of that dtype, contiguous, or eight to an element of INT32,
 * the first in the lowest bits, and the last dim over 8; with Ascend950 FLOAT8_E4M3FN, FLOAT8_E5M2 or HIFLOAT8 too.
 * Whole numbers are the nearest, ties to even, no further than the ends of INT8 or INT4, 0 for NaN; floats
 * no further than the greatest number. In DOUBLE, sums in an order that the length of a row fixes.
 *
 * 161002 too: axis that is not -1 or the last dim of x1; rows that are no whole elements of y1. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_QUANT_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormQuant, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               const aclTensor *scales1, const aclTensor *scales2Optional,
               const aclTensor *zeroPoints1Optional, const aclTensor *zeroPoints2Optional, int64_t axis,
               double epsilon, bool divMode, aclTensor *y1, aclTensor *y2, aclTensor *xOut)
#endif
