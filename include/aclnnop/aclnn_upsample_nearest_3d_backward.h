/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of UpsampleNearest3d: for each element of the input the sum of gradOut times its weight there.
 * gradOut and out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, the same; out has the shape inputSize, (N, C, D, H,
 * W), gradOut the same but outputSize in place of the last sizes. The rest is as UpsampleNearest3d has it.
 * Sums run in FLOAT, of DOUBLE in DOUBLE, in the row-major order of gradOut and are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_3D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearest3dBackward, const aclTensor *gradOut, const aclIntArray *outputSize,
               const aclIntArray *inputSize, double scalesD, double scalesH, double scalesW, aclTensor *out)
#endif
