/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Mean and 1 / sqrt(variance + eps) of each channel over the batches of several devices: mean and invstd have
 * a row of aclnnBatchNormStats' results for each device, counts how many elements each had. runningMean and
 * runningVar become (1 - momentum) running + momentum batch, where the variance is divided by the number of
 * elements less 1, unless that is 0; NULL: there are none. Of input the dtype and the number of channels
 * count. All are FLOAT, FLOAT16 or BFLOAT16; meanAll and invstdAll have an element for each channel. Computed
 * in DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_GATHER_STATS_WITH_COUNTS_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_GATHER_STATS_WITH_COUNTS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormGatherStatsWithCounts, const aclTensor *input, const aclTensor *mean,
               const aclTensor *invstd, aclTensor *runningMean, aclTensor *runningVar, double momentum,
               double eps, const aclTensor *counts, aclTensor *meanAll, aclTensor *invstdAll)
#endif
