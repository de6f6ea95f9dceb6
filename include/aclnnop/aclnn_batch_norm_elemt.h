/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * output = (input - mean) invstd weight + bias for each channel, which dim 1 of input counts. input and
 * output: FLOAT, FLOAT16 or BFLOAT16, one shape of rank 2 to 8, 1 channel or more; the others: any of these,
 * an element for each channel. weight NULL: 1; bias NULL: 0. eps is not looked at: it is in invstd already.
 * Computed in DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_ELEMT_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_ELEMT_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormElemt, const aclTensor *input, const aclTensor *weight, const aclTensor *bias,
               aclTensor *mean, aclTensor *invstd, double eps, aclTensor *output)
#endif
