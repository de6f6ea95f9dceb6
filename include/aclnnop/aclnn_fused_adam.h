/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/*
 * A step of Adam of each tensor of a list, as torch.optim.Adam takes it with fused=True:
 *
 *     g = grad / gradScale, or grad without one; g = maximize ? -g : g; t = stateStep + 1
 *     g = g + weightDecay param
 *     m = m + (g - m) (1 - beta1)
 *     v = beta2 v + (1 - beta2) g^2
 *     w = amsgrad ? (max = max(max, v)) : v
 *     param = param - lr / (1 - beta1^t) m / (sqrt(w) / sqrt(1 - beta2^t) + eps)
 *
 * in doubles, of which each result is rounded once. The lists have one length, and tensors with one index
 * one shape; those of a list have one dtype, FLOAT, FLOAT16 or BFLOAT16, and the moments and maxima that of
 * the first moments. stateSteps are FLOAT or INT64, of one element each; they count the steps before this
 * one, and are not written. gradScale and foundInf are NULL or FLOAT of one element; where foundInf is not 0
 * nothing is changed. All of these are read when the work runs. amsgrad asks for the maxima (161001 where
 * they are NULL then); otherwise their list is not looked at. Empty tensors are skipped.
 * Order as torch_npu 2.14 passes it.
 */
#ifndef BELAY_ACLNNOP_ACLNN_FUSED_ADAM_H
#define BELAY_ACLNNOP_ACLNN_FUSED_ADAM_H

#include "aclnnop/function.h"

ACLNN_FUNCTION(aclnnFusedAdam, aclTensorList *params, const aclTensorList *grads, aclTensorList *expAvgs,
               aclTensorList *expAvgSqs, aclTensorList *maxExpAvgSqs, const aclTensorList *stateSteps,
               const aclTensor *gradScale, const aclTensor *foundInf, double lr, double beta1, double beta2,
               double weightDecay, double eps, bool amsgrad, bool maximize)

#endif
