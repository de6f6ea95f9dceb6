/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of rows by their root mean square: yOut = x rstd gamma, rstd = 1 / sqrt(mean of x^2 +
 * epsilon).
 *
 * x and yOut: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape; gamma: FLOAT or that dtype, its shape is
 * that of the last dims of x, which are a row; rstdOut: FLOAT, an element for each row, in any shape.
 * Computed in DOUBLE, sums in an order that the length of a row fixes, rounded once to the dtypes of the
 * outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNorm, const aclTensor *x, const aclTensor *gamma, double epsilon,
               const aclTensor *yOut, const aclTensor *rstdOut)
#endif
