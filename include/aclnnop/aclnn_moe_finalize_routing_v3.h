/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * aclnnMoeFinalizeRoutingV2 with experts that are no products.
 * expandedX: FLOAT, FLOAT16 or BFLOAT16, rows of [rows, width] or [experts, places, width]; expandedRowIdx:
 * INT32, [tokens * topK], the row of each choice of each token, choice * tokens + token with dropPadMode 0
 * and 1, token * topK + choice with 2 and 3; -1 stands for a row of 0, others that are no row make the task
 * fail. scalesOptional: any of these dtypes, [tokens, topK], or NULL for 1. x1Optional and x2Optional:
 * [tokens, width], or NULL for 0; biasOptional: [experts, width], or NULL, with expertIdxOptional: INT32,
 * [tokens, topK] (161001 where that is NULL). out: the dtype of expandedX, [tokens, width], = x1 + x2 + the
 * sum over choices of scale * (row + bias of the choice's expert), in DOUBLE in the order of the choices,
 * rounded once.
 * Experts of zeroExpertRangeOptional, two numbers, the first and the one behind the last, NULL or [-1, -1]
 * for none, add nothing; those of copyExpertRangeOptional scale * x, of [tokens, width]; those of
 * constantExpertRangeOptional, numbered from its first one, scale * (alpha1 * x + alpha2 * v), each [experts
 * of the range, width]. What they need must be given (161001). 161002 too: dropPadMode outside 0 to 3, ranges
 * that fall.
 */
#ifndef BELAY_ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V3_H
#define BELAY_ACLNNOP_ACLNN_MOE_FINALIZE_ROUTING_V3_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnMoeFinalizeRoutingV3, const aclTensor *expandedX, const aclTensor *expandedRowIdx,
               const aclTensor *x1Optional, const aclTensor *x2Optional, const aclTensor *biasOptional,
               const aclTensor *scalesOptional, const aclTensor *expertIdxOptional,
               const aclTensor *xOptional, const aclTensor *constExpertAlpha1Optional,
               const aclTensor *constExpertAlpha2Optional, const aclTensor *constExpertVOptional,
               int64_t dropPadMode, const aclIntArray *zeroExpertRangeOptional,
               const aclIntArray *copyExpertRangeOptional, const aclIntArray *constantExpertRangeOptional,
               aclTensor *out)
#endif
