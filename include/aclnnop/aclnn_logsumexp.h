/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Logarithms of sums of powers of e along dims: log(sum of e^self). An infinite greatest element gives
 * itself, NaN gives NaN, nothing gives -inf.
 *
 * self: FLOAT, FLOAT16, BFLOAT16, INT8 to INT64, UINT8 or BOOL; dim: from -rank to rank - 1, each once; an
 * empty array stands for all; out: FLOAT, FLOAT16 or BFLOAT16, the shape of self without the dims, or with 1
 * for each if keepDim; () and {1} stand for each other. Computed in DOUBLE, sums in an order that the number
 * of elements fixes, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_LOGSUMEXP_H
#define BELAY_ACLNNOP_ACLNN_LOGSUMEXP_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnLogSumExp, const aclTensor *self, const aclIntArray *dim, bool keepDim, aclTensor *out)
#endif
