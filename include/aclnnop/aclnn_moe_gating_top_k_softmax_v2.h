/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gate of a mixture of experts: of each row the k greatest of its softmax, greatest first, and their
 * places; with renorm 1 the softmax of the k greatest.
 * x: FLOAT, FLOAT16 or BFLOAT16, of 2 or 3 dims, rows of 1 or more experts; finished: NULL or BOOL, one for
 * each row, where that is true the experts are as many as a row has elements; k: 1 to the elements of a row;
 * yOut: the dtype of x, and expertIdxOut: INT32, both rows of k. Equal numbers keep their order, and NaN is
 * greater than all. Computed in DOUBLE, rounded once. Order as torch_npu 2.14 passes it.
 * softmaxOutOptional: where it is given, with renorm 0 and outputSoftmaxResultFlag, the softmax, FLOAT and
 * of the shape of x; otherwise it is not looked at.
 * 161002 too: renorm other than 0 and 1.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_V2_H
#define BELAY_ACLNNOP_ACLNN_MOE_GATING_TOP_K_SOFTMAX_V2_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnMoeGatingTopKSoftmaxV2, const aclTensor *x, const aclTensor *finished, int64_t k,
               int64_t renorm, bool outputSoftmaxResultFlag, aclTensor *yOut, aclTensor *expertIdxOut,
               aclTensor *softmaxOutOptional)

#endif
