/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of dropout: what the mask keeps, times scale; 0 for the rest.
 * FLOAT, FLOAT16 and BFLOAT16; out has the shape and dtype of gradOutput. A mask has one bit for each
 * element, 1 to keep it: element i, in row-major order, is bit i mod 8 of byte i / 8, the lowest bit first;
 * UINT8, of any shape with ceil(n / 128) 16 elements. scale, as a FLOAT, is 1 / (1 - p): with 1 everything
 * is copied, with 0 all is 0.
 * 161002 too: another scale below 1, or NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_DROPOUT_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_DROPOUT_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnDropoutBackward, const aclTensor *gradOutput, const aclTensor *mask, double scale,
               aclTensor *out)
#endif
