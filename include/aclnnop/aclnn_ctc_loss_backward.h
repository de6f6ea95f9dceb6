/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * out = the gradient of CtcLoss by logProbs, where those are logarithms of a softmax: e^logProbs less the
 * probability of each class among all paths, times gradOut; 0 behind the end of a sample. Parameters are
 * as there; negLogLikelihood and logAlpha are what it gave. With zeroInfinity a sample without any path
 * has 0.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H
#define BELAY_ACLNNOP_ACLNN_CTC_LOSS_BACKWARD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCtcLossBackward, const aclTensor *gradOut, const aclTensor *logProbs,
               const aclTensor *targets, const aclIntArray *inputLengths, const aclIntArray *targetLengths,
               const aclTensor *negLogLikelihood, const aclTensor *logAlpha, int64_t blank, bool zeroInfinity,
               aclTensor *out)
#endif
