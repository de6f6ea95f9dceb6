/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Each token's sum of its experts' rows, as aclnnMoeInitRouting has put them.
 * expandedX: FLOAT, FLOAT16 or BFLOAT16, rows of [rows, width] or [experts, places, width]; expandedRowIdx:
 * INT32, [tokens * topK], the row of each choice of each token, at choice * tokens + token; -1 stands for a
 * row of 0, others that are no row make the task fail. scales: any of these dtypes, [tokens, topK], or NULL
 * for 1. x1 and x2Optional: [tokens, width], or NULL for 0; bias: [experts, width], or NULL, with expertIdx:
 * INT32, [tokens, topK] (161001 where that is NULL). out: the dtype of expandedX, [tokens, width], = x1 + x2
 * + the sum over choices of scale * (row + bias of the choice's expert), in DOUBLE in the order of the
 * choices, rounded once. Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_H
#define BELAY_ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeFinalizeRouting, const aclTensor *expandedX, const aclTensor *x1,
               const aclTensor *x2Optional, const aclTensor *bias, const aclTensor *scales,
               const aclTensor *expandedRowIdx, const aclTensor *expertIdx, aclTensor *out)
#endif
