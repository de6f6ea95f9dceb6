/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Standard deviations, the square roots of variances, and means along dims.
 *
 * self: FLOAT, FLOAT16 or BFLOAT16; dim: from -rank to rank - 1, each once; an empty array and NULL stand for
 * all; each output: any of these dtypes, the shape of self without the dims, or with 1 for each if keepdim;
 * () and {1} stand for each other. The variance is the sum of (self - mean)^2 divided by n - correction, by 0
 * where that is negative; of nothing all results are NaN. Computed in
 * DOUBLE, sums in an order that n fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_STD_MEAN_CORRECTION_H
#define BELAY_ACLNNOP_ACLNN_STD_MEAN_CORRECTION_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnStdMeanCorrection, const aclTensor *self, const aclIntArray *dim, int64_t correction,
               bool keepdim, aclTensor *stdOut, aclTensor *meanOut)
#endif
