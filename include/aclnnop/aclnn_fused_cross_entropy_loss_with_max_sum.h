/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * Cross entropy of what aclnn_fused_linear_online_max_sum.h tells, when all ranks' are merged.
 * - logitsMax, sumExpLogits, predictedLogits: FLOAT (rows). lossOut, FLOAT (rows): ln sumExpLogits - predictedLogits.
 * - softMaxOutOptional, FLOAT (rows, columns): e^(vocabParallelLogitsOptional - logitsMax) / sumExpLogits; NULL, or
 *   without elements: not written. vocabParallelLogitsOptional (rows, columns) is read for it alone. inputOptional and
 *   weightOptional change nothing.
 * In DOUBLE, rounded once. 161002 too: other shapes, a labelSmoothing other than 0, softMaxOutOptional without logits.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_CROSS_ENTROPY_LOSS_WITH_MAX_SUM_H
#define BELAY_ACLNNOP_ACLNN_FUSED_CROSS_ENTROPY_LOSS_WITH_MAX_SUM_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedCrossEntropyLossWithMaxSum, const aclTensor *logitsMax,
               const aclTensor *sumExpLogits, const aclTensor *predictedLogits, float labelSmoothing,
               const aclTensor *inputOptional, const aclTensor *weightOptional,
               const aclTensor *vocabParallelLogitsOptional, aclTensor *lossOut,
               aclTensor *softMaxOutOptional)
#endif
