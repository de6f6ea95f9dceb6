/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of AvgPool3d: for each element of self the sum of gradOutput over the windows that it is in,
 * each divided by what AvgPool3d divides by, in DOUBLE in the row-major order of the windows and rounded
 * once. gradOutput, self and output: FLOAT, FLOAT16 or BFLOAT16, the same; gradOutput has the shape of
 * AvgPool3d's out, output that of self, of which nothing else is looked at. The rest is as AvgPool3d has it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAvgPool3dBackward, const aclTensor *gradOutput, const aclTensor *self,
               const aclIntArray *kernelSize, const aclIntArray *stride, const aclIntArray *padding,
               bool ceilMode, bool countIncludePad, int64_t divisorOverride, aclTensor *output)
#endif
