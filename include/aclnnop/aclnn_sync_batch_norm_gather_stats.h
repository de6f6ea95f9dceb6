/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The same as aclnnBatchNormGatherStatsWithCounts of sums: totalSum and totalSquareSum have a row of
 * aclnnBatchNormReduce's results for each device, sampleCount how many elements each had (also INT32, INT64
 * and DOUBLE). mean and variance are the running ones. All are FLOAT, FLOAT16 or BFLOAT16; batchMean and
 * batchInvstd have an element for each channel. Computed in DOUBLE, rounded once. The order of the arguments
 * is that in which torch_npu 2.14 passes them.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SYNC_BATCH_NORM_GATHER_STATS_H
#define BELAY_ACLNNOP_ACLNN_SYNC_BATCH_NORM_GATHER_STATS_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSyncBatchNormGatherStats, const aclTensor *totalSum, const aclTensor *totalSquareSum,
               const aclTensor *sampleCount, aclTensor *mean, aclTensor *variance, float momentum, float eps,
               aclTensor *batchMean, aclTensor *batchInvstd)
#endif
