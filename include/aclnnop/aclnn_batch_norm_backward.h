/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of aclnnBatchNorm: with n = (input - mean) rstd and sums and means over each channel
 *
 *     gradInput = weight rstd (gradOut - mean of gradOut - n mean of gradOut n); not in training weight rstd
 * gradOut gradWeight = sum of gradOut n, gradBias = sum of gradOut
 *
 * In training mean and rstd are what aclnnBatchNorm saved on the same product (on Ascend950 saveInvstd is
 * rstd, before it the variance: rstd = 1 / sqrt(saveInvstd + eps)); else runningMean and 1 / sqrt(runningVar
 * + eps). The two others are not used. NULL: a mean 0, the others 1.
 *
 * gradOut, input and gradInput: FLOAT, FLOAT16 or BFLOAT16, one dtype and one shape, rank 2 to 8; the others:
 * any of these, an element for each channel. outputMask: three entries; an output whose entry is false is not
 * written, else it must be given (161001). Computed in DOUBLE, sums in an order that shapes fix, rounded once
 * to the dtypes of the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclTensor *weight, const aclTensor *runningMean, const aclTensor *runningVar,
               const aclTensor *saveMean, const aclTensor *saveInvstd, bool training, double eps,
               const aclBoolArray *outputMask, aclTensor *gradInput, aclTensor *gradWeight,
               aclTensor *gradBias)
#endif
