/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of dropout: gradY times the bit of the mask times scale.
 * FLOAT, FLOAT16 and BFLOAT16; gradX has the shape and dtype of gradY. A mask has one bit for each element,
 * 1 to keep it: element i, in row-major order, is bit i mod 8 of byte i / 8, the lowest bit first; UINT8, of
 * any shape with ceil(n / 128) 16 elements. What is dropped is multiplied by 0: NaN stays NaN, and a
 * negative number becomes -0. scale is taken as a FLOAT; one rounding.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_V3_GRAD_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_V3_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropoutV3Grad, const aclTensor *gradY, const aclTensor *mask, double scale,
               aclTensor *gradX)
#endif
