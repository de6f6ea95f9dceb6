/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradient of CrossEntropyLoss by its input, from logProb as that gave it; the parameters are as
 * there. gradLoss has an element for each row where reductionOptional is "none", else one; gradLoss,
 * logProb and out have one dtype. gradZlossOptional and lseForZlossOptional are not looked at.
 */
#ifndef BELAY_ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_GRAD_H
#define BELAY_ACLNNOP_ACLNN_CROSS_ENTROPY_LOSS_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnCrossEntropyLossGrad, const aclTensor *gradLoss, const aclTensor *logProb,
               const aclTensor *target, const aclTensor *weightOptional, const aclTensor *gradZlossOptional,
               const aclTensor *lseForZlossOptional, char *reductionOptional, int64_t ignoreIndex,
               double labelSmoothing, double lseSquareScaleForZloss, const aclTensor *out)
#endif
