/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of UpsampleNearestExact2d: for each element of the input the sum of gradOutput times its
 * weight there. gradOutput and out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, the same; out has the shape
 * inputSize, (N, C, H, W), gradOutput the same but outputSize in place of the last sizes. The rest is as
 * UpsampleNearestExact2d has it. Sums run in FLOAT, of DOUBLE in DOUBLE, in the row-major order of gradOutput
 * and are rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_NEAREST_EXACT2D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleNearestExact2dBackward, const aclTensor *gradOutput,
               const aclIntArray *outputSize, const aclIntArray *inputSize, double scalesH, double scalesW,
               aclTensor *out)
#endif
