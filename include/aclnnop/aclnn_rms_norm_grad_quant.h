/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnRmsNorm, that of x as numbers of 8 bits: dx / scalesX + offset, without divMode dx scalesX + offset.
 * dy, x: FLOAT, FLOAT16 or BFLOAT16, one dtype and shape; gamma: that dtype or FLOAT, of the last dims of x; rstd: FLOAT, one for each
 * row; scalesX: 1 element of FLOAT, FLOAT16 or BFLOAT16; offsetXOptional: INT32, 1 element; quantMode: "static" or NULL. dxOut: INT8,
 * or on Ascend950 HIFLOAT8, of the shape of x; dgammaOut: FLOAT, as many elements as gamma. In doubles, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_RMS_NORM_GRAD_QUANT_H
#define BELAY_ACLNNOP_ACLNN_RMS_NORM_GRAD_QUANT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnRmsNormGradQuant, const aclTensor *dy, const aclTensor *x, const aclTensor *rstd,
               const aclTensor *gamma, const aclTensor *scalesX, const aclTensor *offsetXOptional,
               char *quantMode, bool divMode, aclTensor *dxOut, aclTensor *dgammaOut)
#endif
