/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gate of a mixture of experts: of each row the k greatest of its softmax, greatest first, and their
 * places.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 2 or 3 dims, rows of 1 or more experts; finished: NULL or BOOL, one for
 * each row, where that is true the experts are as many as a row has elements; k: 1 to the elements of a row;
 * yOut: the dtype of x, and expertIdxOut: INT32, both rows of k. Equal numbers keep their order, and NaN is
 * greater than all. Computed in DOUBLE, rounded once. Order as torch_npu 2.14 passes it.
 * rowIdxOut: INT32, as expertIdxOut: j R + r for place j of row r of R.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_H
#define BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeGatingTopKSoftmax, const aclTensor *x, const aclTensor *finished, int64_t k,
               aclTensor *yOut, aclTensor *expertIdxOut, aclTensor *rowIdxOut)

#endif
