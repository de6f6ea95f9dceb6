/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnRmsNorm of a sum: xOut = x1 + x2, rounded to their dtype, yOut = xOut rstd gamma, rstd = 1 / sqrt(mean
 * of xOut^2 + epsilon).
 *
 * x1, x2, gamma, yOut and xOut: FLOAT, FLOAT16 or BFLOAT16, one dtype, and but for gamma one shape; gamma has
 * that of the last dims of x1, which are a row, or is [1, last dim]; epsilon: 0 or more; rstdOut: FLOAT, an
 * element for each row, in any shape, or NULL, as xOut may be, too; with rstdOut xOut must be given (161001).
 * Computed in DOUBLE, sums in an order that the length of a row fixes, rounded once to the dtypes of the
 * outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNorm, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               double epsilon, aclTensor *yOut, aclTensor *rstdOut, aclTensor *xOut)
#endif
