/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of AddLayerNorm: of LayerNorm of x1 + x2.
 * - dy, x1, x2, dsumOptional: FLOAT, FLOAT16 or BFLOAT16, of one shape; gamma: last dims of it, of that dtype; rstd,
 *   mean: FLOAT, of that shape with 1 for each of these dims.
 * - dxOut: the gradient of both x1 and x2, with dsumOptional, the gradient of their sum, added. dgammaOut and
 *   dbetaOut, FLOAT of the shape of gamma: the sums over rows of dy (x1 + x2 - mean) rstd and of dy.
 * In DOUBLE, rounded once. 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADD_LAYER_NORM_GRAD_H
#define BELAY_ACLNNOP_ACLNN_ADD_LAYER_NORM_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAddLayerNormGrad, const aclTensor *dy, const aclTensor *x1, const aclTensor *x2,
               const aclTensor *rstd, const aclTensor *mean, const aclTensor *gamma,
               const aclTensor *dsumOptional, aclTensor *dxOut, aclTensor *dgammaOut, aclTensor *dbetaOut)
#endif
