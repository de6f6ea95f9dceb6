/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * gradInput = (gradOut - sumDy / n - (input - mean) invstd^2 sumDyXmu / n) invstd weight for each channel,
 * which dim 1 of input counts; n is the sum of counter. gradOut, input and gradInput: FLOAT, FLOAT16 or
 * BFLOAT16, the first two the same, one shape of rank 2 to 8; the others: any of these, an element for each
 * channel; counter: a float, INT32 or INT64, of any shape. weight NULL: 1. Computed in DOUBLE, rounded once.
 */
#ifndef BELAY_ACLNNOP_ACLNN_BATCH_NORM_ELEMT_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_BATCH_NORM_ELEMT_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnBatchNormElemtBackward, const aclTensor *gradOut, const aclTensor *input,
               const aclTensor *mean, const aclTensor *invstd, const aclTensor *weight,
               const aclTensor *sumDy, const aclTensor *sumDyXmu, aclTensor *counter, aclTensor *gradInput)
#endif
