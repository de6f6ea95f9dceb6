/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The sum and the sum of squares of each channel, which dim 1 of x counts. x: FLOAT, FLOAT16 or BFLOAT16,
 * rank 2 to 8, 1 channel or more; sum and squareSum: FLOAT, an element for each channel. Computed in DOUBLE,
 * sums in an order that shapes fix, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_REDUCE_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_REDUCE_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormReduce, const aclTensor *x, aclTensor *sum, aclTensor *squareSum)
#endif
