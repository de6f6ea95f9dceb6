/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of aclnnSoftmax from its result: output (gradOutput - sum of gradOutput output along dim).
 * gradOutput and output: FLOAT, FLOAT16, BFLOAT16 or DOUBLE, one dtype and one shape for both; out any of
 * these dtypes, their shape; dim from -rank to rank - 1, of rank 0 also 0 and -1. Computed in DOUBLE, sums in
 * an order that the size of dim fixes, rounded once to the dtype of out.
 */
#ifndef BELAY_ACLNNOP_ACLNN_SOFTMAX_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_SOFTMAX_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnSoftmaxBackward, const aclTensor *gradOutput, const aclTensor *output, int64_t dim,
               aclTensor *out)
#endif
