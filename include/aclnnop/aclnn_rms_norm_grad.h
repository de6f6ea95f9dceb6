/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnRmsNorm: with n = x rstd and h = dy gamma
 *
 *     dxOut = rstd (h - n mean of h n) over each row, dgammaOut = sum of dy n over all rows
 *
 * dy, x and dxOut: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape; gamma: FLOAT or that dtype, its shape
 * is that of the last dims of x, which are a row; rstd: FLOAT, an element for each row, in any shape;
 * dgammaOut: FLOAT, FLOAT16 or BFLOAT16, as many elements as gamma. Computed in DOUBLE, sums in an order that
 * shapes fix, rounded once to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_GRAD_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNormGrad, const aclTensor *dy, const aclTensor *x, const aclTensor *rstd,
               const aclTensor *gamma, const aclTensor *dxOut, const aclTensor *dgammaOut)
#endif
