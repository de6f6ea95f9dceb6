/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Normalisation of channels, which dim 1 of input counts: output = (input - mean) / sqrt(variance + eps)
 * weight + bias. In training mean and variance are those of each channel, the latter divided by the number of
 * elements n; they are saved, and runningMean and runningVar become (1 - momentum) running + momentum batch,
 * where the variance is divided by n - 1 instead (n = 1: by n). Else they are runningMean and runningVar, and
 * saveMean and saveInvstd are not looked at.
 *
 * input and output: FLOAT, FLOAT16 or BFLOAT16, rank 2 to 8, one shape; the others: any of these, an element
 * for each channel. weight and runningVar NULL: 1; bias and runningMean NULL: 0. In training saveMean and
 * saveInvstd must be given (161001); saveInvstd is 1 / sqrt(variance + eps) on Ascend950, the variance on the
 * products before it, as on the devices. Channels without elements save 0 and NaN and leave the running
 * tensors as they are. Computed in DOUBLE, sums in an order that shapes fix, rounded once to the dtypes of
 * the outputs.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNorm, const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
               aclTensor *runningMean, aclTensor *runningVar, bool training, double momentum, double eps,
               aclTensor *output, aclTensor *saveMean, aclTensor *saveInvstd)
#endif
