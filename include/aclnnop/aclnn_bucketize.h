/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Where values would go among sorted boundaries for these to stay in order, as aclnnSearchSorted has it: in
 * front of equal ones, or behind them if right.
 * self, boundaries: FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT8 to INT64, UINT8; boundaries: rank 1; outInt32:
 * whether out is INT32, not INT64; out: the shape of self. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BUCKETIZE_H
#define BELAY_ACLNNOP_ACLNN_BUCKETIZE_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnBucketize, const aclTensor *self, const aclTensor *boundaries, const bool outInt32,
               const bool right, aclTensor *out)

#endif
