/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Leaves of each row of logits what may be sampled, and makes the others -inf: the k greatest elements and
 * what is equal to the least of these, and then those that have the most probable part p.
 * - logits, out: FLOAT, FLOAT16 or BFLOAT16 (rows, elements). kOptional: INT32 (rows); a k of at least as
 *   many elements cuts nothing. pOptional: the dtype of logits (rows): with the softmax of what k has left,
 *   from the least element up, of equal ones the first in the row first, elements whose sum so far is no
 *   more than 1 - p are cut; the greatest one stays. What stays is as it was. NaN counts as the greatest.
 * Probabilities are sums of DOUBLE. A k below 1 is a fault of the run. 161002 too: other shapes. Order as
 * torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_APPLY_TOP_K_TOP_P_H
#define BELAY_ACLNNOP_ACLNN_APPLY_TOP_K_TOP_P_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnApplyTopKTopP, const aclTensor *logits, const aclTensor *pOptional,
               const aclTensor *kOptional, aclTensor *out)
#endif
