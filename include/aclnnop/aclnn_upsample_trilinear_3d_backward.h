/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of UpsampleTrilinear3d: for each element of the input the sum of gradOut times its weight
 * there. gradOut and gradInput: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, the same; gradInput has the shape
 * inputSize, (N, C, D, H, W), gradOut the same but outputSize in place of the last sizes. The rest is as
 * UpsampleTrilinear3d has it. Sums run in FLOAT, of DOUBLE in DOUBLE, in the row-major order of gradOut and
 * are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR_3D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_TRILINEAR_3D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleTrilinear3dBackward, const aclTensor *gradOut, const aclIntArray *outputSize,
               const aclIntArray *inputSize, bool alignCorners, double scalesD, double scalesH,
               double scalesW, aclTensor *gradInput)
#endif
