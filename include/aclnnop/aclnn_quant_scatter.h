/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Parts of the batches of selfRef along an axis replaced, in place, by updates as INT8.
 * - selfRef: INT8, of 2 dims or more; updates: FLOAT, FLOAT16 or BFLOAT16, as many dims, of the same sizes but for the first and
 *   axis, which is neither the first nor the last dim.
 * - indices: INT32 or INT64, one number for each part k of updates: it goes to batch k from there on; or two, (n, 2): the batch, and
 *   from where on; of parts that meet the last one stays. A place that is not there fails the work (507035).
 * - What is written is updates / quantScales + quantZeroPointsOptional, to the nearest number, ties to even: 1 element, or one for
 *   each of the last dim. quantAxis: -1; reduction: 1, to replace.
 */
#ifndef BELAY_ACLNNOP_ACLNN_QUANT_SCATTER_H
#define BELAY_ACLNNOP_ACLNN_QUANT_SCATTER_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnInplaceQuantScatter, aclTensor *selfRef, const aclTensor *indices,
               const aclTensor *updates, const aclTensor *quantScales,
               const aclTensor *quantZeroPointsOptional, int64_t axis, int64_t quantAxis, int64_t reduction)
#endif
