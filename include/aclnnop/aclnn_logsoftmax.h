/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The logarithm of softmax along a dim: self - m - log(sum of e^(self - m)), m the greatest self along dim.
 * self and out: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, which may differ, of one shape; dim from -rank to rank -
 * 1, of rank 0 also 0 and -1. Computed in DOUBLE, sums in an order that the size of dim fixes, rounded once
 * to the dtype of out. A row that has NaN or +inf, or -inf alone, is NaN.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGSOFTMAX_H
#define BELAY_ACLNNOP_ACLNN_LOGSOFTMAX_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogSoftmax, const aclTensor *self, int64_t dim, aclTensor *out)
#endif
