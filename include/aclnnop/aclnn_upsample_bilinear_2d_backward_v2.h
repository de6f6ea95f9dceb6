/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of UpsampleBilinear2d: for each element of the input the sum of gradOut times its weight
 * there. gradOut and out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, the same; out has the shape inputSize, (N, C,
 * H, W), gradOut the same but outputSize in place of the last sizes. The rest is as UpsampleBilinear2d has
 * it. Sums run in FLOAT, of DOUBLE in DOUBLE, in the row-major order of gradOut and are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_BACKWARD_V2_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_BACKWARD_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleBilinear2dBackwardV2, const aclTensor *gradOut, const aclIntArray *outputSize,
               const aclIntArray *inputSize, bool alignCorners, double scalesH, double scalesW,
               aclTensor *out)
#endif
