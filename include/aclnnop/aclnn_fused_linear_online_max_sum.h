/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * What a rank with a part of the vocabulary knows of the logits input weight^T: first step of cross entropy.
 * - input (rows, depth), weight (columns, depth): FLOAT, FLOAT16 or BFLOAT16, of one dtype; target: INT32 or INT64
 *   (rows). A target below vocabStartIndex or above vocabEndIndex is another rank's.
 * - logitsMaxLocalOut and sumExpLogitsLocalOut, FLOAT (rows): the greatest logit and the sum of e^(logit - greatest).
 *   maskedTargetOut, as target: target - vocabStartIndex, 0 for another rank's; predictedLogitsLocalOut, FLOAT: the
 *   logit there less the greatest, 0 for another rank's. targetMaskOut, UINT8, a bit for each row, the first in the
 *   highest: set for another rank's, and behind the last row.
 * - vocabParallelLogitsOutOptional: the logits (rows, columns), rounded once; the other outputs are made of unrounded
 *   ones. NULL, or without elements: not written.
 * A target of this rank for which weight has no row fails the work (507035). 161002 too: other shapes.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_LINEAR_ONLINE_MAX_SUM_H
#define BELAY_ACLNNOP_ACLNN_FUSED_LINEAR_ONLINE_MAX_SUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedLinearOnlineMaxSum, const aclTensor *input, const aclTensor *weight,
               const aclTensor *target, int64_t vocabStartIndex, int64_t vocabEndIndex,
               aclTensor *logitsMaxLocalOut, aclTensor *sumExpLogitsLocalOut,
               aclTensor *predictedLogitsLocalOut, aclTensor *targetMaskOut, aclTensor *maskedTargetOut,
               aclTensor *vocabParallelLogitsOutOptional)
#endif
