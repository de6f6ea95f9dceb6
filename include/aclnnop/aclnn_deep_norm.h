/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * LayerNorm of a residual that is weighted: of alphaOptional x + gx.
 * - x, gx: FLOAT, FLOAT16 or BFLOAT16, of one dtype and shape, as all tensors but mean and rstd; beta and gamma:
 *   last dims of that shape, along which the mean is taken.
 * - meanOut, rstdOut: FLOAT, of the shape of x with 1 for each of those dims; rstd is 1 / sqrt(variance +
 *   epsOptional). yOut = (alpha x + gx - mean) rstd gamma + beta.
 * In DOUBLE, rounded once. 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEEP_NORM_H
#define BELAY_ACLNNOP_ACLNN_DEEP_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDeepNorm, const aclTensor *x, const aclTensor *gx, const aclTensor *beta,
               const aclTensor *gamma, double alphaOptional, double epsOptional, aclTensor *meanOut,
               aclTensor *rstdOut, aclTensor *yOut)
#endif
