/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The tokens of a mixture of experts in the order of their experts, with the numbers of rows that
 * aclnnMoeGatingTopKSoftmax makes.
 * x: FLOAT, FLOAT16 or BFLOAT16, [tokens, width]; rowIdx and expertIdx: INT32, [tokens, topK]; activeNum: 0
 * or more. The pairs are sorted by expert, those of one expert in their order; number i of the order is
 * rowIdx of the pair, which stands for token number % tokens. expandedXOut: the tokens of the first
 * min(tokens, activeNum) * topK, in the dtype of x; expandedExpertIdxOut and expandedRowIdxOut: INT32,
 * [tokens * topK], the experts in order, and of each number the place in the order.
 * Numbers of rowIdx outside 0 to tokens * topK - 1 make the task fail. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_H
#define BELAY_ACLNNOP_ACLNN_MOE_INIT_ROUTING_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeInitRouting, const aclTensor *x, const aclTensor *rowIdx, const aclTensor *expertIdx,
               int64_t activeNum, aclTensor *expandedXOut, aclTensor *expandedRowIdxOut,
               aclTensor *expandedExpertIdxOut)
#endif
