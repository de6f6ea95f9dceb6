/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Logarithms of sums along dims: log(sum of data), NaN where that is negative, 0 of nothing.
 *
 * data and reduce: FLOAT, FLOAT16 or BFLOAT16, one dtype; axes: from -rank to rank - 1, each once; an empty
 * array stands for all, or with noopWithEmptyAxes for a copy of data; reduce: the shape of data without the
 * dims, or with 1 for each if keepDims; () and {1} stand for each other. Computed in DOUBLE, sums in an order
 * that the number of elements fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_REDUCE_LOG_SUM_H
#define BELAY_ACLNNOP_ACLNN_REDUCE_LOG_SUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnReduceLogSum, const aclTensor *data, const aclIntArray *axes, bool keepDims,
               bool noopWithEmptyAxes, aclTensor *reduce)
#endif
