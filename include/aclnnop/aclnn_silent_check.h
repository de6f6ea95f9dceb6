/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Whether the norm of a gradient is one that a fault of a processor may have made.
 * - val: FLOAT, FLOAT16 or BFLOAT16, one element; sfdaRef: FLOAT {3}, the value before, the least and the greatest of
 *   all; stepRef: INT64, one element; inputGradRef: any shape.
 * - result, INT32, one element: 2 where val is not finite. From cMinSteps steps on, and never at step 0, also 2 where
 *   val is above cThreshL1 and further from the value before than cCoeffL1 times the greatest less the least; 1 by
 *   cThreshL2 and cCoeffL2; 0 otherwise. sfdaRef takes a finite val, stepRef goes up by 1.
 * - inputGradRef becomes 0 where result is 2 and npuAsdDetect is not 1.
 * What the thresholds mean is known from one source; nothing is printed.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SILENT_CHECK_H
#define BELAY_ACLNNOP_ACLNN_SILENT_CHECK_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSilentCheck, const aclTensor *val, aclTensor *inputGradRef, aclTensor *sfdaRef,
               aclTensor *stepRef, int32_t cMinSteps, float cThreshL1, float cCoeffL1, float cThreshL2,
               float cCoeffL2, int32_t npuAsdDetect, aclTensor *result)
#endif
