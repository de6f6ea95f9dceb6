/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnBatchNormBackward; version changes nothing.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FAST_BATCH_NORM_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_FAST_BATCH_NORM_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFastBatchNormBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclTensor *weight, const aclTensor *runningMean, const aclTensor *runningVar,
               const aclTensor *saveMean, const aclTensor *saveInvstd, bool training, double eps,
               const aclBoolArray *outputMask, int version, aclTensor *gradInput, aclTensor *gradWeight,
               aclTensor *gradBias)
#endif
