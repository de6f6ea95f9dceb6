/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether the norm of a gradient is one that a fault of a processor may have made, by a running average.
 * - val, max: FLOAT, FLOAT16 or BFLOAT16, one element; avgRef: FLOAT, one element; stepRef: INT64, one element;
 *   inputGradRef: any shape. dstSize, dstStride and dstOffset say how it lies, as its view does, and change nothing.
 * - result, INT32, one element: 2 where val or max is not finite, or val is above cThreshL1 times avg / (1 -
 *   beta1^step), avg at step 0; 1 where it is above cThreshL2 times that; 0 otherwise, and where avg is 0: nothing is
 *   known yet. avgRef becomes beta1 avg + (1 - beta1) val if both are finite, stepRef goes up by 1.
 * - inputGradRef becomes 0 where result is 2 and npuAsdDetect is not 1.
 * What the thresholds mean is known from one source; nothing is printed.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SILENT_CHECK_V2_H
#define BELAY_ACLNNOP_ACLNN_SILENT_CHECK_V2_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSilentCheckV2, const aclTensor *val, const aclTensor *max, aclTensor *avgRef,
               aclTensor *inputGradRef, aclTensor *stepRef, const aclIntArray *dstSize,
               const aclIntArray *dstStride, const aclIntArray *dstOffset, float cThreshL1, float cThreshL2,
               float beta1, int32_t npuAsdDetect, aclTensor *result)
#endif
