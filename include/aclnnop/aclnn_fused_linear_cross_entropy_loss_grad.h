/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * The gradients of input and weight of cross entropy by parts of the vocabulary.
 * - grad: FLOAT (rows); input, weight, targetMask and maskedTarget: as aclnn_fused_linear_online_max_sum.h has them.
 * - P is softmaxOptional, FLOAT (rows, columns), or without it e^(input weight^T - logitsMaxOptional) /
 *   sumExpLogitsOptional, of FLOAT (rows) both; less 1 at maskedTarget of rows whose bit is not set; times grad.
 *   inputGradOut = P weight and weightGradOut = P^T input, of their dtype.
 * In DOUBLE, rounded once. A maskedTarget of such a row that is no column fails the work (507035). 161002 too: other
 * shapes, a labelSmoothing other than 0, neither softmaxOptional nor the other two.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_LINEAR_CROSS_ENTROPY_LOSS_GRAD_H
#define BELAY_ACLNNOP_ACLNN_FUSED_LINEAR_CROSS_ENTROPY_LOSS_GRAD_H
#include "aclnnop/function.h"
ACLNN_FUNCTION(aclnnFusedLinearCrossEntropyLossGrad, const aclTensor *grad, const aclTensor *input,
               const aclTensor *weight, const aclTensor *targetMask, const aclTensor *maskedTarget,
               float labelSmoothing, const aclTensor *logitsMaxOptional,
               const aclTensor *sumExpLogitsOptional, const aclTensor *softmaxOptional,
               aclTensor *inputGradOut, aclTensor *weightGradOut)
#endif
