/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnAddRmsNorm with something added at the end: x = x1 + x2, rounded to their dtype, y = x rstd gamma +
 * betaOptional, rstd = 1 / sqrt(mean of x^2 + epsilon).
 *
 * x1, x2, gamma, y and x: FLOAT, FLOAT16 or BFLOAT16, one dtype, and but for gamma one shape; gamma has that
 * of the last dims of x1, which are a row, or is [1, last dim]; betaOptional: NULL, which stands for 0, or of
 * the dtype and shape of gamma; epsilon: 0 or more; rstd: FLOAT, an element for each row, in any shape, or
 * NULL, as x may be, too; with rstd x must be given (161001). Computed in DOUBLE, sums in an order that the
 * length of a row fixes, rounded once to the dtypes of the outputs.
 * The parameters are those that vllm-ascend passes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_BIAS_H
#define BELAY_ACLNNOP_ACLNN_ADD_RMS_NORM_BIAS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddRmsNormBias, const aclTensor *x1, const aclTensor *x2, const aclTensor *gamma,
               const aclTensor *betaOptional, double epsilon, aclTensor *y, aclTensor *rstd, aclTensor *x)
#endif
