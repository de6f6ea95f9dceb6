/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of AdaptiveAvgPool3d: for each element of self the sum of gradOutput over the windows that it
 * is in, divided by their sizes, in DOUBLE in the row-major order of the windows and rounded once.
 * gradOutput, self and out: FLOAT, FLOAT16 or BFLOAT16, the same; out has self's shape, gradOutput as many
 * windows as AdaptiveAvgPool3d gave.
 */
#ifndef BELAY_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnAdaptiveAvgPool3dBackward, const aclTensor *gradOutput, const aclTensor *self,
               aclTensor *out)
#endif
