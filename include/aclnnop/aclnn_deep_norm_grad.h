/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of DeepNorm, by the rules of aclnn_deep_norm.h.
 * - dy: the gradient of y; mean and rstd: FLOAT, as DeepNorm writes them.
 * - dgxOut: LayerNorm's gradient; dxOut: alphaOptional times that. dbetaOut and dgammaOut, FLOAT of the shape of
 *   gamma: the sums over rows of dy and of dy (alpha x + gx - mean) rstd.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DEEP_NORM_GRAD_H
#define BELAY_ACLNNOP_ACLNN_DEEP_NORM_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDeepNormGrad, const aclTensor *dy, const aclTensor *x, const aclTensor *gx,
               const aclTensor *gamma, const aclTensor *mean, const aclTensor *rstd, double alphaOptional,
               aclTensor *dxOut, aclTensor *dgxOut, aclTensor *dbetaOut, aclTensor *dgammaOut)
#endif
