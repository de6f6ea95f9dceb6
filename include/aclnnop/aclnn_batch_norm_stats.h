/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Mean and 1 / sqrt(variance + eps) of each channel, which dim 1 of input counts, the variance divided by the
 * number of elements: what a device of several tells the others of its own batch. input: FLOAT, FLOAT16 or
 * BFLOAT16, rank 2 to 8, 1 channel or more; mean and invstd: FLOAT, an element for each channel. Computed in
 * DOUBLE, sums in an order that shapes fix, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_STATS_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_STATS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormStats, const aclTensor *input, double eps, aclTensor *mean, aclTensor *invstd)
#endif
