/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnUpsampleBilinear2dAA: each element of gradOut is added to the elements that it came
 * from, times their weights, in FLOAT, rounded once. gradOut and out: FLOAT, FLOAT16 or BFLOAT16, the same.
 * gradOut has the sizes N, C and outputSize, out those of inputSize.
 */
#ifndef BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnUpsampleBilinear2dAABackward, const aclTensor *gradOut, const aclIntArray *outputSize,
               const aclIntArray *inputSize, bool alignCorners, double scalesH, double scalesW,
               aclTensor *out)
#endif
