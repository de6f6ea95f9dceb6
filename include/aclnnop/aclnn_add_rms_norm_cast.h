/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The norm of a sum in FLOAT and in the dtype of the summands: y1 = y2 = (x1 + x2) rstd gamma, rstd = 1 /
 * sqrt(mean of (x1 + x2)^2 + epsilon) over the last dims, as many as gamma has.
 *
 * x1, x2, xOut: one dtype of FLOAT, FLOAT16 and BFLOAT16, one shape; xOut: x1 + x2, rounded, while the
 * norm is of the sum that is not; gamma: FLOAT or that dtype, of the last dims of x1, or [1, last dim].
 * y1Out: FLOAT, y2Out: the dtype of x1, both of its shape; rstdOut: FLOAT, an element for each row, in any
 * shape; without elements it is not written. In DOUBLE, sums in an order that the length of a row fixes,
 * each rounded once. Order as published; no caller was seen.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_CAST_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_CAST_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormCast, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               double epsilon, aclTensor *y1Out, aclTensor *y2Out, aclTensor *rstdOut, aclTensor *xOut)
#endif
