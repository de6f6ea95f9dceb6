/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of AvgPool2d: for each element of self the sum of gradOutput over the windows that it is in,
 * each divided by what AvgPool2d divides by, in DOUBLE in the row-major order of the windows and rounded
 * once. gradOutput, self and gradInput: FLOAT, FLOAT16 or BFLOAT16, the same; gradOutput has the shape of
 * AvgPool2d's out, gradInput that of self, of which nothing else is looked at. The rest is as AvgPool2d has
 * it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AVGPOOL2D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_AVGPOOL2D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAvgPool2dBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
               bool ceilMode, bool countIncludePad, int64_t divisorOverride, int8_t cubeMathType,
               aclTensor *gradInput)
#endif
