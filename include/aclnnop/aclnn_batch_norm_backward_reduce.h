/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sums of aclnnBatchNormElemt's gradients over the elements of each channel, which dim 1 of input counts:
 * sumDy of gradOut, sumDyXmu of gradOut (input - mean), gradWeight of that times invstd, gradBias as sumDy.
 * inputG asks for the first two, weightG and biasG for the others, which must be given then (161001), and may
 * be NULL otherwise. gradOut and input: FLOAT, FLOAT16 or BFLOAT16, the same, one shape of rank 2 to 8; the
 * others: any of these, an element for each channel. weight is not looked at. Computed in DOUBLE, sums in an
 * order that shapes fix, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_REDUCE_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_REDUCE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormReduceBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclTensor *mean, const aclTensor *invstd, const aclTensor *weight, bool inputG,
               bool weightG, bool biasG, aclTensor *sumDy, aclTensor *sumDyXmu, aclTensor *gradWeight,
               aclTensor *gradBias)
#endif
